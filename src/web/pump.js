// The read loop. It is JavaScript because reading a body through wasm costs half as much again
// per read.

/**
 * Reads a stream to its end. An abort ends it at once, and so does what `onRead` throws; then the
 * stream is cancelled, since its source may know nothing of the signal.
 *
 * @template T
 * @param {ReadableStream<T>} stream
 * @param {AbortSignal} signal
 * @param {(value: T) => void | Promise<void>} onRead
 */
export async function pump(stream, signal, onRead) {
  const reader = stream.getReader();
  // Streams in tests of apps may lack it; one that has failed refuses.
  const cancel = () => reader.cancel?.(signal.reason)?.catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return;
      const waits = onRead(value);
      if (waits) await waits;
    }
  } catch (error) {
    cancel();
    throw error;
  }
}
