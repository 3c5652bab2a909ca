/**
 * The demo's server: the page, the built package, and `/api/chat` with the AI SDK behind it.
 *
 * `node www/server.mjs` starts it on a free port and prints the address. Environment:
 *
 * - `PORT`: the port; free by default.
 * - `OPENAI_BASE_URL`, `OPENAI_MODEL`, `OPENAI_API_KEY`: a chat completions endpoint to use instead of the scripted
 *   model.
 * - `REDIS_URL`: where resumable answers are kept, so that several servers share them; the server's own memory by
 *   default.
 * - `DATABASE_FILE`: where conversations, résumés and the log of tools are kept; in memory by default.
 * - `CHATWIRE_DEMO_RECORD=1`: keep every chat request with the exact bytes of its response, see `/api/recordings`.
 *
 * @module
 */
import { once } from 'node:events';
import { realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { ChatRoute } from './server/chat.mjs';
import { approvalSecretOf, openDatabase } from './server/database.mjs';
import { ExecutionLog } from './server/executions.mjs';
import { RequestError, errorBody, sendJson } from './server/http.mjs';
import { endpointFromEnvironment, modelSource } from './server/model.mjs';
import { Recordings } from './server/recordings.mjs';
import { ResumableRuns } from './server/resumable.mjs';
import { Resumes } from './server/resumes.mjs';
import { SCENARIO_LIST } from './server/scenarios/index.mjs';
import { staticFiles } from './server/static-files.mjs';
import { threadRoutes } from './server/thread-routes.mjs';
import { ThreadRuns } from './server/thread-runs.mjs';
import { Threads } from './server/threads.mjs';

/** @typedef {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse, url: URL, id: string) => unknown} Handler */

/** How long a running answer has to end when the server closes, in milliseconds. */
const CLOSE_GRACE_MS = 1000;

/** How long a resumable answer can be taken up after its end, in milliseconds: time for a client's first two tries. */
const RESUME_GRACE_MS = 3000;

/** After how long without a sign of life a run is taken for dead, in milliseconds. */
const STALE_RUN_MS = 5000;

/**
 * @typedef {object} ServerOptions
 * @property {number} [port] default 0: a free one
 * @property {string} [host] default 127.0.0.1, so that only this machine reaches it
 * @property {boolean} [record] keep requests and responses for `/api/recordings`; default false
 * @property {import('./server/model.mjs').Endpoint} [endpoint] a real model; default the scripted one
 * @property {string | null} [approvalSecret] signs approval requests; default the one that the database keeps, null
 *   switches signing and verification off
 * @property {string} [databaseFile] default `:memory:`
 * @property {number} [staleRunMs] after how long without a sign of life a run is taken for dead, in milliseconds;
 *   default 5000
 * @property {string} [redisUrl] keeps resumable answers, for several servers; default the memory of this one
 * @property {number} [resumeGraceMs] how long they can be taken up after their end, in milliseconds; default 3000
 * @property {string} [pageFolder] default `www/page`
 * @property {string} [packageFolder] default `pkg/dist`
 * @property {(error: unknown) => void} [logError] default: errors are not logged
 */

/**
 * Starts the server.
 *
 * @param {ServerOptions} [options]
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `url` without a slash at its end; `close` ends
 *   running answers and resolves when every connection is closed
 * @throws when the port is taken, and when Redis cannot be reached
 */
export async function startServer({
  port = 0,
  host = '127.0.0.1',
  record = false,
  endpoint,
  approvalSecret,
  databaseFile = ':memory:',
  staleRunMs = STALE_RUN_MS,
  redisUrl,
  resumeGraceMs = RESUME_GRACE_MS,
  pageFolder = fileURLToPath(new URL('page', import.meta.url)),
  packageFolder = fileURLToPath(new URL('../pkg/dist', import.meta.url)),
  logError = () => {},
} = {}) {
  const database = openDatabase(databaseFile);
  const executions = new ExecutionLog(database);
  const resumes = new Resumes(database);
  const threads = new Threads(database, { staleMs: staleRunMs });
  const threadRuns = new ThreadRuns({ threads, logError });
  const recordings = record ? new Recordings() : undefined;
  const resumableRuns = await ResumableRuns.open({ redisUrl, graceMs: resumeGraceMs, logError });
  const chat = new ChatRoute({
    chooseModel: modelSource(endpoint),
    approvalSecret: approvalSecret === undefined ? approvalSecretOf(database) : (approvalSecret ?? undefined),
    executions,
    resumes,
    threads,
    threadRuns,
    recordings,
    resumableRuns,
    logError,
  });

  /** @type {Record<string, Record<string, Handler>>} */
  const routes = {
    ...threadRoutes({ threads, threadRuns, resumes }),
    '/api/chat': {
      POST: (request, response, url) => chat.handle(request, response, url),
    },
    '/api/chat/:id/stream': {
      GET: (request, response, url, chatId) => chat.resume(request, response, url, chatId),
    },
    '/api/chat/:id/cancel': {
      POST: (request, response, url, chatId) => chat.cancel(request, response, url, chatId),
    },
    '/api/scenarios': {
      GET: (_request, response) => sendJson(response, 200, SCENARIO_LIST),
    },
    '/api/executions': {
      GET: (_request, response) => sendJson(response, 200, executions.entries),
      DELETE: (_request, response) => {
        executions.clear();
        response.writeHead(204).end();
      },
    },
  };
  if (recordings !== undefined) {
    routes['/api/recordings'] = {
      GET: (_request, response) => sendJson(response, 200, recordings.list()),
      DELETE: (_request, response) => {
        recordings.clear();
        response.writeHead(204).end();
      },
    };
  }
  const files = staticFiles([
    {
      prefix: '/chatwire/',
      folder: packageFolder,
      missing: 'This file of the package does not exist. Build the package first: make package.',
    },
    { prefix: '/', folder: pageFolder, missing: 'There is nothing at this address.' },
  ]);

  /** @type {(request: import('node:http').IncomingMessage, response: import('node:http').ServerResponse) => Promise<void>} */
  async function route(request, response) {
    const url = parseUrl(request.url);
    if (!url.pathname.startsWith('/api/')) return files(request, response, url.pathname);

    const { path, id } = apiPath(url.pathname);
    if (!Object.hasOwn(routes, path)) {
      throw new RequestError(404, 'not_found', 'There is nothing at this address.');
    }
    const handlers = routes[path];
    const method = request.method ?? '';
    if (!Object.hasOwn(handlers, method)) {
      response.setHeader('allow', Object.keys(handlers).join(', '));
      throw new RequestError(405, 'method_not_allowed', `This address does not take ${method} requests.`);
    }
    await handlers[method](request, response, url, id);
  }

  /** @type {Set<import('node:http').ServerResponse>} */
  const running = new Set();
  const server = createServer((request, response) => {
    running.add(response);
    response.once('close', () => running.delete(response));
    route(request, response).catch(error => {
      if (response.headersSent) {
        logError(error);
        response.destroy();
      } else if (error instanceof RequestError) {
        sendJson(response, error.status, errorBody(error));
      } else {
        logError(error);
        sendJson(response, 500, errorBody(new RequestError(500, 'internal_error', 'The server failed.')));
      }
    });
  });
  server.listen(port, host);
  await once(server, 'listening').catch(async error => {
    await resumableRuns.close();
    threadRuns.close();
    database.close();
    throw error;
  });
  const address = /** @type {import('node:net').AddressInfo} */ (server.address());

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    async close() {
      const closed = once(server, 'close');
      server.close();
      chat.abortAll();
      const ended = Promise.all([...running].map(response => new Promise(resolve => response.once('close', resolve))));
      await Promise.race([
        Promise.all([ended, resumableRuns.close()]),
        sleep(CLOSE_GRACE_MS, undefined, { ref: false }),
      ]);
      // What is left carries no answer: browsers keep connections open for later requests.
      server.closeAllConnections();
      await closed;
      threadRuns.close();
      database.close();
    },
  };
}

/** @param {string | undefined} target */
function parseUrl(target) {
  return orUnreadable(() => new URL(target ?? '', 'http://localhost'));
}

/**
 * The path as the routes have it, with `:id` in place of the id of the chat or thread, and that id.
 *
 * @param {string} pathname
 */
function apiPath(pathname) {
  const [, before, encodedId, after = ''] = pathname.match(/^(\/api\/(?:chat|threads))\/([^/]+)(\/[^/]+)?$/) ?? [];
  if (encodedId === undefined) return { path: pathname, id: '' };
  return { path: `${before}/:id${after}`, id: orUnreadable(() => decodeURIComponent(encodedId)) };
}

/**
 * @template T
 * @param {() => T} read
 */
function orUnreadable(read) {
  try {
    return read();
  } catch {
    throw new RequestError(400, 'invalid_url', 'The address cannot be read.');
  }
}

/** @param {NodeJS.ProcessEnv} env */
function portFromEnvironment(env) {
  const port = Number(env.PORT || 0);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error('PORT has to be a number from 0 to 65535; 0 takes a free port.');
  }
  return port;
}

async function main() {
  const endpoint = endpointFromEnvironment(process.env);
  const server = await startServer({
    port: portFromEnvironment(process.env),
    record: process.env.CHATWIRE_DEMO_RECORD === '1',
    endpoint,
    redisUrl: process.env.REDIS_URL || undefined,
    databaseFile: process.env.DATABASE_FILE || undefined,
    logError: error => console.error(error),
  });
  const model = endpoint === undefined ? 'the scripted model' : `${endpoint.model} at ${endpoint.baseURL}`;
  console.log(`chatwire demo with ${model}: ${server.url}`);

  const stop = () => server.close().then(() => process.exit(0));
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().catch(error => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
