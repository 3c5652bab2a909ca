// What must compile and, by @ts-expect-error, what must not: with the AI SDK's packages, and with
// chatwire's in their place.

import {
  Chat,
  type CreateUIMessage,
  experimental_useObject,
  useChat,
  type UseChatHelpers,
  type UseChatOptions,
  useCompletion,
  type UseCompletionHelpers,
  useObject,
} from "@ai-sdk/react";
import { APICallError, type ChatTransport, DefaultChatTransport, type UIMessage } from "ai";
import { z } from "zod";

type Message = UIMessage<
  { model: string; tokens?: number },
  { weather: { city: string; celsius?: number }; notice: string },
  {
    search: { input: { query: string }; output: string[] };
    ask: { input: { question: string }; output: { answer: string } };
  }
>;
declare const render: boolean;
declare const messages: Message[];

// --- tools, data parts and metadata flow through useChat ------------------------------------------

export function Typed() {
  const helpers = useChat<Message>({
    id: "a",
    messages,
    transport: new DefaultChatTransport<Message>({ api: "/api" }),
    experimental_throttle: 50,
    throttle: 50,
    resume: true,
    experimental_queue: true,
    generateId: () => "id",
    onToolCall: ({ toolCall }) => {
      if (toolCall.dynamic) {
        const input: unknown = toolCall.input;
        return void input;
      }
      if (toolCall.toolName === "search") {
        const query: string = toolCall.input.query;
        // @ts-expect-error: the other tool's input
        toolCall.input.question;
        return void query;
      }
      const question: string = toolCall.input.question;
      // @ts-expect-error: there is no such tool
      if (toolCall.toolName === "weather") return;
      return void question;
    },
    onData: (part) => {
      if (part.type === "data-notice") {
        const notice: string = part.data;
        return void notice;
      }
      const city: string = part.data.city;
      // @ts-expect-error: there is no such part
      if (part.type === "data-other") return;
      return void city;
    },
    onFinish: ({ message, messages, isAbort, isDisconnect, isError, finishReason }) => {
      const model: string | undefined = message.metadata?.model;
      const flags: boolean[] = [isAbort, isDisconnect, isError];
      // @ts-expect-error: no member of the metadata
      message.metadata?.price;
      if (finishReason === "stop") return;
      void [model, flags, messages.length];
    },
    onError: (error) => {
      const name: string = error.name;
      if (APICallError.isInstance(error)) {
        const status: number | undefined = error.statusCode;
        const body: string | undefined = error.responseBody;
        void [status, body];
      }
      void name;
    },
    sendAutomaticallyWhen: async ({ messages }) => messages.length > 0,
  });

  for (const part of helpers.messages[0]?.parts ?? []) {
    if (part.type === "tool-search" && part.state === "output-available") {
      const outputs: string[] = part.output;
      const query: string = part.input.query;
      void [outputs, query];
    }
    if (part.type === "tool-ask" && part.state === "input-streaming") {
      const partial: string | undefined = part.input?.question;
      void partial;
      // @ts-expect-error: no output yet
      part.output.answer;
    }
    if (part.type === "data-weather") {
      const celsius: number | undefined = part.data.celsius;
      void celsius;
    }
    // @ts-expect-error: no such tool
    if (part.type === "tool-unknown") void part;
  }

  void helpers.sendMessage({ text: "Hello", metadata: { model: "m" } });
  void helpers.sendMessage({ text: "Edited", messageId: "m1" }, { body: { a: 1 }, headers: { a: "1" } });
  void helpers.sendMessage({ parts: [{ type: "text", text: "Whole" }] });
  void helpers.sendMessage();
  // @ts-expect-error: metadata of another shape
  void helpers.sendMessage({ text: "Hello", metadata: { price: 1 } });
  // @ts-expect-error: text and parts
  void helpers.sendMessage({ text: "Hello", parts: [] });

  void helpers.addToolOutput({ tool: "ask", toolCallId: "c", output: { answer: "yes" } });
  void helpers.addToolOutput({ tool: "ask", toolCallId: "c", state: "output-error", errorText: "no" });
  void helpers.addToolResult({ tool: "search", toolCallId: "c", output: ["one"] });
  // @ts-expect-error: the other tool's output
  void helpers.addToolOutput({ tool: "ask", toolCallId: "c", output: ["one"] });
  // @ts-expect-error: no such tool
  void helpers.addToolOutput({ tool: "weather", toolCallId: "c", output: 1 });
  // @ts-expect-error: an error without its text
  void helpers.addToolOutput({ tool: "ask", toolCallId: "c", state: "output-error" });
  void helpers.addToolApprovalResponse({ id: "a", approved: true, reason: "fine" });
  // @ts-expect-error: no decision
  void helpers.addToolApprovalResponse({ id: "a" });

  helpers.setMessages([]);
  helpers.setMessages((all: Message[]) => all.slice(1));
  // @ts-expect-error: messages of another type
  helpers.setMessages([{ id: "1", role: "user", parts: [{ type: "tool-other" }] }]);
  // @ts-expect-error: a status that does not exist
  if (helpers.status === "loading") return null;
  void helpers.regenerate({ messageId: "m", body: {} });
  void helpers.stop();
  void helpers.resumeStream();
  helpers.clearError();
  helpers.experimental_removeQueuedMessage("m");
  void helpers.experimental_sendQueuedMessageNow("m");
  const queued: Message[] = helpers.experimental_queuedMessages;
  const error: Error | undefined = helpers.error;
  const id: string = helpers.id;
  return render ? [queued.length, error?.message, id] : null;
}

// --- options and results by name ------------------------------------------------------------------

export function Named() {
  const options: UseChatOptions<Message> = { id: "a" };
  const own: UseChatHelpers<Message> = useChat(options);
  const chat: Chat<Message> = new Chat<Message>({ messages });
  const shared: UseChatHelpers<Message> = useChat({ chat, experimental_throttle: 10, resume: true });
  const plain: UseChatHelpers<UIMessage> = useChat();
  const created: CreateUIMessage<Message> = { parts: [] };
  // @ts-expect-error: a chat of other messages
  const other: UseChatHelpers<UIMessage<number>> = useChat({ chat });
  // @ts-expect-error: a callback of another shape
  useChat<Message>({ onFinish: (price: number) => void price });
  return [own, shared, plain, created, other].length;
}

declare const transport: ChatTransport<Message>;
export const useTransport = () => useChat<Message>({ transport });

// --- useCompletion, useObject ---------------------------------------------------------------------

export function Completion() {
  const helpers: UseCompletionHelpers = useCompletion({
    api: "/api/completion",
    id: "a",
    initialCompletion: "",
    initialInput: "",
    headers: { a: "1" },
    body: { a: 1 },
    credentials: "include",
    streamProtocol: "text",
    experimental_throttle: 10,
    onFinish: (prompt: string, completion: string) => void [prompt, completion],
    onError: (error: Error) => void error,
  });
  const result: Promise<string | null | undefined> = helpers.complete("prompt", { body: { b: 2 } });
  // @ts-expect-error: a protocol that does not exist
  useCompletion({ streamProtocol: "other" });
  void result;
  return (
    <form onSubmit={helpers.handleSubmit}>
      <input value={helpers.input} onChange={helpers.handleInputChange} />
      <textarea onChange={helpers.handleInputChange} />
      <button onClick={() => helpers.setInput((input) => input + "!")}>{helpers.completion}</button>
    </form>
  );
}

export function Recipe() {
  const schema = z.object({ name: z.string(), steps: z.array(z.object({ minutes: z.number() })) });
  const { object, submit, isLoading, error, stop, clear } = useObject({
    api: "/api/object",
    schema,
    headers: async () => ({ a: "1" }),
    onFinish: ({ object, error }) => {
      const minutes: number | undefined = object?.steps[0]?.minutes;
      // @ts-expect-error: no such member
      object?.price;
      void [minutes, error];
    },
  });
  const minutes: number | undefined = object?.steps?.[0]?.minutes;
  // @ts-expect-error: a step may not be there yet
  object?.steps[0].minutes;
  useObject({ api: "/", schema, initialValue: { name: "Soup" } });
  // @ts-expect-error: no api
  useObject({ schema });
  experimental_useObject({ api: "/", schema }).submit({ anything: 1 });
  submit("a prompt");
  stop();
  clear();
  return [minutes, isLoading, error].length;
}
