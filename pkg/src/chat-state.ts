/**
 * What an app reads of a chat, and who is told when it changes.
 *
 * @module
 */

import {
  type ApprovalState,
  approvalStateOf,
  type DraftStatus,
  draftStatusOf,
} from "./approval-state.js";
import type {
  ChatConnection,
  ChatDelta,
  ChatInit,
  ChatOutcome,
  ChatSnapshot,
  ChatStatus,
  ChatTraffic,
} from "./chat-types.js";
import type { UIMessage } from "./message-types.js";
import { type TokenUsage, UsageSums } from "./usage-sums.js";

/** The state of a chat. */
export abstract class ChatState<UI_MESSAGE extends UIMessage = UIMessage> {
  /** @internal */
  protected readonly init: ChatInit<UI_MESSAGE>;
  /** @internal */
  protected readonly listeners = new Set<() => void>();
  /** @internal */
  protected readonly deltaListeners = new Set<(delta: ChatDelta) => void>();
  /** @internal */
  protected readonly trafficListeners = new Set<(traffic: ChatTraffic) => void>();
  /** @internal */
  protected readonly usages = new UsageSums<UI_MESSAGE>((message) => this.keyOf(message));
  /** @internal */
  protected snapshot: ChatSnapshot<UI_MESSAGE>;
  readonly #initialSnapshot: ChatSnapshot<UI_MESSAGE>;

  constructor(init: ChatInit<UI_MESSAGE>, messages: UI_MESSAGE[]) {
    this.init = init;
    this.snapshot = {
      messages,
      status: "ready",
      error: undefined,
      outcome: undefined,
      queuedMessages: [],
      queuePaused: false,
      connection: "idle",
    };
    this.#initialSnapshot = this.snapshot;
  }

  /** Replaces the messages. A response whose message is not among them is stopped. */
  abstract setMessages(
    messages: UI_MESSAGE[] | ((messages: UI_MESSAGE[]) => UI_MESSAGE[]),
  ): void;

  /** A key for lists that stays when a message's id changes. */
  abstract keyOf(message: UI_MESSAGE): string;

  /** The messages. Set them to replace them: a response whose message is gone is stopped. */
  get messages(): UI_MESSAGE[] {
    return this.snapshot.messages;
  }

  set messages(messages: UI_MESSAGE[]) {
    this.setMessages(messages);
  }

  /** Where the chat stands. */
  get status(): ChatStatus {
    return this.snapshot.status;
  }

  /** Why the last request failed. */
  get error(): Error | undefined {
    return this.snapshot.error;
  }

  /** How the last response ended. */
  get outcome(): ChatOutcome | undefined {
    return this.snapshot.outcome;
  }

  /** How the chat is connected. */
  get connection(): ChatConnection {
    return this.snapshot.connection;
  }

  /** The last message. */
  get lastMessage(): UI_MESSAGE | undefined {
    return this.snapshot.messages.at(-1);
  }

  /** Messages that wait for their turn. */
  get queuedMessages(): UI_MESSAGE[] {
    return this.snapshot.queuedMessages;
  }

  /** Whether the queue waits for the app. */
  get queuePaused(): boolean {
    return this.snapshot.queuePaused;
  }

  /** The state as one object, the same until something changes. */
  getSnapshot = (): ChatSnapshot<UI_MESSAGE> => this.snapshot;

  /** The state that the chat began with: what a server renders, and what hydration has to meet. */
  getInitialSnapshot = (): ChatSnapshot<UI_MESSAGE> => this.#initialSnapshot;

  /** Calls `listener` for each read of a response, before what came is published: for measuring. */
  onTraffic(listener: (traffic: ChatTraffic) => void): () => void {
    const entry = (traffic: ChatTraffic) => listener(traffic);
    this.trafficListeners.add(entry);
    return () => this.trafficListeners.delete(entry);
  }

  /** What a message took, summed over the responses that made it: as far as the server's metadata says. */
  usageOf(message: UI_MESSAGE): TokenUsage | undefined {
    return this.usages.of(message);
  }

  /** The same for all messages. */
  get usage(): TokenUsage | undefined {
    return this.usages.total(this.messages);
  }

  /** What became of the run that made a message; see `ChatInit.draftStatus`. */
  draftStatus(message: UI_MESSAGE): DraftStatus {
    return draftStatusOf(message, this.init);
  }

  /** Where the approval of a tool part stands; `undefined` when the part has none. */
  approvalState(message: UI_MESSAGE, part: UI_MESSAGE["parts"][number]): ApprovalState | undefined {
    return approvalStateOf(message, part, this.init);
  }

  /** @internal */
  protected publish(snapshot: ChatSnapshot<UI_MESSAGE>): void {
    this.snapshot = snapshot;
    this.notify(this.listeners, undefined);
  }

  /** @internal A listener at fault does not keep the others from hearing, nor the stream from going on. */
  protected notify<T>(listeners: Set<(value: T) => void>, value: T): void {
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
}
