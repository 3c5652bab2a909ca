/**
 * What the AI SDK's own client makes of a recorded response. Tests compare other clients with it.
 *
 * @module
 */
import { DefaultChatTransport, readUIMessageStream } from 'ai';

import { isEvent } from './event-stream.mjs';

/**
 * Runs the recorded bytes through the AI SDK's HTTP transport and message reader.
 *
 * Reading stops where the AI SDK's `Chat` stops: at an error chunk, an invalid chunk, or the end of the bytes.
 *
 * @param {Uint8Array | string} recorded the exact response body
 * @param {import('ai').UIMessage} [previousAssistantMessage] the message that the response continues
 * @returns {Promise<import('ai').UIMessage | undefined>} the last state of the message, plain JSON; undefined when
 *   the bytes never produced one
 */
export async function referenceMessage(recorded, previousAssistantMessage) {
  const transport = new DefaultChatTransport({
    api: 'http://recorded.invalid/api/chat',
    fetch: async () => new Response(bytesOf(recorded), { headers: { 'content-type': 'text/event-stream' } }),
  });
  const stream = await transport.sendMessages({
    chatId: 'recorded',
    messages: [],
    trigger: 'submit-message',
    messageId: undefined,
    abortSignal: undefined,
  });

  const states = readUIMessageStream({
    stream: stream.pipeThrough(untilErrorChunk()),
    message: previousAssistantMessage && structuredClone(previousAssistantMessage),
    // An invalid chunk ends the message where it is; that it was invalid is not the question here.
    onError: () => {},
  });
  let last;
  for await (const state of states) last = state;
  return last && JSON.parse(JSON.stringify(last));
}

/**
 * Ends before the first `error` chunk. The reader would go on after it, and its own option to stop there throws away
 * the states that are still unread.
 *
 * @returns {TransformStream<import('ai').UIMessageChunk, import('ai').UIMessageChunk>}
 */
function untilErrorChunk() {
  return new TransformStream({
    transform(chunk, controller) {
      if (chunk.type === 'error') controller.terminate();
      else controller.enqueue(chunk);
    },
  });
}

/**
 * How many events a client sees in the bytes, the final `[DONE]` included. An event cut in its middle is not counted.
 *
 * @param {Uint8Array | string} recorded
 */
export function countEvents(recorded) {
  const blocks = Buffer.from(bytesOf(recorded)).toString('latin1').split(/(?<=\n\n)/);
  return blocks.filter(isEvent).length;
}

/** @param {Uint8Array | string} recorded */
function bytesOf(recorded) {
  return typeof recorded === 'string' ? new TextEncoder().encode(recorded) : new Uint8Array(recorded);
}
