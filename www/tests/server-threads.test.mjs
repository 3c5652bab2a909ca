/** Conversations that the server keeps: one run at a time, answers merged, drafts that survive. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { startServer } from '../server.mjs';
import { referenceMessage } from '../server/reference.mjs';
import { getJson, post, textsOf, userMessage, withToolPart } from './server-client.mjs';
import { startServerProcess } from './support/server-processes.mjs';

/** @typedef {import('ai').UIMessage} UIMessage */

const TOOL = 'apply_resume_patch';

/** @type {{ url: string, close: () => Promise<void> }} */
let server;

/**
 * @param {UIMessage[]} messages
 * @param {{ scenario?: string, query?: string, trigger?: 'submit-message' | 'regenerate-message' }} [options]
 */
function send(messages, { scenario = 'plain', query = 'delay=0', trigger } = {}, url = server.url) {
  return post(url, { scenario, query: `${query}&stored=1`, messages, chatId: 'thread', trigger });
}

/** @returns {Promise<UIMessage[]>} */
async function stored(url = server.url) {
  return (await getJson(`${url}/api/threads/thread`)).messages;
}

function executions(url = server.url) {
  return getJson(`${url}/api/executions`);
}

/** The stored messages as a client sends them that has answered. */
async function answered(decision = { approved: true }, url = server.url) {
  return withToolPart(await stored(url), TOOL, part => ({
    state: 'approval-responded',
    approval: { ...part.approval, ...decision },
  }));
}

/** @param {{ status: number, body: string }} response */
function codeOf({ status, body }) {
  return `${status} ${JSON.parse(body).error.code}`;
}

/**
 * Waits until the last message of the conversation has this status.
 *
 * @param {string} status
 * @param {string} [url]
 * @param {(message: UIMessage) => boolean} [isReady]
 */
async function waitForStatus(status, url = server.url, isReady = () => true) {
  for (let tries = 0; tries < 200; tries += 1) {
    const last = (await stored(url)).at(-1);
    if (last !== undefined && /** @type {any} */ (last.metadata)?.status === status && isReady(last)) return last;
    await sleep(20);
  }
  return assert.fail(`no message became ${status}`);
}

describe('stored conversations', () => {
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  test('what is stored is what the AI SDK reads from the stream, and only new messages have to be sent', async () => {
    for (const scenario of ['reasoning', 'tools', 'sources', 'files', 'data', 'metadata']) {
      const { body } = await send([userMessage('Go.')], { scenario });
      assert.deepEqual((await stored()).at(-1), await referenceMessage(body), scenario);
    }
    const messages = await stored();
    assert.equal(messages.length, 12);
    const { body } = await send([userMessage('And again.')]);
    assert.match(textsOf(/** @type {UIMessage} */ (await referenceMessage(body)))[0], /^That was message 7/);
    assert.deepEqual((await stored()).slice(0, 12), messages);
  });

  test('an edit replaces what follows, a retry the answer', async () => {
    const [first, second] = [userMessage('One.'), userMessage('Two.')];
    await send([first]);
    await send([second]);
    const before = await stored();
    await send([], { trigger: 'regenerate-message' });
    const retried = await stored();
    assert.deepEqual(retried.slice(0, 3), before.slice(0, 3));
    assert.notEqual(retried[3].id, before[3].id);
    await send([{ ...first, parts: [{ type: 'text', text: 'Other.' }] }]);
    const edited = await stored();
    assert.deepEqual([edited.length, edited[0].id, textsOf(edited[0])], [2, first.id, ['Other.']]);
  });

  test('an approval is carried out once, however often it is sent', async () => {
    await send([userMessage('Improve it.')], { scenario: 'approval' });
    const decided = await answered();
    const both = await Promise.all([send(decided, { scenario: 'approval' }), send(decided, { scenario: 'approval' })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    assert.equal(codeOf(await send(decided, { scenario: 'approval' })), '409 already_answered');
    const denial = withToolPart(decided, TOOL, part => ({ approval: { ...part.approval, approved: false } }));
    assert.equal(codeOf(await send(denial, { scenario: 'approval' })), '409 answer_refused');
    assert.equal((await executions()).length, 1);
    assert.equal((await stored()).length, 2);
  });

  test('a forged or altered request is refused, and nothing runs', async () => {
    await send([userMessage('Improve it.')], { scenario: 'approval' });
    const decided = await answered();
    /** @type {[string, (part: any) => object][]} */
    const forgeries = [
      ['unknown_approval', part => ({ approval: { ...part.approval, id: 'other' } })],
      ['unknown_tool_call', () => ({ toolCallId: 'other' })],
      ['request_altered', part => ({ input: { patch: [{ ...part.input.patch[0], value: 'Owner' }] } })],
    ];
    for (const [reason, forge] of forgeries) {
      const { status, body } = await send(withToolPart(decided, TOOL, forge), { scenario: 'approval' });
      assert.equal(status, 409);
      assert.match(body, new RegExp(reason));
    }
    assert.deepEqual(await executions(), []);
    assert.equal((await send(decided, { scenario: 'approval' })).status, 200);
    assert.equal((await executions()).length, 1);
  });

  test('without the review of edits, a change is made at once', async () => {
    await fetch(`${server.url}/api/chat?scenario=approval&delay=0&stored=1`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'thread', messages: [userMessage('Improve it.')], reviewEdits: false }),
    }).then(response => response.text());
    assert.equal((await executions()).length, 1);
    assert.equal(textsOf((await stored())[1]).at(-1), 'Done. I changed /title and /skills/-.');
  });

  test('one answer at a time; cancelling gives the message as it is kept, and the conversation goes on', async () => {
    const running = send([userMessage('Tell me.')], { scenario: 'markdown', query: 'delay=30' });
    await waitForStatus('running');
    assert.equal(codeOf(await send([userMessage('Me too.')])), '409 run_active');
    assert.equal((await stored()).length, 2, 'what was refused is not kept');

    const response = await fetch(`${server.url}/api/chat/thread/cancel`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ label: 'Enough.' }),
    });
    assert.equal(response.status, 200);
    const message = await response.json();
    assert.equal(message.metadata.status, 'cancelled');
    assert.ok(message.parts.every((/** @type {any} */ { state }) => state !== 'streaming'));
    assert.match((await running).body, /"type":"abort","reason":"Enough\."/);
    assert.deepEqual((await stored()).at(-1), message);
    assert.equal((await send([userMessage('Go on.')])).status, 200);
    assert.equal((await stored()).length, 4);
  });

  test('a failed answer is marked, and its texts are closed', async () => {
    await send([userMessage('Tell me.')], { scenario: 'error' });
    const message = await waitForStatus('failed');
    assert.deepEqual(message.parts.map((/** @type {any} */ { state }) => state), [undefined, 'done']);
    assert.equal((await send([], { scenario: 'error', trigger: 'regenerate-message' })).status, 200);
  });

  test('input that is almost JSON is mended', async () => {
    const { body } = await send([userMessage('Weather in Lisbon?')], { scenario: 'repair' });
    assert.deepEqual((await executions()).map((/** @type {any} */ { input }) => input), [{ city: 'Lisbon' }]);
    assert.match(body, /light rain/);
  });

  test('every version of the résumé can be read', async () => {
    const url = `${server.url}/api/threads/thread/document`;
    const { document } = await getJson(url);
    const put = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...document, title: 'Architect' }),
    });
    assert.deepEqual(await put.json(), { version: 1 });
    assert.equal((await getJson(url)).document.title, 'Architect');
    assert.deepEqual(await getJson(`${url}?version=0`), { version: 0, document });
    assert.equal((await fetch(`${url}?version=7`)).status, 404);
    await fetch(`${server.url}/api/threads/thread`, { method: 'DELETE' });
    assert.deepEqual(await getJson(url), { version: 0, document });
  });
});

describe('after the server was killed', () => {
  /** @type {string} */
  let folder;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'chatwire-threads-'));
  });
  after(() => rm(folder, { recursive: true }));

  test('an approval that it had asked for is carried out', async () => {
    const options = { databaseFile: path.join(folder, 'approval.sqlite') };
    const first = await startServerProcess(options);
    await send([userMessage('Improve it.')], { scenario: 'approval' }, first.url);
    await first.kill();
    const second = await startServerProcess(options);
    const { status, body } = await send(await answered(undefined, second.url), { scenario: 'approval' }, second.url);
    assert.equal(status, 200);
    assert.match(body, /Done/);
    assert.equal((await executions(second.url)).length, 1);
    await second.kill();
  });

  test('the draft that it was writing is kept, marked, and the conversation goes on', async () => {
    const options = { databaseFile: path.join(folder, 'draft.sqlite'), staleRunMs: 700 };
    const first = await startServerProcess(options);
    const running = send([userMessage('Weather?')], { scenario: 'tools', query: 'delay=150' }, first.url);
    const hasStep = (/** @type {UIMessage} */ { parts }) => parts.length > 0;
    await waitForStatus('running', first.url, hasStep);
    await first.kill();
    await running;
    const second = await startServerProcess(options);
    const draft = await waitForStatus('reaped', second.url);
    assert.ok(draft.parts.some((/** @type {any} */ { state }) => state === 'output-available'));
    assert.equal((await send([userMessage('Once more.')], { scenario: 'tools' }, second.url)).status, 200);
    assert.equal((await stored(second.url)).length, 4);
    await second.kill();
  });
});
