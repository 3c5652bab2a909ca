/** @import { ChatSnapshot, UIMessage } from 'chatwire' */
import { button, element } from './dom.js';
import { textOf } from './message-text.js';
import { STRINGS } from './strings.js';

/** The messages that wait until the response is finished. */
export class Queue {
  #list = element('ul', { class: 'queue-list', 'aria-label': STRINGS.queue });
  #paused;
  #onRemove;
  /** @type {readonly UIMessage[] | undefined} */
  #messages;

  /** @param {{ onRemove: (id: string) => void, onResume: () => void }} handlers */
  constructor({ onRemove, onResume }) {
    this.#onRemove = onRemove;
    this.#paused = element(
      'p',
      { class: 'queue-paused' },
      element('span', {}, STRINGS.queuePaused),
      button(STRINGS.resumeQueue, onResume),
    );
    this.element = element('div', { class: 'queue', hidden: true }, this.#list, this.#paused);
  }

  /** @param {ChatSnapshot} snapshot */
  update({ queuedMessages, queuePaused }) {
    this.element.hidden = queuedMessages.length === 0;
    this.#paused.hidden = !queuePaused;
    if (queuedMessages === this.#messages) return;
    this.#messages = queuedMessages;
    this.#list.replaceChildren(...queuedMessages.map(message => this.#item(message)));
  }

  /** @param {UIMessage} message */
  #item(message) {
    const text = textOf(message);
    const remove = button(STRINGS.removeFromQueue, () => this.#onRemove(message.id), 'button quiet');
    remove.setAttribute('aria-label', `${STRINGS.removeFromQueue}: ${text}`);
    return element('li', { class: 'queued' }, element('span', { class: 'queued-text', dir: 'auto' }, text), remove);
  }
}
