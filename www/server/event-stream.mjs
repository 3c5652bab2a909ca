const BLANK_LINE = Buffer.from('\n\n');

/**
 * Splits the bytes of an event stream into its blocks, each with the blank line that ends it. The bytes are passed
 * on unchanged: joined together, the output equals the input. Bytes after the last blank line come as a last block.
 *
 * Only LF line ends are recognised, which is what the AI SDK writes.
 *
 * @returns {TransformStream<Uint8Array, Buffer>}
 */
export function eventBlocks() {
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
