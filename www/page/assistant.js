/**
 * `<chatwire-assistant endpoint="/api/chat">`: a chat with an AI SDK server.
 *
 * @module
 */
import {
  Chat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from 'chatwire';

import { Announcer } from './assistant/announcer.js';
import { Composer, isComposing } from './assistant/composer.js';
import { button, element } from './assistant/dom.js';
import { Log } from './assistant/log.js';
import { textOf } from './assistant/message-text.js';
import { Notice } from './assistant/notice.js';
import { Queue } from './assistant/queue.js';
import { isBusy } from './assistant/snapshot.js';
import { STRINGS } from './assistant/strings.js';
import { assistantStyles } from './assistant/styles.js';

/** Registers the element. Call it once, from the page. */
export function defineAssistant() {
  customElements.define('chatwire-assistant', ChatwireAssistant);
}

/**
 * Attributes:
 *
 * - `endpoint`: address of the AI SDK chat route; default `/api/chat`. A change starts a new chat.
 * - `theme`: `light` or `dark`; default as the system.
 *
 * Dispatches `chatwire-data` for each data part that arrives, transient ones too; its `detail` is the part.
 */
export class ChatwireAssistant extends HTMLElement {
  static observedAttributes = ['endpoint'];

  /** @type {Chat | undefined} */
  #chat;
  #announcer = new Announcer();
  #composer = new Composer({ onSend: text => this.#send(text), onStop: () => this.chat.stop() });
  #queue = new Queue({
    onRemove: id => {
      this.chat.removeQueuedMessage(id);
      this.#composer.focus();
    },
    onResume: () => {
      this.chat.resumeQueue();
      this.#composer.focus();
    },
  });
  #notice = new Notice({
    onRetry: () => this.#regenerate(),
    onDismiss: () => {
      this.chat.clearError();
      this.#composer.focus();
    },
  });
  #log = new Log({
    copy: text => this.#copy(text),
    regenerate: () => this.#regenerate(),
    answerTool: answer => this.#decided(this.chat.addToolOutput(answer)),
    failTool: failure => this.#decided(this.chat.addToolOutput({ state: 'output-error', ...failure })),
    decide: decision => this.#decided(this.chat.addToolApprovalResponse(decision)),
  });
  /** @type {readonly string[]} */
  #suggestions = [];

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    root.adoptedStyleSheets = [assistantStyles()];
    root.append(
      this.#log.element,
      element('div', { class: 'dock' }, this.#notice.element, this.#queue.element, this.#composer.element),
      this.#announcer.element,
    );
    this.addEventListener('keydown', event => {
      if (event.key !== 'Escape' || isComposing(event) || !isBusy(this.chat)) return;
      event.preventDefault();
      this.chat.stop();
    });
  }

  connectedCallback() {
    this.#showWelcome();
    this.#render();
  }

  disconnectedCallback() {
    // An element that is only moved within the page is connected again by now, and keeps its chat.
    queueMicrotask(() => {
      if (!this.isConnected) this.#dispose();
    });
  }

  attributeChangedCallback() {
    if (this.#chat !== undefined) this.newChat();
  }

  /** The chat behind the element; another one after `newChat()`. */
  get chat() {
    this.#chat ??= this.#createChat();
    return this.#chat;
  }

  /** What to offer while the conversation is empty. @param {readonly string[]} texts */
  set suggestions(texts) {
    this.#suggestions = texts;
    this.#showWelcome();
  }

  get suggestions() {
    return this.#suggestions;
  }

  /** Ends the chat and begins an empty one. */
  newChat() {
    this.#dispose();
    this.#announcer.reset();
    this.#log.follow();
    if (this.isConnected) this.#render();
  }

  #createChat() {
    const chat = new Chat({
      transport: new DefaultChatTransport({ api: this.getAttribute('endpoint') ?? '/api/chat' }),
      sendAutomaticallyWhen: ({ messages }) =>
        lastAssistantMessageIsCompleteWithToolCalls({ messages }) ||
        lastAssistantMessageIsCompleteWithApprovalResponses({ messages }),
      onData: part => this.dispatchEvent(new CustomEvent('chatwire-data', { detail: part })),
    });
    chat.subscribe(() => {
      if (chat === this.#chat) this.#render();
    });
    return chat;
  }

  #dispose() {
    this.#chat?.dispose();
    this.#chat = undefined;
  }

  #render() {
    const { chat } = this;
    const snapshot = chat.getSnapshot();
    this.#log.update(snapshot, message => chat.keyOf(message));
    this.#notice.update(snapshot);
    this.#queue.update(snapshot);
    this.#composer.update(isBusy(snapshot));
    this.#announcer.update(snapshot);
  }

  #showWelcome() {
    const offers = this.#suggestions.map(text => button(text, () => this.#composer.suggest(text)));
    this.#log.setWelcome(
      element('p', { class: 'welcome-title' }, STRINGS.welcome),
      element('div', { class: 'suggestions', role: 'group', 'aria-label': STRINGS.suggestions }, ...offers),
    );
  }

  /** @param {string} text */
  async #send(text) {
    const { chat } = this;
    this.#log.follow();
    try {
      await chat.sendMessage({ text });
    } catch (error) {
      if (chat !== this.#chat) return;
      const kept = [...chat.messages, ...chat.queuedMessages].some(message => textOf(message) === text);
      // The chat's own error is shown already, with a way to try again.
      if (kept && chat.status === 'error') return;
      if (!kept) this.#composer.restore(text);
      this.#notice.showError(error);
    }
  }

  #regenerate() {
    this.#log.follow();
    this.#composer.focus();
    this.chat.regenerate().catch(error => this.#notice.showError(error));
  }

  /**
   * What was pressed for a decision is off or gone by now; the focus must not fall back to the page's beginning.
   *
   * @param {Promise<void>} decision
   */
  #decided(decision) {
    this.#log.follow();
    this.#composer.focus();
    return decision;
  }

  /** @param {string} text */
  async #copy(text) {
    const copied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    this.#announcer.announce(copied ? STRINGS.copied : STRINGS.copyFailed);
  }
}
