"use client";

/**
 * `chatwire/react`: the hooks of `@ai-sdk/react`, and hooks that follow one message or part.
 *
 * @module
 */

import { Chat } from "chatwire";
import {
  useCallback,
  useEffect,
  useInsertionEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";
import type { ChangeEvent, Dispatch, SetStateAction } from "react";
import type { AbstractChat } from "./chat.js";
import type {
  ChatAddToolApproveResponseFunction,
  ChatAddToolOutputFunction,
  ChatConnection,
  ChatInit,
  ChatOutcome,
  ChatSnapshot,
  ChatStatus,
} from "./chat-types.js";
import {
  Completion,
  type CompletionRequestOptions,
  type UseCompletionOptions,
} from "./completion.js";
import type { DeepPartial, UIMessage } from "./message-types.js";
import { ObjectStream, type UseObjectOptions } from "./object-stream.js";
import type { FlexibleSchema, InferSchema } from "./schema.js";
import { Registry } from "./shared-store.js";
import { ChatView, OwnChat, selectMessage } from "./store.js";

export { Chat };
export type { CreateUIMessage } from "./chat-types.js";
export type { CompletionRequestOptions, UseCompletionOptions } from "./completion.js";
export type { DeepPartial, UIMessage } from "./message-types.js";
export type { UseObjectOptions } from "./object-stream.js";
export type { FlexibleSchema, InferSchema, Schema, StandardSchema } from "./schema.js";

// useChat

/** Options of {@link useChat}: a chat, or what to make one from. */
export type UseChatOptions<UI_MESSAGE extends UIMessage> = (
  | {
      /** A chat that the app keeps: several components can show it. It is not stopped on unmount. */
      chat: AbstractChat<UI_MESSAGE>;
    }
  | ChatInit<UI_MESSAGE>
) & {
  /**
   * While a response streams, the component renders at most once in this many milliseconds, first and
   * last change included. `0`: for each read of the network, unless `chat` says otherwise. Default:
   * once per animation frame. Everything else that changes is shown at once.
   */
  throttle?: number;
  /** The older name of `throttle`. */
  experimental_throttle?: number;
  /**
   * True: take up a response of this chat that is still running on the server, on mount and after a
   * lost connection. Default: false.
   */
  resume?: boolean;
};

/** What {@link useChat} gives. The functions stay the same as long as the chat does. */
export interface UseChatHelpers<UI_MESSAGE extends UIMessage> {
  /** The chat itself, for {@link useChatMessage} and everything that is not listed here. */
  readonly chat: AbstractChat<UI_MESSAGE>;
  /** Names the chat to the server. */
  readonly id: string;
  /** All messages. Those that did not change are the same objects as in the last render. */
  readonly messages: UI_MESSAGE[];
  /** Where the chat stands. */
  readonly status: ChatStatus;
  /** Why the last request failed. */
  readonly error: Error | undefined;
  /** How the last response ended. */
  readonly outcome: ChatOutcome | undefined;
  /** How the chat is connected. */
  readonly connection: ChatConnection;
  /** Messages that wait for their turn. */
  readonly queuedMessages: UI_MESSAGE[];
  /** Whether the queue waits for the app. */
  readonly queuePaused: boolean;
  /** Replaces the messages. A response whose message is not among them is stopped. */
  readonly setMessages: (
    messages: UI_MESSAGE[] | ((messages: UI_MESSAGE[]) => UI_MESSAGE[]),
  ) => void;
  /** See `Chat`. */
  readonly sendMessage: AbstractChat<UI_MESSAGE>["sendMessage"];
  /** See `Chat`. */
  readonly regenerate: AbstractChat<UI_MESSAGE>["regenerate"];
  /** See `Chat`. */
  readonly stop: AbstractChat<UI_MESSAGE>["stop"];
  /** See `Chat`. */
  readonly detach: AbstractChat<UI_MESSAGE>["detach"];
  /** See `Chat`. */
  readonly resumeStream: AbstractChat<UI_MESSAGE>["resumeStream"];
  /** See `Chat`. */
  readonly clearError: AbstractChat<UI_MESSAGE>["clearError"];
  /** See `Chat`. */
  readonly addToolOutput: ChatAddToolOutputFunction<UI_MESSAGE>;
  /** The older name of `addToolOutput`. */
  readonly addToolResult: ChatAddToolOutputFunction<UI_MESSAGE>;
  /** See `Chat`. */
  readonly addToolApprovalResponse: ChatAddToolApproveResponseFunction;
  /** The AI SDK's name of `queuedMessages`. */
  readonly experimental_queuedMessages: UI_MESSAGE[];
  /** Takes a message out of the queue. */
  readonly experimental_removeQueuedMessage: (id: string) => void;
  /** Stops what is under way and sends this queued message now. */
  readonly experimental_sendQueuedMessageNow: (id: string) => Promise<void>;
}

/** The chat of a component, and whether the component made it. */
interface Held<UI_MESSAGE extends UIMessage> {
  readonly key: unknown;
  readonly chat: AbstractChat<UI_MESSAGE>;
  readonly own: OwnChat<UI_MESSAGE> | undefined;
}

/**
 * A chat in a component.
 *
 * Callbacks and the transport are those of the latest render; another `id` or `chat` is another chat,
 * made from the options of that render, and the earlier one is stopped. A message that is sent while
 * a response is under way stops it; `whileBusy` changes that.
 */
export function useChat<UI_MESSAGE extends UIMessage = UIMessage>(
  options: UseChatOptions<UI_MESSAGE> = {},
): UseChatHelpers<UI_MESSAGE> {
  const { chat, own } = useHeldChat(options);
  useInsertionEffect(() => {
    if (own && !isGiven(options)) own.update(options);
  });
  useEffect(() => own?.hold(), [own]);

  const { resume } = options;
  const throttle = options.throttle ?? options.experimental_throttle;
  const view = useMemo(() => new ChatView(chat, { throttle, resume }), [chat, throttle, resume]);
  const snapshot = useSyncExternalStore(view.subscribe, view.getSnapshot, chat.getInitialSnapshot);

  const setMessages = useCallback(
    (messages: UI_MESSAGE[] | ((messages: UI_MESSAGE[]) => UI_MESSAGE[])) => chat.setMessages(messages),
    [chat],
  );
  return {
    chat,
    // Not read here: a chat without an id makes one when it is first asked.
    get id() {
      return chat.id;
    },
    messages: snapshot.messages,
    status: snapshot.status,
    error: snapshot.error,
    outcome: snapshot.outcome,
    connection: snapshot.connection,
    queuedMessages: snapshot.queuedMessages,
    queuePaused: snapshot.queuePaused,
    setMessages,
    sendMessage: chat.sendMessage,
    regenerate: chat.regenerate,
    stop: chat.stop,
    detach: chat.detach,
    resumeStream: chat.resumeStream,
    clearError: chat.clearError,
    addToolOutput: chat.addToolOutput,
    addToolResult: chat.addToolResult,
    addToolApprovalResponse: chat.addToolApprovalResponse,
    experimental_queuedMessages: snapshot.queuedMessages,
    experimental_removeQueuedMessage: chat.experimental_removeQueuedMessage,
    experimental_sendQueuedMessageNow: chat.experimental_sendQueuedMessageNow,
  };
}

function useHeldChat<UI_MESSAGE extends UIMessage>(
  options: UseChatOptions<UI_MESSAGE>,
): Held<UI_MESSAGE> {
  const [held, setHeld] = useState(() => hold(options));
  if (held.key === keyOf(options)) return held;
  const next = hold(options);
  setHeld(next);
  return next;
}

function hold<UI_MESSAGE extends UIMessage>(options: UseChatOptions<UI_MESSAGE>): Held<UI_MESSAGE> {
  const key = keyOf(options);
  if (isGiven(options)) return { key, chat: options.chat, own: undefined };
  const { throttle, experimental_throttle, ...init } = options;
  // A chat publishes once per frame; only a view that wants more than that has to say so.
  const eager = (throttle ?? experimental_throttle) === 0 ? { throttle: 0 } : {};
  const own = new OwnChat<UI_MESSAGE>((init) => new Chat(init), { ...init, ...eager });
  return { key, chat: own.chat, own };
}

function keyOf<UI_MESSAGE extends UIMessage>(options: UseChatOptions<UI_MESSAGE>): unknown {
  return isGiven(options) ? options.chat : options.id;
}

function isGiven<UI_MESSAGE extends UIMessage>(
  options: UseChatOptions<UI_MESSAGE>,
): options is UseChatOptions<UI_MESSAGE> & { chat: AbstractChat<UI_MESSAGE> } {
  return "chat" in options && options.chat !== undefined;
}

// One message, one part

/**
 * What `selector` takes from a chat's state. The component renders when that has changed, by
 * `isEqual`; default: when it is another value or object.
 */
export function useChatSelector<UI_MESSAGE extends UIMessage, SELECTION>(
  chat: AbstractChat<UI_MESSAGE>,
  selector: (snapshot: ChatSnapshot<UI_MESSAGE>) => SELECTION,
  isEqual: (first: SELECTION, second: SELECTION) => boolean = Object.is,
): SELECTION {
  const rendered = useRef<{ readonly selection: SELECTION } | undefined>(undefined);
  const [getSelection, getInitialSelection] = useMemo(() => {
    let last: { snapshot: ChatSnapshot<UI_MESSAGE>; selection: SELECTION } | undefined;
    const select = (snapshot: ChatSnapshot<UI_MESSAGE>): SELECTION => {
      if (last?.snapshot === snapshot) return last.selection;
      const next = selector(snapshot);
      // A selector that is new in each render must not make each of its results a new one.
      const before = last ?? rendered.current;
      const selection = before && isEqual(before.selection, next) ? before.selection : next;
      last = { snapshot, selection };
      return selection;
    };
    return [() => select(chat.getSnapshot()), () => select(chat.getInitialSnapshot())];
  }, [chat, selector, isEqual]);
  const selection = useSyncExternalStore(chat.subscribe, getSelection, getInitialSelection);
  useEffect(() => {
    rendered.current = { selection };
  }, [selection]);
  return selection;
}

/** The message with this id, `undefined` if there is none. Other messages cause no render. */
export function useChatMessage<UI_MESSAGE extends UIMessage>(
  chat: AbstractChat<UI_MESSAGE>,
  messageId: string,
): UI_MESSAGE | undefined {
  const select = useMemo(() => selectMessage<UI_MESSAGE>(messageId), [messageId]);
  return useChatSelector(chat, select);
}

/** One part of a message, `undefined` if there is none. Other parts cause no render. */
export function useChatPart<UI_MESSAGE extends UIMessage>(
  chat: AbstractChat<UI_MESSAGE>,
  messageId: string,
  index: number,
): UI_MESSAGE["parts"][number] | undefined {
  const select = useMemo(() => {
    const selectOf = selectMessage<UI_MESSAGE>(messageId);
    return (snapshot: ChatSnapshot<UI_MESSAGE>) => selectOf(snapshot)?.parts[index];
  }, [messageId, index]);
  return useChatSelector(chat, select);
}

// useCompletion

/** What {@link useCompletion} gives. */
export interface UseCompletionHelpers<BODY extends object = object> {
  /** The text so far. */
  completion: string;
  /** Sends a prompt. Resolves to the text, to `null` after `stop()`, to `undefined` after an error. */
  complete: (
    prompt: string,
    options?: CompletionRequestOptions<BODY>,
  ) => Promise<string | null | undefined>;
  /** Why the last request failed. */
  error: Error | undefined;
  /** Stops the request; the text stays. */
  stop: () => void;
  /** Replaces the text. */
  setCompletion: (completion: string) => void;
  /** The text of the input field. */
  input: string;
  /** Replaces the text of the input field. */
  setInput: Dispatch<SetStateAction<string>>;
  /** For `onChange` of an input field. */
  handleInputChange: (
    event: ChangeEvent<HTMLInputElement> | ChangeEvent<HTMLTextAreaElement>,
  ) => void;
  /** For `onSubmit` of a form: sends the input, and empties the field. */
  handleSubmit: (event?: { preventDefault?: () => void }) => void;
  /** Whether a request is under way. */
  isLoading: boolean;
}

const completions = /* @__PURE__ */ new Registry<Completion>();

/** A text that the server completes from a prompt. Options may change with each render. */
export function useCompletion<BODY extends object = object>(
  options: UseCompletionOptions<NoInfer<BODY>> & {
    /** See `ChatInit.throttle`. Default: once per animation frame. */
    throttle?: number;
    /** The older name of `throttle`. */
    experimental_throttle?: number;
  } = {},
): UseCompletionHelpers<BODY> {
  const { api, id, initialCompletion = "", initialInput = "" } = options;
  const [own] = useState(() => new Completion());
  const made = id === undefined ? own : completions.get(JSON.stringify([api, id]), () => own);
  const { store, stop, setCompletion } = made;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getInitialSnapshot);
  const latest = useLatest({ ...options, throttle: options.throttle ?? options.experimental_throttle });
  const complete = useCallback(
    (prompt: string, request?: CompletionRequestOptions<BODY>) =>
      made.complete(prompt, latest.current, request),
    [made, latest],
  );

  const [input, setInput] = useState(initialInput);
  const handleInputChange = useCallback(
    (event: ChangeEvent<HTMLInputElement> | ChangeEvent<HTMLTextAreaElement>) =>
      setInput(event.target.value),
    [],
  );
  const handleSubmit = useCallback(
    (event?: { preventDefault?: () => void }) => {
      event?.preventDefault?.();
      if (input === "") return undefined;
      setInput("");
      return complete(input);
    },
    [input, complete],
  );
  const { completion = initialCompletion, error, isLoading } = state;
  return {
    completion,
    complete,
    error,
    stop,
    setCompletion,
    input,
    setInput,
    handleInputChange,
    handleSubmit,
    isLoading,
  };
}

// useObject

/** What {@link useObject} gives. */
export interface UseObjectHelpers<RESULT, INPUT> {
  /** Sends the input as JSON. */
  submit: (input: INPUT) => void;
  /** What there is of the object. What did not change is the same as in the last render. */
  object: DeepPartial<RESULT> | undefined;
  /** Why the last request failed. */
  error: Error | undefined;
  /** Whether a request is under way. */
  isLoading: boolean;
  /** Stops the request; what there is of the object stays. */
  stop: () => void;
  /** Stops, and forgets the object. */
  clear: () => void;
}

/** See {@link UseObjectOptions}. */
export type Experimental_UseObjectOptions<
  SCHEMA extends FlexibleSchema,
  RESULT,
> = UseObjectOptions<SCHEMA, RESULT>;
/** See {@link UseObjectHelpers}. */
export type Experimental_UseObjectHelpers<RESULT, INPUT> = UseObjectHelpers<RESULT, INPUT>;

const objects = /* @__PURE__ */ new Registry<ObjectStream>();

/** An object that the server streams as JSON text. Options may change with each render. */
export function useObject<
  SCHEMA extends FlexibleSchema,
  RESULT = InferSchema<SCHEMA>,
  INPUT = unknown,
>(options: UseObjectOptions<SCHEMA, RESULT>): UseObjectHelpers<RESULT, INPUT> {
  const { id, initialValue } = options;
  const [own] = useState(() => new ObjectStream());
  const made = id === undefined ? own : objects.get(id, () => own);
  const { store, stop, clear } = made;
  const state = useSyncExternalStore(store.subscribe, store.getSnapshot, store.getInitialSnapshot);
  const latest = useLatest(options);
  const submit = useCallback(
    (input: INPUT) => void made.submit(input, latest.current),
    [made, latest],
  );
  const { isBegun, object, error, isLoading } = state;
  return {
    submit,
    object: isBegun ? (object as DeepPartial<RESULT> | undefined) : initialValue,
    error,
    isLoading,
    stop,
    clear,
  };
}

/** The AI SDK's older name of {@link useObject}. */
export const experimental_useObject: typeof useObject = useObject;

/** What the latest render gave, for functions that outlive a render. */
function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value);
  useInsertionEffect(() => {
    latest.current = value;
  });
  return latest;
}
