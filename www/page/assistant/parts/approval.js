/** @import { DynamicToolUIPart, ToolUIPart } from 'chatwire' */
/** @import { PartActions } from './index.js' */
import { button, element, showText } from '../dom.js';
import { STRINGS } from '../strings.js';
import { DecisionForm } from './decision.js';

/**
 * How long a request must have stood unchanged before it can be approved, in milliseconds: a click that was meant for
 * what stood there before must not approve it.
 */
const SETTLE_MS = 300;

/** Asks a person whether a tool may run. */
export class ApprovalView {
  #requestReason = element('p', { class: 'request-reason', dir: 'auto' });
  #reason = element('input', { type: 'text', class: 'input', dir: 'auto' });
  #approve = button(STRINGS.approve, () => this.#decide(true), 'button primary');
  #form = new DecisionForm(
    this.#requestReason,
    element('label', { class: 'field' }, element('span', {}, STRINGS.reason), this.#reason),
    element(
      'div',
      { class: 'actions' },
      this.#approve,
      button(STRINGS.deny, () => this.#decide(false)),
    ),
  );
  element = this.#form.element;
  #actions;
  /** @type {(ToolUIPart | DynamicToolUIPart) & { state: 'approval-requested' } | undefined} */
  #part;

  /** @param {PartActions} actions */
  constructor(actions) {
    this.#actions = actions;
  }

  /** @param {(ToolUIPart | DynamicToolUIPart) & { state: 'approval-requested' }} part */
  update(part) {
    const isSame = part.input === this.#part?.input && part.approval.id === this.#part?.approval.id;
    this.#part = part;
    showText(this.#requestReason, part.approval.requestReason ?? '');
    if (isSame) return;
    this.#approve.disabled = true;
    setTimeout(() => {
      if (this.#part === part) this.#approve.disabled = false;
    }, SETTLE_MS);
  }

  /** @param {boolean} approved */
  #decide(approved) {
    const id = this.#part?.approval.id;
    if (id === undefined) return;
    const reason = this.#reason.value.trim();
    this.#form.run(() => this.#actions.decide({ id, approved, ...(reason !== '' && { reason }) }));
  }
}
