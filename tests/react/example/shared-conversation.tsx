import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { Chat, useChat } from "@ai-sdk/react";
import { useState } from "react";
import { Composer } from "./composer.js";
import { useLog } from "./log.js";
import type { DemoMessage } from "./message.js";
import { MessageView, textOf } from "./message-view.js";

/** A chat that the app keeps, shown by two components. It answers the model's questions by itself. */
export function SharedConversation() {
  const log = useLog();
  const [chat] = useState(() => {
    const chat: Chat<DemoMessage> = new Chat<DemoMessage>({
      transport: new DefaultChatTransport({ api: "/api/chat?scenario=question&delay=1" }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
      onToolCall: ({ toolCall }) => {
        if (toolCall.dynamic || toolCall.toolName !== "ask_user_question") return;
        const part = chat.messages.at(-1)?.parts.find((part) => part.type.startsWith("tool-"));
        log(`tool call ${toolCall.toolName}, shown as ${part && "state" in part ? part.state : "nothing"}`);
        // Not awaited: the stream has to go on.
        void chat.addToolOutput({
          tool: "ask_user_question",
          toolCallId: toolCall.toolCallId,
          output: { answer: toolCall.input.options[0] ?? "" },
        });
      },
    });
    return chat;
  });
  return (
    <section aria-label="Shared conversation">
      <Summary chat={chat} />
      <Messages chat={chat} />
    </section>
  );
}

function Summary({ chat }: { chat: Chat<DemoMessage> }) {
  const { messages, status } = useChat({ chat });
  return (
    <p data-testid="summary" data-status={status}>
      {messages.length} messages, the last one: {textOf(messages.at(-1))}
    </p>
  );
}

function Messages({ chat }: { chat: Chat<DemoMessage> }) {
  const { messages, sendMessage, addToolOutput, addToolApprovalResponse } = useChat({ chat });
  return (
    <>
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
      <Composer onSend={(text) => void sendMessage({ text })} />
    </>
  );
}
