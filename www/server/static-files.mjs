import { randomBytes } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

import { RequestError } from './http.mjs';

/** In an HTML page this stands where the nonce of the page's inline import map goes. */
const NONCE_PLACEHOLDER = '__CSP_NONCE__';

/** @type {Record<string, string>} */
const MIME_TYPES = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/**
 * A folder that is served below a URL path.
 *
 * @typedef {object} Mount
 * @property {string} prefix URL path that ends in `/`
 * @property {string} folder
 * @property {string} missing what to tell a visitor when a file is not there
 */

/**
 * Answers GET and HEAD for the files of the mounts; the first mount whose prefix fits is used.
 *
 * @param {readonly Mount[]} mounts
 * @returns {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, pathname: string) => Promise<void>}
 */
export function staticFiles(mounts) {
  return async (request, response, pathname) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      throw new RequestError(405, 'method_not_allowed', 'Files can only be read.');
    }
    const mount = mounts.find(({ prefix }) => pathname.startsWith(prefix));
    if (mount === undefined) throw new RequestError(404, 'not_found', 'There is nothing at this address.');

    const file = await locate(mount, pathname.slice(mount.prefix.length) || 'index.html');
    const extension = path.extname(file);
    const nonce = randomBytes(16).toString('base64');
    let content = await readFile(file);
    if (extension === '.html') {
      content = Buffer.from(content.toString('utf8').replaceAll(NONCE_PLACEHOLDER, nonce));
    }

    response.writeHead(200, {
      'content-type': MIME_TYPES[extension] ?? 'application/octet-stream',
      'content-length': content.length,
      'content-security-policy': contentSecurityPolicy(nonce),
      'cache-control': 'no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    // For HEAD, Node itself leaves the content out.
    response.end(content);
  };
}

/**
 * The real path of a file, refused when it is outside the folder by `..`, by an encoded slash or by a link.
 *
 * @param {Mount} mount
 * @param {string} encodedName
 * @returns {Promise<string>}
 */
async function locate({ folder, missing }, encodedName) {
  const notFound = new RequestError(404, 'not_found', missing);
  try {
    const root = await realpath(folder);
    const file = await realpath(path.join(root, decodeURIComponent(encodedName)));
    if (file.startsWith(root + path.sep) && (await stat(file)).isFile()) return file;
  } catch {
    // A name that cannot be decoded, and one that does not exist, are both simply not there.
  }
  throw notFound;
}

/** @param {string} nonce */
function contentSecurityPolicy(nonce) {
  return [
    "default-src 'self'",
    `script-src 'self' 'wasm-unsafe-eval' 'nonce-${nonce}'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ].join('; ');
}
