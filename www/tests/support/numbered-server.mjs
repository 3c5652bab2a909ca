import { once } from 'node:events';
import { createServer } from 'node:http';

/**
 * How a reconnect is answered: with the events after `Last-Event-ID`, with all of them, or with a status and no events.
 *
 * @typedef {'continue' | 'replay' | number} Answer
 */

/**
 * @typedef {object} NumberedRequest
 * @property {string} method
 * @property {string | undefined} lastEventId the header that it came with
 * @property {number[]} sent numbers of the events that it was answered with
 */

/**
 * A server that has one response and numbers its events from 1, which the AI SDK's own servers do not. Every connection
 * but the last one that a test plans breaks.
 */
export class NumberedServer {
  /** Every request so far, in order. @type {NumberedRequest[]} */
  requests = [];
  #events;
  #breaks;
  #answers;
  #pauseMs;
  #server;

  /**
   * @param {object} options
   * @param {object[]} options.chunks of the response; `[DONE]` follows
   * @param {number[]} options.breaks of each stream in order, after how many events its connection breaks
   * @param {Answer[]} options.answers to the reconnects in order; the last one is for all further ones
   * @param {number} [options.pauseMs] before each event, in milliseconds; default 0
   */
  static async start(options) {
    const server = new NumberedServer(options);
    server.#server.listen(0, '127.0.0.1');
    await once(server.#server, 'listening');
    return server;
  }

  /** @param {{ chunks: object[], breaks: number[], answers: Answer[], pauseMs?: number }} options */
  constructor({ chunks, breaks, answers, pauseMs = 0 }) {
    const data = [...chunks.map(chunk => JSON.stringify(chunk)), '[DONE]'];
    this.#events = data.map((text, index) => ({ number: index + 1, text: `id: ${index + 1}\ndata: ${text}\n\n` }));
    this.#breaks = [...breaks];
    this.#answers = [...answers];
    this.#pauseMs = pauseMs;
    this.#server = createServer((request, response) => this.#handle(request, response));
  }

  get url() {
    return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (this.#server.address()).port}`;
  }

  /** The requests that reconnect. */
  get reconnects() {
    return this.requests.filter(({ method }) => method === 'GET');
  }

  async close() {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /**
   * @param {import('node:http').IncomingMessage} request
   * @param {import('node:http').ServerResponse} response
   */
  async #handle(request, response) {
    const { method = '', headers } = request;
    const lastEventId = /** @type {string | undefined} */ (headers['last-event-id']);
    const entry = { method, lastEventId, sent: /** @type {number[]} */ ([]) };
    this.requests.push(entry);
    request.resume();

    const answer = method === 'POST' ? 'replay' : this.#nextAnswer();
    if (typeof answer === 'number') {
      response.writeHead(answer, { 'content-type': 'text/plain' }).end(`answered with ${answer}`);
      return;
    }
    const after = answer === 'continue' ? Number(lastEventId ?? 0) : 0;
    const breakAfter = this.#breaks.shift() ?? Infinity;
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-vercel-ai-ui-message-stream': 'v1' });
    response.flushHeaders();
    // Of a client that went away, a write may never be answered.
    const closed = once(response, 'close');
    for (const { number, text } of this.#events.slice(after)) {
      if (entry.sent.length === breakAfter) {
        response.destroy();
        return;
      }
      if (this.#pauseMs > 0) await new Promise(resolve => setTimeout(resolve, this.#pauseMs));
      if (response.destroyed) return;
      await Promise.race([new Promise(resolve => response.write(text, resolve)), closed]);
      entry.sent.push(number);
    }
    response.end();
  }

  #nextAnswer() {
    const [answer] = this.#answers;
    if (this.#answers.length > 1) this.#answers.shift();
    return answer;
  }
}
