/** @import { DynamicToolUIPart, ToolUIPart } from 'chatwire' */
/** @import { PartActions } from './index.js' */
import { getToolName } from 'chatwire';

import { element, showText } from '../dom.js';
import { STRINGS } from '../strings.js';
import { ApprovalView } from './approval.js';
import { CLIENT_TOOLS, isClientTool } from './client-tools.js';
import { JsonDetails } from './json.js';

/** @typedef {ToolUIPart | DynamicToolUIPart} ToolPart */
/** @typedef {{ element: HTMLElement, update: (part: any) => void }} InteractionView */

/** A tool call: what is called, how far it has come, and what a person has to do about it. */
export class ToolView {
  #name = element('span', { class: 'card-title', dir: 'auto' });
  #state = element('span', { class: 'tool-state' });
  #error = element('p', { class: 'error', dir: 'auto', hidden: true });
  #denial = element('p', { dir: 'auto', hidden: true });
  #interactionPlace = element('div', { hidden: true });
  #input = new JsonDetails(STRINGS.input);
  #output = new JsonDetails(STRINGS.output);
  element = element(
    'div',
    { class: 'card tool', role: 'group' },
    element('div', { class: 'card-header' }, this.#name, this.#state),
    this.#error,
    this.#denial,
    this.#interactionPlace,
    this.#input.element,
    this.#output.element,
  );
  #actions;
  /** @type {{ kind: string, view: InteractionView | undefined }} */
  #interaction = { kind: 'none', view: undefined };

  /** @param {PartActions} actions */
  constructor(actions) {
    this.#actions = actions;
  }

  /**
   * @param {ToolPart} part
   * @param {{ live: boolean }} state
   */
  update(part, { live }) {
    const toolName = getToolName(part);
    const title = part.title ?? toolName;
    const progress = progressOf(part, live);
    this.element.setAttribute('aria-label', title);
    this.element.dataset.progress = progress;
    showText(this.#name, title);
    showText(this.#state, STRINGS.toolState[progress]);
    showText(this.#error, part.state === 'output-error' ? part.errorText : '');
    showText(this.#denial, denialReason(part));
    this.#input.set(part.input);
    this.#output.set(part.state === 'output-available' ? part.output : undefined);
    this.#updateInteraction(part, toolName);
  }

  /**
   * @param {ToolPart} part
   * @param {string} toolName
   */
  #updateInteraction(part, toolName) {
    const kind = part.state === 'approval-requested' ? 'approval' : isClientTool(toolName) ? toolName : 'none';
    if (kind !== this.#interaction.kind) {
      this.#interaction = { kind, view: this.#createInteraction(kind) };
      this.#interactionPlace.replaceChildren(...(this.#interaction.view ? [this.#interaction.view.element] : []));
      this.#interactionPlace.hidden = kind === 'none';
    }
    this.#interaction.view?.update(part);
  }

  /**
   * @param {string} kind
   * @returns {InteractionView | undefined}
   */
  #createInteraction(kind) {
    if (kind === 'approval') return new ApprovalView(this.#actions);
    if (isClientTool(kind)) return new CLIENT_TOOLS[kind](this.#actions);
    return undefined;
  }
}

/**
 * @param {ToolPart} part
 * @param {boolean} live
 * @returns {keyof typeof STRINGS.toolState}
 */
function progressOf(part, live) {
  switch (part.state) {
    case 'input-streaming':
      return live ? 'preparing' : 'unfinished';
    case 'input-available':
      if (isClientTool(getToolName(part))) return 'waiting';
      return live ? 'running' : 'unfinished';
    case 'approval-requested':
      return 'waiting';
    case 'approval-responded':
      return part.approval.approved ? 'approved' : 'denied';
    case 'output-available':
      return part.preliminary ? 'running' : 'done';
    case 'output-error':
      return 'failed';
    case 'output-denied':
      return 'denied';
  }
}

/** @param {ToolPart} part */
function denialReason(part) {
  const isDenied = part.state === 'output-denied' || (part.state === 'approval-responded' && !part.approval.approved);
  return isDenied && part.approval.reason ? `${STRINGS.denialReason} ${part.approval.reason}` : '';
}
