import { Chat, ChatwireError, DefaultChatTransport, init, isToolUIPart, type UIMessage } from "chatwire";
import { Chat as InlineChat } from "chatwire/inline";
import { createMarkdown, type MarkdownBlock, type MarkdownNodeOf } from "chatwire/markdown";

type Message = UIMessage<
  { model: string },
  { notice: string },
  { search: { input: { query: string }; output: string[] } }
>;

export async function ask(question: string): Promise<string[]> {
  await init();
  const chat: Chat<Message> = new Chat<Message>({
    transport: new DefaultChatTransport({ api: "/api/chat", headers: { authorization: "x" } }),
    onToolCall({ toolCall }) {
      if (!toolCall.dynamic) {
        const query: string = toolCall.input.query;
        void chat.addToolOutput({
          tool: toolCall.toolName,
          toolCallId: toolCall.toolCallId,
          output: [query],
        });
      }
    },
    onError: (error) => {
      if (ChatwireError.isInstance(error)) console.error(error.code);
    },
  });
  await chat.sendMessage({ text: question });
  // @ts-expect-error: unchecked types would let this pass.
  chat.sendMessage({ text: 1 });
  return chat.messages.flatMap((message) =>
    message.parts.filter(isToolUIPart).map((part) => part.toolCallId),
  );
}

export const inline = new InlineChat<Message>({});

export function codeOf(text: string): string[] {
  const stream = createMarkdown({ urlSchemes: ["https"] });
  stream.set(text);
  const isCode = (block: MarkdownBlock): block is MarkdownNodeOf<"code"> => block.type === "code";
  // @ts-expect-error: a list has no value.
  stream.blocks.map((block) => block.type === "list" && block.value);
  return stream.blocks.filter(isCode).map(({ value }) => value);
}
