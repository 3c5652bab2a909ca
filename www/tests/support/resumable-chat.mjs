/** What the tests of resuming share: the package's chat in Node, and what it saw. */
import { Chat, DefaultChatTransport } from '../../../pkg/dist/node.js';

/** @import { UIMessage } from 'ai' */

/** The longest that a test waits for anything, in milliseconds. */
const PATIENCE_MS = 20_000;

/**
 * @typedef {object} Seen
 * @property {string[]} toolCalls ids of the tool calls that were reported
 * @property {unknown[]} data data parts that were reported
 * @property {string[]} outcomes of the responses that have ended
 * @property {Error[]} errors
 */

/**
 * A chat that takes up what it loses, and what it saw.
 *
 * @param {string} api address of send requests, with its query
 * @param {object} [options] more options of the chat
 * @returns {{ chat: any, seen: Seen }}
 */
export function resumingChat(api, options = {}) {
  /** @type {Seen} */
  const seen = { toolCalls: [], data: [], outcomes: [], errors: [] };
  const chat = new Chat({
    resume: true,
    throttle: 0,
    transport: new DefaultChatTransport({ api }),
    onToolCall: (/** @type {any} */ { toolCall }) => void seen.toolCalls.push(toolCall.toolCallId),
    onData: (/** @type {unknown} */ part) => void seen.data.push(part),
    onFinish: (/** @type {any} */ { outcome }) => void seen.outcomes.push(outcome),
    onError: (/** @type {Error} */ error) => void seen.errors.push(error),
    ...options,
  });
  return { chat, seen };
}

/**
 * Waits until the chat is as asked for. It is asked after every change and now.
 *
 * @param {any} chat
 * @param {() => boolean} condition
 */
export async function until(chat, condition) {
  // A listener that does not resume: the test decides when that begins.
  await new Promise((resolve, reject) => {
    const check = () => {
      if (!condition()) return;
      clearTimeout(timer);
      unsubscribe();
      resolve(undefined);
    };
    const timer = setTimeout(() => {
      unsubscribe();
      const { status, outcome, connection } = chat;
      reject(new Error(`waited in vain: ${JSON.stringify({ status, outcome, connection, messages: chat.messages })}`));
    }, PATIENCE_MS);
    const unsubscribe = chat.subscribe(check, { resume: false });
    check();
  });
}

/** The text of the last message so far. @param {any} chat */
export function textOf(chat) {
  const message = /** @type {UIMessage | undefined} */ (chat.lastMessage);
  if (message?.role !== 'assistant') return '';
  return message.parts.map(part => (part.type === 'text' ? part.text : '')).join('');
}
