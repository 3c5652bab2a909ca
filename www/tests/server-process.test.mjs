/** `node www/server.mjs` as a person starts it. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { afterEach, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { getJson, post, userMessage } from './server-client.mjs';

const SERVER = fileURLToPath(new URL('../server.mjs', import.meta.url));

/** @type {import('node:child_process').ChildProcess[]} */
let started = [];
afterEach(() => {
  for (const process of started) process.kill('SIGKILL');
  started = [];
});

/** @param {Record<string, string>} env */
function start(env) {
  const { PORT, OPENAI_BASE_URL, OPENAI_API_KEY, OPENAI_MODEL, CHATWIRE_DEMO_RECORD, ...inherited } = process.env;
  const child = spawn(process.execPath, [SERVER], { env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  return child;
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>} the address it prints
 */
async function addressOf(child) {
  let printed = '';
  for await (const piece of child.stdout ?? []) {
    printed += piece;
    const address = printed.match(/http:\S+/)?.[0];
    if (address) return address;
  }
  throw new Error(`no address in: ${printed}`);
}

describe('the server as a program', { timeout: 30_000 }, () => {
  test('needs no configuration, prints its address, ends cleanly on SIGTERM and SIGINT', async () => {
    for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT'])) {
      const child = start({});
      const url = await addressOf(child);
      const { body } = await post(url, { scenario: 'plain', messages: [userMessage('Hi')] });
      assert.ok(body.endsWith('data: [DONE]\n\n'));
      assert.equal((await fetch(`${url}/api/recordings`)).status, 404);
      child.kill(signal);
      assert.deepEqual(await once(child, 'exit'), [0, null]);
    }
  });

  test('takes port and recording from the environment', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
    probe.close();
    await once(probe, 'close');

    const url = await addressOf(start({ PORT: String(port), CHATWIRE_DEMO_RECORD: '1' }));
    assert.equal(url, `http://127.0.0.1:${port}`);
    assert.deepEqual(await getJson(`${url}/api/recordings`), []);
  });

  test('says in one sentence what is wrong with its configuration', async () => {
    for (const [env, sentence] of /** @type {[Record<string, string>, RegExp][]} */ ([
      [{ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' }, /^OPENAI_BASE_URL is set, so OPENAI_MODEL .*\n$/],
      [{ PORT: 'eighty' }, /^PORT has to be a number .*\n$/],
    ])) {
      const child = start(env);
      let complaint = '';
      child.stderr?.on('data', piece => (complaint += piece));
      assert.deepEqual(await once(child, 'close'), [1, null]);
      assert.match(complaint, sentence);
    }
  });

  test('names the endpoint it uses', async () => {
    const child = start({ OPENAI_BASE_URL: 'http://127.0.0.1:9/v1', OPENAI_MODEL: 'some-model', OPENAI_API_KEY: 'hidden' });
    let printed = '';
    child.stdout?.on('data', piece => (printed += piece));
    await once(/** @type {NodeJS.ReadableStream} */ (child.stdout), 'data');
    assert.match(printed, /some-model at http:\/\/127\.0\.0\.1:9\/v1: http/);
    assert.doesNotMatch(printed, /hidden/);
  });
});

describe('the installation', () => {
  test('is pinned to exact versions and to no download address', async () => {
    const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    for (const [name, version] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies })) {
      assert.match(/** @type {string} */ (version), /^\d+\.\d+\.\d+$/, name);
    }
    const lock = JSON.parse(await readFile(new URL('../package-lock.json', import.meta.url), 'utf8'));
    for (const [name, entry] of Object.entries(lock.packages)) {
      assert.equal(entry.resolved, undefined, name);
      if (name !== '') assert.ok(entry.integrity, name);
    }
  });
});
