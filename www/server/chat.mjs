import {
  InvalidToolInputError,
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

import { pruneContext, repairToolInput } from '../../pkg/dist/agent-node.js';
import { cancelRequest, chatRequest, parseJson, parseQuery } from './chat-request.mjs';
import { eventsOf, isDone, isEvent, paced, watched } from './event-stream.mjs';
import { RequestError, errorBody, readBody, sendJsonText } from './http.mjs';
import { createTools, toolApproval } from './tools.mjs';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */
/** @import { Scenario } from './scenarios/index.mjs' */

/** Steps of one answer, in case a real model calls tools without end. */
const MAX_STEPS = 8;

/** What of a stored conversation the model is given at most, in tokens. */
const CONTEXT_TOKENS = 24_000;

/** Why a run was cancelled when the request does not say. */
const CANCELLED = 'The response was cancelled.';

/** Longest error message that an answer carries, in UTF-16 units. */
const MAX_ERROR_CHARACTERS = 1000;

/** Tools whose output holds the whole résumé: the model needs the newest one only. */
const SNAPSHOT_TOOLS = ['apply_resume_patch'];

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
 * What is asked of the model, beside the messages.
 *
 * @typedef {object} Question
 * @property {Scenario} scenario
 * @property {string} chatId
 * @property {boolean} isRetry
 * @property {boolean} reviewEdits whether a change of the résumé waits for the person's approval
 * @property {AbortSignal} signal
 */

/**
 * `POST /api/chat?scenario=<name>&delay=<ms>&cut=<n>&cutMode=end|destroy&resumable=0|1&stored=0|1`
 *
 * - `delay`: pause before each event, in milliseconds; default 15.
 * - `cut`: send exactly this many events of the answer, then stop. `cutMode=end` ends the response as if it were
 *   complete, `destroy` (the default) breaks the connection.
 * - `resumable`: with 1, the model goes on when the connection ends, and a client can come back to the answer or
 *   cancel it; with 0 (the default), the end of the connection is the end of the answer. It has to be asked for,
 *   because a model that talks to nobody costs its tokens all the same.
 * - `stored`: with 1, the server keeps the conversation itself, takes from the request only what is new, and refuses
 *   it with 409 while an answer is being written; the answer is resumable. With 0 (the default), the conversation is
 *   what the client sends.
 *
 * `GET /api/chat/<id>/stream` gives the resumable answer that is running, from its beginning and then as it comes; 204
 * when there is none. It takes the query of the POST, since clients keep it, and ignores it: a cut is for one
 * connection, and the delays are the answer's own.
 *
 * `POST /api/chat/<id>/cancel` with `{ messageId?, label? }` ends the resumable answer that is running, if it is this
 * message: 202, in a stored conversation 200 with the message as it is stored then; 204 when there is none. `label` is
 * the reason that the `abort` chunk carries.
 */
export class ChatRoute {
  #chooseModel;
  #approvalSecret;
  #executions;
  #resumes;
  #recordings;
  #resumableRuns;
  #threads;
  #threadRuns;
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
   * @param {import('./threads.mjs').Threads} context.threads
   * @param {import('./thread-runs.mjs').ThreadRuns} context.threadRuns
   * @param {(error: unknown) => void} context.logError
   */
  constructor(context) {
    const { chooseModel, approvalSecret, executions, resumes, recordings, logError } = context;
    const { resumableRuns, threads, threadRuns } = context;
    this.#chooseModel = chooseModel;
    this.#approvalSecret = approvalSecret;
    this.#executions = executions;
    this.#resumes = resumes;
    this.#recordings = recordings;
    this.#resumableRuns = resumableRuns;
    this.#threads = threads;
    this.#threadRuns = threadRuns;
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
    const run = this.#threads.running(chatId);
    const isCancelled = await this.#resumableRuns.cancel(chatId, {
      messageId: messageId ?? undefined,
      label: label ?? CANCELLED,
    });
    const message = isCancelled && run !== undefined ? await this.#threadRuns.ended(chatId, run) : undefined;
    if (message === undefined) response.writeHead(isCancelled ? 202 : 204, { 'cache-control': 'no-store' }).end();
    else sendJsonText(response, 200, message);
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
      const { scenario, delay, cut, cutMode, resumable, stored } = parseQuery(url);
      const body = parseJson(request, requestBody, chatRequest);
      const { id: chatId } = body;
      const isRetry = body.trigger === 'regenerate-message';
      const question = { scenario, chatId, isRetry, reviewEdits: body.reviewEdits, signal };
      const { answer, messageId } = stored
        ? await this.#storedStream(body, question)
        : await this.#stream(question, body.messages);
      const after = cut ?? (isRetry ? undefined : scenario.cutAfter);
      return {
        status: answer.status,
        headers: answer.headers,
        body: answer.body,
        delayMs: delay,
        cut: after === undefined ? undefined : { after, mode: cutMode },
        resumable: resumable || stored ? { chatId, messageId } : undefined,
      };
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      const { status, headers, body } = Response.json(errorBody(error), { status: error.status });
      return { status, headers, body, delayMs: 0 };
    }
  }

  /**
   * Takes the request into the stored conversation and answers that.
   *
   * @param {import('zod').infer<typeof chatRequest>} body
   * @param {Question} question
   */
  async #storedStream(body, question) {
    const { run, history } = await this.#threadRuns.begin(body);
    try {
      return await this.#stream(question, history, run);
    } catch (error) {
      this.#threads.release(run);
      throw error;
    }
  }

  /**
   * @param {Question} question
   * @param {unknown[]} messages
   * @param {import('./threads.mjs').ThreadRun} [run] of a stored conversation
   */
  async #stream({ scenario, chatId, isRetry, reviewEdits, signal }, messages, run) {
    const tools = createTools({ chatId, executions: this.#executions, resumes: this.#resumes });
    const validation = await safeValidateUIMessages({ messages, tools });
    if (!validation.success) throw new RequestError(400, 'invalid_messages', shortened(validation.error.message));
    const uiMessages = validation.data;
    const last = uiMessages.at(-1);
    const messageId = last?.role === 'assistant' ? last.id : (run?.messageId ?? generateId());
    const context = run === undefined ? uiMessages : await pruned(uiMessages);

    const model = this.#chooseModel(scenario, { isRetry });
    const result = streamText({
      model,
      instructions: scenario.instructions,
      // A call that the person left unanswered, and went on without, has no result to give to the model.
      messages: await convertToModelMessages(context, { tools, ignoreIncompleteToolCalls: true }),
      tools,
      activeTools: scenario.tools ?? [],
      toolApproval: toolApproval(reviewEdits),
      experimental_toolApprovalSecret: this.#approvalSecret,
      repairToolCall,
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
      messageMetadata: this.#metadata(scenario, model.modelId, run && chatId),
      onError: errorText,
    });
    const { writeData } = scenario;
    const stream =
      writeData === undefined
        ? chunks
        : createUIMessageStream({ execute: ({ writer }) => writeData(chunks, writer), onError: errorText });
    const sent = run === undefined ? stream : this.#threadRuns.record(chatId, run, stream, signal);
    return { answer: createUIMessageStreamResponse({ stream: sent }), messageId };
  }

  /**
   * The scenario's metadata; in a stored conversation with the status of the answer, and the version of the résumé
   * that the model saw.
   *
   * @param {Scenario} scenario
   * @param {string} modelId
   * @param {string | undefined} storedChatId
   * @returns {import('./scenarios/index.mjs').MessageMetadata | undefined}
   */
  #metadata(scenario, modelId, storedChatId) {
    const own = scenario.messageMetadata?.(modelId);
    if (storedChatId === undefined) return own;
    const seesResume = scenario.tools?.includes('apply_resume_patch');
    const { version } = this.#resumes.read(storedChatId);
    return event => {
      const metadata = /** @type {object | undefined} */ (own?.(event));
      if (event.part.type === 'start') {
        return { ...metadata, status: 'running', ...(seesResume && { documentVersion: version }) };
      }
      return event.part.type === 'finish' ? { ...metadata, status: 'complete' } : metadata;
    };
  }
}

/**
 * As much of a conversation as the model is given.
 *
 * @param {import('ai').UIMessage[]} messages
 */
async function pruned(messages) {
  const options = { budgetTokens: CONTEXT_TOKENS, snapshotTools: SNAPSHOT_TOOLS };
  const { messages: kept } = await pruneContext(/** @type {any} */ (messages), options);
  return /** @type {import('ai').UIMessage[]} */ (kept);
}

/**
 * Mends the input of a tool where the model wrote almost JSON; the AI SDK then checks it against the tool's schema.
 *
 * @type {import('ai').ToolCallRepairFunction<import('ai').ToolSet>}
 */
async function repairToolCall({ toolCall, error }) {
  if (!InvalidToolInputError.isInstance(error)) return null;
  const repaired = await repairToolInput(toolCall.input, { pathPrefixes: ['/data', '/resume'] });
  return repaired.ok ? { ...toolCall, input: repaired.text } : null;
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
