// What only chatwire has.

import { type ChatConnection, type ChatOutcome, DefaultChatTransport, type UIMessage } from "chatwire";
import * as inline from "chatwire/inline";
import {
  Chat,
  useChat,
  type UseChatHelpers,
  useChatMessage,
  useChatPart,
  useChatSelector,
} from "chatwire/react";

type Message = UIMessage<{ model: string }, { notice: string }>;
declare const chat: Chat<Message>;

export function Own() {
  const helpers = useChat<Message>({ whileBusy: "queue", onWarning: ({ code }) => void code });
  const outcome: ChatOutcome | undefined = helpers.outcome;
  const connection: ChatConnection = helpers.connection;
  const queued: Message[] = helpers.queuedMessages;
  const paused: boolean = helpers.queuePaused;
  helpers.chat.resumeQueue();
  // @ts-expect-error: what to do is none of the three
  useChat({ whileBusy: "wait" });
  return [outcome, connection, queued, paused].length;
}

export function Selected() {
  const count: number = useChatSelector(chat, ({ messages }) => messages.length);
  const ids: string[] = useChatSelector(
    chat,
    ({ messages }) => messages.map(({ id }) => id),
    (first, second) => first.join() === second.join(),
  );
  const model: string | undefined = useChatMessage(chat, "m")?.metadata?.model;
  const part = useChatPart(chat, "m", 0);
  if (part?.type === "data-notice") {
    const notice: string = part.data;
    void notice;
  }
  // @ts-expect-error: no such part
  if (part?.type === "data-other") return null;
  // @ts-expect-error: a selection of another type
  const wrong: string = useChatSelector(chat, ({ messages }) => messages.length);
  return [count, ids, model, wrong].length;
}

// A chat or transport of another entry of the package can be used.
export const useInline = (): UseChatHelpers<Message> =>
  useChat({ chat: new inline.Chat<Message>({ transport: new DefaultChatTransport() }) });
export const useInlineTransport = () =>
  useChat<Message>({ transport: new inline.DefaultChatTransport<Message>() });
