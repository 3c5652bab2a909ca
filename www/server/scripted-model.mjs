import { generateId } from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';

/** @typedef {import('@ai-sdk/provider').LanguageModelV4StreamPart} StreamPart */
/** @typedef {import('@ai-sdk/provider').LanguageModelV4Prompt} Prompt */
/** @typedef {import('@ai-sdk/provider').LanguageModelV4ToolResultPart} ToolResult */

/**
 * What a script may say, in order. `source` and `file` are given as the model interface has them; the
 * `inputText` of a tool call need not be JSON. A text that is
 * `unfinished` never ends: what follows breaks it off.
 *
 * @typedef {{ type: 'text', text: string, unfinished?: boolean }
 *   | { type: 'reasoning', text: string }
 *   | { type: 'tool-call', toolName: string, input: unknown }
 *   | { type: 'tool-call', toolName: string, inputText: string }
 *   | Extract<StreamPart, { type: 'source' | 'file' }>
 *   | { type: 'error', message: string }} ScriptPart
 */

/**
 * What a script knows when it decides.
 *
 * @typedef {object} Turn
 * @property {number} number how many user messages there are; 1 for the first
 * @property {string} userText text of the last user message
 * @property {ToolResult[]} toolResults results that came after the last user message, in order
 * @property {boolean} isRetry whether the person asked for the answer again
 */

/** @typedef {(turn: Turn) => ScriptPart[]} Script */

/** Size of a piece of streamed tool input, in characters. */
const TOOL_INPUT_PIECE = 12;

/**
 * A model without a network: the script looks at the conversation and says what comes next.
 *
 * @param {Script} script
 * @param {{ isRetry: boolean }} request
 */
export function scriptedModel(script, { isRetry }) {
  return new MockLanguageModelV4({
    provider: 'chatwire-demo',
    modelId: 'scripted',
    doStream: async ({ prompt }) => ({
      stream: simulateReadableStream({
        chunks: streamParts(script(readTurn(prompt, isRetry)), prompt),
        initialDelayInMs: null,
        chunkDelayInMs: null,
      }),
    }),
  });
}

/**
 * @param {Prompt} prompt
 * @param {boolean} isRetry
 * @returns {Turn}
 */
function readTurn(prompt, isRetry) {
  const lastUserIndex = prompt.findLastIndex(({ role }) => role === 'user');
  const userMessage = prompt[lastUserIndex];
  const userText =
    userMessage?.role === 'user'
      ? userMessage.content.map(part => (part.type === 'text' ? part.text : '')).join('')
      : '';
  const toolResults = prompt
    .slice(lastUserIndex + 1)
    .flatMap(message => (message.role === 'tool' ? message.content : []))
    .filter(part => part.type === 'tool-result');
  return { number: prompt.filter(({ role }) => role === 'user').length, userText, toolResults, isRetry };
}

/**
 * @param {ScriptPart[]} script
 * @param {Prompt} prompt
 * @returns {StreamPart[]}
 */
function streamParts(script, prompt) {
  const content = script.flatMap((part, index) => contentParts(part, String(index)));
  return [
    { type: 'stream-start', warnings: [] },
    ...content,
    { type: 'finish', finishReason: finishReason(script), usage: usage(prompt, content) },
  ];
}

/**
 * @param {ScriptPart} part
 * @param {string} id
 * @returns {StreamPart[]}
 */
function contentParts(part, id) {
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-start', id },
        ...words(part.text).map(delta => /** @type {const} */ ({ type: 'text-delta', id, delta })),
        .../** @type {StreamPart[]} */ (part.unfinished ? [] : [{ type: 'text-end', id }]),
      ];
    case 'reasoning':
      return [
        { type: 'reasoning-start', id },
        ...words(part.text).map(delta => /** @type {const} */ ({ type: 'reasoning-delta', id, delta })),
        // Real providers sign their reasoning this way and want the signature back unchanged.
        { type: 'reasoning-end', id, providerMetadata: { 'chatwire-demo': { signature: 'c2lnbmVkIHJlYXNvbmluZw==' } } },
      ];
    case 'tool-call': {
      const toolCallId = `call_${generateId()}`;
      const input = 'inputText' in part ? part.inputText : JSON.stringify(part.input);
      return [
        { type: 'tool-input-start', id: toolCallId, toolName: part.toolName },
        ...pieces(input).map(delta => /** @type {const} */ ({ type: 'tool-input-delta', id: toolCallId, delta })),
        { type: 'tool-input-end', id: toolCallId },
        { type: 'tool-call', toolCallId, toolName: part.toolName, input },
      ];
    }
    case 'error':
      return [{ type: 'error', error: new Error(part.message) }];
    default:
      return [part];
  }
}

/** @param {string} text */
function words(text) {
  return text.match(/\s*\S+\s*/g) ?? [];
}

/** @param {string} text */
function pieces(text) {
  return text.match(new RegExp(`.{1,${TOOL_INPUT_PIECE}}`, 'gsu')) ?? [];
}

/**
 * @param {ScriptPart[]} script
 * @returns {import('@ai-sdk/provider').LanguageModelV4FinishReason}
 */
function finishReason(script) {
  const types = script.map(({ type }) => type);
  const unified = types.includes('error') ? 'error' : types.includes('tool-call') ? 'tool-calls' : 'stop';
  return { unified, raw: unified };
}

/**
 * Token counts that grow with the conversation as real ones do: one token for each word read or piece written.
 *
 * @param {Prompt} prompt
 * @param {StreamPart[]} content
 * @returns {import('@ai-sdk/provider').LanguageModelV4Usage}
 */
function usage(prompt, content) {
  const input = words(JSON.stringify(prompt)).length;
  const text = content.filter(({ type }) => type === 'text-delta' || type === 'tool-input-delta').length;
  const reasoning = content.filter(({ type }) => type === 'reasoning-delta').length;
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: text + reasoning, text, reasoning },
  };
}
