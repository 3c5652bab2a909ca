import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

/** @import { Browser, Page } from 'playwright-core' */
/** @import { UIMessage } from 'ai' */

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** How long a person would wait for anything in these tests, in milliseconds. */
const PATIENCE_MS = 10_000;

/** What the browser itself reports about a connection that the server has broken. */
const BROKEN_CONNECTION = /net::ERR_(INCOMPLETE_CHUNKED_ENCODING|EMPTY_RESPONSE|CONNECTION_RESET|FAILED)/;

/**
 * @typedef {object} PageOptions
 * @property {string} [scenario] picked on the page; default: the page's own first choice
 * @property {number} [delay] pause before each event of an answer, in milliseconds; default 0
 * @property {number} [width] of the window, in CSS pixels; default 1280
 * @property {number} [height] of the window, in CSS pixels; default 800
 * @property {'light' | 'dark'} [theme] of the system; default light
 * @property {boolean} [breaksConnections] whether the browser may report broken connections; default false
 */

/** The demo page in a browser, used as a person uses it. */
export class AssistantPage {
  /** @type {string[]} */
  #faults = [];
  #breaksConnections;

  /**
   * @param {Browser} browser
   * @param {string} url
   * @param {PageOptions} options
   */
  static async open(browser, url, options) {
    const { scenario, delay = 0, width = 1280, height = 800, theme = 'light', breaksConnections = false } = options;
    const page = await browser.newPage({ viewport: { width, height }, colorScheme: theme });
    page.setDefaultTimeout(PATIENCE_MS);
    const opened = new AssistantPage(page, breaksConnections);
    await page.goto(`${url}/?delay=${delay}`);
    // The page starts another chat once it knows its scenarios; nothing may be sent before.
    await opened.suggestion.waitFor();
    if (scenario !== undefined) await opened.pick(scenario);
    return opened;
  }

  /**
   * @param {Page} page
   * @param {boolean} breaksConnections
   */
  constructor(page, breaksConnections) {
    this.page = page;
    this.#breaksConnections = breaksConnections;
    page.on('pageerror', error => this.#faults.push(String(error)));
    page.on('console', message => {
      if (message.type() === 'error' || message.type() === 'warning') this.#faults.push(message.text());
    });
    this.assistant = page.locator('chatwire-assistant');
    this.input = page.getByRole('textbox', { name: 'Message', exact: true });
    this.log = page.getByRole('log', { name: 'Conversation' });
    this.suggestion = page.getByRole('group', { name: 'Suggestions' }).getByRole('button');
    this.alert = this.assistant.getByRole('alert');
  }

  close() {
    return this.page.close();
  }

  /** @param {string} scenario its name */
  async pick(scenario) {
    await this.page.getByRole('combobox', { name: 'Scenario' }).selectOption(scenario);
  }

  /** Takes up the suggestion of an empty chat and sends it. Returns its text. */
  async sendSuggestion() {
    const text = await this.suggestion.innerText();
    await this.suggestion.click();
    await this.page.keyboard.press('Enter');
    await this.userMessage(text).waitFor();
    return text;
  }

  /** Writes a message and sends it with Enter. @param {string} text */
  async send(text) {
    await this.input.click();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** @param {string} name */
  button(name) {
    return this.assistant.getByRole('button', { name, exact: true });
  }

  /** @param {string} text */
  userMessage(text) {
    return this.log.getByRole('listitem').filter({ hasText: 'You:' }).filter({ hasText: text });
  }

  /** The last assistant message. */
  answer() {
    return this.log.locator('.message[data-role="assistant"]').last();
  }

  /** Waits until no response is under way. */
  async settled() {
    await this.page.waitForFunction(() => {
      const { chat } = /** @type {any} */ (document.querySelector('chatwire-assistant'));
      return chat.status === 'ready' || chat.status === 'error';
    });
  }

  /** The chat's messages as JSON has them. @returns {Promise<UIMessage[]>} */
  async messages() {
    return JSON.parse(await this.#chat('JSON.stringify(chat.messages)'));
  }

  /** How the last response ended. @returns {Promise<string | undefined>} */
  outcome() {
    return this.#chat('chat.outcome');
  }

  /** @param {string} expression about `chat` */
  #chat(expression) {
    return this.page.evaluate(`{ const { chat } = document.querySelector('chatwire-assistant'); ${expression} }`);
  }

  /** Fails when anything reaches beyond the window, or is cut off, from side to side. */
  async assertNoOverflow() {
    const overflowing = await this.page.evaluate(() => {
      const root = /** @type {ShadowRoot} */ (document.querySelector('chatwire-assistant')?.shadowRoot);
      const elements = [...document.querySelectorAll('*'), ...root.querySelectorAll('*')];
      return elements
        .filter(element => {
          const { clipPath, textOverflow } = getComputedStyle(element);
          const isForScreenReaders = clipPath === 'inset(50%)';
          if (isForScreenReaders || element instanceof HTMLOptionElement) return false;
          const { left, right, width } = element.getBoundingClientRect();
          const isOutside = width > 0 && (left < -0.5 || right > innerWidth + 0.5);
          const isCutOff = element.scrollWidth > element.clientWidth + 1 && textOverflow !== 'ellipsis';
          return isOutside || (isCutOff && element.clientWidth > 0);
        })
        .map(element => element.outerHTML.slice(0, 120));
    });
    assert.deepEqual(overflowing, []);
  }

  /** Fails on what axe-core finds serious or critical. */
  async assertAccessible() {
    const source = await readFile(axePath, 'utf8');
    // Evaluated, not added as a script: the page's security policy would refuse that.
    await this.page.evaluate(source);
    const violations = await this.page.evaluate(async () => {
      const { axe } = /** @type {any} */ (window);
      const result = await axe.run(document, { resultTypes: ['violations'] });
      return result.violations
        .filter((/** @type {any} */ { impact }) => impact === 'serious' || impact === 'critical')
        .map((/** @type {any} */ { id, nodes }) => `${id}: ${nodes.map((/** @type {any} */ node) => node.html)}`);
    });
    assert.deepEqual(violations, []);
  }

  /** Fails on errors and warnings of the page, such as what its security policy refused. */
  assertNoFaults() {
    const faults = this.#faults.filter(fault => !(this.#breaksConnections && BROKEN_CONNECTION.test(fault)));
    assert.deepEqual(faults, []);
  }
}
