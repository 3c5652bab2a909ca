/**
 * Between a chat and a view of it, for the adapters of frameworks: a chat that belongs to a view, what
 * the view shows of it and how often, and the selection of a message or part.
 *
 * @module
 */

import { policyOf } from "./auto-send.js";
import type { AbstractChat } from "./chat.js";
import type { ChatInit, ChatSnapshot } from "./chat-types.js";
import type { UIMessage } from "./message-types.js";

/** A chat that a view made for itself. It calls what the view's latest options say. */
export class OwnChat<UI_MESSAGE extends UIMessage> {
  readonly chat: AbstractChat<UI_MESSAGE>;
  #options: ChatInit<UI_MESSAGE>;
  #holders = 0;

  /**
   * @param create makes the chat. Its options are the given ones, except that a message which is sent
   *   while a response is under way stops it by default: a view may not show a queue.
   */
  constructor(
    create: (init: ChatInit<UI_MESSAGE>) => AbstractChat<UI_MESSAGE>,
    options: ChatInit<UI_MESSAGE>,
  ) {
    this.#options = options;
    const latest = () => this.#options;
    this.chat = create({
      ...options,
      experimental_queue: options.experimental_queue ?? false,
      get transport() {
        return latest().transport;
      },
      get clientTools() {
        return latest().clientTools;
      },
      get cancel() {
        return latest().cancel;
      },
      get readOnly() {
        return latest().readOnly;
      },
      get draftStatus() {
        return latest().draftStatus;
      },
      get approvalExpiresAt() {
        return latest().approvalExpiresAt;
      },
      onToolCall: (event) => latest().onToolCall?.(event),
      // Whether there is one says how early the state before it has to be published.
      get onData() {
        return latest().onData;
      },
      onFinish: (event) => latest().onFinish?.(event),
      onError: (error) => latest().onError?.(error),
      get onWarning() {
        return latest().onWarning;
      },
      get onAutoSend() {
        return latest().onAutoSend;
      },
      sendAutomaticallyWhen: {
        ...policyOf(options.sendAutomaticallyWhen),
        when: (state) => policyOf(latest().sendAutomaticallyWhen)?.when(state) ?? false,
      },
    } as ChatInit<UI_MESSAGE>);
  }

  /** From now on these callbacks and this transport count. What a chat takes only once stays. */
  update(options: ChatInit<UI_MESSAGE>): void {
    this.#options = options;
  }

  /**
   * Keeps the chat running. Returns the function that lets go; when nobody holds the chat its connection
   * is closed, but not within the same task: frameworks take a view away to put it back at once. That a
   * person leaves a page does not cancel the server's run.
   */
  hold = (): (() => void) => {
    this.#holders++;
    return () => {
      this.#holders--;
      queueMicrotask(() => {
        if (this.#holders > 0) return;
        const { cancel, resume } = this.#options;
        void (cancel || resume ? this.chat.detach() : this.chat.stop()).catch(() => {});
      });
    };
  };
}

/** How a view follows a chat. */
export interface ChatViewOptions {
  /**
   * While a response streams, the view changes at most once in this many milliseconds, first and last
   * change included. All other changes are shown at once. Default: as often as the chat publishes.
   */
  throttle?: number | undefined;
  /** See `ChatInit.resume`, for as long as somebody looks. Default: the chat's own option. */
  resume?: boolean | undefined;
}

/** The state of a chat as one view shows it. */
export class ChatView<UI_MESSAGE extends UIMessage> {
  readonly #chat: AbstractChat<UI_MESSAGE>;
  readonly #throttle: number;
  readonly #resume: boolean | undefined;
  #snapshot: ChatSnapshot<UI_MESSAGE>;

  constructor(chat: AbstractChat<UI_MESSAGE>, { throttle = 0, resume }: ChatViewOptions = {}) {
    this.#chat = chat;
    this.#throttle = throttle;
    this.#resume = resume;
    this.#snapshot = chat.getSnapshot();
  }

  /** What is shown. The same object until `subscribe`'s listener is called. */
  getSnapshot = (): ChatSnapshot<UI_MESSAGE> => this.#snapshot;

  /** Calls `listener` when there is something new to show. Returns the function that ends it. */
  subscribe = (listener: () => void): (() => void) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let shownAt = Number.NEGATIVE_INFINITY;
    const show = () => {
      clearTimeout(timer);
      timer = undefined;
      shownAt = performance.now();
      this.#snapshot = this.#chat.getSnapshot();
      listener();
    };
    const end = this.#chat.subscribe(
      () => {
        const wait = shownAt + this.#throttle - performance.now();
        if (wait <= 0 || !isMoreOfTheSame(this.#snapshot, this.#chat.getSnapshot())) show();
        else timer ??= setTimeout(show, wait);
      },
      this.#resume === undefined ? {} : { resume: this.#resume },
    );
    // Changes since the view was made; frameworks ask again after they have subscribed.
    this.#snapshot = this.#chat.getSnapshot();
    return () => {
      clearTimeout(timer);
      end();
    };
  };
}

/** Whether only the messages of a response that streams have changed. */
function isMoreOfTheSame(shown: ChatSnapshot, next: ChatSnapshot): boolean {
  return (
    next.status === "streaming" &&
    shown.status === next.status &&
    shown.connection === next.connection &&
    shown.queuedMessages === next.queuedMessages &&
    shown.queuePaused === next.queuePaused
  );
}

/** Selects the message with this id, and costs the same in a long history as in a short one. */
export function selectMessage<UI_MESSAGE extends UIMessage>(
  messageId: string,
): (snapshot: ChatSnapshot<UI_MESSAGE>) => UI_MESSAGE | undefined {
  let index = -1;
  return ({ messages }) => {
    if (messages[index]?.id !== messageId) {
      index = messages.findIndex(({ id }) => id === messageId);
    }
    return messages[index];
  };
}
