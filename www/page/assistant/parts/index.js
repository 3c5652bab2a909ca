/** @import { UIMessage } from 'chatwire' */
import { isDataUIPart, isToolUIPart } from 'chatwire';

import { DataView } from './data.js';
import { FileView } from './file.js';
import { OtherView } from './other.js';
import { ReasoningView } from './reasoning.js';
import { SourceView } from './source.js';
import { TextView } from './text.js';
import { ToolView } from './tool.js';

/** @typedef {UIMessage['parts'][number]} Part */

/**
 * The element of one part.
 *
 * @typedef {object} PartView
 * @property {HTMLElement} element
 * @property {(part: any, state: { live: boolean }) => void} update called with parts of the view's own kind only;
 *   `live` says whether the response is under way
 */

/**
 * What a person can do to a part. Each rejects when the chat refuses it.
 *
 * @typedef {object} PartActions
 * @property {(answer: { tool: string, toolCallId: string, output: unknown }) => Promise<void>} answerTool
 * @property {(failure: { tool: string, toolCallId: string, errorText: string }) => Promise<void>} failTool
 * @property {(decision: { id: string, approved: boolean, reason?: string }) => Promise<void>} decide
 */

/** Which view shows a part. @param {Part} part */
export function partKind(part) {
  if (isToolUIPart(part)) return 'tool';
  if (isDataUIPart(part)) return 'data';
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'step-start':
      return part.type;
    case 'source-url':
    case 'source-document':
      return 'source';
    case 'file':
    case 'reasoning-file':
      return 'file';
    default:
      return 'other';
  }
}

/**
 * @param {string} kind
 * @param {PartActions} actions
 * @returns {PartView | undefined} undefined when parts of this kind are not shown
 */
export function createPartView(kind, actions) {
  switch (kind) {
    case 'text':
      return new TextView();
    case 'reasoning':
      return new ReasoningView();
    case 'tool':
      return new ToolView(actions);
    case 'source':
      return new SourceView();
    case 'file':
      return new FileView();
    case 'data':
      return new DataView();
    case 'step-start':
      return undefined;
    default:
      return new OtherView();
  }
}
