/** Answers that go on without their client: taking them up and cancelling them, of one server and of two with a Redis. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { startServer } from '../server.mjs';
import { countEvents } from '../server/reference.mjs';
import { chunksOf, getJson, post, readToEnd, userMessage } from './server-client.mjs';
import { freePort, startRedis } from './support/redis.mjs';
import { startServerProcess } from './support/server-processes.mjs';

/** @import { Recording } from '../server/recordings.mjs' */

const PROGRAM = fileURLToPath(new URL('../server.mjs', import.meta.url));

const OPTIONS = { record: true, resumeGraceMs: 800 };
const messages = [userMessage('What is the weather in Lisbon?')];

/**
 * @param {string} url
 * @param {string} chatId
 * @param {string} query
 */
async function open(url, chatId, query = 'scenario=tools&delay=10') {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/chat?${query}&resumable=1`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: chatId, messages }),
    signal: leaving.signal,
  });
  return { response, leave: () => leaving.abort() };
}

/**
 * @param {string} url
 * @param {string} chatId
 * @param {string} [query]
 */
function resume(url, chatId, query = 'scenario=tools') {
  return fetch(`${url}/api/chat/${encodeURIComponent(chatId)}/stream?${query}`);
}

/**
 * @param {string} url
 * @param {string} chatId
 * @param {object} [body]
 */
async function cancel(url, chatId, body = {}) {
  const response = await fetch(`${url}/api/chat/${encodeURIComponent(chatId)}/cancel`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.status;
}

/**
 * What the server recorded of a chat's last request, once the answer has ended.
 *
 * @param {string} url
 * @param {string} chatId
 * @returns {Promise<Recording>}
 */
async function recorded(url, chatId) {
  for (;;) {
    /** @type {Recording[]} */
    const recordings = await getJson(`${url}/api/recordings`);
    const recording = recordings.findLast(({ requestBody }) => JSON.parse(requestBody).id === chatId);
    if (recording?.ended) return recording;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
}

/**
 * The same tests for each kind of server: `first` starts the answers, `second` is asked for them.
 *
 * @param {() => { first: string, second: string }} addresses
 */
function resumingTests(addresses) {
  test('204: nothing is running', async () => {
    const { second } = addresses();
    assert.equal((await resume(second, 'unknown')).status, 204);
    assert.equal(await cancel(second, 'unknown'), 204);
  });

  test('204: the answer was not to be resumable', async () => {
    const { first, second } = addresses();
    const posting = post(first, { scenario: 'plain', messages, chatId: 'plain', query: 'delay=10' });
    assert.equal((await resume(second, 'plain')).status, 204);
    await posting;
  });

  test('the answer goes on without its client and can be had from its first byte', async () => {
    const { first, second } = addresses();
    const chatId = 'chat/ä 1';
    const { response, leave } = await open(first, chatId);
    await response.body?.getReader().read();
    leave();

    const resumed = await resume(second, chatId);
    assert.equal(resumed.status, 200);
    assert.equal(resumed.headers.get('content-type'), 'text/event-stream');
    assert.equal(resumed.headers.get('x-vercel-ai-ui-message-stream'), 'v1');
    const { body, failed } = await readToEnd(resumed);
    assert.ok(!failed && body.endsWith('data: [DONE]\n\n'));
    assert.equal(body, (await recorded(first, chatId)).body);
    const executions = await getJson(`${first}/api/executions`);
    assert.equal(executions.filter((/** @type {any} */ entry) => entry.chatId === chatId).length, 1);
  });

  test('all clients of one answer get the same bytes, however late they come', async () => {
    const { first, second } = addresses();
    const { response } = await open(first, 'many', 'scenario=markdown&delay=2');
    const reading = [readToEnd(response)];
    for (let count = 0; count < 4; count += 1) {
      reading.push(readToEnd(await resume(count % 2 === 0 ? first : second, 'many')));
      await new Promise(resolve => setTimeout(resolve, 30));
    }
    const bodies = (await Promise.all(reading)).map(({ body }) => body);
    assert.deepEqual(new Set(bodies), new Set([(await recorded(first, 'many')).body]));
    assert.ok(bodies[0].includes('data: [DONE]'));
  });

  test('a cut is for one connection', async () => {
    const { first, second } = addresses();
    const query = 'scenario=tools&delay=10&cut=5';
    const { response } = await open(first, 'cut', query);
    const { body, failed } = await readToEnd(response);
    assert.ok(failed);
    assert.equal(countEvents(body), 5);
    const resumed = await readToEnd(await resume(second, 'cut', query));
    assert.ok(resumed.body.startsWith(body) && resumed.body.endsWith('data: [DONE]\n\n'));
  });

  test('it can be had for a while after its end, and no longer', async () => {
    const { first, second } = addresses();
    const { response } = await open(first, 'late', 'scenario=plain&delay=0');
    const { body } = await readToEnd(response);
    assert.ok(body.endsWith('data: [DONE]\n\n'));
    assert.equal((await readToEnd(await resume(second, 'late'))).body, body);
    await new Promise(resolve => setTimeout(resolve, 2 * OPTIONS.resumeGraceMs));
    assert.equal((await resume(second, 'late')).status, 204);
  });

  test('cancel ends it with the given reason, for every client', async () => {
    const { first, second } = addresses();
    const { response } = await open(first, 'cancelled', 'scenario=markdown&delay=20');
    const resumed = await resume(second, 'cancelled');
    const bodies = [readToEnd(response), readToEnd(resumed)];
    assert.equal(await cancel(second, 'cancelled', { label: 'Enough — genug.' }), 202);
    for (const { body } of await Promise.all(bodies)) {
      const chunks = chunksOf(body);
      assert.deepEqual(chunks.at(-1), { type: 'abort', reason: 'Enough — genug.' });
      assert.ok(chunks.length < 100, `${chunks.length} chunks, as if the model had not been stopped`);
      assert.ok(body.endsWith('data: [DONE]\n\n'));
    }
  });

  test('cancel ends the message that it names, and no other', async () => {
    const { first, second } = addresses();
    const { response } = await open(first, 'named', 'scenario=markdown&delay=20');
    const [follower, watched] = /** @type {ReadableStream<Uint8Array>} */ (response.body).tee();
    const { value } = await follower.getReader().read();
    const [{ messageId }] = chunksOf(Buffer.from(/** @type {Uint8Array} */ (value)).toString());
    assert.equal(await cancel(second, 'named', { messageId: 'another' }), 204);
    assert.equal(await cancel(second, 'named', { messageId }), 202);
    const { body } = await readToEnd(new Response(watched));
    assert.equal(chunksOf(body).at(-1).type, 'abort');
  });

  test('another request of the chat ends the older answer and takes its place', async () => {
    const { first, second } = addresses();
    const older = await open(first, 'twice', 'scenario=markdown&delay=20');
    const newer = await open(second, 'twice', 'scenario=plain&delay=10');
    const resumed = readToEnd(await resume(first, 'twice'));
    assert.equal(chunksOf((await readToEnd(older.response)).body).at(-1).type, 'abort');
    const { body } = await readToEnd(newer.response);
    assert.equal(chunksOf(body).at(-1).type, 'finish');
    assert.equal((await resumed).body, body);
  });
}

describe('resuming from the memory of one server', { concurrency: 6, timeout: 60_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  before(async () => {
    server = await startServer(OPTIONS);
  });
  after(() => server.close());

  resumingTests(() => ({ first: server.url, second: server.url }));

  test('closing the server ends an answer without a client, and does not wait for late ones', async () => {
    const closing = await startServer({ resumeGraceMs: 60_000 });
    const { response, leave } = await open(closing.url, 'closing', 'scenario=markdown&delay=20');
    await response.body?.getReader().read();
    const watching = readToEnd(await resume(closing.url, 'closing'));
    leave();
    const started = performance.now();
    await closing.close();
    assert.ok(performance.now() - started < 900);
    assert.equal(chunksOf((await watching).body).at(-1).type, 'abort');
  });

  test('refuses what it cannot read', async () => {
    const refusal = async (/** @type {string} */ path, /** @type {RequestInit} */ init) => {
      const response = await fetch(server.url + path, init);
      return [response.status, /** @type {any} */ (await response.json()).error.code];
    };
    const json = { 'content-type': 'application/json' };
    assert.deepEqual(await refusal('/api/chat/%E0%A4%A/stream', {}), [400, 'invalid_url']);
    assert.deepEqual(await refusal('/api/chat/a/other', {}), [404, 'not_found']);
    assert.deepEqual(await refusal('/api/chat/a/b/stream', {}), [404, 'not_found']);
    assert.deepEqual(await refusal('/api/chat/:id/stream/', {}), [404, 'not_found']);
    assert.deepEqual(await refusal('/api/chat/a/stream', { method: 'POST' }), [405, 'method_not_allowed']);
    assert.deepEqual(await refusal('/api/chat/a/cancel', {}), [405, 'method_not_allowed']);
    const cancelling = (/** @type {string} */ body, headers = json) =>
      refusal('/api/chat/a/cancel', { method: 'POST', headers, body });
    assert.deepEqual(await cancelling('{'), [400, 'invalid_json']);
    assert.deepEqual(await cancelling('{"label":1}'), [400, 'invalid_body']);
    assert.deepEqual(await cancelling('{}', { 'content-type': 'text/plain' }), [415, 'unsupported_media_type']);
    assert.deepEqual(
      await refusal('/api/chat?resumable=maybe', { method: 'POST', headers: json, body: '{}' }),
      [400, 'invalid_query'],
    );
  });
});

describe('resuming from two servers that share a Redis', { concurrency: 6, timeout: 60_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startRedis>>} */
  let redis;
  /** @type {Awaited<ReturnType<typeof startServerProcess>>[]} */
  let servers = [];
  before(async () => {
    redis = await startRedis();
    const options = { ...OPTIONS, redisUrl: redis.url };
    servers = await Promise.all([startServerProcess(options), startServerProcess(options)]);
  });
  after(async () => {
    await Promise.all(servers.map(server => server.kill()));
    await redis.stop();
  });

  resumingTests(() => ({ first: servers[0].url, second: servers[1].url }));

  test('503: the server that holds the answer is gone', async () => {
    const doomed = await startServerProcess({ ...OPTIONS, redisUrl: redis.url });
    const { response } = await open(doomed.url, 'orphan', 'scenario=markdown&delay=20');
    await response.body?.getReader().read();
    await doomed.kill();
    const refused = await resume(servers[0].url, 'orphan');
    assert.equal(refused.status, 503);
    assert.equal(/** @type {any} */ (await refused.json()).error.code, 'run_unreachable');
  });

  test('the program takes its address from REDIS_URL', async t => {
    const env = { ...process.env, PORT: '', REDIS_URL: redis.url };
    const program = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => program.kill('SIGKILL'));
    const [printed] = await once(program.stdout, 'data');
    const { response } = await open(/http:\S+/.exec(String(printed))?.[0] ?? '', 'program', 'scenario=plain&delay=10');
    const resumed = await readToEnd(await resume(servers[0].url, 'program'));
    assert.equal(resumed.body, (await readToEnd(response)).body);
    assert.ok(resumed.body.endsWith('data: [DONE]\n\n'));
  });

  test('an ended server closes its connections to Redis', async () => {
    const closing = await startServer({ ...OPTIONS, redisUrl: redis.url });
    await readToEnd((await open(closing.url, 'closing', 'scenario=plain&delay=0')).response);
    await closing.close();
    assert.equal((await resume(servers[0].url, 'closing')).status, 204);
  });

  test('starting fails without Redis, in words that do not tell the password', async () => {
    const redisUrl = `redis://user:hidden@127.0.0.1:${await freePort()}`;
    await assert.rejects(startServer({ redisUrl }), error => {
      const { message } = /** @type {Error} */ (error);
      assert.match(message, /^REDIS_URL is set, but Redis cannot be reached there: .*ECONNREFUSED.*\.$/);
      return !message.includes('hidden');
    });
  });
});
