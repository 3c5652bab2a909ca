/** How the response's bytes travel: delay, cuts, recording, a client that leaves, a server that closes. */
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, beforeEach, describe, test } from 'node:test';

import { startServer } from '../server.mjs';
import { countEvents, referenceMessage } from '../server/reference.mjs';
import { chunksOf, getJson, post, readToEnd, textsOf, userMessage } from './server-client.mjs';

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  server = await startServer({ record: true });
});
after(() => server.close());
beforeEach(() => fetch(`${server.url}/api/recordings`, { method: 'DELETE' }));

const recordings = () => getJson(`${server.url}/api/recordings`);
const messages = [userMessage('What is the weather in Lisbon?')];

describe('cut', () => {
  for (const cutMode of ['end', 'destroy']) {
    test(`after n events with ${cutMode}: exactly n arrive, for every n`, async () => {
      const whole = await post(server.url, { scenario: 'tools', messages });
      const total = countEvents(whole.body);
      assert.ok(total > 20);
      const types = chunksOf(whole.body).map(({ type }) => type);

      for (let n = 0; n <= total; n += 1) {
        const query = `delay=0&cut=${n}&cutMode=${cutMode}`;
        const { status, body, failed } = await post(server.url, { scenario: 'tools', messages, query });
        assert.equal(status, 200);
        assert.equal(failed, cutMode === 'destroy', `cut=${n}`);
        assert.equal(countEvents(body), n, `cut=${n}`);
        assert.deepEqual(chunksOf(body).map(({ type }) => type), types.slice(0, n), `cut=${n}`);
        assert.ok(body === '' || body.endsWith('\n\n'), `cut=${n}`);
      }
    });
  }

  test('beyond the end changes nothing', async () => {
    const { body, failed } = await post(server.url, { scenario: 'plain', messages, query: 'delay=0&cut=9999' });
    assert.ok(!failed && body.endsWith('data: [DONE]\n\n'));
  });

  test('comes before the delay has passed the events that are not sent', async () => {
    const started = performance.now();
    await post(server.url, { scenario: 'markdown', messages, query: 'delay=20&cut=3' });
    assert.ok(performance.now() - started < 1000);
  });
});

test('delay separates the events and changes no byte of them', async () => {
  const started = performance.now();
  const response = await fetch(`${server.url}/api/chat?scenario=plain&delay=10`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'chat', messages, trigger: 'submit-message' }),
  });
  /** @type {number[]} */
  const arrivals = [];
  const decoder = new TextDecoder();
  let body = '';
  for await (const piece of /** @type {ReadableStream<Uint8Array>} */ (response.body)) {
    arrivals.push(performance.now() - started);
    body += decoder.decode(piece, { stream: true });
  }
  const events = countEvents(body);
  const last = /** @type {number} */ (arrivals.at(-1));
  assert.ok(last >= events * 10 * 0.9, `${events} events in ${last} ms`);
  assert.ok(arrivals[0] < last / 3, 'the first event does not wait for the last');
  assert.ok(arrivals.length > events / 2, `${arrivals.length} reads for ${events} events`);
});

describe('recording', () => {
  test('keeps the exact request text and response bytes, in order', async () => {
    const requestBody = `{ "id":"é",\n "messages": ${JSON.stringify(messages)}, "trigger":"submit-message", "big": 12345678901234567890 }`;
    const response = await fetch(`${server.url}/api/chat?scenario=markdown&delay=0`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: requestBody,
    });
    const { body } = await readToEnd(response);
    const refused = await post(server.url, { scenario: 'nothing', messages });

    const [first, second, ...others] = await recordings();
    assert.deepEqual(others, []);
    assert.deepEqual(first, {
      scenario: 'markdown',
      url: '/api/chat?scenario=markdown&delay=0',
      requestBody,
      status: 200,
      body,
      ended: true,
    });
    assert.deepEqual([second.scenario, second.status, second.body], ['nothing', 400, refused.body]);
  });

  test('keeps of a cut response what was sent', async () => {
    for (const cutMode of ['end', 'destroy']) {
      const { body } = await post(server.url, { scenario: 'plain', messages, query: `delay=0&cut=7&cutMode=${cutMode}` });
      assert.equal((await recordings()).at(-1).body, body);
    }
  });

  test('is cleared by DELETE', async () => {
    await post(server.url, { scenario: 'plain', messages });
    assert.equal((await recordings()).length, 1);
    const cleared = await fetch(`${server.url}/api/recordings`, { method: 'DELETE' });
    assert.equal(cleared.status, 204);
    assert.deepEqual(await recordings(), []);
  });

  test('is off unless asked for', async () => {
    const unrecorded = await startServer();
    try {
      assert.equal((await fetch(`${unrecorded.url}/api/recordings`)).status, 404);
    } finally {
      await unrecorded.close();
    }
  });
});

describe('a client that leaves', { timeout: 10_000 }, () => {
  async function endedRecording() {
    for (;;) {
      const [recording] = await recordings();
      if (recording?.ended) return recording;
      await new Promise(resolve => setTimeout(resolve, 10));
    }
  }

  test('ends the recording there', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${server.url}/api/chat?scenario=markdown&delay=20`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'chat', messages }),
      signal: leaving.signal,
    });
    await response.body?.getReader().read();
    leaving.abort();

    const { body } = await endedRecording();
    const types = chunksOf(body).map(({ type }) => type);
    assert.equal(types[0], 'start');
    assert.ok(types.length < 50 && !types.includes('abort'), `${types}`);
  });

  test('without having read what was sent does not hold the server up', async () => {
    const body = JSON.stringify({ id: 'chat', messages: [userMessage('x'.repeat(8 * 1024 * 1024))] });
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.pause();
    socket.write(
      'POST /api/chat?scenario=plain&delay=0 HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
        `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
    while (!(await recordings())[0]?.body.includes('xxx')) await new Promise(resolve => setTimeout(resolve, 20));
    assert.equal((await recordings())[0].ended, false);
    socket.destroy();
    await endedRecording();
  });
});

test('closing the server ends a running answer with an abort chunk', async () => {
  const closing = await startServer();
  const response = await fetch(`${closing.url}/api/chat?scenario=markdown&delay=20`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'chat', messages }),
  });
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  await reader.read();
  const closed = closing.close();
  let rest = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) rest += Buffer.from(read.value).toString();
  await closed;

  const chunks = chunksOf(rest);
  assert.equal(chunks.at(-1).type, 'abort');
  assert.match(chunks.at(-1).reason, /shutting down/);
  assert.ok(rest.endsWith('data: [DONE]\n\n'));
  assert.ok(chunks.length < 100, `${chunks.length} chunks, as if the model had not been stopped`);
  await assert.rejects(fetch(`${closing.url}/api/scenarios`));
});

describe('reference', () => {
  const start = 'data: {"type":"start","messageId":"m"}\n\ndata: {"type":"text-start","id":"t"}\n\n';
  const delta = 'data: {"type":"text-delta","id":"t","delta":"é"}\n\n';

  test('counts events, not comments and not what is unfinished', () => {
    assert.equal(countEvents(''), 0);
    assert.equal(countEvents(`: stream-open\n\n${start}: keep-alive\n\n${delta}`), 3);
    assert.equal(countEvents(`${start}data: [DONE]\n\n`), 3);
    assert.equal(countEvents(`${start}data: {"type":"fin`), 2);
    assert.equal(countEvents(new TextEncoder().encode(start + delta)), 3);
  });

  test('reads the message from text and from bytes alike', async () => {
    const expected = { id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'é', state: 'streaming' }] };
    assert.deepEqual(await referenceMessage(start + delta), expected);
    assert.deepEqual(await referenceMessage(Buffer.from(start + delta)), expected);
    assert.equal(await referenceMessage(''), undefined);
  });

  test('continues the previous message and leaves the given one alone', async () => {
    /** @type {import('ai').UIMessage} */
    const previous = { id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'before', state: 'done' }] };
    const message = await referenceMessage(start + delta, previous);
    assert.deepEqual(message && textsOf(message), ['before', 'é']);
    assert.equal(previous.parts.length, 1);
  });

  test('stops where the chat stops: at an error chunk and at an invalid one', async () => {
    for (const end of ['{"type":"error","errorText":"no"}', '{"type":"unknown"}', '{']) {
      const message = await referenceMessage(`${start}${delta}data: ${end}\n\n${delta}`);
      assert.deepEqual(message && textsOf(message), ['é'], end);
    }
  });
});
