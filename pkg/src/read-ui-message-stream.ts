/**
 * The message of a response, read from its chunks without a chat.
 *
 * @module
 */

import { reportError } from "./callbacks.js";
import type { UIMessageChunk } from "./chunk-types.js";
import { loadCore } from "./core-call.js";
import { type CoreGlue, isDevelopment } from "./core-host.js";
import { makeError } from "./errors.js";
import { losslessStringify } from "./lossless.js";
import type { UIMessage } from "./message-types.js";
import { rawTexts } from "./raw-json.js";
import type { RuntimeLoader } from "./runtime.js";

/** A stream that can be read by `for await`. */
export type AsyncIterableStream<T> = AsyncIterable<T> & ReadableStream<T>;

/** Options of `readUIMessageStream`. */
export interface ReadUIMessageStreamOptions<UI_MESSAGE extends UIMessage> {
  /** The last message. An assistant's message is continued. Default: none. */
  message?: UI_MESSAGE;
  /** The chunks of the response. */
  stream: ReadableStream<UIMessageChunk>;
  /** Something failed: the server reports it, or the stream cannot be read. Default: ignored. */
  onError?: (error: unknown) => void;
  /** Whether an error also ends the states with that error. Default: false, they just end. */
  terminateOnError?: boolean;
}

/** A message as the core reads it (`MessageReader` in the crate's `src/web/message-reader.js`). */
export interface CoreMessageReader {
  read(chunk: string): { message?: object; error?: string; isEnd?: boolean };
  free(): void;
}

/** See `readUIMessageStream` of the entries. */
export function readMessages<UI_MESSAGE extends UIMessage>(
  loader: RuntimeLoader<CoreGlue>,
  options: ReadUIMessageStreamOptions<UI_MESSAGE>,
): AsyncIterableStream<UI_MESSAGE> {
  const source = new MessageSource<UI_MESSAGE>(loader, options);
  return iterable(new ReadableStream<UI_MESSAGE>(source));
}

/** Reads the next chunks when the next state is asked for. */
class MessageSource<UI_MESSAGE extends UIMessage> implements UnderlyingDefaultSource<UI_MESSAGE> {
  readonly #chunks: ReadableStreamDefaultReader<UIMessageChunk>;
  readonly #options: ReadUIMessageStreamOptions<UI_MESSAGE>;
  readonly #messages: Promise<ChunkReader>;

  constructor(loader: RuntimeLoader<CoreGlue>, options: ReadUIMessageStreamOptions<UI_MESSAGE>) {
    this.#chunks = options.stream.getReader();
    this.#options = options;
    this.#messages = startReader(loader, options.message);
    this.#messages.catch(() => {}); // the first pull reports it
  }

  async pull(controller: ReadableStreamDefaultController<UI_MESSAGE>): Promise<void> {
    try {
      const reader = await this.#messages;
      for (;;) {
        const { done, value } = await this.#chunks.read();
        if (done) return await this.#end(controller);
        const { message, error, isEnd } = reader.read(value);
        if (error !== undefined && this.#fail(controller, serverError(error))) return;
        if (message) controller.enqueue(message as UI_MESSAGE);
        if (isEnd) return await this.#end(controller);
        if (message) return;
      }
    } catch (error) {
      if (!this.#fail(controller, error)) await this.#end(controller);
    }
  }

  cancel(reason?: unknown): Promise<void> {
    return this.#release(reason);
  }

  /** Reports an error. True when it has ended the states, too. */
  #fail(controller: ReadableStreamDefaultController<UI_MESSAGE>, error: unknown): boolean {
    reportError(error, this.#options.onError);
    if (!this.#options.terminateOnError) return false;
    controller.error(error);
    void this.#release(error);
    return true;
  }

  async #end(controller: ReadableStreamDefaultController<UI_MESSAGE>): Promise<void> {
    controller.close();
    await this.#release(undefined);
  }

  async #release(reason: unknown): Promise<void> {
    // What fails here is known already: the stream or the core.
    const freed = this.#messages.then((reader) => reader.free()).catch(() => {});
    await Promise.all([freed, this.#chunks.cancel(reason).catch(() => {})]);
  }
}

interface ChunkReader {
  read(chunk: UIMessageChunk): ReturnType<CoreMessageReader["read"]>;
  free(): void;
}

async function startReader(
  loader: RuntimeLoader<CoreGlue>,
  message: UIMessage | undefined,
): Promise<ChunkReader> {
  const call = await loadCore(loader);
  const last = message && losslessStringify(message, (value) => rawTexts.get(value));
  const reader = call((core) => core.readMessage(last, isDevelopment(), rawTexts));
  return {
    read: (chunk) => call(() => reader.read(losslessStringify(chunk, () => undefined) ?? "null")),
    free: () => call(() => reader.free()),
  };
}

function serverError(message: string): Error {
  return makeError({ code: "stream_error", name: "Error", message });
}

/** Not every engine's streams can be iterated. */
function iterable<T>(stream: ReadableStream<T>): AsyncIterableStream<T> {
  if (Symbol.asyncIterator in ReadableStream.prototype) return stream as AsyncIterableStream<T>;
  return Object.assign(stream, {
    async *[Symbol.asyncIterator]() {
      const reader = stream.getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          yield value;
        }
      } finally {
        await reader.cancel();
      }
    },
  });
}
