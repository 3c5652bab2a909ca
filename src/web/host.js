// What the API layer provides to a chat, and how the app's callbacks are called: whatever they throw,
// the chat goes on.

/** @import { Snapshot } from "./driver.js" */
/** @import { Opened, RequestContext, Timeouts } from "./requests.js" */
/** @import { Delta, Message } from "./view.js" */
/**
 * An error of the core, for `Host.makeError`.
 * @typedef {{ code: string, message: string, name?: string, cause?: unknown, [detail: string]: unknown }} ErrorPayload
 */
/**
 * What one read of a response brought.
 * @typedef {{ readonly bytes: number, readonly events: number }} Traffic
 */
/**
 * What the API layer provides.
 * @typedef {object} Host
 * @property {boolean} freezes
 * @property {() => string} generateId
 * @property {(payload: ErrorPayload) => Error} makeError
 * @property {(value: unknown, rawText: (value: object) => string | undefined) => string | undefined} stringify
 * @property {(context: RequestContext) => Promise<Opened>} open
 * @property {(callback: "onData" | "onWarning") => boolean} has whether the app has this callback
 * @property {() => Timeouts | undefined} timeouts
 * @property {(toolCall: unknown) => unknown} onToolCall
 * @property {(data: unknown) => unknown} onData
 * @property {(event: Record<string, unknown>) => unknown} onFinish
 * @property {(error: Error) => unknown} onError
 * @property {(warning: { code: string, message: string }) => unknown} onWarning
 * @property {(type: string | undefined, value: unknown) => Promise<Error | undefined>} checkValue what
 *   the app's schema has against the data of a part of this type, or against metadata
 * @property {(messages: readonly Message[]) => boolean | PromiseLike<boolean>} shouldSend
 * @property {(report: { send: boolean, rule: string, reason: string }) => unknown} onAutoSend
 * @property {() => Message} nudge a message that asks for an answer again
 * @property {(snapshot: Snapshot, deltas: Delta[]) => void} onPublish
 * @property {(traffic: Traffic) => void} onTraffic called before what came is published
 * @property {WeakMap<object, string>} texts the exact JSON text behind objects that were received
 * @property {(error: unknown) => Error} onCrash the core trapped: calls `abandon`, gives what to throw
 */

export class Callbacks {
  #host;

  /** @param {Pick<Host, "onError">} host */
  constructor(host) {
    this.#host = host;
  }

  /** Calls the app. What it throws, now or later, goes to its `onError`. @param {() => unknown} call */
  call(call) {
    const result = this.try(call);
    if (isThenable(result)) result.then(undefined, (error) => this.#report(error));
  }

  /**
   * The same for an answer: `undefined` when the app throws.
   *
   * @template T
   * @param {() => T} call
   * @returns {T | undefined}
   */
  try(call) {
    try {
      return call();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  /**
   * The same for an answer that may come later.
   *
   * @template T
   * @param {() => T | PromiseLike<T>} call
   * @returns {Promise<T | undefined>}
   */
  async ask(call) {
    try {
      return await call();
    } catch (error) {
      this.#report(error);
      return undefined;
    }
  }

  /** @param {unknown} thrown */
  #report(thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    try {
      this.#host.onError(error);
    } catch (again) {
      // The app's error handler is at fault itself; the browser's own report is all that is left.
      queueMicrotask(() => {
        throw again;
      });
    }
  }
}

/** @param {unknown} value @returns {value is PromiseLike<unknown>} */
function isThenable(value) {
  return (
    (typeof value === "object" || typeof value === "function") &&
    value !== null &&
    typeof (/** @type {{ then?: unknown }} */ (value).then) === "function"
  );
}
