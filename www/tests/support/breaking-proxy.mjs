import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';

/**
 * @typedef {object} ProxiedRequest
 * @property {string} method
 * @property {string} path without the query
 * @property {string} upstream the server that was asked
 * @property {boolean} isBroken whether the proxy broke the connection
 */

/** Stands between a client and its servers, and breaks connections at the byte it is told to. */
export class BreakingProxy {
  /** Every request so far, in order. @type {ProxiedRequest[]} */
  requests = [];
  #upstreams;
  #breaks;
  #server;

  /**
   * @param {string[]} upstreams addresses of the servers; each request goes to the next one
   * @param {(number | undefined)[]} [breaks] of each request in order, after how many bytes of the response's body its
   *   connection breaks; later requests, and those with undefined, are left alone
   */
  static async start(upstreams, breaks = []) {
    const proxy = new BreakingProxy(upstreams, breaks);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /**
   * @param {string[]} upstreams
   * @param {(number | undefined)[]} breaks
   */
  constructor(upstreams, breaks) {
    this.#upstreams = upstreams;
    this.#breaks = breaks;
    this.#server = createServer((request, response) => this.#handle(request, response));
  }

  get url() {
    return `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (this.#server.address()).port}`;
  }

  /** How many connections it has broken. */
  get broken() {
    return this.requests.filter(({ isBroken }) => isBroken).length;
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
  #handle(request, response) {
    const index = this.requests.length;
    const upstream = this.#upstreams[index % this.#upstreams.length];
    const { method = '', url = '', headers } = request;
    const proxied = { method, path: url.replace(/\?.*/, ''), upstream, isBroken: false };
    this.requests.push(proxied);

    const forwarded = forward(upstream + url, { method, headers }, answer => {
      let left = this.#breaks[index] ?? Infinity;
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      response.flushHeaders();
      const send = (/** @type {Buffer} */ piece) => {
        const isLast = piece.length >= left;
        response.write(piece.subarray(0, left), () => isLast && response.destroy());
        left -= piece.length;
        if (!isLast) return;
        proxied.isBroken = true;
        forwarded.destroy();
      };
      if (left === 0) send(Buffer.alloc(0));
      answer.on('data', piece => {
        if (!proxied.isBroken) send(piece);
      });
      answer.on('end', () => {
        if (!proxied.isBroken) response.end();
      });
      answer.on('error', () => response.destroy());
    });
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    request.pipe(forwarded);
  }
}
