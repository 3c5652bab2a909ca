// The server's side of a run, and what compares results.

/** Answers one request with the reads of a workload, each as soon as it is asked for. */
export class Stub {
  /** When the first read of the timed ones was asked for. */
  startedAt = 0;
  /** Called before each read with its number. @type {((read: number) => void) | undefined} */
  onRead = undefined;
  #reads;
  #timedFrom;

  /** @param {{ reads: Uint8Array[], timedFrom: number }} workload */
  constructor({ reads, timedFrom }) {
    this.#reads = reads;
    this.#timedFrom = timedFrom;
  }

  fetch = async () => {
    let next = 0;
    const body = new ReadableStream(
      {
        pull: (controller) => {
          this.onRead?.(next);
          if (next === this.#timedFrom) this.startedAt = performance.now();
          if (next < this.#reads.length) controller.enqueue(this.#reads[next++]);
          else controller.close();
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, {
      headers: { "content-type": "text/event-stream", "x-vercel-ai-ui-message-stream": "v1" },
    });
  };
}

/** Where two JSON values differ; members that are undefined are absent. @returns {string | undefined} */
export function difference(first, second, path = "message") {
  if (Object.is(first, second)) return undefined;
  const areObjects = [first, second].every((value) => typeof value === "object" && value !== null);
  if (!areObjects || Array.isArray(first) !== Array.isArray(second)) return path;
  for (const key of new Set([...Object.keys(first), ...Object.keys(second)])) {
    const found = difference(first[key], second[key], `${path}.${key}`);
    if (found) return found;
  }
  return undefined;
}

/** @param {number[]} samples */
export function median(samples) {
  const sorted = samples.toSorted((first, second) => first - second);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
