/** Every scenario of the server over real HTTP, read by the AI SDK's own client. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';

import { startServer } from '../server.mjs';
import { SCENARIOS } from '../server/scenarios/index.mjs';
import { chunksOf, converse, getJson, partsOfType, post, textsOf, userMessage, withToolPart } from './server-client.mjs';

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
before(async () => {
  server = await startServer();
});
after(() => server.close());
beforeEach(() => fetch(`${server.url}/api/executions`, { method: 'DELETE' }));

describe('scenarios', () => {
  test('are listed for the page', async () => {
    const list = await getJson(`${server.url}/api/scenarios`);
    assert.deepEqual(
      list.map((/** @type {any} */ { name }) => name),
      ['plain', 'markdown', 'reasoning', 'tools', 'repair', 'question', 'approval', 'sources', 'files', 'data', 'metadata', 'error', 'cut'],
    );
    for (const { title, description, prompt } of list) assert.ok(title && description && prompt);
  });

  test('answer as an AI SDK event stream', async () => {
    const { headers, body } = await post(server.url, { scenario: 'plain', messages: [userMessage('Hi')] });
    assert.equal(headers.get('content-type'), 'text/event-stream');
    assert.equal(headers.get('x-vercel-ai-ui-message-stream'), 'v1');
    assert.ok(body.endsWith('data: {"type":"finish","finishReason":"stop"}\n\ndata: [DONE]\n\n'));
  });

  for (const { name } of SCENARIOS) {
    test(`${name}: a second user message is answered`, async () => {
      const first = await converse(server.url, { scenario: name, messages: [userMessage('First')] });
      const second = await converse(server.url, {
        scenario: name,
        messages: [...first.messages, userMessage('Second')],
        // A retry, so that the scenarios that fail at first give their whole answer.
        trigger: 'regenerate-message',
      });
      assert.deepEqual(second.chunks.filter(({ type }) => type === 'error'), []);
      assert.equal(second.chunks.at(-1).type, 'finish');
      assert.notEqual(second.answer.id, first.answer.id);
      assert.ok(textsOf(second.answer).join('').length > 10);
    });
  }

  test('plain: quotes what was written and goes on', async () => {
    const first = await converse(server.url, { scenario: 'plain', messages: [userMessage('<b>Grüße</b>')] });
    assert.match(textsOf(first.answer).join(''), /“<b>Grüße<\/b>”/);
    const second = await converse(server.url, { scenario: 'plain', messages: [...first.messages, userMessage('More')] });
    assert.match(textsOf(second.answer).join(''), /message 2: “More”/);
  });

  test('markdown: headings, lists, code and a table, in many chunks', async () => {
    const { answer, chunks } = await converse(server.url, { scenario: 'markdown', messages: [userMessage('Go')] });
    const [text] = textsOf(answer);
    for (const construct of [/^# /m, /^### /m, /^1\. /m, /^ {3}- /m, /^```ts$/m, /^\| -+ \| -+: \|/m, /^> /m]) {
      assert.match(text, construct);
    }
    assert.ok(chunks.filter(({ type }) => type === 'text-delta').length > 200);
  });

  test('reasoning: comes before the text, signed by the provider', async () => {
    const { answer } = await converse(server.url, { scenario: 'reasoning', messages: [userMessage('Go')] });
    assert.deepEqual(answer.parts.map(({ type }) => type), ['step-start', 'reasoning', 'text']);
    const [reasoning] = partsOfType(answer, 'reasoning');
    assert.match(reasoning.text, /168 × 60/);
    assert.equal(reasoning.state, 'done');
    assert.ok(reasoning.providerMetadata['chatwire-demo'].signature);
  });

  test('tools: the server runs the tool once, the second step uses its result', async () => {
    const { answer, chunks } = await converse(server.url, {
      scenario: 'tools',
      chatId: 'weather-chat',
      messages: [userMessage('What is the weather in Reykjavík today?')],
    });
    assert.deepEqual(answer.parts.map(({ type }) => type), ['step-start', 'text', 'tool-weather', 'step-start', 'text']);
    const [call] = partsOfType(answer, 'tool-weather');
    assert.equal(call.state, 'output-available');
    assert.deepEqual(call.input, { city: 'Reykjavík' });
    assert.equal(textsOf(answer)[1], 'In Reykjavík there is light rain at 14.5 °C.');
    assert.ok(chunks.filter(({ type }) => type === 'tool-input-delta').length > 1);
    assert.deepEqual(await getJson(`${server.url}/api/executions`), [
      { sequence: 1, chatId: 'weather-chat', toolCallId: call.toolCallId, toolName: 'weather', input: call.input },
    ]);
  });

  test('question: waits for the person, then uses the answer', async () => {
    const asked = await converse(server.url, { scenario: 'question', messages: [userMessage('A letter')] });
    const [call] = partsOfType(asked.answer, 'tool-ask_user_question');
    assert.equal(call.state, 'input-available');
    assert.ok(call.input.question.endsWith('?'));
    assert.ok(call.input.options.includes('Friendly'));

    for (const output of ['Friendly', { answer: 'Friendly' }]) {
      const messages = withToolPart(asked.messages, 'ask_user_question', () => ({ state: 'output-available', output }));
      const { answer } = await converse(server.url, { scenario: 'question', messages });
      assert.equal(answer.id, asked.answer.id);
      assert.equal(textsOf(answer).at(-1), 'Noted: “Friendly”. I will write it that way.');
    }
  });

  test('question: goes on when the person gives no answer', async () => {
    const asked = await converse(server.url, { scenario: 'question', messages: [userMessage('A letter')] });
    const declined = withToolPart(asked.messages, 'ask_user_question', () => ({
      state: 'output-error',
      errorText: 'skipped',
    }));
    const { answer } = await converse(server.url, { scenario: 'question', messages: declined });
    assert.match(textsOf(answer).at(-1), /no answer \(skipped\)/);

    const ignored = [...asked.messages, userMessage('Never mind that')];
    const next = await converse(server.url, { scenario: 'question', messages: ignored });
    const [nextCall] = partsOfType(next.answer, 'tool-ask_user_question');
    assert.notEqual(nextCall.input.question, partsOfType(asked.answer, 'tool-ask_user_question')[0].input.question);
  });

  test('sources: two links and a document', async () => {
    const { answer } = await converse(server.url, { scenario: 'sources', messages: [userMessage('Go')] });
    const links = partsOfType(answer, 'source-url');
    assert.deepEqual(links.map(({ url }) => new URL(url).protocol), ['https:', 'https:']);
    assert.equal(links[1].title, undefined);
    const [document] = partsOfType(answer, 'source-document');
    assert.equal(document.filename, 'streaming-notes.pdf');
  });

  test('files: a PNG as a data URL, between two texts', async () => {
    const { answer } = await converse(server.url, { scenario: 'files', messages: [userMessage('Go')] });
    assert.deepEqual(answer.parts.map(({ type }) => type), ['step-start', 'text', 'file', 'text']);
    const [file] = partsOfType(answer, 'file');
    assert.equal(file.mediaType, 'image/png');
    const bytes = Buffer.from(file.url.replace('data:image/png;base64,', ''), 'base64');
    assert.deepEqual([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    assert.equal(bytes.readUInt32BE(16), 96);
  });

  test('data: one part grows in place, the transient one is not kept', async () => {
    const { answer, chunks } = await converse(server.url, { scenario: 'data', messages: [userMessage('Go')] });
    assert.deepEqual(
      chunks.filter(({ type }) => type === 'data-progress').map(({ data }) => data.done),
      [0, 1, 2, 3],
    );
    assert.deepEqual(partsOfType(answer, 'data-progress'), [
      { type: 'data-progress', id: 'search', data: { done: 3, total: 3 } },
    ]);
    assert.equal(partsOfType(answer, 'data-result').length, 1);
    assert.equal(chunks.filter(({ type, transient }) => type === 'data-notice' && transient).length, 1);
    assert.equal(partsOfType(answer, 'data-notice').length, 0);
  });

  test('metadata: the model at the start, the usage at the end', async () => {
    const { answer, chunks } = await converse(server.url, { scenario: 'metadata', messages: [userMessage('Go')] });
    assert.deepEqual(chunks[0].messageMetadata, { model: 'scripted' });
    const { model, usage } = /** @type {any} */ (answer.metadata);
    assert.equal(model, 'scripted');
    assert.equal(usage.outputTokens, chunks.filter(({ type }) => type === 'text-delta').length);
    assert.equal(usage.totalTokens, usage.inputTokens + usage.outputTokens);
  });

  test('error: breaks off in the middle of the text, and a retry succeeds', async () => {
    const messages = [userMessage('Go')];
    const failed = await converse(server.url, { scenario: 'error', messages });
    assert.deepEqual(failed.chunks.filter(({ type }) => type === 'error'), [
      { type: 'error', errorText: 'The model is overloaded. Please try again.' },
    ]);
    assert.equal(failed.chunks.filter(({ type }) => type === 'text-end').length, 0);
    assert.deepEqual(textsOf(failed.answer), ['This answer starts well and then']);

    const retried = await converse(server.url, { scenario: 'error', messages, trigger: 'regenerate-message' });
    assert.match(textsOf(retried.answer).join(''), /down to the last word\.$/);
  });

  test('cut: the connection breaks in the middle of the text, and a retry succeeds', async () => {
    const messages = [userMessage('Go')];
    const { body, failed } = await post(server.url, { scenario: 'cut', messages });
    assert.ok(failed);
    assert.equal(chunksOf(body).at(-1).type, 'text-delta');

    const retried = await post(server.url, { scenario: 'cut', messages, trigger: 'regenerate-message' });
    assert.ok(!retried.failed && retried.body.endsWith('data: [DONE]\n\n'));
  });
});

describe('refused requests', () => {
  const valid = { id: 'chat', messages: [userMessage('Hi')], trigger: 'submit-message' };

  /**
   * @param {string} query
   * @param {string} body
   * @param {string} [contentType]
   */
  async function refusal(query, body, contentType = 'application/json') {
    const response = await fetch(`${server.url}/api/chat?${query}`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });
    const { error } = /** @type {any} */ (await response.json());
    assert.ok(error.message.length > 0 && error.message.length < 1100, error.message);
    return [response.status, error.code];
  }

  test('name their reason as JSON', async () => {
    const body = JSON.stringify(valid);
    assert.deepEqual(await refusal('scenario=nothing', body), [400, 'unknown_scenario']);
    assert.deepEqual(await refusal('scenario=toString', body), [400, 'unknown_scenario']);
    for (const query of ['delay=-1', 'delay=soon', 'cut=', 'cut=1.5', 'cutMode=maybe']) {
      assert.deepEqual(await refusal(query, body), [400, 'invalid_query'], query);
    }
    assert.deepEqual(await refusal('delay=0', '{"id":'), [400, 'invalid_json']);
    assert.deepEqual(await refusal('delay=0', '[]'), [400, 'invalid_body']);
    assert.deepEqual(await refusal('delay=0', JSON.stringify({ ...valid, trigger: 'shout' })), [400, 'invalid_body']);
    assert.deepEqual(await refusal('delay=0', body, 'text/plain'), [415, 'unsupported_media_type']);
  });

  test('include messages that the AI SDK does not accept', async () => {
    const invalid = [
      [],
      [{ id: '1', role: 'user', parts: [] }],
      [{ id: '1', role: 'user', parts: [{ type: 'text', text: 'x'.repeat(10_000), state: 'half' }] }],
      [{ id: '1', role: 'assistant', parts: [{ type: 'tool-weather', toolCallId: 'a', state: 'input-available', input: {} }] }],
    ];
    for (const messages of invalid) {
      assert.deepEqual(await refusal('delay=0', JSON.stringify({ ...valid, messages })), [400, 'invalid_messages']);
    }
  });

  test('include a body that is too large', async () => {
    assert.deepEqual(await refusal('delay=0', ' '.repeat(33 * 1024 * 1024)), [413, 'body_too_large']);
  });

  test('include unknown addresses and methods', async () => {
    assert.equal((await fetch(`${server.url}/api/nothing`)).status, 404);
    assert.equal((await fetch(`${server.url}/api/constructor`)).status, 404);
    const response = await fetch(`${server.url}/api/chat`);
    assert.equal(response.status, 405);
    assert.equal(response.headers.get('allow'), 'POST');
  });
});
