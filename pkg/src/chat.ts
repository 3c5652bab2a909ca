/**
 * The chat as an app sees it: state, commands, subscriptions. What happens inside is the
 * WebAssembly's; it is loaded by the first command that needs it.
 *
 * @module
 */

import type {
  ChatAddToolApproveResponseFunction,
  ChatAddToolOutputFunction,
  ChatConnection,
  ChatDelta,
  ChatInit,
  ChatOutcome,
  ChatRequestOptions,
  ChatSnapshot,
  ChatTraffic,
  ChatStatus,
  ChatTransport,
  SendMessageInput,
} from "./chat-types.js";
import { ClientToolRuns } from "./client-tool-runs.js";
import { coreCall } from "./core-call.js";
import {
  chatHost,
  type CoreDriver,
  type CoreGlue,
  enter,
  isLost,
  leave,
  lose,
  startDriver,
} from "./core-host.js";
import { ChatwireError, makeError } from "./errors.js";
import { convertFileListToFileUIParts } from "./files.js";
import { createMessage, isFileList, readHistory } from "./given-messages.js";
import { generateId } from "./ids.js";
import type { UIMessage } from "./message-types.js";
import type { Runtime, RuntimeLoader } from "./runtime.js";
import { SendCheck } from "./send-check.js";
import { CoreChatTransport, transportInternals } from "./transports.js";

/** Milliseconds after which a chat that nobody watches gives its memory back. */
const IDLE_RELEASE = 1000;

/** `Symbol.dispose`, also where the engine does not have it yet. */
const dispose: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for("Symbol.dispose") as never);

/** A chat. Entry points export it as `Chat`. */
export abstract class AbstractChat<UI_MESSAGE extends UIMessage = UIMessage> {
  readonly #init: ChatInit<UI_MESSAGE>;
  readonly #generateId: () => string;
  readonly #listeners = new Set<() => void>();
  readonly #deltaListeners = new Set<(delta: ChatDelta) => void>();
  readonly #toolRuns = new ClientToolRuns(this);
  readonly #trafficListeners = new Set<(traffic: ChatTraffic) => void>();
  #id: string | undefined;
  #defaultTransport: CoreChatTransport<UI_MESSAGE> | undefined;
  #snapshot: ChatSnapshot<UI_MESSAGE>;
  readonly #initialSnapshot: ChatSnapshot<UI_MESSAGE>;
  /** The exact text of the initial messages, until the core has it. */
  #initialText: string | undefined;

  #driver: CoreDriver | undefined;
  #runtime: Runtime<CoreGlue> | undefined;
  #starting: Promise<CoreDriver> | undefined;
  /** Commands that wait for the core, in order. */
  readonly #kept: KeptCommand[] = [];
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;
  /** The core is being given the messages that are shown. */
  #isRestoring = false;
  #hasResumed = false;
  #resumingListeners = 0;
  #unwatchConnection: (() => void) | undefined;
  /** Counts stops, so that a message whose files are still being read is not sent after one. */
  #stops = 0;

  readonly #sendCheck = new SendCheck();
  readonly #keys = new WeakMap<object, string>();
  /** Names of the messages that the live driver began with, by its own keys. */
  #keyNames = new Map<number, string>();
  #nextKey = 1;

  constructor(init: ChatInit<UI_MESSAGE> = {}) {
    this.#init = init;
    this.#id = init.id;
    this.#generateId = init.generateId ?? generateId;
    const { messages, text } = readHistory<UI_MESSAGE>(init.messages);
    this.#initialText = text;
    this.#sendCheck.accept(messages);
    this.#snapshot = {
      messages,
      status: "ready",
      error: undefined,
      outcome: undefined,
      queuedMessages: [],
      queuePaused: false,
      connection: "idle",
    };
    this.#initialSnapshot = this.#snapshot;
  }

  /** @internal */
  protected abstract createDefaultTransport(): CoreChatTransport<UI_MESSAGE>;

  // State

  /** How the server is reached. */
  get transport(): ChatTransport<UI_MESSAGE> {
    // Asked anew each time: an adapter's `init` gives the transport of the latest render.
    return this.#init.transport ?? (this.#defaultTransport ??= this.createDefaultTransport());
  }

  /** Names the chat to the server. */
  get id(): string {
    return (this.#id ??= this.#generateId());
  }

  /** The messages. Set them to replace them: a response whose message is gone is stopped. */
  get messages(): UI_MESSAGE[] {
    return this.#snapshot.messages;
  }

  set messages(messages: UI_MESSAGE[]) {
    this.setMessages(messages);
  }

  /** Where the chat stands. */
  get status(): ChatStatus {
    return this.#snapshot.status;
  }

  /** Why the last request failed. */
  get error(): Error | undefined {
    return this.#snapshot.error;
  }

  /** How the last response ended. */
  get outcome(): ChatOutcome | undefined {
    return this.#snapshot.outcome;
  }

  /** How the chat is connected. */
  get connection(): ChatConnection {
    return this.#snapshot.connection;
  }

  /** The last message. */
  get lastMessage(): UI_MESSAGE | undefined {
    return this.#snapshot.messages.at(-1);
  }

  /** Messages that wait for their turn. */
  get queuedMessages(): UI_MESSAGE[] {
    return this.#snapshot.queuedMessages;
  }

  /** Whether the queue waits for the app. */
  get queuePaused(): boolean {
    return this.#snapshot.queuePaused;
  }

  /** The state as one object, the same until something changes. */
  getSnapshot = (): ChatSnapshot<UI_MESSAGE> => this.#snapshot;

  /** The state that the chat began with: what a server renders, and what hydration has to meet. */
  getInitialSnapshot = (): ChatSnapshot<UI_MESSAGE> => this.#initialSnapshot;

  /**
   * Calls `listener` after each change. Returns the function that ends it.
   *
   * @param options `resume`: like the option of the chat, for as long as this listener is there.
   *   Default: the option of the chat.
   */
  subscribe = (listener: () => void, options: { resume?: boolean } = {}): (() => void) => {
    const entry = () => listener();
    this.#listeners.add(entry);
    const resumes = options.resume ?? this.#init.resume ?? false;
    if (resumes && ++this.#resumingListeners === 1) this.#watchConnection();
    return () => {
      if (!this.#listeners.delete(entry)) return;
      if (resumes && --this.#resumingListeners === 0) this.#unwatchConnection?.();
      this.#releaseWhenIdle();
    };
  };

  /**
   * Calls `listener` with each text that grew, before the subscribers, so that a page can append
   * instead of reading a long text again.
   */
  onDelta(listener: (delta: ChatDelta) => void): () => void {
    const entry = (delta: ChatDelta) => listener(delta);
    this.#deltaListeners.add(entry);
    this.#setWantsDeltas();
    return () => {
      this.#deltaListeners.delete(entry);
      this.#setWantsDeltas();
    };
  }

  /** Calls `listener` for each read of a response, before what came is published: for measuring. */
  onTraffic(listener: (traffic: ChatTraffic) => void): () => void {
    const entry = (traffic: ChatTraffic) => listener(traffic);
    this.#trafficListeners.add(entry);
    return () => this.#trafficListeners.delete(entry);
  }

  /** A key for lists that stays when a message's id changes. */
  keyOf(message: UI_MESSAGE): string {
    const known = this.#keys.get(message);
    if (known !== undefined) return known;
    const driverKey = this.#driver?.keyOf(message);
    let name = driverKey === undefined ? undefined : this.#keyNames.get(driverKey);
    if (name === undefined) {
      name = String(this.#nextKey++);
      if (driverKey !== undefined) this.#keyNames.set(driverKey, name);
    }
    this.#keys.set(message, name);
    return name;
  }

  /** All messages as exact JSON text: what was received is spelled as it was received. */
  async exportMessages(): Promise<string> {
    return (await this.#start()).exportMessages();
  }

  // Commands

  /**
   * Sends a message: text and files, or a whole message. Without one, what is there is submitted
   * (again), as after an answered approval whose request failed.
   *
   * The promise settles when the response and all requests that follow from it have ended.
   *
   * @throws ChatwireError `invalid_argument`, `busy` or `disposed`.
   */
  sendMessage = async (
    message?: SendMessageInput<UI_MESSAGE>,
    options?: ChatRequestOptions,
  ): Promise<void> => {
    const stops = this.#stops;
    const files = message && "files" in message ? message.files : undefined;
    const parts = isFileList(files) ? await convertFileListToFileUIParts(files) : files;
    if (this.#stops !== stops) return;
    const created = message && createMessage<UI_MESSAGE>(message, parts, this.#generateId);
    let isTaken = false;
    try {
      await this.#run((driver) => {
        isTaken = true;
        return driver.sendMessage(created, message?.messageId, options);
      });
    } catch (error) {
      // Without the core there is nobody to keep what the person wrote.
      if (!isTaken && created && !this.#isDisposed) {
        this.#publish({ ...this.#snapshot, messages: [...this.messages, created] });
      }
      throw error;
    }
  };

  /**
   * Asks for another answer to the last message, or to the message with this id.
   *
   * @throws ChatwireError `invalid_argument` or `disposed`.
   */
  regenerate = ({
    messageId,
    ...options
  }: { messageId?: string } & ChatRequestOptions = {}): Promise<void> =>
    this.#run((driver) => driver.regenerate(messageId, options));

  /** Attaches to a response of this chat that is running on the server, if there is one. */
  resumeStream = (options?: ChatRequestOptions): Promise<void> =>
    this.#run((driver) => driver.resume(options));

  /** Stops what is under way. What was received stays. */
  stop = async ({ label }: { label?: string } = {}): Promise<void> => {
    this.#stops++;
    this.#toolRuns.abort(label);
    if (this.#driver || this.#starting) await this.#run((driver) => driver.stop(label));
  };

  /** Gives the output of a tool call, or says that it failed. */
  addToolOutput: ChatAddToolOutputFunction<UI_MESSAGE> = (result) =>
    handled(
      this.#run((driver) =>
        result.state === "output-error"
          ? driver.addToolError(result.toolCallId, result.errorText, result.options)
          : driver.addToolOutput(result.toolCallId, result.output, result.options),
      ),
    );

  /** The AI SDK's older name of {@link addToolOutput}. */
  addToolResult: ChatAddToolOutputFunction<UI_MESSAGE> = (result) => this.addToolOutput(result);

  /** Answers an approval request. */
  addToolApprovalResponse: ChatAddToolApproveResponseFunction = ({ id, approved, reason, options }) =>
    handled(this.#run((driver) => driver.addApprovalResponse(id, approved, reason, options)));

  /** Replaces the messages. A response whose message is not among them is stopped. */
  setMessages(messages: UI_MESSAGE[] | ((messages: UI_MESSAGE[]) => UI_MESSAGE[])): void {
    const next = typeof messages === "function" ? messages(this.messages) : messages;
    this.#sendCheck.accept(next);
    if (this.#starting || this.#kept.length > 0) {
      void handled(this.#run((driver) => driver.setMessages(next)));
    } else if (this.#driver) {
      this.#driver.setMessages(next);
    } else {
      this.#initialText = undefined;
      const keys = new Map(this.messages.map((message) => [message.id, this.keyOf(message)]));
      for (const message of next) {
        const key = keys.get(message.id);
        if (key !== undefined) this.#keys.set(message, key);
      }
      this.#publish({ ...this.#snapshot, messages: [...next] });
    }
  }

  /** Leaves the state `error`. */
  clearError = (): void => {
    this.#driver?.clearError();
    // An error of before the core was given back, or that it never heard of.
    if (this.status === "error") this.#publish({ ...this.#snapshot, status: "ready", error: undefined });
  };

  /**
   * Takes a message out of the queue.
   *
   * @throws ChatwireError `invalid_argument`: no queued message has this id.
   */
  removeQueuedMessage(id: string): void {
    this.#live().removeQueued(id);
  }

  /**
   * Stops what is under way and sends this queued message now.
   *
   * @throws ChatwireError `invalid_argument`: no queued message has this id.
   */
  sendQueuedMessageNow(id: string): void {
    this.#live().sendQueuedNow(id);
  }

  /** The AI SDK's name of {@link queuedMessages}. */
  get experimental_queuedMessages(): UI_MESSAGE[] {
    return this.queuedMessages;
  }

  /** The AI SDK's {@link removeQueuedMessage}: an id that is not in the queue (any more) is ignored. */
  experimental_removeQueuedMessage = (id: string): void => {
    if (this.queuedMessages.some((message) => message.id === id)) this.removeQueuedMessage(id);
  };

  /** The AI SDK's {@link sendQueuedMessageNow}: an id that is not in the queue (any more) is ignored. */
  experimental_sendQueuedMessageNow = async (id: string): Promise<void> => {
    if (this.queuedMessages.some((message) => message.id === id)) this.sendQueuedMessageNow(id);
  };

  /** Lets a paused queue go on. */
  resumeQueue(): void {
    this.#driver?.resumeQueue();
  }

  /** Stops everything. The chat's last state stays readable; commands reject with `disposed`. */
  dispose(): void {
    if (this.#isDisposed) return;
    this.#isDisposed = true;
    clearTimeout(this.#idleTimer);
    this.#toolRuns.abort("The chat was disposed.");
    this.#unwatchConnection?.();
    this.#driver?.dispose();
    this.#forgetDriver();
    this.transport.close?.();
  }

  [dispose](): void {
    this.dispose();
  }

  // Inside

  /** Runs a command, at once when the core is there, else in order when it is. */
  async #run(command: Command): Promise<void> {
    try {
      await (this.#driver && this.#kept.length === 0 ? command(this.#driver) : this.#keep(command));
    } finally {
      this.#releaseWhenIdle();
    }
  }

  #keep(command: Command): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#kept.push({ command, resolve, reject }) === 1) void this.#runKept();
    });
  }

  /** A command may lead to further ones: those wait behind. */
  async #runKept(): Promise<void> {
    for (let next = this.#kept[0]; next; next = this.#kept[0]) {
      let driver;
      try {
        driver = this.#driver ?? (await this.#start());
      } catch (error) {
        for (const { reject } of this.#kept.splice(0)) reject(error);
        return;
      }
      try {
        next.resolve(next.command(driver));
      } catch (error) {
        next.reject(error);
      }
      this.#kept.shift();
    }
  }

  #live(): CoreDriver {
    if (this.#driver) return this.#driver;
    throw makeError({ code: "invalid_argument", message: "No message is queued." });
  }

  #start(): Promise<CoreDriver> {
    if (this.#isDisposed) {
      return Promise.reject(disposed());
    }
    if (this.#driver) return Promise.resolve(this.#driver);
    this.#starting ??= this.#load().finally(() => (this.#starting = undefined));
    return this.#starting;
  }

  async #load(): Promise<CoreDriver> {
    const loader = this.#loader();
    const lost = this.#runtime && isLost(this.#runtime) ? this.#runtime : undefined;
    try {
      this.#runtime = lost ? await loader.restart(lost) : await loader.load();
    } catch (error) {
      this.#fail(error);
      throw error;
    }
    if (this.#isDisposed) throw disposed();
    const driver = startDriver(this.#runtime.glue, this.#init, this.#host(this.#runtime));
    this.#driver = driver;
    enter(this.#runtime, this);
    this.#setWantsDeltas();
    const { messages } = this.#snapshot;
    this.#keyNames = new Map(messages.map((message, index) => [index + 1, this.keyOf(message)]));
    this.#isRestoring = true;
    try {
      if (this.#initialText !== undefined) driver.loadMessages(this.#initialText, messages);
      else if (messages.length > 0) driver.setMessages(messages);
      if (this.outcome === "stopped") driver.restoreStopped();
    } finally {
      this.#isRestoring = false;
    }
    this.#initialText = undefined;
    return driver;
  }

  #forgetDriver(): void {
    this.#driver = undefined;
    if (this.#runtime) leave(this.#runtime, this);
  }

  #loader(): RuntimeLoader<CoreGlue> {
    const transport =
      this.transport instanceof CoreChatTransport ? this.transport : this.createDefaultTransport();
    return transport[transportInternals].loader;
  }

  #host(runtime: Runtime<CoreGlue>) {
    return chatHost<UI_MESSAGE>({
      init: this.#init,
      chatId: () => this.id,
      generateId: this.#generateId,
      transport: () => this.transport,
      toolRuns: this.#toolRuns,
      onTraffic: (traffic) => this.#notify(this.#trafficListeners, traffic),
      onPublish: (snapshot, deltas) => {
        if (this.#isRestoring) return; // what is shown already, error and outcome included
        for (const delta of deltas) this.#notify(this.#deltaListeners, delta);
        this.#publish(snapshot);
        // A request that the chat made by itself has no command that would end.
        if (snapshot.status === "ready" || snapshot.status === "error") this.#releaseWhenIdle();
      },
      onCrash: (cause) => this.#crash(cause),
      checkMessages: (messages) =>
        this.#sendCheck.check(coreCall(runtime), this.#init.validate ?? "new", messages),
    });
  }

  #publish(snapshot: ChatSnapshot<UI_MESSAGE>): void {
    this.#snapshot = snapshot;
    this.#notify(this.#listeners, undefined);
  }

  /** A listener at fault does not keep the others from hearing, nor the stream from going on. */
  #notify<T>(listeners: Set<(value: T) => void>, value: T): void {
    for (const listener of [...listeners]) {
      try {
        listener(value);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  /**
   * Takes up a response that is running on the server: now, and whenever the page is looked at or
   * the device is back online after a connection was lost.
   */
  #watchConnection(): void {
    if (!this.#hasResumed && this.status === "ready") handled(this.resumeStream());
    this.#hasResumed = true;
    const retry = () => {
      const isLost = this.outcome === "disconnect" || this.outcome === "truncated";
      const isHidden = globalThis.document?.visibilityState === "hidden";
      if (isLost && !isHidden && this.status === "error") handled(this.resumeStream());
    };
    globalThis.addEventListener?.("online", retry);
    globalThis.document?.addEventListener("visibilitychange", retry);
    this.#unwatchConnection = () => {
      globalThis.removeEventListener?.("online", retry);
      globalThis.document?.removeEventListener("visibilitychange", retry);
    };
  }

  #setWantsDeltas(): void {
    if (this.#driver) this.#driver.wantsDeltas = this.#deltaListeners.size > 0;
  }

  /** The instance is lost. The next command starts a fresh one from the last state. */
  #crash(cause: unknown): ChatwireError {
    const error = makeError({
      code: "runtime_crashed",
      message: "The WebAssembly instance failed. The messages are kept; send again to go on.",
      cause,
    });
    if (this.#runtime) lose(this.#runtime, error);
    return error;
  }

  /** @internal Called for every chat of an instance that failed. */
  abandon(error: ChatwireError): void {
    const driver = this.#driver;
    this.#driver = undefined; // the instance has no list of its chats any more
    driver?.abandon(error);
    this.#fail(error);
  }

  #fail(thrown: unknown): void {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    this.#publish({ ...this.#snapshot, status: "error", error, outcome: "error" });
    this.#init.onError?.(error);
  }

  /** A chat that nobody watches gives its memory back after a while; its state stays. */
  #releaseWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    if (!this.#driver || this.#listeners.size > 0) return;
    this.#idleTimer = setTimeout(() => {
      const driver = this.#driver;
      if (!driver || this.#listeners.size > 0 || driver.isBusy || this.queuedMessages.length > 0) return;
      // Texts that no object stands for (a number as an output) are only in there.
      this.#initialText = driver.exportMessages();
      this.#forgetDriver();
      driver.free();
    }, IDLE_RELEASE);
    unref(this.#idleTimer);
  }
}

type Command = (driver: CoreDriver) => Promise<void> | void;

/** A command that waits for the core. */
interface KeptCommand {
  readonly command: Command;
  readonly resolve: (result: Promise<void> | void) => void;
  readonly reject: (error: unknown) => void;
}

function disposed(): ChatwireError {
  return makeError({ code: "disposed", message: "The chat was disposed. Create a new one." });
}

/** A timer of this kind must not keep a Node process alive. */
function unref(timer: unknown): void {
  (timer as { unref?: () => void }).unref?.();
}

/** A promise whose rejection may be ignored: it is reported as a warning, too. */
function handled(promise: Promise<void>): Promise<void> {
  promise.catch(() => {});
  return promise;
}
