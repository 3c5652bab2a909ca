/** @import { ChatSnapshot } from 'chatwire' */
import { element } from './dom.js';
import { isBusy, waitsForPerson } from './snapshot.js';
import { STRINGS } from './strings.js';

/**
 * Tells screen readers where the chat stands, in a live region of its own. The conversation itself is not live: read
 * word by word as it streams, it would drown everything else.
 */
export class Announcer {
  element = element('p', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite', 'aria-atomic': 'true' });
  /** @type {ChatSnapshot | undefined} */
  #last;

  /** @param {ChatSnapshot} snapshot */
  update(snapshot) {
    const text = this.#last === undefined ? '' : announcement(this.#last, snapshot);
    this.#last = snapshot;
    if (text !== '') this.announce(text);
  }

  /** @param {string} text */
  announce(text) {
    this.element.textContent = text;
  }

  /** Forgets the chat that was followed so far. */
  reset() {
    this.#last = undefined;
    this.element.textContent = '';
  }
}

/**
 * What has changed since the last snapshot that a person needs to hear; empty when nothing has. Failures are not
 * among it: their text stands in an alert.
 *
 * @param {ChatSnapshot} last
 * @param {ChatSnapshot} snapshot
 */
function announcement(last, snapshot) {
  if (snapshot.queuedMessages.length > last.queuedMessages.length) return STRINGS.messageQueued;
  if (isBusy(snapshot)) return isBusy(last) ? '' : STRINGS.generating;
  if (!isBusy(last)) return '';

  const waiting = waitsForPerson(snapshot.messages.at(-1));
  if (waiting === 'approval') return STRINGS.approvalNeeded;
  if (waiting === 'answer') return STRINGS.answerNeeded;
  switch (snapshot.outcome) {
    case 'complete':
      return STRINGS.responseComplete;
    case 'stopped':
    case 'cancelled':
    case 'interrupted':
      return STRINGS.ending[snapshot.outcome];
    default:
      return '';
  }
}
