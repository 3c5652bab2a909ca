/** What the server's tests share: a plain client of `/api/chat`, with no chat logic of its own. */
import { referenceMessage } from '../server/reference.mjs';

/** @typedef {import('ai').UIMessage} UIMessage */

let nextId = 0;

/**
 * @param {string} text
 * @returns {UIMessage}
 */
export function userMessage(text) {
  nextId += 1;
  return { id: `user-${nextId}`, role: 'user', parts: [{ type: 'text', text }] };
}

/**
 * Sends a chat request and reads the response to its end.
 *
 * @param {string} url the server's address
 * @param {object} request
 * @param {string} [request.query] default: no delay
 * @param {string} request.scenario
 * @param {UIMessage[]} request.messages
 * @param {string} [request.chatId]
 * @param {'submit-message' | 'regenerate-message'} [request.trigger]
 */
export async function post(url, { scenario, query = 'delay=0', messages, chatId = 'chat', trigger = 'submit-message' }) {
  const response = await fetch(`${url}/api/chat?scenario=${scenario}&${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: chatId, messages, trigger }),
  });
  return { status: response.status, headers: response.headers, ...(await readToEnd(response)) };
}

/**
 * @param {Response} response
 * @returns {Promise<{ body: string, failed: boolean }>} what arrived, and whether the connection broke after it
 */
export async function readToEnd(response) {
  const pieces = [];
  try {
    for await (const piece of response.body ?? []) pieces.push(piece);
  } catch {
    return { body: Buffer.concat(pieces).toString('utf8'), failed: true };
  }
  return { body: Buffer.concat(pieces).toString('utf8'), failed: false };
}

/**
 * The chunks of an event stream, without the final `[DONE]`.
 *
 * @param {string} body
 * @returns {any[]}
 */
export function chunksOf(body) {
  return body
    .split('\n\n')
    .filter(block => block.startsWith('data: ') && block !== 'data: [DONE]')
    .map(block => JSON.parse(block.slice('data: '.length)));
}

/**
 * Sends the messages and returns them with the answer, which continues the last message when that is the assistant's.
 *
 * @param {string} url
 * @param {Parameters<typeof post>[1]} request
 */
export async function converse(url, request) {
  const { status, body } = await post(url, request);
  if (status !== 200) throw new Error(`status ${status}: ${body}`);
  const last = request.messages.at(-1);
  const previous = last?.role === 'assistant' ? last : undefined;
  const answer = await referenceMessage(body, previous);
  if (answer === undefined) throw new Error(`no message in: ${body}`);
  const before = previous === undefined ? request.messages : request.messages.slice(0, -1);
  return { answer, messages: [...before, answer], body, chunks: chunksOf(body) };
}

/**
 * @param {UIMessage} message
 * @param {string} type
 * @returns {any[]} the parts of this type; `any`, because each test knows which fields its part has
 */
export function partsOfType(message, type) {
  return message.parts.filter(part => part.type === type);
}

/** The texts of a message. @param {UIMessage} message */
export function textsOf(message) {
  return partsOfType(message, 'text').map(part => part.text);
}

/**
 * A copy of the messages in which the last message's tool part is changed, as a client changes it.
 *
 * @param {UIMessage[]} messages
 * @param {string} toolName
 * @param {(part: any) => object} change returns the fields to set
 * @returns {UIMessage[]}
 */
export function withToolPart(messages, toolName, change) {
  const copy = structuredClone(messages);
  const part = copy.at(-1)?.parts.find(({ type }) => type === `tool-${toolName}`);
  if (part === undefined) throw new Error(`the last message has no call of ${toolName}`);
  Object.assign(part, change(part));
  return copy;
}

/** @param {string} url @returns {Promise<any>} */
export async function getJson(url) {
  const response = await fetch(url);
  return response.json();
}
