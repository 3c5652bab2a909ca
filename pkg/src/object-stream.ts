/**
 * An object that a server streams as JSON text. It is read as the input of a tool call is: the part of
 * the chat's message grows along what is new, and what has not changed stays the same object.
 *
 * @module
 */

import { Chat } from "chatwire";
import { attempt, reportError } from "./callbacks.js";
import type { AbstractChat } from "./chat.js";
import type { ChatTransport } from "./chat-types.js";
import type { UIMessageChunk } from "./chunk-types.js";
import { makeError } from "./errors.js";
import type { DeepPartial, DynamicToolUIPart, UIMessage } from "./message-types.js";
import { emptyBody, failedResponse } from "./response-error.js";
import { checkSchema, type FlexibleSchema } from "./schema.js";
import { Store } from "./shared-store.js";
import type { Resolvable } from "./transports.js";

/** Options of `useObject`. */
export type UseObjectOptions<SCHEMA extends FlexibleSchema, RESULT> = {
  /** Where requests go: a POST of the input as JSON, answered with the object as JSON text. */
  api: string;
  /** What the whole object must match. */
  schema: SCHEMA;
  /** Components with the same `id` show the same object. Default: each its own. */
  id?: string;
  /** The object that is shown before the first request. Default: `undefined`. */
  initialValue?: DeepPartial<RESULT>;
  /** Default: `globalThis.fetch` at the time of the request. */
  fetch?: typeof globalThis.fetch;
  /** The object is whole: `object` if it matches the schema, else `error`. */
  onFinish?: (event: {
    object: RESULT | undefined;
    error: Error | undefined;
  }) => Promise<void> | void;
  /** A request has failed or its answer ended inside the object, or `onFinish` has thrown. */
  onError?: (error: Error) => void;
  /** Headers of each request: a value, a promise or a function. Default: none but `content-type`. */
  headers?: Resolvable<Record<string, string> | Headers>;
  /** Default: the browser's, which is `same-origin`. */
  credentials?: NonNullable<RequestInit["credentials"]>;
};

/** What is known of an object. */
export interface ObjectState {
  /** Whether a request was made or the object was cleared: then `initialValue` is over. */
  readonly isBegun: boolean;
  /** What there is of the object. */
  readonly object: unknown;
  /** Whether a request is under way. */
  readonly isLoading: boolean;
  /** Why the last request failed. */
  readonly error: Error | undefined;
}

/** An object and its requests. The latest request is the one that is shown. */
export class ObjectStream {
  readonly store: Store<ObjectState> = new Store<ObjectState>({
    isBegun: false,
    object: undefined,
    isLoading: false,
    error: undefined,
  });
  #latest: AbstractChat | undefined;

  /** Asks for an object. An earlier request goes on, unseen. */
  async submit<SCHEMA extends FlexibleSchema, RESULT>(
    input: unknown,
    options: UseObjectOptions<SCHEMA, RESULT>,
  ): Promise<void> {
    const chat: AbstractChat = new Chat({ transport: new ObjectTransport(input, options) });
    this.#latest = chat;
    this.store.set({ isBegun: true, object: undefined, isLoading: true, error: undefined });
    chat.subscribe(() => {
      if (this.#latest === chat) this.store.set({ object: objectOf(chat) });
    });
    await chat.sendMessage({ text: "" }).catch(() => {}); // the chat has the error
    const { outcome, error } = chat;
    const object = objectOf(chat);
    chat.dispose();
    const isLatest = this.#latest === chat;
    if (isLatest) this.store.set({ isLoading: false });
    const failure = outcome === "complete" ? await finish(object, options) : error;
    if (failure) reportError(failure, options.onError);
    if (isLatest && failure) this.store.set({ error: failure });
    if (this.#latest === chat) this.#latest = undefined;
  }

  /** Stops the request that is shown. What was received stays. */
  stop = (): void => {
    void this.#latest?.stop();
    this.#latest = undefined;
    this.store.set({ isLoading: false });
  };

  /** Stops, and forgets the object. */
  clear = (): void => {
    this.stop();
    this.store.set({ isBegun: true, object: undefined, error: undefined });
  };
}

/** Checks the whole object and hands it to the app. Gives what the app throws. */
async function finish<SCHEMA extends FlexibleSchema, RESULT>(
  object: unknown,
  { schema, onFinish }: UseObjectOptions<SCHEMA, RESULT>,
): Promise<Error | undefined> {
  if (!onFinish) return undefined;
  const result = await checkSchema(schema, object);
  return attempt(() =>
    onFinish(
      result.success
        ? { object: result.value as RESULT, error: undefined }
        : { object: undefined, error: result.error },
    ),
  );
}

/** The growing input of the one tool call that the object is. */
function objectOf({ lastMessage }: AbstractChat): unknown {
  const part = lastMessage?.parts.find((part): part is DynamicToolUIPart => part.type === "dynamic-tool");
  return part?.input;
}

/** Posts the input, and gives the text that is answered as the input of a tool call. */
class ObjectTransport<SCHEMA extends FlexibleSchema, RESULT> implements ChatTransport<UIMessage> {
  readonly #input: unknown;
  readonly #options: UseObjectOptions<SCHEMA, RESULT>;

  constructor(input: unknown, options: UseObjectOptions<SCHEMA, RESULT>) {
    this.#input = input;
    this.#options = options;
  }

  sendMessages: ChatTransport<UIMessage>["sendMessages"] = async ({ abortSignal }) => {
    const { api, headers, credentials, fetch = globalThis.fetch } = this.#options;
    const resolved = await (typeof headers === "function" ? headers() : headers);
    const response = await fetch(api, {
      method: "POST",
      headers: { "content-type": "application/json", ...Object.fromEntries(new Headers(resolved)) },
      body: JSON.stringify(this.#input),
      ...(credentials && { credentials }),
      ...(abortSignal && { signal: abortSignal }),
    });
    if (!response.ok) throw await failedResponse(response, api, "Error");
    if (!response.body) throw emptyBody();
    return response.body.pipeThrough(new TextDecoderStream()).pipeThrough(toolInputOf());
  };

  reconnectToStream: ChatTransport<UIMessage>["reconnectToStream"] = async () => null;
}

/** Pieces of JSON text as the chunks of a tool call; an error if the text ends inside the value. */
function toolInputOf(): TransformStream<string, UIMessageChunk> {
  const toolCallId = "object";
  const text = new JsonText();
  return new TransformStream({
    start(controller) {
      controller.enqueue({ type: "tool-input-start", toolCallId, toolName: "object", dynamic: true });
    },
    transform(inputTextDelta, controller) {
      text.push(inputTextDelta);
      controller.enqueue({ type: "tool-input-delta", toolCallId, inputTextDelta });
    },
    flush(controller) {
      if (text.isWhole) return controller.enqueue({ type: "finish" });
      controller.error(
        makeError({ code: "truncated", message: "The response ended before the object was complete." }),
      );
    },
  });
}

/** Follows JSON text as far as it takes to know whether its value is whole. */
class JsonText {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #hasBegun = false;
  /** After the end of an object or array: what follows does not count. */
  #isClosed = false;

  /** Whether there is a value and nothing of it is open. */
  get isWhole(): boolean {
    return this.#isClosed || (this.#hasBegun && this.#depth === 0 && !this.#isInString);
  }

  push(text: string): void {
    for (const character of text) {
      if (this.#isClosed) return;
      if (this.#isEscaped) this.#isEscaped = false;
      else if (this.#isInString) this.#inString(character);
      else this.#outside(character);
    }
  }

  #inString(character: string): void {
    if (character === "\\") this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }

  #outside(character: string): void {
    this.#hasBegun ||= character.trim() !== "";
    if (character === '"') this.#isInString = true;
    else if (character === "{" || character === "[") this.#depth++;
    else if (character === "}" || character === "]") this.#isClosed = --this.#depth <= 0;
  }
}
