/**
 * The chat as an app sees it: state, commands, subscriptions. What happens inside is the
 * WebAssembly's; it is loaded by the first command that needs it.
 *
 * @module
 */

import { ChatState } from "./chat-state.js";
import type {
  ChatAddToolApproveResponseFunction,
  ChatAddToolOutputFunction,
  ChatDelta,
  ChatInit,
  ChatRequestOptions,
  ChatTransport,
  SendMessageInput,
} from "./chat-types.js";
import { refusedApproval } from "./approval-state.js";
import { cancelRun } from "./cancel-run.js";
import { ClientToolRuns } from "./client-tool-runs.js";
import { watchConnection } from "./connection-watch.js";
import { coreCall } from "./core-call.js";
import {
  chatHost,
  type CoreDriver,
  type CoreGlue,
  enter,
  isLost,
  leave,
  lose,
  readOnly,
  startDriver,
  whileBusy,
} from "./core-host.js";
import { ChatwireError, makeError } from "./errors.js";
import { convertFileListToFileUIParts } from "./files.js";
import { createMessage, isFileList, readHistory } from "./given-messages.js";
import { generateId } from "./ids.js";
import { type Command, KeptCommands } from "./kept-commands.js";
import type { UIMessage } from "./message-types.js";
import type { Runtime, RuntimeLoader } from "./runtime.js";
import { SendCheck } from "./send-check.js";
import { CoreChatTransport, transportInternals } from "./transports.js";

/** Milliseconds after which a chat that nobody watches gives its memory back. */
const IDLE_RELEASE = 1000;

/** `Symbol.dispose`, also where the engine does not have it yet. */
const dispose: typeof Symbol.dispose = Symbol.dispose ?? (Symbol.for("Symbol.dispose") as never);

/** A chat. Entry points export it as `Chat`. */
export abstract class AbstractChat<
  UI_MESSAGE extends UIMessage = UIMessage,
> extends ChatState<UI_MESSAGE> {
  readonly #generateId: () => string;
  readonly #toolRuns = new ClientToolRuns(this);
  #id: string | undefined;
  #defaultTransport: CoreChatTransport<UI_MESSAGE> | undefined;
  /** The exact text of the initial messages, until the core has it. */
  #initialText: string | undefined;

  #driver: CoreDriver | undefined;
  #runtime: Runtime<CoreGlue> | undefined;
  #starting: Promise<CoreDriver> | undefined;
  readonly #kept = new KeptCommands(() => this.#start());
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #isDisposed = false;
  /** The core is being given the messages that are shown. */
  #isRestoring = false;
  #hasResumed = false;
  #resumingListeners = 0;
  #unwatchConnection: (() => void) | undefined;
  /** Counts stops, so that a message whose files are still being read is not sent after one. */
  #stops = 0;
  /** The page's tools, or the last response, were stopped, and nothing was asked since. */
  #wasStopped = false;
  /** The server is being told of a stop. */
  #cancelling: Promise<void> | undefined;

  readonly #sendCheck = new SendCheck();
  readonly #keys = new WeakMap<object, string>();
  /** Names of the messages that the live driver began with, by its own keys. */
  #keyNames = new Map<number, string>();
  #nextKey = 1;

  constructor(init: ChatInit<UI_MESSAGE> = {}) {
    const { messages, text } = readHistory<UI_MESSAGE>(init.messages);
    super(init, messages);
    this.#id = init.id;
    this.#generateId = init.generateId ?? generateId;
    this.#initialText = text;
    this.#sendCheck.accept(messages);
  }

  /** @internal */
  protected abstract createDefaultTransport(): CoreChatTransport<UI_MESSAGE>;

  // State

  /** How the server is reached. */
  get transport(): ChatTransport<UI_MESSAGE> {
    // Asked anew each time: an adapter's `init` gives the transport of the latest render.
    return this.init.transport ?? (this.#defaultTransport ??= this.createDefaultTransport());
  }

  /** Names the chat to the server. */
  get id(): string {
    return (this.#id ??= this.#generateId());
  }

  /**
   * Calls `listener` after each change. Returns the function that ends it.
   *
   * @param options `resume`: like the option of the chat, for as long as this listener is there.
   *   Default: the option of the chat.
   */
  subscribe = (listener: () => void, options: { resume?: boolean } = {}): (() => void) => {
    const entry = () => listener();
    this.listeners.add(entry);
    const resumes = options.resume ?? this.init.resume ?? false;
    if (resumes && ++this.#resumingListeners === 1) this.#watchConnection();
    return () => {
      if (!this.listeners.delete(entry)) return;
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
    this.deltaListeners.add(entry);
    this.#setWantsDeltas();
    return () => {
      this.deltaListeners.delete(entry);
      this.#setWantsDeltas();
    };
  }

  /** A key for lists that stays when a message's id changes. */
  override keyOf(message: UI_MESSAGE): string {
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
    const ended = this.#endRun(message?.messageId !== undefined || this.#interrupts());
    if (ended) await ended;
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
        this.publish({ ...this.snapshot, messages: [...this.messages, created] });
      }
      throw error;
    }
  };

  /**
   * Asks for another answer to the last message, or to the message with this id.
   *
   * @throws ChatwireError `invalid_argument` or `disposed`.
   */
  regenerate = async ({
    messageId,
    ...options
  }: { messageId?: string } & ChatRequestOptions = {}): Promise<void> => {
    const ended = this.#endRun(true);
    if (ended) await ended;
    await this.#run((driver) => driver.regenerate(messageId, options));
  };

  /** Attaches to a response of this chat that is running on the server, if there is one. */
  resumeStream = (options?: ChatRequestOptions): Promise<void> =>
    this.#run((driver) => driver.resume(options));

  /** Stops what is under way, and tells the server (`cancel`). What was received stays. */
  stop = async ({ label }: { label?: string } = {}): Promise<void> => {
    if (this.init.readOnly) return this.detach();
    this.#stops++;
    this.#wasStopped = true;
    this.#toolRuns.abort(label);
    const isRunning = this.#isRunning();
    const messageId = this.lastMessage?.role === "assistant" ? this.lastMessage.id : undefined;
    const stopped =
      this.#driver || this.#starting ? this.#run((driver) => driver.stop(label)) : undefined;
    if (isRunning && this.init.cancel) this.#cancelling = this.#cancel(messageId, label);
    await stopped;
    await this.#cancelling;
  };

  /**
   * Closes the connection without stopping the response: the server's run goes on, and what it brings
   * can be taken up by `resumeStream()`. The outcome is `disconnect`, without an error.
   */
  detach = async (): Promise<void> => {
    this.#stops++;
    this.#toolRuns.abort("The chat was left.");
    if (this.#driver || this.#starting) await this.#run((driver) => driver.detach());
  };

  /** Gives the output of a tool call, or says that it failed. */
  addToolOutput: ChatAddToolOutputFunction<UI_MESSAGE> = (result) =>
    handled(
      this.#change((driver) =>
        result.state === "output-error"
          ? driver.addToolError(result.toolCallId, result.errorText, result.options)
          : driver.addToolOutput(result.toolCallId, result.output, result.options),
      ),
    );

  /** The AI SDK's older name of {@link addToolOutput}. */
  addToolResult: ChatAddToolOutputFunction<UI_MESSAGE> = (result) => this.addToolOutput(result);

  /** Answers an approval request. */
  addToolApprovalResponse: ChatAddToolApproveResponseFunction = ({ id, approved, reason, options }) =>
    handled(
      this.#change((driver) => {
        const refused = refusedApproval(this.messages, id, this.init);
        if (!refused) return driver.addApprovalResponse(id, approved, reason, options);
        this.init.onWarning?.({ code: refused.code, message: refused.message });
        throw refused;
      }),
    );

  /** Replaces the messages. A response whose message is not among them is stopped. */
  override setMessages(messages: UI_MESSAGE[] | ((messages: UI_MESSAGE[]) => UI_MESSAGE[])): void {
    const next = typeof messages === "function" ? messages(this.messages) : messages;
    this.#sendCheck.accept(next);
    if (this.#starting || !this.#kept.isEmpty) {
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
      this.publish({ ...this.snapshot, messages: [...next] });
    }
  }

  /** Leaves the state `error`. */
  clearError = (): void => {
    this.#driver?.clearError();
    // An error of before the core was given back, or that it never heard of.
    if (this.status === "error") this.publish({ ...this.snapshot, status: "ready", error: undefined });
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
      await (this.#driver && this.#kept.isEmpty ? command(this.#driver) : this.#kept.run(command));
    } finally {
      this.#releaseWhenIdle();
    }
  }

  /** The same for a command that changes what the server knows. */
  async #change(command: Command): Promise<void> {
    if (this.init.readOnly) throw readOnly();
    return this.#run(command);
  }

  #isRunning(): boolean {
    return this.status === "submitted" || this.status === "streaming";
  }

  /** Whether a message that is sent now ends the response that is under way. */
  #interrupts(): boolean {
    return whileBusy(this.init) === "interrupt";
  }

  /** What ends a response in favour of another one tells the server first. */
  #endRun(ends: boolean): Promise<void> | undefined {
    if (this.init.readOnly) throw readOnly();
    const tells = ends && this.init.cancel !== undefined && this.#isRunning();
    return tells ? this.stop({ label: "interrupted" }) : this.#cancelling;
  }

  async #cancel(messageId: string | undefined, label: string | undefined): Promise<void> {
    const { messages } = this;
    try {
      const run = { chatId: this.id, messageId, label };
      const final = await cancelRun(this.init.cancel ?? "", this.transport, run);
      if (!final || this.#isDisposed) return;
      const isListed = this.messages.some(({ id }) => id === final.id);
      if (isListed) {
        this.setMessages((all) => all.map((message) => (message.id === final.id ? final : message)));
      } else if (this.messages === messages) {
        this.setMessages([...messages, final]);
      }
    } catch (error) {
      this.init.onError?.(error instanceof Error ? error : new Error(String(error)));
    } finally {
      this.#cancelling = undefined;
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
    const driver = startDriver(this.#runtime.glue, this.init, this.#host(this.#runtime));
    this.#driver = driver;
    enter(this.#runtime, this);
    this.#setWantsDeltas();
    const { messages } = this.snapshot;
    this.#keyNames = new Map(messages.map((message, index) => [index + 1, this.keyOf(message)]));
    this.#isRestoring = true;
    try {
      if (this.#initialText !== undefined) driver.loadMessages(this.#initialText, messages);
      else if (messages.length > 0) driver.setMessages(messages);
      if (this.#wasStopped) driver.restoreStopped();
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
      init: this.init,
      chatId: () => this.id,
      generateId: this.#generateId,
      transport: () => this.transport,
      toolRuns: this.#toolRuns,
      onFinish: (event) => {
        if (event.usage) this.usages.end(event.message, event.usage);
        this.init.onFinish?.(event);
      },
      onTraffic: (traffic) => this.notify(this.trafficListeners, traffic),
      onPublish: (snapshot, deltas) => {
        if (this.#isRestoring) return; // what is shown already, error and outcome included
        if (snapshot.status === "submitted") {
          this.#wasStopped = false;
          this.usages.begin(snapshot.messages.at(-1));
        }
        for (const delta of deltas) this.notify(this.deltaListeners, delta);
        this.publish(snapshot);
        // A request that the chat made by itself has no command that would end.
        if (snapshot.status === "ready" || snapshot.status === "error") this.#releaseWhenIdle();
      },
      onCrash: (cause) => this.#crash(cause),
      checkMessages: (messages) =>
        this.#sendCheck.check(coreCall(runtime), this.init.validate ?? "new", messages),
    });
  }

  /**
   * Takes up a response that is running on the server: now, and whenever the page is looked at or
   * the device is back online after a connection was lost.
   */
  #watchConnection(): void {
    if (!this.#hasResumed && this.status === "ready") handled(this.resumeStream());
    this.#hasResumed = true;
    this.#unwatchConnection = watchConnection(() => {
      const isLost = this.outcome === "disconnect" || this.outcome === "truncated";
      if (isLost && this.status === "error") handled(this.resumeStream());
    });
  }

  #setWantsDeltas(): void {
    if (this.#driver) this.#driver.wantsDeltas = this.deltaListeners.size > 0;
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
    this.publish({ ...this.snapshot, status: "error", error, outcome: "error" });
    this.init.onError?.(error);
  }

  /** A chat that nobody watches gives its memory back after a while; its state stays. */
  #releaseWhenIdle(): void {
    clearTimeout(this.#idleTimer);
    if (!this.#driver || this.listeners.size > 0) return;
    this.#idleTimer = setTimeout(() => {
      const driver = this.#driver;
      if (!driver || this.listeners.size > 0 || driver.isBusy || this.queuedMessages.length > 0) return;
      // Texts that no object stands for (a number as an output) are only in there.
      this.#initialText = driver.exportMessages();
      this.#forgetDriver();
      driver.free();
    }, IDLE_RELEASE);
    unref(this.#idleTimer);
  }
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
