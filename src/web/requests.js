// Asks transports and hands what they answer to the core.

import { quoted } from "./core-link.js";
import { pump } from "./pump.js";

// Failures of a transport, as src/web/tell.rs numbers them.
const CONNECTION = 0;
const ABORTED = 1;
const NO_BODY = 2;
const OTHER = 3;
const TIMED_OUT = 4;

/** @import { Action, CoreLink } from "./core-link.js" */
/** @import { Host } from "./host.js" */
/** @import { Message } from "./view.js" */
/**
 * A request, as the API layer needs it to ask the transport.
 * @typedef {object} RequestContext
 * @property {"submit-message" | "regenerate-message" | "resume-stream"} trigger
 * @property {string | undefined} messageId
 * @property {string | undefined} lastEventId of the last event that came, when the server gives ids
 * @property {readonly Message[]} messages
 * @property {string} messagesText
 * @property {(value: object) => string | undefined} rawText
 * @property {unknown} options what the app gave with its command
 * @property {AbortSignal} abortSignal
 */
/**
 * How a transport answers: arguments for fetch, a stream of chunks, or nothing to resume.
 * @typedef {{ url: string, init: RequestInit, fetch: typeof fetch, isText: boolean } | { stream: ReadableStream<unknown> } | null} Opened
 */

/**
 * Milliseconds after which a silent connection is given up; none by default.
 * @typedef {{ readonly firstByteMs?: number, readonly idleMs?: number }} Timeouts
 */

export class Requests {
  #link;
  #host;
  #tell;
  /** @type {Map<number, AbortController>} */
  #controllers = new Map();
  /** What a transport or a schema threw, for the error output that follows. @type {unknown} */
  #thrown = undefined;
  /** Stops waiting for a reconnection. @type {(() => void) | undefined} */
  #endReconnect = undefined;
  /** What the app said of the stop that is under way. @type {string | undefined} */
  abortLabel = undefined;

  /**
   * @param {CoreLink} link
   * @param {Pick<Host, "generateId" | "open" | "stringify" | "timeouts" | "onTraffic">} host
   * @param {(event: Action | (() => void)) => void} tell tells the core and does what it asks then
   */
  constructor(link, host, tell) {
    this.#link = link;
    this.#host = host;
    this.#tell = tell;
  }

  /** Whether a request is under way or waits for its connection. */
  get isBusy() {
    return this.#controllers.size > 0 || this.#endReconnect !== undefined;
  }

  /** @param {unknown} error */
  noteThrown(error) {
    this.#thrown = error;
  }

  takeThrown() {
    const thrown = this.#thrown;
    this.#thrown = undefined;
    return thrown;
  }

  /**
   * @param {number} request
   * @param {Omit<RequestContext, "abortSignal">} context
   */
  open(request, context) {
    let id;
    try {
      id = quoted(this.#host.generateId());
    } catch (error) {
      return this.#fail(request, OTHER, error);
    }
    const controller = new AbortController();
    const { signal } = controller;
    this.abortLabel = undefined;
    this.#controllers.set(request, controller);
    this.#link.tell({ do: "responseId", request: String(request), id });
    const { firstByteMs, idleMs } = this.#host.timeouts() ?? {};
    const alarm = new Alarm((milliseconds, isFirst) => {
      this.abort(request);
      const what = isFirst ? "Nothing was received within" : "Nothing more was received for";
      this.#fail(request, TIMED_OUT, `${what} ${milliseconds} ms. Resume or retry the response.`);
    });
    alarm.set(firstByteMs, true);
    // A transport may not heed the signal: an alarm of a request that was given up must not go off.
    signal.addEventListener("abort", () => alarm.clear());
    const heard = () => alarm.set(idleMs, false);
    this.#run(request, { ...context, abortSignal: signal }, signal, heard).finally(() => {
      alarm.clear();
      this.#controllers.delete(request);
    });
  }

  /** @param {number} request */
  abort(request) {
    const label = this.abortLabel ?? "The response was stopped.";
    this.abortLabel = undefined;
    this.#controllers.get(request)?.abort(new DOMException(label, "AbortError"));
    this.#controllers.delete(request);
    this.#endReconnect?.();
  }

  abortAll() {
    this.#endReconnect?.();
    for (const controller of this.#controllers.values()) controller.abort();
  }

  /**
   * Makes a lost connection again after a while, or as soon as the page is looked at or the device
   * is back online.
   *
   * @param {{ request: number, after: number }} lost
   */
  reconnectLater({ request, after }) {
    const now = () => {
      if (typeof document !== "undefined" && document.visibilityState === "hidden") return;
      end();
      this.#tell({ do: "online", yes: "true" });
      this.#tell({ do: "reconnect", request: String(request) });
    };
    const end = () => {
      clearTimeout(timer);
      this.#endReconnect = undefined;
      globalThis.removeEventListener?.("online", now);
      globalThis.document?.removeEventListener?.("visibilitychange", now);
    };
    this.#endReconnect?.();
    this.#endReconnect = end;
    globalThis.addEventListener?.("online", now);
    globalThis.document?.addEventListener?.("visibilitychange", now);
    // Clients that were cut together must not come back together.
    const jitter = 0.75 + Math.random() / 2;
    const timer = setTimeout(() => {
      if (globalThis.navigator?.onLine === false) return this.#tell({ do: "online", yes: "false" });
      end();
      this.#tell({ do: "reconnect", request: String(request) });
    }, after * jitter);
  }

  /**
   * @param {number} request
   * @param {RequestContext} context
   * @param {AbortSignal} signal
   * @param {() => void} heard called for each read
   */
  async #run(request, context, signal, heard) {
    let kind = OTHER;
    try {
      const opened = await this.#host.open(context);
      if (opened !== null && "stream" in opened) {
        // After an abort, too: the stream is open, and must be cancelled.
        await this.#readChunks(request, opened.stream, signal, heard);
      } else if (signal.aborted) {
        return;
      } else if (opened === null) {
        this.#tell({ do: "nothing", request: String(request) });
      } else {
        const response = await opened.fetch(opened.url, opened.init);
        if (signal.aborted) return;
        kind = CONNECTION;
        await this.#readResponse(request, opened, response, context.trigger, signal, heard);
      }
    } catch (error) {
      if (signal.aborted || this.#link.isDead) return;
      if (error instanceof TypeError && isNetworkMessage(error.message)) kind = CONNECTION;
      if (error instanceof Error && error.name === "AbortError") kind = ABORTED;
      this.#fail(request, kind, error);
    }
  }

  /**
   * @param {number} request
   * @param {{ url: string, isText: boolean }} opened
   * @param {Response} response
   * @param {RequestContext["trigger"]} trigger
   * @param {AbortSignal} signal
   * @param {() => void} heard
   */
  async #readResponse(request, { url, isText }, response, trigger, signal, heard) {
    if (trigger === "resume-stream" && response.status === 204) {
      return this.#tell({ do: "nothing", request: String(request) });
    }
    const header = (/** @type {string} */ name) => response.headers?.get?.(name) ?? "";
    const status = response.status ?? (response.ok ? 200 : 500);
    const isStream = this.#link.tell({
      do: "head",
      request: String(request),
      number: String(status),
      text: quoted(header("content-type").toLowerCase()),
      yes: String(header("x-vercel-ai-ui-message-stream") !== ""),
      url: quoted(response.url || String(url)),
      also: String(isText),
    });
    if (isStream !== 1) {
      const text = quoted(await response.text());
      if (!signal.aborted) this.#tell({ do: "failureBody", request: String(request), text });
      return;
    }
    if (!response.body) return this.#fail(request, NO_BODY, undefined);
    await pump(response.body, signal, (bytes) => {
      heard();
      this.#feed(request, bytes, false);
    });
    if (!signal.aborted) this.#tell({ do: "end", request: String(request) });
  }

  /**
   * Reads chunk objects. Those that are ready together are handed over together.
   *
   * @param {number} request
   * @param {ReadableStream<unknown>} stream
   * @param {AbortSignal} signal
   * @param {() => void} heard
   */
  async #readChunks(request, stream, signal, heard) {
    this.#tell({ do: "chunkStream", request: String(request) });
    const encoder = new TextEncoder();
    /** @type {string[]} */
    let ready = [];
    const flush = () => {
      if (ready.length === 0 || signal.aborted) return;
      const bytes = encoder.encode(ready.join("\n"));
      ready = [];
      this.#feed(request, bytes, true);
    };
    await pump(stream, signal, (chunk) => {
      heard();
      const json = this.#host.stringify(chunk, () => undefined);
      if (json === undefined) return;
      if (ready.length === 0) queueMicrotask(() => queueMicrotask(flush));
      ready.push(json);
    });
    flush();
    if (!signal.aborted) this.#tell({ do: "end", request: String(request) });
  }

  /** @param {number} request @param {Uint8Array} bytes @param {boolean} areChunks */
  #feed(request, bytes, areChunks) {
    this.#tell(() => {
      const events = this.#link.feed(request, bytes, areChunks);
      this.#host.onTraffic({ bytes: bytes.length, events });
    });
  }

  /** @param {number} request @param {number} kind @param {unknown} error */
  #fail(request, kind, error) {
    const text = quoted(error instanceof Error ? error.message : String(error ?? ""));
    this.#thrown = error;
    this.#tell({ do: "fail", request: String(request), number: String(kind), text });
  }
}

/** Goes off once when it is not set anew in time. */
class Alarm {
  #ring;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer = undefined;

  /** @param {(milliseconds: number, isFirst: boolean) => void} ring */
  constructor(ring) {
    this.#ring = ring;
  }

  /** @param {number | undefined} milliseconds `undefined`: never @param {boolean} isFirst */
  set(milliseconds, isFirst) {
    this.clear();
    if (milliseconds === undefined) return;
    this.#timer = setTimeout(() => this.#ring(milliseconds, isFirst), milliseconds);
  }

  clear() {
    clearTimeout(this.#timer);
  }
}

/** How engines word a failed connection. @param {string} message */
function isNetworkMessage(message) {
  return /fetch|network|^load failed$|^terminated$/i.test(message);
}
