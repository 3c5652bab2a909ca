import { setTimeout as sleep } from 'node:timers/promises';

const BLANK_LINE = Buffer.from('\n\n');

/**
 * The blocks of an event stream, each with the blank line that ends it. Joined together, they equal the body. Bytes
 * after the last blank line come as a last block.
 *
 * Only LF line ends are recognised, which is what the AI SDK writes.
 *
 * @param {ReadableStream<Uint8Array> | null} body
 * @returns {AsyncIterable<Buffer>}
 */
export async function* eventsOf(body) {
  if (body !== null) yield* body.pipeThrough(eventBlocks());
}

/** @returns {TransformStream<Uint8Array, Buffer>} */
function eventBlocks() {
  let pending = Buffer.alloc(0);
  return new TransformStream({
    transform(bytes, controller) {
      pending = Buffer.concat([pending, bytes]);
      for (let end = pending.indexOf(BLANK_LINE); end !== -1; end = pending.indexOf(BLANK_LINE)) {
        controller.enqueue(pending.subarray(0, end + BLANK_LINE.length));
        pending = pending.subarray(end + BLANK_LINE.length);
      }
    },
    flush(controller) {
      if (pending.length > 0) controller.enqueue(pending);
    },
  });
}

/**
 * Whether a block is an event that a client sees: it ends in a blank line and has a `data` field. A comment that
 * only keeps the connection open is not one; the final `[DONE]` is.
 *
 * @param {string} block
 */
export function isEvent(block) {
  return block.endsWith('\n\n') && /^data:/m.test(block);
}

/**
 * Whether a block is the event that ends every stream of the AI SDK.
 *
 * @param {string} block
 */
export function isDone(block) {
  return block === 'data: [DONE]\n\n';
}

/**
 * The same events with a pause before each.
 *
 * @param {AsyncIterable<Buffer>} events
 * @param {number} delayMs of each pause
 * @param {AbortSignal} signal once aborted, what is left comes without delay
 * @returns {AsyncGenerator<Buffer, void>}
 */
export async function* paced(events, delayMs, signal) {
  for await (const event of events) {
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {});
    yield event;
  }
}

/**
 * The same events; tells of each before it is passed on, and of their end.
 *
 * @param {AsyncIterable<Buffer>} events
 * @param {(event: Buffer) => void} onEvent
 * @param {() => void} onEnd
 * @returns {AsyncGenerator<Buffer, void>}
 */
export async function* watched(events, onEvent, onEnd) {
  try {
    for await (const event of events) {
      onEvent(event);
      yield event;
    }
  } finally {
    onEnd();
  }
}
