import {
  UI_MESSAGE_STREAM_HEADERS,
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  generateId,
  isStepCount,
  safeValidateUIMessages,
  streamText,
  toUIMessageStream,
} from 'ai';

import { cancelRequest, chatRequest, parseJson, parseQuery } from './chat-request.mjs';
import { eventsOf, isDone, isEvent, paced, watched } from './event-stream.mjs';
import { RequestError, errorBody, readBody } from './http.mjs';
import { TOOL_APPROVAL, createTools } from './tools.mjs';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Scenario } from './scenarios/index.mjs' */

/** Steps of one answer, in case a real model calls tools without end. */
const MAX_STEPS = 8;

/** Why a run was cancelled when the request does not say. */
const CANCELLED = 'The response was cancelled.';

/** Longest error message that an answer carries, in UTF-16 units. */
const MAX_ERROR_CHARACTERS = 1000;

/**
 * What the server knows of an answer that it is about to send.
 *
 * @typedef {object} Answer
 * @property {number} status of HTTP
 * @property {Headers} headers
 * @property {ReadableStream<Uint8Array> | null} body
 * @property {number} delayMs pause before each event
 * @property {{ after: number, mode: 'end' | 'destroy' }} [cut] ends the connection after so many events
 * @property {{ chatId: string, messageId: string }} [resumable] what a client finds it by when it comes back
 */

/**
 * `POST /api/chat?scenario=<name>&delay=<ms>&cut=<n>&cutMode=end|destroy&resumable=0|1`
 *
 * - `delay`: pause before each event, in milliseconds; default 15.
 * - `cut`: send exactly this many events of the answer, then stop. `cutMode=end` ends the response as if it were
 *   complete, `destroy` (the default) breaks the connection.
 * - `resumable`: with 1, the model goes on when the connection ends, and a client can come back to the answer or
 *   cancel it; with 0 (the default), the end of the connection is the end of the answer. It has to be asked for,
 *   because a model that talks to nobody costs its tokens all the same.
 *
 * `GET /api/chat/<id>/stream` gives the resumable answer that is running, from its beginning and then as it comes; 204
 * when there is none. It takes the query of the POST, since clients keep it, and ignores it: a cut is for one
 * connection, and the delays are the answer's own.
 *
 * `POST /api/chat/<id>/cancel` with `{ messageId?, label? }` ends the resumable answer that is running, if it is this
 * message: 202, or 204 when there is none. `label` is the reason that the `abort` chunk carries.
 */
export class ChatRoute {
  #chooseModel;
  #approvalSecret;
  #executions;
  #resumes;
  #recordings;
  #resumableRuns;
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
   * @param {import('./resumable.mjs').ResumableRuns} context.resumableRuns
   * @param {(error: unknown) => void} context.logError
   */
  constructor({ chooseModel, approvalSecret, executions, resumes, recordings, resumableRuns, logError }) {
    this.#chooseModel = chooseModel;
    this.#approvalSecret = approvalSecret;
    this.#executions = executions;
    this.#resumes = resumes;
    this.#recordings = recordings;
    this.#resumableRuns = resumableRuns;
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
    const ended = () => {
      this.#runs.delete(run);
      recording?.ended();
    };
    try {
      const answer = await this.#answer(request, requestBody, url, run.signal);
      recording?.opened(answer.status);
      const events = paced(eventsOf(answer.body), answer.delayMs, run.signal);
      if (answer.resumable === undefined) {
        // Also when the client leaves or the answer is cut: nobody will read what the model still has to say.
        response.once('close', () => run.abort(new Error('The response has ended.')));
        await sendEvents(response, answer, events, bytes => recording?.wrote(bytes));
        ended();
      } else {
        const body = await this.#resumableRuns.start({
          ...answer.resumable,
          events: watched(events, bytes => recording?.wrote(bytes), ended),
          abort: run,
        });
        await sendEvents(response, answer, eventsOf(body));
      }
    } catch (error) {
      ended();
      throw error;
    }
  }

  /**
   * @param {IncomingMessage} _request
   * @param {ServerResponse} response
   * @param {URL} _url
   * @param {string} chatId
   */
  async resume(_request, response, _url, chatId) {
    const body = await this.#resumableRuns.resume(chatId);
    if (body === undefined) response.writeHead(204, { 'cache-control': 'no-store' }).end();
    else await sendEvents(response, { status: 200, headers: new Headers(UI_MESSAGE_STREAM_HEADERS) }, eventsOf(body));
  }

  /**
   * @param {IncomingMessage} request
   * @param {ServerResponse} response
   * @param {URL} _url
   * @param {string} chatId
   */
  async cancel(request, response, _url, chatId) {
    const { messageId, label } = parseJson(request, await readBody(request), cancelRequest);
    const isCancelled = await this.#resumableRuns.cancel(chatId, {
      messageId: messageId ?? undefined,
      label: label ?? CANCELLED,
    });
    response.writeHead(isCancelled ? 202 : 204, { 'cache-control': 'no-store' }).end();
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
   * @returns {Promise<Answer>}
   */
  async #answer(request, requestBody, url, signal) {
    try {
      const { scenario, delay, cut, cutMode, resumable } = parseQuery(url);
      const { id: chatId, messages, trigger } = parseJson(request, requestBody, chatRequest);
      const isRetry = trigger === 'regenerate-message';
      const { answer, messageId } = await this.#stream({ scenario, chatId, messages, isRetry, signal });
      const after = cut ?? (isRetry ? undefined : scenario.cutAfter);
      return {
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        delayMs: delay,
        cut: after === undefined ? undefined : { after, mode: cutMode },
        resumable: resumable ? { chatId, messageId } : undefined,
      };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const { status, headers, body } = Response.json(errorBody(error), { status: error.status });
      return { status, headers, body, delayMs: 0 };
    }
  }

  /**
   * @param {object} options
   * @param {Scenario} options.scenario
   * @param {string} options.chatId
   * @param {unknown[]} options.messages
   * @param {boolean} options.isRetry
   * @param {AbortSignal} options.signal
   */
  async #stream({ scenario, chatId, messages, isRetry, signal }) {
    const tools = createTools({ chatId, executions: this.#executions, resumes: this.#resumes });
    const validation = await safeValidateUIMessages({ messages, tools });
    if (!validation.success) throw new RequestError(400, 'invalid_messages', shortened(validation.error.message));
    const uiMessages = validation.data;
    const last = uiMessages.at(-1);
    const messageId = last?.role === 'assistant' ? last.id : generateId();

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
      generateMessageId: () => messageId,
      sendSources: true,
      messageMetadata: scenario.messageMetadata?.(model.modelId),
      onError: errorText,
    });
    const { writeData } = scenario;
    const stream =
      writeData === undefined
        ? chunks
        : createUIMessageStream({ execute: ({ writer }) => writeData(chunks, writer), onError: errorText });
    return { answer: createUIMessageStreamResponse({ stream }), messageId };
  }
}

/**
 * Writes the events' bytes as they are, and ends the response after the last one or where it is to be cut.
 *
 * @param {ServerResponse} response
 * @param {Pick<Answer, 'status' | 'headers' | 'cut'>} answer
 * @param {AsyncIterable<Buffer>} events
 * @param {(bytes: Uint8Array) => void} [onWrite]
 */
async function sendEvents(response, { status, headers, cut }, events, onWrite = () => {}) {
  response.writeHead(status, Object.fromEntries(headers));
  response.flushHeaders();
  const wasCut = await writeEvents(response, events, cut?.after, onWrite);
  if (wasCut && cut?.mode === 'destroy') response.destroy();
  else response.end();
}

/**
 * @param {ServerResponse} response
 * @param {AsyncIterable<Buffer>} events
 * @param {number | undefined} cutAfter
 * @param {(bytes: Uint8Array) => void} onWrite
 * @returns {Promise<boolean>} whether they were cut
 */
async function writeEvents(response, events, cutAfter, onWrite) {
  if (cutAfter === 0) return true;
  let count = 0;
  for await (const block of events) {
    if (response.destroyed) return false;
    onWrite(block);
    await write(response, block);
    const text = block.toString('latin1');
    if (isEvent(text)) count += 1;
    if (count === cutAfter) return true;
    // A resumable run stays open for a while after its last event.
    if (isDone(text)) return false;
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
