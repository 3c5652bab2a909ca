/**
 * The chunks of a response as objects, for apps that read one through a transport's own methods.
 *
 * @module
 */

import type { UIMessageChunk } from "./chunk-types.js";
import { type CoreCall, loadCore } from "./core-call.js";
import type { CoreGlue } from "./core-host.js";
import { makeError } from "./errors.js";
import type { RuntimeLoader } from "./runtime.js";

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads events (`EventReader` in the crate's `src/web/event_reader.rs`). */
export interface CoreEventReader {
  push(bytes: Uint8Array): string;
  finish(): string;
  free(): void;
}

/** What stands behind each event that the reader gives. */
const SEPARATOR = "\u001e";

/** The chunks of server-sent events. What `[DONE]` says is that the body ends. */
export function eventChunks(
  loader: RuntimeLoader<CoreGlue>,
  body: ReadableStream<Bytes>,
): ReadableStream<UIMessageChunk> {
  let call: CoreCall;
  let reader: CoreEventReader | undefined;
  type Controller = TransformStreamDefaultController<UIMessageChunk>;
  const give = (read: (reader: CoreEventReader) => string, controller: Controller) => {
    const live = reader;
    if (!live) return;
    for (const data of call(() => read(live)).split(SEPARATOR)) {
      if (data !== "" && data !== "[DONE]") controller.enqueue(parse(data));
    }
  };
  const free = () => {
    const live = reader;
    reader = undefined;
    if (live) call(() => live.free());
  };
  // `cancel` is newer than the types.
  const transformer: Transformer<Bytes, UIMessageChunk> & { cancel(): void } = {
    async start() {
      call = await loadCore(loader);
      reader = call((core) => new core.EventReader());
    },
    transform: (bytes, controller) => give((live) => live.push(bytes), controller),
    flush(controller) {
      give((live) => live.finish(), controller);
      free();
    },
    cancel: free,
  };
  return body.pipeThrough(new TransformStream(transformer));
}

function parse(data: string): UIMessageChunk {
  try {
    return JSON.parse(data) as UIMessageChunk;
  } catch (cause) {
    throw makeError({
      code: "invalid_json",
      name: "AI_JSONParseError",
      message: "An event of the response is not JSON.",
      cause,
    });
  }
}

/** The chunks that say what plain text says. */
export function textChunks(body: ReadableStream<Bytes>): ReadableStream<UIMessageChunk> {
  const id = "text-1";
  return body.pipeThrough(new TextDecoderStream()).pipeThrough(
    new TransformStream<string, UIMessageChunk>({
      start(controller) {
        controller.enqueue({ type: "start" });
        controller.enqueue({ type: "start-step" });
        controller.enqueue({ type: "text-start", id });
      },
      transform: (delta, controller) => controller.enqueue({ type: "text-delta", id, delta }),
      flush(controller) {
        controller.enqueue({ type: "text-end", id });
        controller.enqueue({ type: "finish-step" });
        controller.enqueue({ type: "finish" });
      },
    }),
  );
}
