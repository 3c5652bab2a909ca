// Runs one chat: does what the core asks (requests, timers, callbacks) and tells it what happened.
//
// The core is called only from here, and no callback of the app runs inside such a call. A command
// that the app gives from inside a callback takes effect at once; what the transport delivered
// behind the callback waits.

import { CoreLink, quoted } from "./core-link.js";
import { Callbacks } from "./host.js";
import { Requests } from "./requests.js";
import { Schedule } from "./schedule.js";
import { View } from "./view.js";
import { decodeWtf8 } from "./wtf8.js";

// The numbers of outputs in src/web/output.rs.
const PUBLISH = 1;
const REQUEST_FRAME = 2;
const WAKE_AT = 3;
const OPEN_REQUEST = 4;
const ABORT_REQUEST = 5;
const TOOL_CALL = 6;
const DATA = 7;
const FINISH = 8;
const ERROR = 9;
const WARNING = 10;
const DECIDE = 11;
const SETTLE = 12;
const RECONNECT = 13;
const CHECK = 14;
const AUTO_SEND = 15;
const NUDGE = 16;

const STATUSES = /** @type {const} */ (["ready", "submitted", "streaming", "error"]);
const QUEUE_PAUSED = 4;
const OUTCOMES = /** @type {const} */ ([
  undefined, "complete", "stopped", "aborted", "truncated", "disconnect", "error", "interrupted",
]);

const CONNECTIONS = /** @type {const} */ (["idle", "open", "reconnecting", "offline"]);

/** @import { ChatCore } from "../../pkg/wasm/core/chatwire.js" */
/** @import { Action } from "./core-link.js" */
/** @import { ErrorPayload, Host } from "./host.js" */
/** @import { RequestContext } from "./requests.js" */
/** @import { Message } from "./view.js" */

/**
 * What the app sees.
 * @typedef {object} Snapshot
 * @property {readonly Message[]} messages
 * @property {(typeof STATUSES)[number]} status
 * @property {Error | undefined} error
 * @property {string | undefined} outcome
 * @property {string | undefined} reason
 * @property {readonly Message[]} queuedMessages
 * @property {boolean} queuePaused
 * @property {(typeof CONNECTIONS)[number]} connection
 */
export class Driver {
  #link;
  #requests;
  #schedule;
  /** Where the core keeps what every flush needs. */
  #stateAt;
  #host;
  #callbacks;
  #view;
  /** @type {Snapshot} */
  #snapshot;
  /** The app's options of commands, by number. @type {Map<number, unknown>} */
  #options = new Map();
  #nextOptions = 1;
  /** @type {Map<number, { resolve: () => void, reject: (error: Error) => void }>} */
  #commands = new Map();
  #drains = false;
  #freesAfterDrain = false;
  #arenaDecoder = new TextDecoder("utf-8", { ignoreBOM: true });

  /**
   * @param {ChatCore} core
   * @param {WebAssembly.Memory} memory
   * @param {Host} host
   */
  constructor(core, memory, host) {
    this.#link = new CoreLink(core, memory, host);
    this.#requests = new Requests(this.#link, host, (event) => this.#tell(event));
    this.#schedule = new Schedule(() =>
      this.#tell(() => this.#link.call((core) => core.frame(Date.now()))),
    );
    this.#stateAt = core.state();
    this.#host = host;
    this.#callbacks = new Callbacks(host);
    this.#view = new View(host.freezes, host.texts);
    this.#snapshot = {
      messages: this.#view.messages,
      status: "ready",
      error: undefined,
      outcome: undefined,
      reason: undefined,
      queuedMessages: this.#view.queued,
      queuePaused: false,
      connection: "idle",
    };
  }

  get snapshot() {
    return this.#snapshot;
  }

  /** Whether a response is under way or commands have not settled. */
  get isBusy() {
    return this.#requests.isBusy || this.#commands.size > 0 || this.#schedule.isSet;
  }

  /** @param {object} message */
  keyOf(message) {
    return this.#view.keyOf(message);
  }

  /** The exact JSON text behind a value of a message. @param {object} value */
  rawText(value) {
    const text = this.#view.textOf(value);
    if (text !== undefined) return text;
    const key = this.#view.keyOf(value);
    if (key === undefined || this.#view.message(key) !== value) return undefined;
    return this.#link.call((core) => core.export(key));
  }

  /** Whether `onPublish` wants the texts that grew. @param {boolean} wanted */
  set wantsDeltas(wanted) {
    this.#view.wantsDeltas = wanted;
  }

  /** All messages as exact JSON text. */
  exportMessages() {
    return /** @type {string} */ (this.#link.call((core) => core.export(0)));
  }

  // Commands of the app

  /** @param {readonly object[]} messages objects of the view or of the app */
  setMessages(messages) {
    /** @type {string[]} */
    const texts = [];
    /** @type {number[]} */
    const slots = [];
    const keys = messages.map((message) => {
      const key = this.#view.keyOf(message);
      if (key !== undefined && this.#view.message(key) === message) return key;
      texts.push(this.#stringify(message));
      slots.push(this.#view.supply(message));
      return 0;
    });
    this.#command({
      do: "set",
      keys: `[${keys}]`,
      slots: `[${slots}]`,
      value: `[${texts}]`,
    });
  }

  /**
   * Loads messages of which the exact JSON text is known.
   *
   * @param {string} text a JSON array
   * @param {readonly object[]} messages the same as objects
   */
  loadMessages(text, messages) {
    const slots = messages.map((message) => this.#view.supply(message));
    this.#command({ do: "set", keys: `[${slots.map(() => 0)}]`, slots: `[${slots}]`, value: text });
  }

  /**
   * Bounds what the chat sends by itself.
   *
   * @param {readonly number[]} limits the most steps, the most tokens (0: any number); how often it
   *   goes on after an answer that reached its length, is empty, or was lost
   */
  limitAutoSend(limits) {
    this.#command({ do: "limits", keys: JSON.stringify(limits) });
  }

  /** The last response of the messages that were set or loaded was stopped. */
  restoreStopped() {
    this.#command({ do: "wasStopped" });
  }

  /**
   * @param {object | undefined} message with id, role and parts
   * @param {string | undefined} replaces
   * @param {unknown} options
   */
  sendMessage(message, replaces, options) {
    return this.#promise({
      do: "send",
      value: message && this.#stringify(message),
      number: message && String(this.#view.supply(message)),
      id: quoted(replaces),
      options: this.#keepOptions(options),
    });
  }

  /** @param {string | undefined} messageId @param {unknown} options */
  regenerate(messageId, options) {
    return this.#promise({
      do: "regenerate",
      id: quoted(messageId),
      options: this.#keepOptions(options),
    });
  }

  /** @param {unknown} options */
  resume(options) {
    return this.#promise({ do: "resume", options: this.#keepOptions(options) });
  }

  /** Closes the connection; the server's run goes on. */
  detach() {
    return this.#promise({ do: "detach" });
  }

  /** @param {string | undefined} label */
  stop(label) {
    this.#requests.abortLabel = label;
    return this.#promise({ do: "stop", text: quoted(label) });
  }

  /**
   * @param {string} toolCallId
   * @param {unknown} output
   * @param {unknown} options
   */
  addToolOutput(toolCallId, output, options) {
    return this.#promise({
      do: "output",
      id: quoted(toolCallId),
      value: this.#stringify(output),
      options: this.#keepOptions(options),
    });
  }

  /**
   * @param {string} toolCallId
   * @param {string} errorText
   * @param {unknown} options
   */
  addToolError(toolCallId, errorText, options) {
    return this.#promise({
      do: "outputError",
      id: quoted(toolCallId),
      text: quoted(errorText),
      options: this.#keepOptions(options),
    });
  }

  /**
   * @param {string} id
   * @param {boolean} approved
   * @param {string | undefined} reason
   * @param {unknown} options
   */
  addApprovalResponse(id, approved, reason, options) {
    return this.#promise({
      do: "approve",
      id: quoted(id),
      yes: String(approved),
      text: quoted(reason),
      options: this.#keepOptions(options),
    });
  }

  clearError() {
    this.#command({ do: "clearError" });
  }

  /** @param {string} id */
  removeQueued(id) {
    this.#command({ do: "removeQueued", id: quoted(id) });
  }

  /** @param {string} id */
  sendQueuedNow(id) {
    this.#command({ do: "sendQueued", id: quoted(id) });
  }

  resumeQueue() {
    this.#command({ do: "resumeQueue" });
  }

  /** Stops everything and gives the chat's memory back. */
  dispose() {
    if (this.#link.isDead) return;
    this.#command({ do: "dispose" });
    // Inside a callback, what follows from the command is still to be done.
    if (this.#drains) this.#freesAfterDrain = true;
    else this.free();
  }

  /** Gives the chat's memory back. What was handed out stays. */
  free() {
    if (this.#link.isDead) return;
    this.#schedule.clear();
    this.#requests.abortAll();
    this.#link.free();
  }

  /** The instance is lost: nothing may call it again. @param {Error} error */
  abandon(error) {
    if (this.#link.isDead) return;
    this.#link.abandon();
    this.#schedule.clear();
    this.#requests.abortAll();
    const commands = [...this.#commands.values()];
    this.#commands.clear();
    for (const { reject } of commands) reject(error);
  }

  // Commands, inside

  /** @param {unknown} options */
  #keepOptions(options) {
    if (options === undefined) return undefined;
    const number = this.#nextOptions++;
    this.#options.set(number, options);
    return String(number);
  }

  /** @param {unknown} value */
  #stringify(value) {
    return this.#host.stringify(value, (inner) => this.rawText(inner)) ?? "null";
  }

  /**
   * Gives a command and makes its effect visible.
   *
   * @param {Action} action
   * @param {(command: number) => void} [accepted] called before anything that follows from it
   */
  #command(action, accepted) {
    try {
      const command = this.#link.tell(action);
      accepted?.(command);
    } catch (error) {
      throw typeof error === "string" ? this.#errorFrom(error) : error;
    }
    if (this.#drains) {
      this.#publishNow();
    } else {
      this.#drain();
    }
  }

  /**
   * Gives a command that settles later.
   *
   * @param {Action} action
   * @returns {Promise<void>}
   */
  #promise(action) {
    const promise = new Promise((/** @type {(value: void) => void} */ resolve, reject) => {
      this.#command(action, (command) => this.#commands.set(command, { resolve, reject }));
    });
    // A refused command is reported as a warning or an error, so that ignoring it is no fault.
    promise.catch(() => {});
    return promise;
  }

  /** @param {number} command @param {Error | undefined} error */
  #settle(command, error) {
    const waiting = this.#commands.get(command);
    if (!waiting) return;
    this.#commands.delete(command);
    if (error) waiting.reject(error);
    else waiting.resolve();
  }

  // Outputs

  /** Tells the core what happened and does what it asks. @param {Action | (() => void)} event */
  #tell(event) {
    if (this.#link.isDead) return;
    try {
      if (typeof event === "function") event();
      else this.#link.tell(event);
      this.#drain();
    } catch (error) {
      // After a trap there is nobody to tell: the chat already shows the error.
      if (!this.#link.isDead) throw error;
    }
  }

  #drain() {
    if (this.#drains) return;
    this.#drains = true;
    try {
      while (!this.#link.isDead) {
        const code = this.#link.call((core) => core.poll());
        if (code === 0) break;
        if (code === PUBLISH) this.#publish();
        else this.#perform(code, this.#link.call((core) => core.detail()));
      }
    } finally {
      this.#drains = false;
      if (this.#freesAfterDrain) this.free();
    }
  }

  /** @param {number} code @param {string} detail */
  #perform(code, detail) {
    switch (code) {
      case REQUEST_FRAME:
        return this.#schedule.atNextFrame();
      case WAKE_AT:
        return this.#schedule.in(JSON.parse(detail).time - Date.now());
      case OPEN_REQUEST:
        return this.#open(JSON.parse(detail));
      case ABORT_REQUEST:
        return this.#requests.abort(JSON.parse(detail).request);
      case TOOL_CALL:
        return this.#callbacks.call(() => this.#host.onToolCall(JSON.parse(detail)));
      case DATA:
        this.#publishBefore("onData");
        return this.#callbacks.call(() => this.#host.onData(JSON.parse(detail)));
      case FINISH:
        return this.#finish(JSON.parse(detail));
      case ERROR: {
        const error = this.#snapshot.error ?? this.#errorFrom(detail);
        return this.#callbacks.call(() => this.#host.onError(error));
      }
      case WARNING:
        this.#publishBefore("onWarning");
        return this.#callbacks.call(() => this.#host.onWarning(JSON.parse(detail)));
      case DECIDE:
        return this.#decide(JSON.parse(detail).decision);
      case NUDGE:
        return this.#nudge(JSON.parse(detail).decision);
      case SETTLE: {
        const { command, error } = JSON.parse(detail);
        return this.#settle(command, error && this.#host.makeError(error));
      }
      case AUTO_SEND:
        return this.#callbacks.call(() => this.#host.onAutoSend(JSON.parse(detail)));
      case CHECK:
        return void this.#check(JSON.parse(detail));
      case RECONNECT:
        return this.#requests.reconnectLater(JSON.parse(detail));
      default:
        throw new Error(`unknown output ${code}`);
    }
  }

  /**
   * @param {{ request: number, options: number, trigger: RequestContext["trigger"], messageId?: string, lastEventId?: string }} open
   */
  #open({ request, options, trigger, messageId, lastEventId }) {
    this.#requests.open(request, {
      trigger,
      messageId,
      lastEventId,
      messages: this.#snapshot.messages,
      messagesText: trigger === "resume-stream" ? "[]" : this.exportMessages(),
      rawText: (value) => this.rawText(value),
      options: this.#options.get(options),
    });
    for (const number of this.#options.keys()) {
      if (number < options && this.#view.queued.length === 0) this.#options.delete(number);
    }
  }

  /** Publishes what has changed, without the core's asking for it. */
  #publishNow() {
    this.#link.call((core) => core.takeChanges());
    this.#publish();
  }

  /** Applies the changes that the core holds ready and tells the subscribers. */
  #publish() {
    const { bytes } = this.#link;
    const [opsAt = 0, opsLength = 0, arenaAt = 0, arenaLength = 0, hasSurrogates, state = 0, outcome = 0, connected = 0] =
      new Uint32Array(bytes.buffer, this.#stateAt, 8);
    const arena = bytes.subarray(arenaAt, arenaAt + arenaLength);
    const text = hasSurrogates ? decodeWtf8(arena) : this.#arenaDecoder.decode(arena);
    const viewChanged = this.#view.apply(new Uint32Array(bytes.buffer, opsAt, opsLength), text);
    const status = STATUSES[state & 3] ?? "ready";
    const queuePaused = (state & QUEUE_PAUSED) !== 0;
    const last = this.#snapshot;
    const connection = CONNECTIONS[connected] ?? "idle";
    const isSame =
      !viewChanged &&
      status === last.status &&
      queuePaused === last.queuePaused &&
      connection === last.connection &&
      OUTCOMES[outcome] === last.outcome;
    if (isSame) return;
    this.#snapshot = {
      messages: this.#view.messages,
      status,
      error: status !== "error" ? undefined : last.error ?? this.#currentError(),
      outcome: OUTCOMES[outcome],
      reason: status === "submitted" || status === "streaming" ? undefined : last.reason,
      queuedMessages: this.#view.queued,
      queuePaused,
      connection,
    };
    this.#host.onPublish(this.#snapshot, this.#view.takeDeltas());
  }

  #currentError() {
    const json = this.#link.call((core) => core.error());
    return json === undefined ? undefined : this.#errorFrom(json);
  }

  /** @param {string} json */
  #errorFrom(json) {
    /** @type {ErrorPayload} */
    const payload = JSON.parse(json);
    const thrown = this.#requests.takeThrown();
    const isApps = payload.code === "transport_failed" || payload.code === "invalid_value";
    if (isApps && thrown instanceof Error) return thrown;
    if (payload.code === "network_error" && thrown instanceof Error) {
      return this.#host.makeError({ ...payload, name: thrown.name, cause: thrown });
    }
    return this.#host.makeError(payload);
  }

  /**
   * A callback of the app sees what has come so far. Where there is none, nothing is published
   * earlier than the throttle says.
   *
   * @param {"onData" | "onWarning"} callback
   */
  #publishBefore(callback) {
    if (!this.#host.has(callback)) return;
    this.#publishNow();
  }

  /** @param {Record<string, unknown>} finish */
  #finish(finish) {
    const { key, message, reason, ...rest } = finish;
    if (reason !== undefined) {
      this.#snapshot = { ...this.#snapshot, reason: /** @type {string} */ (reason) };
      this.#host.onPublish(this.#snapshot, []);
    }
    const { messages } = this.#snapshot;
    const event = {
      message: message ?? this.#view.message(/** @type {number} */ (key)),
      messages,
      ...rest,
      ...(reason === undefined ? {} : { reason }),
    };
    this.#callbacks.call(() => this.#host.onFinish(event));
  }

  /** @param {{ request: number, type?: string, value: unknown }} check */
  async #check({ request, type, value }) {
    const error = await this.#host.checkValue(type, value);
    if (error) this.#requests.noteThrown(error);
    this.#tell({ do: "checked", request: String(request), yes: String(!error) });
  }

  /** @param {number} decision */
  async #decide(decision) {
    const send = await this.#callbacks.ask(() => this.#host.shouldSend(this.#snapshot.messages));
    this.#tell({ do: "decide", number: String(decision), yes: String(Boolean(send)) });
  }

  /** @param {number} decision */
  #nudge(decision) {
    const message = this.#callbacks.try(() => this.#host.nudge());
    this.#tell({
      do: "nudge",
      number: String(decision),
      value: message && this.#stringify(message),
      request: message && String(this.#view.supply(message)),
    });
  }
}
