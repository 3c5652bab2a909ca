/** The small part of HTTP that every route shares: errors, bodies, JSON answers. */

/** Largest accepted request body, in bytes: a long history with a few inlined images. */
export const MAX_BODY_BYTES = 32 * 1024 * 1024;

/** A request that the server refuses: `status` is the HTTP status, `code` names the reason. */
export class RequestError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   */
  constructor(status, code, message) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
    this.code = code;
  }
}

/**
 * The JSON form of an error: `{ error: { code, message } }`.
 *
 * @param {RequestError} error
 */
export function errorBody(error) {
  return { error: { code: error.code, message: error.message } };
}

/**
 * The whole request body as text.
 *
 * @param {import('node:http').IncomingMessage} request
 * @returns {Promise<string>}
 * @throws {RequestError} 413 above {@link MAX_BODY_BYTES}
 */
export function readBody(request) {
  return new Promise((resolve, reject) => {
    /** @type {Buffer[]} */
    const pieces = [];
    let length = 0;
    request.on('data', piece => {
      length += piece.length;
      if (length <= MAX_BODY_BYTES) pieces.push(piece);
      else pieces.length = 0;
    });
    // A body that is too large is read to its end all the same: only then does the client read the answer, and the
    // connection stays usable.
    request.on('end', () => {
      if (length <= MAX_BODY_BYTES) resolve(Buffer.concat(pieces).toString('utf8'));
      else reject(new RequestError(413, 'body_too_large', `The body is larger than ${MAX_BODY_BYTES} bytes.`));
    });
    request.on('error', reject);
  });
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {unknown} value
 */
export function sendJson(response, status, value) {
  sendJsonText(response, status, JSON.stringify(value));
}

/**
 * @param {import('node:http').ServerResponse} response
 * @param {number} status
 * @param {string} body
 */
export function sendJsonText(response, status, body) {
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}
