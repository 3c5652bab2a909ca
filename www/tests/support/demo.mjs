/** What the tests of the page share: the demo's server, a browser, and what the server recorded. */
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';

import { chromium } from 'playwright-core';

import { startServer } from '../../server.mjs';
import { referenceMessage } from '../../server/reference.mjs';
import { getJson } from '../server-client.mjs';
import { AssistantPage } from './assistant-page.mjs';

/** @import { UIMessage } from 'ai' */
/** @import { Recording } from '../../server/recordings.mjs' */
/** @import { PageOptions } from './assistant-page.mjs' */

const SCREENSHOTS = fileURLToPath(new URL('../../screenshots', import.meta.url));

/** As in webdriver.json, which is for the tests of the bindings. */
const CHROMIUM_FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-dev-shm-usage',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The demo, running: its server, which records, and one browser. */
export class Demo {
  #server;
  #browser;

  static async start() {
    const server = await startServer({ record: true });
    const browser = await chromium.launch({
      executablePath: process.env.CHATWIRE_CHROMIUM || process.env.CHROME || '/usr/bin/chromium',
      args: CHROMIUM_FLAGS,
    });
    return new Demo(server, browser);
  }

  /**
   * @param {Awaited<ReturnType<typeof startServer>>} server
   * @param {import('playwright-core').Browser} browser
   */
  constructor(server, browser) {
    this.#server = server;
    this.#browser = browser;
  }

  get url() {
    return this.#server.url;
  }

  /**
   * Runs a test on a page of its own, and makes sure that the page reported no fault by itself.
   *
   * @param {PageOptions} options
   * @param {(page: AssistantPage) => Promise<void>} test
   */
  async withPage(options, test) {
    await Promise.all([this.#clear('recordings'), this.#clear('executions')]);
    const page = await AssistantPage.open(this.#browser, this.url, options);
    try {
      await test(page);
      page.assertNoFaults();
    } finally {
      await page.close();
    }
  }

  /** Every chat request with its response, oldest first. @returns {Promise<Recording[]>} */
  recordings() {
    return getJson(`${this.url}/api/recordings`);
  }

  /** Every tool that the server has run, oldest first. @returns {Promise<{ toolName: string, input: any }[]>} */
  executions() {
    return getJson(`${this.url}/api/executions`);
  }

  async close() {
    await this.#browser.close();
    await this.#server.close();
  }

  /** @param {'recordings' | 'executions'} name */
  #clear(name) {
    return fetch(`${this.url}/api/${name}`, { method: 'DELETE' });
  }
}

/**
 * The messages that the AI SDK's own client holds after an exchange: those of the request, and its reading of the
 * response's bytes.
 *
 * @param {Recording} recording
 * @returns {Promise<UIMessage[]>}
 */
export async function expectedMessages({ requestBody, body }) {
  /** @type {{ messages: UIMessage[] }} */
  const { messages } = JSON.parse(requestBody);
  const last = messages.at(-1);
  const continued = last?.role === 'assistant' ? last : undefined;
  const answer = await referenceMessage(body, continued);
  const before = continued === undefined ? messages : messages.slice(0, -1);
  return answer === undefined ? before : [...before, answer];
}

/**
 * The same messages after the end of a response that nothing can continue: what was still growing is done. The AI
 * SDK leaves it open.
 *
 * @param {UIMessage[]} messages
 * @returns {UIMessage[]}
 */
export function withTextClosed(messages) {
  return messages.map(message => ({
    ...message,
    parts: message.parts.map(part =>
      (part.type === 'text' || part.type === 'reasoning') && part.state === 'streaming'
        ? { ...part, state: 'done' }
        : part,
    ),
  }));
}

/**
 * Fails unless the messages are what the AI SDK's own client holds after the response, or its beginning up to any
 * event: of what arrives just before a connection breaks, the browser gives the page only a part.
 *
 * @param {UIMessage[]} messages
 * @param {Recording} recording whose connection was broken
 */
export async function assertBeginningReceived(messages, recording) {
  const events = recording.body.split(/(?<=\n\n)/);
  for (let count = events.length; count >= 0; count -= 1) {
    const received = { ...recording, body: events.slice(0, count).join('') };
    if (isDeepStrictEqual(messages, withTextClosed(await expectedMessages(received)))) return;
  }
  assert.fail(`no beginning of the response gives these messages: ${JSON.stringify(messages)}`);
}

/** Where a screenshot goes. @param {string} name without its extension */
export async function screenshotPath(name) {
  await mkdir(SCREENSHOTS, { recursive: true });
  return path.join(SCREENSHOTS, `${name}.png`);
}
