/** @import { Chat, ChatOutcome, ChatSnapshot } from 'chatwire' */
/** @import { MessageActions } from './message.js' */
import { button, element, showText } from './dom.js';
import { MessageView } from './message.js';
import { ScrollFollow } from './scroll-follow.js';
import { isBusy } from './snapshot.js';
import { STRINGS } from './strings.js';

/** The conversation. A message keeps its element for as long as it is in the chat, and only what changed is redrawn. */
export class Log {
  #list = element('ol', { class: 'messages' });
  #busy = element('p', { class: 'busy', 'aria-hidden': 'true', hidden: true });
  #welcome = element('div', { class: 'welcome' });
  #scroller;
  #scroll;
  #actions;
  /** @type {Map<string, MessageView>} */
  #views = new Map();
  /** How the response behind a message ended, unless it ended well. @type {Map<string, ChatOutcome>} */
  #endings = new Map();

  /** @param {MessageActions} actions */
  constructor(actions) {
    this.#actions = actions;
    this.#scroller = element(
      'div',
      { class: 'log', role: 'log', 'aria-live': 'off', 'aria-label': STRINGS.conversation, tabindex: '0' },
      this.#welcome,
      this.#list,
      this.#busy,
    );
    const jump = button(STRINGS.jumpToLatest, () => this.follow(), 'button jump');
    jump.hidden = true;
    this.#scroll = new ScrollFollow(this.#scroller, following => {
      if (following && jump.matches(':focus')) this.#scroller.focus();
      jump.hidden = following;
    });
    this.element = element('div', { class: 'log-frame' }, this.#scroller, jump);
  }

  /** Shows the end of the conversation and what is added to it. */
  follow() {
    this.#scroll.follow();
  }

  /** What an empty conversation shows. @param {...Node} content */
  setWelcome(...content) {
    this.#welcome.replaceChildren(...content);
  }

  /**
   * @param {ChatSnapshot} snapshot
   * @param {Chat['keyOf']} keyOf
   */
  update(snapshot, keyOf) {
    const { messages, status, outcome } = snapshot;
    const busy = isBusy(snapshot);
    this.#scroller.setAttribute('aria-busy', String(busy));
    this.#welcome.hidden = messages.length > 0;
    showText(this.#busy, status === 'submitted' ? STRINGS.waiting : status === 'streaming' ? STRINGS.generating : '');

    const keys = messages.map(keyOf);
    const last = messages.length - 1;
    if (outcome !== undefined && messages[last]?.role === 'assistant') {
      if (outcome === 'complete') this.#endings.delete(keys[last]);
      else this.#endings.set(keys[last], outcome);
    }
    this.#removeAllBut(new Set(keys));

    let place = this.#list.firstElementChild;
    messages.forEach((message, index) => {
      const view = this.#viewOf(keys[index], message.role);
      if (view.element === place) place = place.nextElementSibling;
      else this.#list.insertBefore(view.element, place);
      const isLast = index === last;
      view.update(message, {
        live: busy && isLast,
        canRegenerate: !busy && isLast,
        ending: busy && isLast ? undefined : this.#endings.get(keys[index]),
      });
    });
    this.#scroll.contentChanged();
  }

  /** @param {Set<string>} keys */
  #removeAllBut(keys) {
    for (const [key, view] of this.#views) {
      if (keys.has(key)) continue;
      view.element.remove();
      this.#views.delete(key);
      this.#endings.delete(key);
    }
  }

  /**
   * @param {string} key
   * @param {import('chatwire').UIMessage['role']} role
   */
  #viewOf(key, role) {
    let view = this.#views.get(key);
    if (view === undefined) {
      view = new MessageView(role, this.#actions);
      this.#views.set(key, view);
    }
    return view;
  }
}
