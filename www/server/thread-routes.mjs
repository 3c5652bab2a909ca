import { z } from 'zod';

import { parseJson } from './chat-request.mjs';
import { RequestError, readBody, sendJson, sendJsonText } from './http.mjs';

/** @import { IncomingMessage, ServerResponse } from 'node:http' */

const versionQuery = z.coerce.number().int().nonnegative().optional();

/**
 * What a page needs of stored conversations beside `/api/chat`:
 *
 * - `GET /api/threads`: `{ id, updatedAt }` of each, the one used last first.
 * - `GET /api/threads/<id>`: `{ messages, running }`; a conversation that does not exist is an empty one.
 * - `DELETE /api/threads/<id>`: forgets it, its résumé too. 409 while an answer is being written.
 * - `GET /api/threads/<id>/document?version=<n>`: `{ version, document }` of the résumé; the newest by default.
 * - `PUT /api/threads/<id>/document`: makes a new version of it, as another editor would; `{ version }`.
 *
 * @param {object} context
 * @param {import('./threads.mjs').Threads} context.threads
 * @param {import('./thread-runs.mjs').ThreadRuns} context.threadRuns
 * @param {import('./resumes.mjs').Resumes} context.resumes
 * @returns {Record<string, Record<string, import('../server.mjs').Handler>>}
 */
export function threadRoutes({ threads, threadRuns, resumes }) {
  return {
    '/api/threads': {
      GET: (_request, response) => sendJson(response, 200, threads.list()),
    },
    '/api/threads/:id': {
      GET: async (_request, response, _url, id) => {
        await threadRuns.reap();
        const running = threads.running(id) !== undefined;
        sendJsonText(response, 200, `{"running":${running},"messages":[${threads.messages(id).join(',')}]}`);
      },
      DELETE: (_request, response, _url, id) => {
        if (threads.running(id)) throw new RequestError(409, 'run_active', 'Stop the answer that is being written first.');
        threads.delete(id);
        resumes.delete(id);
        response.writeHead(204).end();
      },
    },
    '/api/threads/:id/document': {
      GET: (_request, response, url, id) => {
        const version = versionQuery.safeParse(url.searchParams.get('version') ?? undefined);
        if (!version.success) throw new RequestError(400, 'invalid_query', 'The version has to be a whole number.');
        sendJson(response, 200, resumes.read(id, version.data));
      },
      PUT: async (/** @type {IncomingMessage} */ request, /** @type {ServerResponse} */ response, _url, id) => {
        const document = parseJson(request, await readBody(request), z.looseObject({}));
        sendJson(response, 200, { version: resumes.write(id, document) });
      },
    },
  };
}
