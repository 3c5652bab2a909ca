/** @import { ChatSnapshot, UIMessage } from 'chatwire' */
import { getToolName, isToolUIPart } from 'chatwire';

import { isClientTool } from './parts/client-tools.js';

/** Whether a response is under way. @param {Pick<ChatSnapshot, 'status'>} snapshot */
export function isBusy({ status }) {
  return status === 'submitted' || status === 'streaming';
}

/**
 * What a message waits for before the assistant can go on.
 *
 * @param {UIMessage | undefined} message
 * @returns {'approval' | 'answer' | undefined}
 */
export function waitsForPerson(message) {
  if (message?.role !== 'assistant') return undefined;
  const toolParts = message.parts.filter(isToolUIPart);
  if (toolParts.some(({ state }) => state === 'approval-requested')) return 'approval';
  if (toolParts.some(part => part.state === 'input-available' && isClientTool(getToolName(part)))) return 'answer';
  return undefined;
}
