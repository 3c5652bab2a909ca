/** The page's files and the built package, as the browser gets them. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startServer } from '../server.mjs';

/** @type {string} */
let folder;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'chatwire-files-'));
  const files = {
    'secret.txt': 'secret',
    'page-other/secret.txt': 'secret',
    'page/index.html': '<script type="importmap" nonce="__CSP_NONCE__">{}</script><p>__CSP_NONCE__',
    'page/main.js': 'export const nonce = "__CSP_NONCE__";',
    'page/styles/main.css': 'body {}',
    'package/index.js': 'export {};',
    'package/core.wasm': '\0asm',
  };
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  await symlink(path.join(folder, 'secret.txt'), path.join(folder, 'page/link.txt'));
  server = await startServer({
    pageFolder: path.join(folder, 'page'),
    packageFolder: path.join(folder, 'package'),
  });
});
after(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

/**
 * Asks for a target exactly as written; `fetch` would tidy it first.
 *
 * @param {string} target
 * @returns {Promise<{ status: number | undefined, body: string }>}
 */
function getExactly(target) {
  return new Promise((resolve, reject) => {
    get(`${server.url}`, { path: target }, async response => {
      let body = '';
      for await (const piece of response) body += piece;
      resolve({ status: response.statusCode, body });
    }).on('error', reject);
  });
}

describe('files', () => {
  test('have their types', async () => {
    const expected = {
      '/': 'text/html; charset=utf-8',
      '/index.html': 'text/html; charset=utf-8',
      '/main.js': 'text/javascript; charset=utf-8',
      '/styles/main.css': 'text/css; charset=utf-8',
      '/chatwire/index.js': 'text/javascript; charset=utf-8',
      '/chatwire/core.wasm': 'application/wasm',
    };
    for (const [target, type] of Object.entries(expected)) {
      const response = await fetch(server.url + target);
      assert.equal(response.status, 200, target);
      assert.equal(response.headers.get('content-type'), type);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      await response.arrayBuffer();
    }
  });

  test('compile as WebAssembly by streaming', async () => {
    await writeFile(path.join(folder, 'package/empty.wasm'), Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]));
    const module = await WebAssembly.compileStreaming(fetch(`${server.url}/chatwire/empty.wasm`));
    assert.deepEqual(WebAssembly.Module.exports(module), []);
  });

  test('get a strict policy with a nonce of their own', async () => {
    const nonces = new Set();
    for (let i = 0; i < 2; i += 1) {
      const response = await fetch(server.url);
      const policy = response.headers.get('content-security-policy') ?? '';
      const nonce = policy.match(/'nonce-([\w+/=]{20,})'/)?.[1];
      assert.ok(nonce);
      nonces.add(nonce);
      assert.equal(await response.text(), `<script type="importmap" nonce="${nonce}">{}</script><p>${nonce}`);
      assert.deepEqual(policy.split('; ').slice(0, 5), [
        "default-src 'self'",
        `script-src 'self' 'wasm-unsafe-eval' 'nonce-${nonce}'`,
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
      ]);
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval'? ?;|\*/);
    }
    assert.equal(nonces.size, 2);
    assert.match(await (await fetch(`${server.url}/main.js`)).text(), /__CSP_NONCE__/);
  });

  test('answer HEAD without a body, and nothing else but GET', async () => {
    const head = await fetch(server.url, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.ok(Number(head.headers.get('content-length')) > 0);
    assert.equal(await head.text(), '');
    assert.equal((await fetch(server.url, { method: 'POST', body: 'x' })).status, 405);
  });

  test('outside the folders are not served', async () => {
    for (const target of [
      '/../secret.txt',
      '/%2e%2e/secret.txt',
      '/..%2fsecret.txt',
      '/..%5csecret.txt',
      '/../page-other/secret.txt',
      '/..%2fpage-other%2fsecret.txt',
      '/chatwire/../../secret.txt',
      '/chatwire/..%2fsecret.txt',
      `/${encodeURIComponent(path.join(folder, 'secret.txt'))}`,
      '/link.txt',
      '/styles',
      '/styles/',
      '/main.js%00.html',
      '/%ff',
      '/nothing.js',
      '//',
    ]) {
      const { status, body } = await getExactly(target);
      assert.ok(status === 404 || status === 400, `${target}: ${status}`);
      assert.doesNotMatch(body, /^secret/);
    }
  });

  test('of a package that is not built name the remedy', async () => {
    const unbuilt = await startServer({ packageFolder: path.join(folder, 'nowhere') });
    try {
      const response = await fetch(`${unbuilt.url}/chatwire/index.js`);
      assert.equal(response.status, 404);
      assert.match(await response.text(), /make package/);
    } finally {
      await unbuilt.close();
    }
  });
});
