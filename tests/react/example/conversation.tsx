import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { useChat } from "@ai-sdk/react";
import { useEffect, useRef, useState } from "react";
import { Composer } from "./composer.js";
import { useLog } from "./log.js";
import type { DemoMessage } from "./message.js";
import { MessageView } from "./message-view.js";
import { loadMessages, saveMessages } from "./storage.js";

/** A conversation with the demo's server. Another `id` is another conversation. */
export function Conversation({
  id,
  scenario,
  delay,
  resume,
}: {
  id: string;
  scenario: string;
  delay: number;
  resume: boolean;
}) {
  const log = useLog();
  const [notice, setNotice] = useState("");
  const {
    messages,
    status,
    error,
    id: chatId,
    sendMessage,
    regenerate,
    stop,
    clearError,
    setMessages,
    addToolOutput,
    addToolApprovalResponse,
  } = useChat<DemoMessage>({
    id,
    resume,
    messages: loadMessages(id),
    experimental_throttle: 50,
    transport: new DefaultChatTransport({
      headers: async () => ({ "X-Conversation": id }),
      fetch: async (url, init) => {
        log(`fetch ${init?.method} ${String(url)} as ${headerOf(init, "x-conversation")}`);
        return fetch(url, init);
      },
      prepareSendMessagesRequest: ({ id, messages, trigger, messageId }) => ({
        api: `/api/chat?scenario=${scenario}&delay=${delay}`,
        headers: { "x-conversation": `prepared ${id}` },
        body: { id, messages, trigger, messageId },
      }),
    }),
    sendAutomaticallyWhen: (state) =>
      lastAssistantMessageIsCompleteWithToolCalls(state) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(state),
    onData: (part) => {
      if (part.type === "data-notice") setNotice(part.data.text);
    },
    onFinish: ({ message, isAbort, isDisconnect, isError }) =>
      log(
        `finish ${scenario} ${message.role} abort=${isAbort} disconnect=${isDisconnect} error=${isError}`,
      ),
    onError: (error) => log(`error ${error.name}`),
  });
  useEffect(() => saveMessages(chatId, messages), [chatId, messages]);

  const statuses = useRef<string[]>([]);
  if (statuses.current.at(-1) !== status) statuses.current.push(status);

  return (
    <section aria-label="Conversation" data-status={status} data-chat={chatId}>
      <p data-testid="statuses">{statuses.current.join(" ")}</p>
      {notice !== "" && <p role="status">{notice}</p>}
      <div role="log">
        {messages.map((message) => (
          <MessageView
            key={message.id}
            message={message}
            addToolOutput={addToolOutput}
            addToolApprovalResponse={addToolApprovalResponse}
          />
        ))}
      </div>
      {error && (
        <p role="alert">
          {error.name}: {error.message}
        </p>
      )}
      <Composer onSend={(text, files) => void sendMessage({ text, files })} />
      <button type="button" onClick={() => void stop()}>
        Stop
      </button>
      <button type="button" onClick={() => void regenerate()}>
        Retry
      </button>
      <button type="button" onClick={clearError}>
        Dismiss
      </button>
      <button type="button" onClick={() => setMessages((all) => all.slice(0, -1))}>
        Remove the last
      </button>
      <button type="button" onClick={() => setMessages([])}>
        Clear
      </button>
    </section>
  );
}

function headerOf(init: RequestInit | undefined, name: string): string | null {
  return new Headers(init?.headers).get(name);
}
