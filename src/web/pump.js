// The read loop. It is JavaScript because reading a body through wasm costs half as much again
// per read.

/**
 * Reads a stream to its end.
 *
 * @template T
 * @param {ReadableStream<T>} stream
 * @param {(value: T) => void | Promise<void>} onRead
 */
export async function pump(stream, onRead) {
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const waits = onRead(value);
    if (waits) await waits;
  }
}
