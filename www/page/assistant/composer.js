import { button, element } from './dom.js';
import { STRINGS } from './strings.js';

/**
 * Where the person writes. It stays usable while a response streams: what is sent then waits for its turn.
 *
 * Enter sends, Shift+Enter makes a new line.
 */
export class Composer {
  #input = element('textarea', {
    id: 'message',
    class: 'input',
    rows: '1',
    dir: 'auto',
    enterkeyhint: 'send',
    placeholder: STRINGS.messagePlaceholder,
  });
  #send = element('button', { type: 'submit', class: 'button primary' }, STRINGS.send);
  #stop;
  #busy = false;
  #onSend;

  /** @param {{ onSend: (text: string) => void, onStop: () => void }} handlers */
  constructor({ onSend, onStop }) {
    this.#onSend = onSend;
    this.#stop = button(STRINGS.stop, onStop, 'button stop');
    this.element = element(
      'form',
      { class: 'composer' },
      element('label', { class: 'visually-hidden', for: 'message' }, STRINGS.message),
      this.#input,
      this.#stop,
      this.#send,
    );
    this.element.addEventListener('submit', event => {
      event.preventDefault();
      this.#submit();
    });
    this.#input.addEventListener('keydown', event => {
      if (event.key !== 'Enter' || event.shiftKey || isComposing(event)) return;
      event.preventDefault();
      this.#submit();
    });
    this.#input.addEventListener('input', () => this.#showButtons());
    this.#showButtons();
  }

  /** @param {boolean} busy whether a response is under way */
  update(busy) {
    if (busy === this.#busy) return;
    this.#busy = busy;
    this.#showButtons();
  }

  focus() {
    this.#input.focus();
  }

  /** Offers a text to send; what the person has written so far is replaced. @param {string} text */
  suggest(text) {
    this.#input.value = text;
    this.#showButtons();
    this.focus();
  }

  /** Gives back a text that could not be sent, before whatever was written since. @param {string} text */
  restore(text) {
    const written = this.#input.value;
    this.#input.value = written === '' ? text : `${text}\n${written}`;
    this.#showButtons();
  }

  #submit() {
    const text = this.#input.value;
    if (text.trim() === '') return;
    this.#input.value = '';
    this.#showButtons();
    this.focus();
    this.#onSend(text);
  }

  #showButtons() {
    const canStop = this.#busy;
    const canSend = this.#input.value.trim() !== '';
    // A hidden button would take the focus with it.
    if (!canStop && this.#stop.matches(':focus')) this.focus();
    this.#stop.hidden = !canStop;
    this.#send.hidden = canStop && !canSend;
    this.#send.disabled = !canSend;
  }
}

/**
 * Whether a key belongs to an input method that is still composing, in which Enter accepts a candidate. Safari ends the
 * composition before it reports that Enter, and marks it only by the old key code.
 *
 * @param {KeyboardEvent} event
 */
export function isComposing(event) {
  return event.isComposing || event.keyCode === 229;
}
