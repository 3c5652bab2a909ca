// Which chunks the UI message stream protocol (AI SDK 7.0.173, uiMessageChunkSchema) accepts.

const isString = (value) => typeof value === "string";
const isBoolean = (value) => typeof value === "boolean";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isAnything = () => true;
const isOneOf =
  (...words) =>
  (value) =>
    words.includes(value);
const isIndex = (value) => Number.isInteger(value) && value >= 0;
const isListOf = (accepts) => (value) => Array.isArray(value) && value.every((item) => accepts(item));
const isRecordOf = (accepts) => (value) => isObject(value) && Object.values(value).every(accepts);

/** Members that must be there, then members that may be. */
const shape =
  (required, optional = {}) =>
  (value) =>
    isObject(value) &&
    Object.entries(required).every(([name, accepts]) => name in value && accepts(value[name])) &&
    Object.entries(optional).every(([name, accepts]) => !(name in value) || accepts(value[name]));

const isProviderMetadata = isRecordOf(isObject);
const providerMetadata = { providerMetadata: isProviderMetadata };
const toolResult = {
  providerExecuted: isBoolean,
  ...providerMetadata,
  toolMetadata: isObject,
  dynamic: isBoolean,
};
const toolCall = { ...toolResult, title: isString };

const isUrlSource = shape(
  { type: isOneOf("source"), sourceType: isOneOf("url"), id: isString, url: isString },
  { title: isString, ...providerMetadata },
);
const isDocumentSource = shape(
  {
    type: isOneOf("source"),
    sourceType: isOneOf("document"),
    id: isString,
    mediaType: isString,
    title: isString,
  },
  { filename: isString, ...providerMetadata },
);
const isCitation = shape(
  { source: (source) => isUrlSource(source) || isDocumentSource(source) },
  { startIndex: isIndex, endIndex: isIndex, citedText: isString },
);
const isSteeringText = shape({ type: isOneOf("text"), text: isString }, providerMetadata);
const isSteeringFile = shape(
  { type: isOneOf("file"), mediaType: isString, url: isString },
  { filename: isString, providerReference: isRecordOf(isString), ...providerMetadata },
);

/** By type: what must be there, what may be there, and what each member must be. */
const SCHEMA = {
  "text-start": [{ id: isString }, providerMetadata],
  "text-delta": [{ id: isString, delta: isString }, providerMetadata],
  "text-end": [{ id: isString }, { citations: isListOf(isCitation), ...providerMetadata }],
  "reasoning-start": [{ id: isString }, providerMetadata],
  "reasoning-delta": [{ id: isString, delta: isString }, providerMetadata],
  "reasoning-end": [{ id: isString }, providerMetadata],
  error: [{ errorText: isString }, {}],
  "tool-input-start": [
    { toolCallId: isString, toolName: isString },
    { inputEncoding: isOneOf("json", "text"), ...toolCall },
  ],
  "tool-input-delta": [{ toolCallId: isString, inputTextDelta: isString }, {}],
  "tool-input-available": [{ toolCallId: isString, toolName: isString, input: isAnything }, toolCall],
  "tool-input-error": [
    { toolCallId: isString, toolName: isString, input: isAnything, errorText: isString },
    toolCall,
  ],
  "tool-approval-request": [
    { approvalId: isString, toolCallId: isString },
    {
      approvalDescriptor: isAnything,
      inputSchemaInput: isAnything,
      reason: isString,
      isAutomatic: isBoolean,
      signature: isString,
    },
  ],
  "tool-approval-response": [
    { approvalId: isString, approved: isBoolean },
    { reason: isString, providerExecuted: isBoolean, ...providerMetadata },
  ],
  "tool-output-available": [
    { toolCallId: isString, output: isAnything },
    { ...toolResult, preliminary: isBoolean },
  ],
  "tool-output-error": [{ toolCallId: isString, errorText: isString }, toolResult],
  "tool-output-denied": [{ toolCallId: isString }, {}],
  custom: [{ kind: isString }, providerMetadata],
  "source-url": [
    { sourceId: isString, url: isString },
    { title: isString, ...providerMetadata },
  ],
  "source-document": [
    { sourceId: isString, mediaType: isString, title: isString },
    { filename: isString, ...providerMetadata },
  ],
  file: [{ url: isString, mediaType: isString }, providerMetadata],
  "reasoning-file": [{ url: isString, mediaType: isString }, providerMetadata],
  "steering-message": [
    { id: isString, parts: isListOf((part) => isSteeringText(part) || isSteeringFile(part)) },
    {},
  ],
  "data-": [{ data: isAnything }, { id: isString, transient: isBoolean }],
  "start-step": [{}, {}],
  "finish-step": [{}, {}],
  "reset-step": [{}, {}],
  start: [{}, { messageId: isString, messageMetadata: isAnything }],
  finish: [
    {},
    {
      finishReason: isOneOf(
        "stop",
        "length",
        "content-filter",
        "tool-calls",
        "error",
        "interrupted",
        "other",
      ),
      messageMetadata: isAnything,
    },
  ],
  abort: [{}, { reason: isString }],
  "message-metadata": [{ messageMetadata: isAnything }, {}],
};

/** The types of chunks; `data-` stands for all that begin so. */
export const CHUNK_TYPES = Object.keys(SCHEMA);

/**
 * The members of a type of chunk.
 *
 * @returns {{ required: string[], optional: string[], anything: string[] } | undefined} undefined for a
 *   type that the protocol does not have; `anything`: those that take any value
 */
export function membersOf(type) {
  const schema = schemaOf(type);
  if (!schema) return undefined;
  const [required, optional] = schema;
  const anything = Object.entries({ ...required, ...optional }).filter(
    ([, accepts]) => accepts === isAnything,
  );
  return {
    required: Object.keys(required),
    optional: Object.keys(optional),
    anything: anything.map(([name]) => name),
  };
}

/** Whether the protocol accepts a chunk. */
export function isValidChunk(chunk) {
  const schema = isObject(chunk) && isString(chunk.type) && schemaOf(chunk.type);
  return Boolean(schema) && shape(...schema)(chunk);
}

function schemaOf(type) {
  if (type.startsWith("data-")) return SCHEMA["data-"];
  return Object.hasOwn(SCHEMA, type) ? SCHEMA[type] : undefined;
}
