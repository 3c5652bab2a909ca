/**
 * A text that a server completes from a prompt, on a chat of its own for each request.
 *
 * @module
 */

import { Chat, DefaultChatTransport, isTextUIPart, TextStreamChatTransport } from "chatwire";
import { attempt, reportError } from "./callbacks.js";
import type { AbstractChat } from "./chat.js";
import { Store } from "./shared-store.js";

/** Options of one request for a completion. */
export type CompletionRequestOptions<BODY extends object = object> = {
  /** Added to the headers of the hook; these win. */
  headers?: Record<string, string> | Headers;
  /** Added to the body of the hook; these keys win. */
  body?: BODY;
};

/** Options of `useCompletion`. All are optional. */
export type UseCompletionOptions<BODY extends object = object> = {
  /** Where requests go: a POST of `{ prompt, ...body }`. Default: `/api/completion`. */
  api?: string;
  /** Components with the same `api` and `id` show the same completion. Default: each its own. */
  id?: string;
  /** The text of the input field at first. Default: empty. */
  initialInput?: string;
  /** The completion that is shown before the first request. Default: empty. */
  initialCompletion?: string;
  /** A response is complete. */
  onFinish?: (prompt: string, completion: string) => void;
  /** A request has failed, or `onFinish` has thrown. */
  onError?: (error: Error) => void;
  /** Default: the browser's, which is `same-origin`. */
  credentials?: NonNullable<RequestInit["credentials"]>;
  /** Headers of each request. Default: none but `content-type`. */
  headers?: Record<string, string> | Headers;
  /** Keys added to the body of each request. Default: none. */
  body?: BODY;
  /** What the server sends: the AI SDK UI message stream, or plain text. Default: `data`. */
  streamProtocol?: "data" | "text";
  /** Default: `globalThis.fetch` at the time of the request. */
  fetch?: typeof globalThis.fetch;
};

/** What is known of a completion. */
export interface CompletionState {
  /** The text so far. `undefined` before the first request. */
  readonly completion: string | undefined;
  /** Whether a request is under way. */
  readonly isLoading: boolean;
  /** Why the last request failed. */
  readonly error: Error | undefined;
}

/** A completion and its requests. The latest request is the one that is shown. */
export class Completion {
  readonly store: Store<CompletionState> = new Store<CompletionState>({
    completion: undefined,
    isLoading: false,
    error: undefined,
  });
  #latest: AbstractChat | undefined;

  /**
   * Asks for a completion. An earlier request goes on, unseen.
   *
   * @param throttle see `ChatInit.throttle`.
   * @returns the whole text; `null` after `stop()`; `undefined` when the request failed.
   */
  async complete(
    prompt: string,
    options: UseCompletionOptions & { throttle?: number | undefined },
    request: CompletionRequestOptions = {},
  ): Promise<string | null | undefined> {
    const chat: AbstractChat = new Chat({
      transport: transportOf(prompt, options, request),
      ...(options.throttle === undefined ? {} : { throttle: options.throttle }),
    });
    this.#latest = chat;
    this.store.set({ completion: "", isLoading: true, error: undefined });
    chat.subscribe(() => {
      if (this.#latest === chat) this.store.set({ completion: answerOf(chat) });
    });
    await chat.sendMessage({ text: prompt }).catch(() => {}); // the chat has the error
    const { outcome, error } = chat;
    const completion = answerOf(chat);
    chat.dispose();
    const failure =
      outcome === "complete" ? await attempt(() => options.onFinish?.(prompt, completion)) : error;
    if (failure) reportError(failure, options.onError);
    if (this.#latest === chat) {
      this.#latest = undefined;
      this.store.set({ isLoading: false, error: failure });
    }
    if (failure) return undefined;
    return outcome === "complete" ? completion : null;
  }

  /** Stops the request that is shown. What was received stays. */
  stop = (): void => {
    void this.#latest?.stop();
  };

  /** Replaces the text. */
  setCompletion = (completion: string): void => this.store.set({ completion });
}

function transportOf(
  prompt: string,
  { api = "/api/completion", streamProtocol, credentials, headers, body, fetch }: UseCompletionOptions,
  request: CompletionRequestOptions,
) {
  const Transport = streamProtocol === "text" ? TextStreamChatTransport : DefaultChatTransport;
  return new Transport({
    api,
    ...(credentials && { credentials }),
    ...(fetch && { fetch }),
    prepareSendMessagesRequest: () => ({
      body: { prompt, ...body, ...request.body },
      headers: { ...entriesOf(headers), ...entriesOf(request.headers) },
    }),
  });
}

/** Names in lower case, so that a later header replaces an earlier one of other spelling. */
function entriesOf(headers: Record<string, string> | Headers | undefined): Record<string, string> {
  return Object.fromEntries(new Headers(headers));
}

function answerOf({ lastMessage }: AbstractChat): string {
  if (lastMessage?.role !== "assistant") return "";
  return lastMessage.parts
    .filter(isTextUIPart)
    .map(({ text }) => text)
    .join("");
}
