/** @import { UIMessage } from 'chatwire' */
import { isTextUIPart } from 'chatwire';

/** The text of a message, without its other parts. @param {UIMessage} message */
export function textOf(message) {
  return message.parts
    .filter(isTextUIPart)
    .map(({ text }) => text)
    .join('\n');
}
