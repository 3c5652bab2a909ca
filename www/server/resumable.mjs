import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

import { createResumableStreamContext } from 'resumable-stream/generic';

import { RequestError } from './http.mjs';
import { MemoryBroker } from './resumable-memory.mjs';
import { connectRedis } from './resumable-redis.mjs';

/** @import { Publisher, ResumableStreamContext, Subscriber } from 'resumable-stream/generic' */

/** In front of every key and channel, beside those of `resumable-stream` itself. */
const PREFIX = 'chatwire-demo';

/** How long it is remembered which run is a chat's, in seconds: as long as `resumable-stream` remembers a run. */
const REMEMBERED_S = 24 * 60 * 60;

/** How long the process that holds a run has to answer, in milliseconds. `resumable-stream` itself waits a second. */
const ANSWER_TIMEOUT_MS = 2000;

/**
 * A run to start.
 *
 * @typedef {object} NewRun
 * @property {string} chatId
 * @property {string} messageId the message that it writes
 * @property {AsyncIterable<Buffer>} events its event stream, in whole events
 * @property {AbortController} abort ends it
 */

/**
 * Runs that go on without their client, so that it can come back to them: each chat's newest one.
 *
 * They are kept by `resumable-stream`: in the memory of this process, or in a Redis that several processes share. A
 * run lives in the process that started it. The others ask that one for its events, and ask it to cancel.
 */
export class ResumableRuns {
  /** @type {Publisher} */
  #publisher;
  /** @type {Subscriber} */
  #subscriber;
  /** @type {ResumableStreamContext} */
  #streams;
  #close;
  #graceMs;
  #logError;
  #closing = new AbortController();
  /** @type {Set<Promise<unknown>>} */
  #running = new Set();

  /**
   * @param {object} options
   * @param {string} [options.redisUrl] default: the memory of this process
   * @param {number} options.graceMs how long a run can be taken up after its last event, in milliseconds. A client
   *   that loses the connection just before the end comes back only after it.
   * @param {(error: unknown) => void} options.logError
   * @returns {Promise<ResumableRuns>}
   * @throws when Redis cannot be reached
   */
  static async open({ redisUrl, graceMs, logError }) {
    if (redisUrl === undefined) {
      const broker = new MemoryBroker();
      return new ResumableRuns(createResumableStreamContext, broker, broker, async () => {}, { graceMs, logError });
    }
    const { publisher, subscriber, close } = await connectRedis(redisUrl, logError);
    const redis = await import('resumable-stream/redis');
    return new ResumableRuns(redis.createResumableStreamContext, publisher, subscriber, close, { graceMs, logError });
  }

  /**
   * @param {typeof createResumableStreamContext} createContext
   * @param {Publisher} publisher
   * @param {Subscriber} subscriber
   * @param {() => Promise<unknown>} close
   * @param {{ graceMs: number, logError: (error: unknown) => void }} options
   */
  constructor(createContext, publisher, subscriber, close, { graceMs, logError }) {
    this.#publisher = publisher;
    this.#subscriber = subscriber;
    this.#streams = createContext({
      keyPrefix: PREFIX,
      publisher,
      subscriber,
      waitUntil: promise => {
        this.#running.add(promise);
        promise.finally(() => this.#running.delete(promise));
      },
    });
    // Each ended run listens for as long as it can be taken up.
    setMaxListeners(0, this.#closing.signal);
    this.#close = close;
    this.#graceMs = graceMs;
    this.#logError = logError;
  }

  /**
   * Starts a run. It goes on to its end whether the stream is read or not.
   *
   * @param {NewRun} run
   * @returns {Promise<ReadableStream<Uint8Array>>} its events from the first on
   */
  async start({ chatId, messageId, events, abort }) {
    // Nobody could find the chat's older run any more.
    await this.cancel(chatId, { label: 'Another request of this chat has taken its place.' });

    const runId = randomUUID();
    const cancelled = cancelChannel(runId);
    // The text itself, not an error: the AI SDK would put the error's name in front of it.
    await this.#subscriber.subscribe(cancelled, label => abort.abort(label));
    const text = this.#textOf(events, () => this.#subscriber.unsubscribe(cancelled));
    const stream = await this.#streams.createNewResumableStream(runId, () => ReadableStream.from(text));
    if (stream === null) throw new Error('A new run cannot have ended.');
    await this.#publisher.set(activeKey(chatId), JSON.stringify({ runId, messageId }), { EX: REMEMBERED_S });
    return stream.pipeThrough(new TextEncoderStream());
  }

  /**
   * @param {string} chatId
   * @returns {Promise<ReadableStream<Uint8Array> | undefined>} the events of the chat's run from the first on; undefined
   *   when nothing is running
   * @throws {RequestError} 503 when the process that holds the run does not answer
   */
  async resume(chatId) {
    const run = await this.#active(chatId);
    if (run === undefined) return undefined;
    const late = new AbortController();
    try {
      const stream = await Promise.race([
        this.#streams.resumeExistingStream(run.runId),
        sleep(ANSWER_TIMEOUT_MS, undefined, { signal: late.signal }).then(() => {
          throw new Error('Timeout.');
        }),
      ]);
      return stream?.pipeThrough(new TextEncoderStream());
    } catch (error) {
      this.#logError(error);
      throw new RequestError(503, 'run_unreachable', 'The process that holds the running response does not answer.');
    } finally {
      late.abort();
    }
  }

  /**
   * Asks the process that holds the chat's run to end it. The run then ends with an `abort` chunk.
   *
   * @param {string} chatId
   * @param {object} request
   * @param {string} [request.messageId] only if the run writes this message; default: whichever it writes
   * @param {string} request.label the reason, for the person
   * @returns {Promise<boolean>} whether there was such a run
   */
  async cancel(chatId, { messageId, label }) {
    const run = await this.#active(chatId);
    if (run === undefined || (messageId !== undefined && messageId !== run.messageId)) return false;
    await this.#publisher.publish(cancelChannel(run.runId), label);
    return true;
  }

  /** Waits until every run of this process has ended, then leaves Redis. Abort the runs first. */
  async close() {
    this.#closing.abort();
    await Promise.all(this.#running);
    await this.#close();
  }

  /**
   * @param {string} chatId
   * @returns {Promise<{ runId: string, messageId: string } | undefined>}
   */
  async #active(chatId) {
    const value = await this.#publisher.get(activeKey(chatId));
    if (typeof value !== 'string') return undefined;
    const run = JSON.parse(value);
    return (await this.#streams.hasExistingStream(run.runId)) === true ? run : undefined;
  }

  /**
   * @param {AsyncIterable<Buffer>} events
   * @param {() => Promise<unknown>} ended
   * @returns {AsyncGenerator<string, void>}
   */
  async *#textOf(events, ended) {
    try {
      for await (const event of events) yield event.toString('utf8');
      await sleep(this.#graceMs, undefined, { signal: this.#closing.signal }).catch(() => {});
    } catch (error) {
      // `resumable-stream` cannot pass a failure on: the clients see an end without `[DONE]`.
      this.#logError(error);
    } finally {
      await ended();
    }
  }
}

/** @param {string} chatId */
function activeKey(chatId) {
  return `${PREFIX}:run:${chatId}`;
}

/** @param {string} runId */
function cancelChannel(runId) {
  return `${PREFIX}:cancel:${runId}`;
}
