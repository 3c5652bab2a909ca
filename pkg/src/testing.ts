/**
 * `chatwire/testing`: a transport that plays scripts, for tests and demos without a server.
 *
 * @module
 */

import type { ChatRequestOptions, ChatTransport } from "./chat-types.js";
import type { UIMessageChunk } from "./chunk-types.js";
import { generateId } from "./ids.js";
import type { UIMessage } from "./message-types.js";

export { generateId };

/** What a script does next. A chunk is delivered; the rest is how streams go wrong. */
export type ScriptStep =
  | UIMessageChunk
  /** Waits this many milliseconds of the clock. */
  | { readonly wait: number }
  /** The stream fails with this error; a `TypeError` with "network" in it is a lost connection. */
  | { readonly fail: Error }
  /** The stream ends here, whatever the response still lacks. */
  | { readonly cut: true };

/** A request that a script answers. */
export interface ScriptedRequest<UI_MESSAGE extends UIMessage = UIMessage>
  extends ChatRequestOptions {
  readonly trigger: "submit-message" | "regenerate-message" | "resume-stream";
  readonly chatId: string;
  readonly messageId: string | undefined;
  /** The history as it was when the request was made. */
  readonly messages: readonly UI_MESSAGE[];
  readonly abortSignal: AbortSignal | undefined;
}

/** The steps that answer a request. `null` for a resume: there is nothing to take up. */
export type Script<UI_MESSAGE extends UIMessage = UIMessage> =
  | Iterable<ScriptStep>
  | ((request: ScriptedRequest<UI_MESSAGE>) => Iterable<ScriptStep> | null);

/** Where a script's waits come from. */
export interface ScriptClock {
  /** Resolves after this many milliseconds, or as soon as the signal aborts. */
  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

/** Time that passes only when a test says so. */
export class VirtualClock implements ScriptClock {
  #now = 0;
  #waiting: { at: number; resolve: () => void }[] = [];

  /** Milliseconds since the clock was made. */
  get now(): number {
    return this.#now;
  }

  wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push({ at: this.#now + milliseconds, resolve });
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }

  /** Lets this much time pass: waits that end in it end one after the other, in their order. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      // What the last wait led to may wait again.
      await new Promise((resolve) => setTimeout(resolve, 0));
      const due = this.#waiting.filter(({ at }) => at <= end);
      const next = due.sort((first, second) => first.at - second.at)[0];
      if (!next) break;
      this.#waiting.splice(this.#waiting.indexOf(next), 1);
      this.#now = next.at;
      next.resolve();
    }
    this.#now = end;
  }
}

const realClock: ScriptClock = {
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      signal?.addEventListener(
        "abort",
        () => {
          clearTimeout(timer);
          resolve();
        },
        { once: true },
      );
    }),
};

/** A transport that answers each request with the next script. */
export class ScriptedChatTransport<UI_MESSAGE extends UIMessage = UIMessage>
  implements ChatTransport<UI_MESSAGE>
{
  /** The requests so far. */
  readonly requests: ScriptedRequest<UI_MESSAGE>[] = [];
  readonly resumeStreamIsReplay = true;
  readonly #scripts: readonly Script<UI_MESSAGE>[];
  readonly #clock: ScriptClock;
  #next = 0;

  /**
   * @param scripts one for each request, in order; the last one answers all further ones.
   * @param options `clock`: default is real time.
   */
  constructor(scripts: readonly Script<UI_MESSAGE>[], options: { clock?: ScriptClock } = {}) {
    if (scripts.length === 0) throw new RangeError("A scripted transport needs a script.");
    this.#scripts = scripts;
    this.#clock = options.clock ?? realClock;
  }

  sendMessages: ChatTransport<UI_MESSAGE>["sendMessages"] = async (options) => {
    const stream = this.#play({ ...options });
    return stream ?? new ReadableStream({ start: (controller) => controller.close() });
  };

  reconnectToStream: ChatTransport<UI_MESSAGE>["reconnectToStream"] = async (options) =>
    this.#play({
      ...options,
      trigger: "resume-stream",
      messageId: undefined,
      messages: [],
      abortSignal: options.abortSignal,
    });

  #play(request: ScriptedRequest<UI_MESSAGE>): ReadableStream<UIMessageChunk> | null {
    const recorded = { ...request, messages: [...request.messages] };
    this.requests.push(recorded);
    const script = this.#scripts[Math.min(this.#next++, this.#scripts.length - 1)];
    const steps = typeof script === "function" ? script(recorded) : script;
    return steps ? streamOf(steps, this.#clock, request.abortSignal) : null;
  }
}

function streamOf(
  steps: Iterable<ScriptStep>,
  clock: ScriptClock,
  signal: AbortSignal | undefined,
): ReadableStream<UIMessageChunk> {
  const iterator = steps[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      for (;;) {
        if (signal?.aborted) return controller.error(new DOMException("Aborted", "AbortError"));
        const { done, value } = iterator.next();
        if (done || "cut" in value) return controller.close();
        if ("fail" in value) return controller.error(value.fail);
        if ("type" in value) return controller.enqueue(value);
        await clock.wait(value.wait, signal);
      }
    },
  });
}
