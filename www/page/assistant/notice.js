/** @import { ChatOutcome, ChatSnapshot } from 'chatwire' */
import { button, element, showText } from './dom.js';
import { isBusy } from './snapshot.js';
import { STRINGS } from './strings.js';

/** Says what went wrong with the last response, and offers to try again. The conversation stays on the screen. */
export class Notice {
  #text = element('p', { class: 'notice-text', role: 'alert', dir: 'auto' });
  #retry;
  /** @type {Error | ChatOutcome | undefined} */
  #dismissed;
  /** @type {Error | ChatOutcome | undefined} */
  #shown;

  /** @param {{ onRetry: () => void, onDismiss: () => void }} handlers */
  constructor({ onRetry, onDismiss }) {
    this.#retry = button(STRINGS.retry, onRetry);
    const dismiss = button(STRINGS.dismiss, () => {
      this.#dismissed = this.#shown;
      this.#show(undefined, '');
      onDismiss();
    }, 'button quiet');
    const actions = element('div', { class: 'actions' }, this.#retry, dismiss);
    this.element = element('div', { class: 'notice', hidden: true }, this.#text, actions);
  }

  /** @param {ChatSnapshot} snapshot */
  update(snapshot) {
    if (isBusy(snapshot)) this.#dismissed = undefined;
    const failure = isBusy(snapshot) ? undefined : failureOf(snapshot);
    if (failure === undefined || failure.cause === this.#dismissed) this.#show(undefined, '');
    else this.#show(failure.cause, failure.text);
    this.#retry.hidden = snapshot.messages.length === 0;
  }

  /** Shows a failure that left no trace in the chat. @param {unknown} error */
  showError(error) {
    const cause = error instanceof Error ? error : new Error(String(error));
    this.#show(cause, cause.message);
    this.#retry.hidden = true;
  }

  /**
   * @param {Error | ChatOutcome | undefined} cause
   * @param {string} text
   */
  #show(cause, text) {
    this.#shown = cause;
    this.element.hidden = text === '';
    showText(this.#text, text);
  }
}

/** @param {ChatSnapshot} snapshot */
function failureOf({ status, error, outcome, messages }) {
  if (outcome === 'truncated' || outcome === 'disconnect' || outcome === 'aborted') {
    const strings = messages.at(-1)?.role === 'assistant' ? STRINGS.incomplete : STRINGS.noAnswer;
    return { cause: error ?? outcome, text: strings[outcome] };
  }
  if (status !== 'error' && outcome !== 'error') return undefined;
  return { cause: error ?? outcome, text: error?.message || STRINGS.failed };
}
