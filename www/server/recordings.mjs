/**
 * @typedef {object} Recording
 * @property {string} scenario the scenario asked for
 * @property {string} url path and query of the request
 * @property {string} requestBody the exact text of the request body
 * @property {number} status HTTP status of the response
 * @property {string} body the exact bytes written so far, as text; the server writes whole UTF-8 events only
 * @property {boolean} ended false while the response is still being written
 */

/** Keeps each chat request with the exact bytes of its response. */
export class Recordings {
  /** @type {RecordedExchange[]} */
  #exchanges = [];

  /**
   * Adds an exchange at the moment the request is known, so that the order is the order of arrival and an
   * unfinished response is visible too.
   *
   * @param {{ scenario: string, url: string, requestBody: string }} request
   */
  start(request) {
    const exchange = new RecordedExchange(request);
    this.#exchanges.push(exchange);
    return exchange;
  }

  /** @returns {Recording[]} */
  list() {
    return this.#exchanges.map(exchange => exchange.toRecording());
  }

  clear() {
    this.#exchanges = [];
  }
}

class RecordedExchange {
  #request;
  #status = 0;
  #ended = false;
  /** @type {Uint8Array[]} */
  #written = [];

  /** @param {{ scenario: string, url: string, requestBody: string }} request */
  constructor(request) {
    this.#request = request;
  }

  /** @param {number} status */
  opened(status) {
    this.#status = status;
  }

  /** @param {Uint8Array} bytes */
  wrote(bytes) {
    this.#written.push(bytes);
  }

  ended() {
    this.#ended = true;
  }

  /** @returns {Recording} */
  toRecording() {
    return {
      ...this.#request,
      status: this.#status,
      body: Buffer.concat(this.#written).toString('utf8'),
      ended: this.#ended,
    };
  }
}
