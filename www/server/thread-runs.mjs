import { setTimeout as sleep } from 'node:timers/promises';

import { generateId } from 'ai';

import { applyStep, mergeClientToolResponses, rawJson } from '../../pkg/dist/agent-node.js';
import { RequestError } from './http.mjs';
import { CLIENT_TOOLS } from './tools.mjs';

/** @import { UIMessage, UIMessageChunk } from 'ai' */
/** @import { ThreadRun, Threads } from './threads.mjs' */

/** How often a run says that it is alive, in milliseconds. */
const BEAT_MS = 500;

/** How often dead runs are looked for, in milliseconds. */
const REAP_MS = 1000;

/** How long the end of a cancelled run is waited for, and how often it is looked for, in milliseconds. */
const PATIENCE_MS = 3000;
const POLL_MS = 20;

/** What became of a draft; `metadata.status` of its message. */
/** @typedef {'running' | 'complete' | 'cancelled' | 'failed' | 'reaped'} DraftStatus */

/**
 * @typedef {object} ThreadRequest
 * @property {string} id of the chat
 * @property {unknown[]} messages as the client has them; only the last one counts, the rest is the server's own
 * @property {'submit-message' | 'regenerate-message'} trigger
 * @property {string | null} [messageId] of what is to be made again
 */

/**
 * Answers in stored threads: takes a client's request into the thread, claims it, and writes the draft of the answer
 * step by step.
 */
export class ThreadRuns {
  #threads;
  #logError;
  #reaper;

  /** @param {{ threads: Threads, logError: (error: unknown) => void }} context */
  constructor({ threads, logError }) {
    this.#threads = threads;
    this.#logError = logError;
    this.#reaper = setInterval(() => this.reap().catch(logError), REAP_MS);
    this.#reaper.unref();
  }

  /**
   * Takes the last message of a request into its thread and claims the thread.
   *
   * @param {ThreadRequest} request
   * @returns {Promise<{ run: ThreadRun, history: UIMessage[] }>} what the model is to answer
   * @throws {RequestError} 409 `run_active`, `already_answered`, `answer_refused`; 404 `unknown_message`; 400
   */
  async begin(request) {
    await this.reap();
    const { id } = request;
    const last = /** @type {UIMessage | undefined} */ (request.messages.at(-1));
    const continued = request.trigger === 'submit-message' && last?.role === 'assistant' ? last : undefined;
    const run = this.#threads.claim(id, continued?.id ?? generateId());
    if (run === undefined) {
      throw new RequestError(409, 'run_active', 'An answer is being written in this conversation already.');
    }
    try {
      if (continued !== undefined) await this.#merge(id, continued);
      else if (request.trigger === 'regenerate-message') this.#takeBack(id, request.messageId ?? undefined);
      else this.#append(id, last);
      return { run, history: this.#threads.messages(id).map(text => JSON.parse(text)) };
    } catch (error) {
      this.#threads.release(run);
      throw error;
    }
  }

  /**
   * The chunks of an answer, each passed on once what it ends is stored: a client that has seen the end may ask for
   * more at once.
   *
   * @param {string} threadId
   * @param {ThreadRun} run
   * @param {ReadableStream<UIMessageChunk>} chunks
   * @param {AbortSignal} signal of the run
   * @returns {ReadableStream<UIMessageChunk>}
   */
  record(threadId, run, chunks, signal) {
    let draft = this.#threads.message(threadId, run.messageId);
    /** @type {UIMessageChunk[]} */
    let step = [];
    let isOver = false;

    const write = async (/** @type {DraftStatus} */ status) => {
      try {
        draft = await folded(draft, step, run.messageId);
        step = [];
        if (status !== 'running') draft = await withStatus(draft, status);
        if (this.#threads.beat(run)) this.#threads.put(threadId, run.messageId, draft);
      } catch (error) {
        this.#logError(error);
      }
    };
    const end = async (/** @type {DraftStatus} */ status) => {
      if (isOver) return;
      isOver = true;
      clearInterval(beat);
      await write(status);
      this.#threads.release(run);
    };
    const beat = setInterval(() => this.#threads.beat(run), BEAT_MS);
    // A run that was cancelled by a person says so with a text, the end of the server is an error.
    const stopped = () => (signal.reason instanceof Error ? 'reaped' : 'cancelled');

    return chunks.pipeThrough(
      new TransformStream({
        transform: async (chunk, controller) => {
          // What is left open by a failure is closed as after a stop.
          step.push(chunk.type === 'error' ? { type: 'abort' } : chunk);
          if (chunk.type === 'start' || chunk.type === 'finish-step') await write('running');
          if (chunk.type === 'finish') await end('complete');
          if (chunk.type === 'abort') await end(stopped());
          if (chunk.type === 'error') await end('failed');
          controller.enqueue(chunk);
        },
        flush: () => end(signal.aborted ? stopped() : 'failed'),
      }),
    );
  }

  /**
   * Waits until a thread has no run any more.
   *
   * @param {string} threadId
   * @param {ThreadRun} run
   * @returns {Promise<string | undefined>} the text of the answer as it is stored
   */
  async ended(threadId, run) {
    const deadline = Date.now() + PATIENCE_MS;
    while (this.#threads.running(threadId)?.runId === run.runId && Date.now() < deadline) await sleep(POLL_MS);
    return this.#threads.message(threadId, run.messageId);
  }

  /** Marks the drafts of dead runs, and gives their threads free. */
  async reap() {
    for (const { threadId, ...run } of this.#threads.stale()) {
      const draft = this.#threads.message(threadId, run.messageId);
      const reaped = draft && (await withStatus(await folded(draft, [{ type: 'abort' }], run.messageId), 'reaped'));
      // It may have been found by another process meanwhile.
      if (this.#threads.running(threadId)?.runId !== run.runId) continue;
      if (reaped) this.#threads.put(threadId, run.messageId, reaped);
      this.#threads.release(run);
    }
  }

  close() {
    clearInterval(this.#reaper);
  }

  /**
   * @param {string} id
   * @param {UIMessage} incoming
   */
  async #merge(id, incoming) {
    const stored = this.#threads.message(id, incoming.id);
    if (stored === undefined) {
      throw new RequestError(404, 'unknown_message', 'The answer that is to go on is not in this conversation.');
    }
    const { message, merged, alreadyResolved, rejected } = await mergeClientToolResponses(
      stored,
      /** @type {any} */ (incoming),
      { clientTools: CLIENT_TOOLS },
    );
    const refused = rejected.map(({ toolCallId, reason }) => `${toolCallId}: ${reason}`).join(', ');
    if (refused !== '') {
      throw new RequestError(409, 'answer_refused', `The conversation does not ask for this answer (${refused}).`);
    }
    if (merged.length === 0 && !awaitsExecution(message)) {
      const what = alreadyResolved.length > 0 ? 'was answered before' : 'is not answered';
      throw new RequestError(409, 'already_answered', `What the assistant asked ${what}. Load the conversation again.`);
    }
    this.#threads.put(id, incoming.id, rawJson(message) ?? JSON.stringify(message));
  }

  /**
   * @param {string} id
   * @param {UIMessage | undefined} message
   */
  #append(id, message) {
    if (message?.role !== 'user') throw new RequestError(400, 'invalid_messages', 'The last message is not a person’s.');
    if (this.#threads.message(id, message.id) !== undefined) this.#threads.truncate(id, message.id);
    this.#threads.put(id, message.id, JSON.stringify(message));
  }

  /**
   * @param {string} id
   * @param {string | undefined} messageId default: the last answer
   */
  #takeBack(id, messageId) {
    const messages = this.#threads.messages(id).map(text => JSON.parse(text));
    const message = messageId === undefined ? messages.at(-1) : messages.find(({ id }) => id === messageId);
    if (message === undefined) return;
    this.#threads.truncate(id, message.id, { inclusive: message.role === 'assistant' });
  }
}

/** Whether a call was approved, or denied, and the model has not heard of it yet. @param {any} message */
function awaitsExecution({ parts }) {
  return parts.some((/** @type {any} */ { state }) => state === 'approval-responded');
}

/**
 * @param {string | undefined} draft
 * @param {UIMessageChunk[]} chunks
 * @param {string} messageId
 * @returns {Promise<string>} the text of the draft with the chunks
 */
async function folded(draft, chunks, messageId) {
  const given = draft ?? JSON.stringify({ id: messageId, role: 'assistant', parts: [] });
  const { message } = await applyStep(given, /** @type {any} */ (chunks));
  return rawJson(message) ?? JSON.stringify(message);
}

/**
 * @param {string} draft
 * @param {DraftStatus} status
 */
async function withStatus(draft, status) {
  const { id } = JSON.parse(draft);
  return folded(draft, [{ type: 'message-metadata', messageMetadata: { status } }], id);
}
