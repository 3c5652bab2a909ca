import { setTimeout as sleep } from 'node:timers/promises';

import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateId,
  isStepCount,
  safeValidateUIMessages,
  streamText,
  toUIMessageStream,
} from 'ai';
import { z } from 'zod';

import { eventBlocks, isEvent } from './event-stream.mjs';
import { RequestError, errorBody, readBody } from './http.mjs';
import { findScenario } from './scenarios/index.mjs';
import { TOOL_APPROVAL, createTools } from './tools.mjs';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Scenario } from './scenarios/index.mjs' */

/** Pause before each event, in milliseconds, when the request names none: as fast as a fast model. */
const DEFAULT_DELAY_MS = 15;

/** Steps of one answer, in case a real model calls tools without end. */
const MAX_STEPS = 8;

/** Longest error message that an answer carries, in UTF-16 units. */
const MAX_ERROR_CHARACTERS = 1000;

const chatRequest = z.object({
  id: z.string().min(1),
  messages: z.array(z.unknown()),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z.string().nullish(),
});

const wholeNumber = z.string().regex(/^\d{1,6}$/, 'must be a whole number').transform(Number);

const query = z.object({
  scenario: z.string().default('plain'),
  delay: wholeNumber.default(DEFAULT_DELAY_MS),
  cut: wholeNumber.optional(),
  cutMode: z.enum(['end', 'destroy']).default('destroy'),
});

/** @typedef {z.infer<typeof query>} Query */

/**
 * `POST /api/chat?scenario=<name>&delay=<ms>&cut=<n>&cutMode=end|destroy`
 *
 * - `delay`: pause before each event, in milliseconds; default 15.
 * - `cut`: send exactly this many events of the answer, then stop. `cutMode=end` ends the response as if it were
 *   complete, `destroy` (the default) breaks the connection.
 */
export class ChatRoute {
  #chooseModel;
  #approvalSecret;
  #executions;
  #resumes;
  #recordings;
  #logError;
  /** @type {Set<AbortController>} */
  #runs = new Set();

  /**
   * @param {object} context
   * @param {import('./model.mjs').ChooseModel} context.chooseModel
   * @param {string | undefined} context.approvalSecret signs approval requests; undefined switches signing off
   * @param {import('./executions.mjs').ExecutionLog} context.executions
   * @param {import('./resumes.mjs').Resumes} context.resumes
   * @param {import('./recordings.mjs').Recordings | undefined} context.recordings
   * @param {(error: unknown) => void} context.logError
   */
  constructor({ chooseModel, approvalSecret, executions, resumes, recordings, logError }) {
    this.#chooseModel = chooseModel;
    this.#approvalSecret = approvalSecret;
    this.#executions = executions;
    this.#resumes = resumes;
    this.#recordings = recordings;
    this.#logError = logError;
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {URL} url
   */
  async handle(request, response, url) {
    const requestBody = await readBody(request);
    const recording = this.#recordings?.start({
      scenario: url.searchParams.get('scenario') ?? 'plain',
      url: url.pathname + url.search,
      requestBody,
    });

    const run = new AbortController();
    this.#runs.add(run);
    // Also when the client leaves or the answer is cut: nobody will read what the model still has to say.
    response.once('close', () => run.abort(new Error('The response has ended.')));
    try {
      const { answer, delayMs, cut, cutMode } = await this.#answer(request, requestBody, url, run.signal);
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.flushHeaders();
      recording?.opened(answer.status);

      const wasCut = await sendEvents(response, answer.body, {
        delayMs,
        cut,
        signal: run.signal,
        onWrite: bytes => recording?.wrote(bytes),
      });
      if (wasCut && cutMode === 'destroy') response.destroy();
      else response.end();
    } finally {
      this.#runs.delete(run);
      recording?.ended();
    }
  }

  /** Ends every running answer with an `abort` chunk. */
  abortAll() {
    for (const run of this.#runs) run.abort(new Error('The server is shutting down.'));
  }

  /**
   * @param {IncomingMessage} request
   * @param {string} requestBody
   * @param {URL} url
   * @param {AbortSignal} signal
   */
  async #answer(request, requestBody, url, signal) {
    try {
      const { scenario, delay, cut, cutMode } = parseQuery(url);
      const { chatId, messages, isRetry } = parseBody(request, requestBody);
      const answer = await this.#stream({ scenario, chatId, messages, isRetry, signal });
      return { answer, delayMs: delay, cut: cut ?? (isRetry ? undefined : scenario.cutAfter), cutMode };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const answer = Response.json(errorBody(error), { status: error.status });
      return { answer, delayMs: 0, cut: undefined, cutMode: undefined };
    }
  }

  /**
   * @param {object} options
   * @param {Scenario} options.scenario
   * @param {string} options.chatId
   * @param {unknown[]} options.messages
   * @param {boolean} options.isRetry
   * @param {AbortSignal} options.signal
   * @returns {Promise<Response>}
   */
  async #stream({ scenario, chatId, messages, isRetry, signal }) {
    const tools = createTools({ chatId, executions: this.#executions, resumes: this.#resumes });
    const validation = await safeValidateUIMessages({ messages, tools });
    if (!validation.success) throw new RequestError(400, 'invalid_messages', shortened(validation.error.message));
    const uiMessages = validation.data;

    const model = this.#chooseModel(scenario, { isRetry });
    const result = streamText({
      model,
      instructions: scenario.instructions,
      // A call that the person left unanswered, and went on without, has no result to give to the model.
      messages: await convertToModelMessages(uiMessages, { tools, ignoreIncompleteToolCalls: true }),
      tools,
      activeTools: scenario.tools ?? [],
      toolApproval: TOOL_APPROVAL,
      experimental_toolApprovalSecret: this.#approvalSecret,
      stopWhen: isStepCount(MAX_STEPS),
      abortSignal: signal,
      onError: ({ error }) => this.#logError(error),
    });

    const chunks = toUIMessageStream({
      stream: result.stream,
      tools,
      originalMessages: uiMessages,
      generateMessageId: generateId,
      sendSources: true,
      messageMetadata: scenario.messageMetadata?.(model.modelId),
      onError: errorText,
    });
    const { writeData } = scenario;
    const stream =
      writeData === undefined
        ? chunks
        : createUIMessageStream({ execute: ({ writer }) => writeData(chunks, writer), onError: errorText });
    return createUIMessageStreamResponse({ stream });
  }
}

/**
 * Writes the body's bytes as they are, event by event.
 *
 * @param {ServerResponse} response
 * @param {ReadableStream<Uint8Array> | null} body
 * @param {object} options
 * @param {number} options.delayMs
 * @param {number | undefined} options.cut
 * @param {AbortSignal} options.signal once aborted, what is left is written without delay
 * @param {(bytes: Uint8Array) => void} options.onWrite
 * @returns {Promise<boolean>} whether the body was cut
 */
async function sendEvents(response, body, { delayMs, cut, signal, onWrite }) {
  if (cut === 0) return true;
  let events = 0;
  for await (const block of body?.pipeThrough(eventBlocks()) ?? []) {
    if (delayMs > 0) await sleep(delayMs, undefined, { signal }).catch(() => {});
    if (response.destroyed) return false;
    onWrite(block);
    await write(response, block);
    if (isEvent(block.toString('latin1'))) events += 1;
    if (events === cut) return true;
  }
  return false;
}

/**
 * Resolves when the bytes have been handed to the system, or never will be because the client went away; in the
 * second case Node does not always call back. Waiting for this keeps the model no further ahead than the client
 * reads, and lets a cut connection deliver everything before the cut.
 *
 * @param {ServerResponse} response
 * @param {Uint8Array} bytes
 * @returns {Promise<void>}
 */
function write(response, bytes) {
  return new Promise(resolve => {
    response.once('close', resolve);
    response.write(bytes, () => {
      response.off('close', resolve);
      resolve();
    });
  });
}

/**
 * @param {URL} url
 * @returns {Omit<Query, 'scenario'> & { scenario: Scenario }}
 */
function parseQuery(url) {
  const parsed = query.safeParse(Object.fromEntries(url.searchParams));
  if (!parsed.success) throw new RequestError(400, 'invalid_query', z.prettifyError(parsed.error));
  const scenario = findScenario(parsed.data.scenario);
  if (scenario === undefined) {
    throw new RequestError(400, 'unknown_scenario', `There is no scenario “${parsed.data.scenario}”.`);
  }
  return { ...parsed.data, scenario };
}

/**
 * @param {IncomingMessage} request
 * @param {string} requestBody
 */
function parseBody(request, requestBody) {
  // Another site cannot send this type without asking first, so it cannot spend the endpoint's tokens.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    throw new RequestError(415, 'unsupported_media_type', 'The request body has to be application/json.');
  }
  let value;
  try {
    value = JSON.parse(requestBody);
  } catch {
    throw new RequestError(400, 'invalid_json', 'The request body is not valid JSON.');
  }
  const parsed = chatRequest.safeParse(value);
  if (!parsed.success) throw new RequestError(400, 'invalid_body', z.prettifyError(parsed.error));
  const { id, messages, trigger } = parsed.data;
  return { chatId: id, messages, isRetry: trigger === 'regenerate-message' };
}

/** The validator's message repeats the whole conversation before it comes to the point. @param {string} message */
function shortened(message) {
  const half = MAX_ERROR_CHARACTERS / 2;
  return message.length <= MAX_ERROR_CHARACTERS ? message : `${message.slice(0, half)} … ${message.slice(-half)}`;
}

/**
 * The text that the page shows. A public server would hide it; here the reader is the person who runs the server.
 *
 * @param {unknown} error
 */
function errorText(error) {
  return error instanceof Error ? error.message : String(error);
}
