// What must compile and, by @ts-expect-error, what must not. Run by `npm run check`.

import type * as peer from "ai";
import { z } from "zod";
import {
  Chat,
  type ChatInit,
  type ChatSnapshot,
  type ChatTransport,
  ChatwireError,
  type ChatwireErrorCode,
  type CreateUIMessage,
  DefaultChatTransport,
  type FileUIPart,
  getStaticToolName,
  type InferUIMessageChunk,
  type InferUIMessageData,
  type InferUIMessageMetadata,
  type InferUIMessageToolCall,
  type InferUIMessageTools,
  init,
  isDataUIPart,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithToolCalls,
  rawJson,
  type ToolUIPart,
  type UIMessage,
  type UIMessageChunk,
  type UIMessagePart,
} from "chatwire";
import * as inline from "chatwire/inline";

type Metadata = { model: string; tokens?: number };
type Data = { weather: { city: string; celsius?: number }; notice: string };
type Tools = {
  search: { input: { query: string; filters?: { site: string[] } }; output: string[] };
  ask: { input: { question: string }; output: { answer: string } | undefined };
};
type Message = UIMessage<Metadata, Data, Tools>;

// --- helpers ------------------------------------------------------------------------------------

declare function assignable<TO>(): <FROM extends TO>() => void;
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<_ extends true>(): void;

// --- equal to the AI SDK's types, in both directions ---------------------------------------------

assignable<peer.UIMessage>()<UIMessage>();
assignable<UIMessage>()<peer.UIMessage>();
assignable<peer.UIMessage<Metadata, Data, Tools>>()<Message>();
assignable<Message>()<peer.UIMessage<Metadata, Data, Tools>>();
assignable<UIMessage<unknown, never, Tools>>()<peer.UIMessage<unknown, never, Tools>>();
assignable<peer.UIMessage<unknown, never, Tools>>()<UIMessage<unknown, never, Tools>>();

assignable<peer.UIMessageChunk>()<UIMessageChunk>();
assignable<UIMessageChunk>()<peer.UIMessageChunk>();
assignable<peer.UIMessageChunk<Metadata, Data>>()<UIMessageChunk<Metadata, Data>>();
assignable<UIMessageChunk<Metadata, Data>>()<peer.UIMessageChunk<Metadata, Data>>();

assignable<peer.ToolUIPart<Tools>>()<ToolUIPart<Tools>>();
assignable<ToolUIPart<Tools>>()<peer.ToolUIPart<Tools>>();
assignable<peer.FileUIPart>()<FileUIPart>();
assignable<CreateUIMessage<Message>>()<peer.CreateUIMessage<peer.UIMessage<Metadata, Data, Tools>>>();
assignable<peer.CreateUIMessage<peer.UIMessage<Metadata, Data, Tools>>>()<CreateUIMessage<Message>>();

assignable<ChatTransport<Message>>()<peer.ChatTransport<peer.UIMessage<Metadata, Data, Tools>>>();
assignable<peer.ChatTransport<peer.UIMessage<Metadata, Data, Tools>>>()<ChatTransport<Message>>();
assignable<ChatInit<UIMessage>["transport"]>()<peer.DefaultChatTransport<peer.UIMessage>>();
assignable<ChatInit<UIMessage>["transport"]>()<peer.WebSocketChatTransport<peer.UIMessage>>();

// Each kind of part and chunk, one by one: an assignable union may hide that one is missing.
type Discriminant<T> = T extends { type: infer TYPE } ? TYPE : never;
holds<Same<Discriminant<UIMessagePart<Data, Tools>>, Discriminant<peer.UIMessagePart<Data, Tools>>>>();
holds<Same<Discriminant<UIMessageChunk>, Discriminant<peer.UIMessageChunk>>>();
type KeysOf<T, TYPE> = T extends { type: TYPE } ? keyof T : never;
type SameKeys<A, B> = {
  [TYPE in Discriminant<A> & string]: Same<KeysOf<A, TYPE>, KeysOf<B, TYPE>>;
}[Discriminant<A> & string];
holds<SameKeys<UIMessagePart<Data, Tools>, peer.UIMessagePart<Data, Tools>>>();
holds<SameKeys<UIMessageChunk<Metadata, Data>, peer.UIMessageChunk<Metadata, Data>>>();

holds<Same<InferUIMessageMetadata<Message>, Metadata>>();
holds<Same<InferUIMessageData<Message>, Data>>();
holds<Same<InferUIMessageTools<Message>, Tools>>();
holds<Same<InferUIMessageChunk<Message>, UIMessageChunk<Metadata, Data>>>();
assignable<peer.ChatInit<peer.UIMessage<Metadata, Data, Tools>>["onToolCall"]>()<
  ChatInit<Message>["onToolCall"]
>();
// The tools of a server, inferred by the AI SDK, are tools here.
const serverTools = {
  search: { inputSchema: z.object({ query: z.string() }), execute: async () => ["result"] },
} satisfies peer.ToolSet;
type ServerMessage = UIMessage<unknown, Data, peer.InferUITools<typeof serverTools>>;
holds<Same<InferUIMessageTools<ServerMessage>["search"]["input"], { query: string }>>();

// --- parts --------------------------------------------------------------------------------------

declare const message: Message;
for (const part of message.parts) {
  switch (part.type) {
    case "data-weather":
      part.data.city satisfies string;
      // @ts-expect-error: no such field
      part.data.country;
      break;
    case "tool-search":
      if (part.state === "input-streaming") {
        part.input?.filters?.site?.[0] satisfies string | undefined;
        // @ts-expect-error: may not have arrived yet
        part.input?.query satisfies string;
        // @ts-expect-error: there is no output yet
        part.output satisfies string[];
      }
      if (part.state === "output-available") part.output satisfies string[];
      if (part.state === "approval-requested") {
        part.approval.id satisfies string;
        part.approval.approved satisfies undefined;
      }
      break;
    case "dynamic-tool":
      part.toolName satisfies string;
      break;
    // @ts-expect-error: no such tool
    case "tool-unknown":
      break;
  }
  if (isToolUIPart(part)) part.toolCallId satisfies string;
  if (isDataUIPart<Data>(part)) part.type satisfies "data-weather" | "data-notice";
}
declare const toolPart: ToolUIPart<Tools>;
getStaticToolName(toolPart) satisfies "search" | "ask";

// --- a chat -------------------------------------------------------------------------------------

const chat = new Chat<Message>({
  id: "chat",
  messages: [
    { id: "1", role: "user", parts: [{ type: "text", text: "Hello" }], metadata: { model: "m" } },
  ],
  transport: new DefaultChatTransport({
    api: "/api/chat",
    headers: async () => ({ authorization: "Bearer 1" }),
    body: () => ({ session: 1 }),
    prepareSendMessagesRequest: ({ messages, id, body }) => {
      messages satisfies Message[];
      body satisfies Record<string, unknown> | undefined;
      return { body: { id, last: messages.at(-1) }, headers: new Headers(), credentials: "include" };
    },
  }),
  throttle: 50,
  whileBusy: "interrupt",
  onToolCall({ toolCall }) {
    if (toolCall.dynamic) {
      toolCall.input satisfies unknown;
    } else if (toolCall.toolName === "search") {
      toolCall.input.query satisfies string;
      // @ts-expect-error: another tool's input
      toolCall.input.question;
    } else {
      toolCall.toolName satisfies "ask";
      toolCall.input.question satisfies string;
    }
  },
  onData(part) {
    if (part.type === "data-notice") part.data satisfies string;
    else part.data.celsius satisfies number | undefined;
    // @ts-expect-error: no such data part
    part.type satisfies "data-other";
  },
  onFinish({ message, messages, isError, outcome, finishReason }) {
    message.metadata?.model satisfies string | undefined;
    messages satisfies Message[];
    isError satisfies boolean;
    if (outcome === "truncated") finishReason satisfies string | undefined;
  },
  onError(error) {
    if (ChatwireError.isInstance(error)) error.code satisfies ChatwireErrorCode;
  },
  onWarning: ({ code }) => void (code satisfies string),
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
});
new Chat({});
new Chat({ messages: "[]" });
new Chat({ messages: new Uint8Array() });
new Chat<Message>({ sendAutomaticallyWhen: async ({ messages }) => messages.length < 3 });
new Chat<Message>({ transport: new inline.DefaultChatTransport<Message>() });
new inline.Chat<Message>({});
// @ts-expect-error: not a role
new Chat({ messages: [{ id: "1", role: "tool", parts: [] }] });
// @ts-expect-error: not a policy
new Chat({ whileBusy: "wait" });
// @ts-expect-error: not a transport
new Chat({ transport: { send() {} } });
// @ts-expect-error: metadata of another type
new Chat<Message>({ messages: [{ id: "1", role: "user", parts: [], metadata: { model: 1 } }] });
// @ts-expect-error: not a number of milliseconds
new Chat({ throttle: "50" });

chat.addToolOutput({ tool: "search", toolCallId: "t", output: ["a"] }) satisfies Promise<void>;
chat.addToolOutput({ tool: "ask", toolCallId: "t", state: "output-error", errorText: "no" });
// @ts-expect-error: no such tool
chat.addToolOutput({ tool: "other", toolCallId: "t", output: ["a"] });
// @ts-expect-error: another tool's output
chat.addToolOutput({ tool: "search", toolCallId: "t", output: { answer: "a" } });
// @ts-expect-error: an error has no output
chat.addToolOutput({ tool: "ask", toolCallId: "t", state: "output-error", output: { answer: "" } });
chat.addToolApprovalResponse({ id: "a", approved: false, reason: "no" }) satisfies Promise<void>;

chat.sendMessage({ text: "Hello" }, { body: { a: 1 }, headers: { a: "b" } }) satisfies Promise<void>;
chat.sendMessage({ text: "Hello", metadata: { model: "m" }, messageId: "1" });
chat.sendMessage({ files: [{ type: "file", mediaType: "image/png", url: "data:," }] });
chat.sendMessage({ parts: [{ type: "data-notice", data: "n" }], role: "system" });
chat.sendMessage();
declare const fileList: FileList;
chat.sendMessage({ text: "Look", files: fileList });
// @ts-expect-error: text or parts, not both
chat.sendMessage({ text: "Hello", parts: [] });
// @ts-expect-error: metadata of another type
chat.sendMessage({ text: "Hello", metadata: { model: 1 } });

chat.messages satisfies Message[];
chat.messages = chat.messages.slice(1);
chat.lastMessage satisfies Message | undefined;
chat.getSnapshot() satisfies ChatSnapshot<Message>;
chat.subscribe(() => {}) satisfies () => void;
chat.onDelta(({ delta, offset }) => void [delta satisfies string, offset satisfies number]);
chat.keyOf(message) satisfies string;
chat.stop() satisfies Promise<void>;
chat.regenerate({ messageId: "1" }) satisfies Promise<void>;
chat.resumeStream() satisfies Promise<void>;
chat.dispose();
// @ts-expect-error: set by the chat
chat.status = "ready";

rawJson(message.metadata) satisfies string | undefined;

// --- loading ------------------------------------------------------------------------------------

init() satisfies Promise<void>;
init({ url: new URL("https://example.org/core.wasm") });
init({ bytes: new Uint8Array() });
init({ response: fetch("/core.wasm") });
init({ module: new WebAssembly.Module(new Uint8Array()) });
// @ts-expect-error: not a source
init({ path: "core.wasm" });

type InferredCall = Extract<InferUIMessageToolCall<Message>, { toolName: "ask"; dynamic?: false }>;
holds<Same<InferredCall["input"], { question: string }>>();

// --- tools that run in the page ------------------------------------------------------------------

new Chat<Message>({
  clientTools: {
    search: {
      inputSchema: z.object({ query: z.string() }),
      async execute({ query }, { toolCallId, messages, abortSignal }) {
        holds<Same<typeof query, string>>();
        return abortSignal.aborted || messages.length > 9 ? [] : [query, toolCallId];
      },
    },
    ask: {},
  },
});
new Chat({ clientTools: { anything: { execute: (input) => input, timeoutMs: 5 } } });
// @ts-expect-error the tool has another output
new Chat<Message>({ clientTools: { search: { execute: () => 5 } } });
// @ts-expect-error there is no such tool
new Chat<Message>({ clientTools: { find: { execute: () => [] } } });
