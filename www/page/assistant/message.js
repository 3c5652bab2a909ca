/** @import { ChatOutcome, UIMessage } from 'chatwire' */
/** @import { PartActions, PartView } from './parts/index.js' */
import { button, element, showText } from './dom.js';
import { textOf } from './message-text.js';
import { MetadataView } from './metadata.js';
import { createPartView, partKind } from './parts/index.js';
import { STRINGS } from './strings.js';

/** @typedef {PartActions & { copy: (text: string) => void, regenerate: () => void }} MessageActions */

/**
 * What is shown of a message beside its content.
 *
 * @typedef {object} MessageState
 * @property {boolean} live whether its response is under way
 * @property {boolean} canRegenerate
 * @property {ChatOutcome | undefined} ending how its response ended, unless it ended well
 */

/** One message. A part is redrawn only when it is another object than before, or the response has ended. */
export class MessageView {
  #content = element('div', { class: 'content' });
  #sources = element('ul', { class: 'sources', 'aria-label': STRINGS.sources, hidden: true });
  #ending = element('p', { class: 'ending', hidden: true });
  #metadata = new MetadataView();
  #copy;
  #regenerate;
  #actions;
  /** @type {{ kind: string, view: PartView | undefined }[]} */
  #parts = [];
  /** @type {UIMessage | undefined} */
  #message;
  /** @type {MessageState | undefined} */
  #state;

  /**
   * @param {UIMessage['role']} role
   * @param {MessageActions} actions
   */
  constructor(role, actions) {
    this.#actions = actions;
    this.#copy = button(STRINGS.copy, () => actions.copy(this.#message ? textOf(this.#message) : ''), 'button quiet');
    this.#regenerate = button(STRINGS.regenerate, actions.regenerate, 'button quiet');
    this.element = element(
      'li',
      { class: 'message', 'data-role': role },
      element('span', { class: 'visually-hidden' }, STRINGS.sender[role]),
      this.#content,
      this.#sources,
      this.#ending,
      element('div', { class: 'footer' }, this.#metadata.element, element('div', {}, this.#copy, this.#regenerate)),
    );
  }

  /**
   * @param {UIMessage} message
   * @param {MessageState} state
   */
  update(message, state) {
    const isSame =
      message === this.#message &&
      state.live === this.#state?.live &&
      state.canRegenerate === this.#state.canRegenerate &&
      state.ending === this.#state.ending;
    if (isSame) return;

    this.#updateParts(message, state.live);
    this.#sources.hidden = this.#sources.childElementCount === 0;
    const { ending } = state;
    showText(this.#ending, ending === undefined || ending === 'complete' ? '' : STRINGS.ending[ending]);
    this.#metadata.update(message.metadata);
    const fromAssistant = message.role === 'assistant';
    this.#copy.hidden = !fromAssistant || state.live || textOf(message) === '';
    this.#regenerate.hidden = !fromAssistant || !state.canRegenerate;
    this.#message = message;
    this.#state = state;
  }

  /**
   * @param {UIMessage} message
   * @param {boolean} live
   */
  #updateParts({ parts }, live) {
    const shown = live === this.#state?.live ? this.#message?.parts : undefined;
    parts.forEach((part, index) => {
      const kind = partKind(part);
      // A response that takes parts back replaces all that follows too.
      if (this.#parts[index]?.kind !== kind) this.#removePartsFrom(index);
      const known = this.#parts[index] ?? this.#addPart(kind);
      if (shown?.[index] !== part) known.view?.update(part, { live });
    });
    this.#removePartsFrom(parts.length);
  }

  /** @param {string} kind */
  #addPart(kind) {
    const added = { kind, view: createPartView(kind, this.#actions) };
    this.#parts.push(added);
    if (added.view !== undefined) (kind === 'source' ? this.#sources : this.#content).append(added.view.element);
    return added;
  }

  /** @param {number} index */
  #removePartsFrom(index) {
    for (const { view } of this.#parts.splice(index)) view?.element.remove();
  }
}
