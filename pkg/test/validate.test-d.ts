// What must compile of the checks and helpers and, by @ts-expect-error, what must not.

import * as peer from "ai";
import { type as arktype } from "arktype";
import {
  type ChatInit,
  ChatwireError,
  type FlexibleSchema,
  getToolOrDynamicToolName,
  type InferSchema,
  isDeepEqualData,
  parsePartialJson,
  readUIMessageStream,
  safeValidateUIMessages,
  type UIMessage,
  type UIMessageChunk,
  validateUIMessages,
  type ValidationIssue,
  type ValidationIssueCode,
} from "chatwire";
import * as inline from "chatwire/inline";
import { checkJSONSchema } from "chatwire/json-schema";
import type { JSONSchema7 } from "json-schema";
import * as v from "valibot";
import { z } from "zod";

type Metadata = { model: string };
type Data = { weather: { city: string }; notice: string };
type Tools = { search: { input: { query: string }; output: string[] } };
type Message = UIMessage<Metadata, Data, Tools>;

type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function holds<_ extends true>(): void;
declare const messages: unknown;
declare const jsonSchema: JSONSchema7;

// --- schemas -------------------------------------------------------------------------------------

const search = { inputSchema: z.object({ query: z.string() }), outputSchema: z.array(z.string()) };

export async function schemas() {
  const checked = await validateUIMessages<Message>({
    messages,
    metadataSchema: z.object({ model: z.string() }),
    dataSchemas: { weather: v.object({ city: v.string() }), notice: arktype("string") },
    tools: { search },
    experimental_refineToolInput: { search: async ({ query }) => ({ query: query.trim() }) },
  });
  holds<Same<typeof checked, Message[]>>();

  await validateUIMessages({ messages, dataSchemas: { weather: { type: "object", minProperties: 1 } } });
  await validateUIMessages({ messages, metadataSchema: jsonSchema });
  await validateUIMessages({ messages, metadataSchema: peer.jsonSchema({ type: "object" }) });
  await validateUIMessages({ messages, metadataSchema: () => peer.zodSchema(z.string()) });
  await validateUIMessages({ messages, tools: { search: peer.tool(search) } });
  await inline.validateUIMessages<Message>({ messages, dataSchemas: { notice: z.string() } });

  // @ts-expect-error notices are texts
  await validateUIMessages<Message>({ messages, dataSchemas: { notice: z.number() } });
  // @ts-expect-error there is no such data
  await validateUIMessages<Message>({ messages, dataSchemas: { rain: z.number() } });
  // @ts-expect-error the query is a text
  await validateUIMessages<Message>({ messages, tools: { search: { inputSchema: z.object({ query: z.number() }) } } });
  // @ts-expect-error a schema is no text
  await validateUIMessages<Message>({ messages, metadataSchema: "object" });
  // @ts-expect-error what is to be checked must be given
  await validateUIMessages<Message>({});

  holds<Same<InferSchema<typeof search.inputSchema>, { query: string }>>();
  const any: FlexibleSchema = jsonSchema;
  return any;
}

// The AI SDK's options are options here.
export async function swapped(options: Parameters<typeof peer.validateUIMessages<peer.UIMessage>>[0]) {
  const { data } = (await safeValidateUIMessages<UIMessage>(options)) as { data: UIMessage[] };
  return data satisfies peer.UIMessage[];
}

// --- faults --------------------------------------------------------------------------------------

export async function faults() {
  const result = await safeValidateUIMessages<Message>({ messages });
  if (result.success) return result.data satisfies Message[];
  const { error } = result;
  if (!ChatwireError.isInstance(error)) throw error;
  const issues: readonly ValidationIssue[] = error.issues ?? [];
  const total: number | undefined = error.totalIssues;
  const code: ValidationIssueCode | undefined = issues[0]?.code;
  // @ts-expect-error no such kind of fault
  if (code === "wrong") return [];
  return [total, code];
}

const faultsOfValue: Promise<ValidationIssue[]> = checkJSONSchema({ type: "string" }, 1);
void faultsOfValue;

export const inits = [
  { validate: "new" },
  { validate: "all" },
  { validate: false },
  // @ts-expect-error no such mode
  { validate: true },
] satisfies ChatInit[];

// --- helpers -------------------------------------------------------------------------------------

export async function helpers(stream: ReadableStream<UIMessageChunk>, message: Message) {
  holds<
    Same<
      Awaited<ReturnType<typeof parsePartialJson>>["state"],
      Awaited<ReturnType<typeof peer.parsePartialJson>>["state"]
    >
  >();
  const { value } = await parsePartialJson('{"a":');
  // @ts-expect-error there may be none
  value.toString();
  await parsePartialJson(undefined);

  const states = readUIMessageStream<Message>({ message, stream, onError: console.error });
  const peers: peer.AsyncIterableStream<Message> = states;
  for await (const { metadata } of peers) void (metadata satisfies Metadata | undefined);
  const reader = readUIMessageStream({ stream }).getReader();
  void ((await reader.read()).value satisfies UIMessage | undefined);
  // @ts-expect-error a stream must be given
  readUIMessageStream({ message });

  const equal: boolean = isDeepEqualData({ a: 1 }, [1]);
  const name: string = getToolOrDynamicToolName({
    ...{ type: "dynamic-tool", toolName: "x", toolCallId: "t", state: "input-streaming" },
  } as peer.DynamicToolUIPart);
  return [equal, name];
}
