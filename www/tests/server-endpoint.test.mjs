/** A real model behind an OpenAI-compatible endpoint, played by a small server with that interface. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';

import { startServer } from '../server.mjs';
import { converse, getJson, partsOfType, textsOf, userMessage } from './server-client.mjs';

/** @type {import('node:http').Server} */
let provider;
/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
/** @type {{ url: string | undefined, authorization: string | undefined, body: any }[]} */
let requests = [];
/** @type {(response: import('node:http').ServerResponse, body: any) => unknown} */
let respond;

before(async () => {
  provider = createServer(async (request, response) => {
    let text = '';
    for await (const piece of request) text += piece;
    const body = JSON.parse(text);
    requests.push({ url: request.url, authorization: request.headers.authorization, body });
    respond(response, body);
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
});
after(() => {
  provider.closeAllConnections();
  provider.close();
});
beforeEach(async () => {
  requests = [];
  const { port } = /** @type {import('node:net').AddressInfo} */ (provider.address());
  server = await startServer({
    endpoint: { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'test-key', model: 'some-model' },
  });
});
afterEach(() => server.close());

/**
 * Streams deltas the way chat completions endpoints do.
 *
 * @param {import('node:http').ServerResponse} response
 * @param {object[]} deltas
 * @param {string} finishReason
 */
function complete(response, deltas, finishReason) {
  const envelope = { id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'some-model-2026' };
  const chunks = [
    ...deltas.map(delta => ({ ...envelope, choices: [{ index: 0, delta, finish_reason: null }] })),
    { ...envelope, choices: [{ index: 0, delta: {}, finish_reason: finishReason }] },
    { ...envelope, choices: [], usage: { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 } },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
}

describe('an OpenAI-compatible endpoint', () => {
  test('answers instead of the scripted model', async () => {
    respond = response => complete(response, [{ role: 'assistant', content: 'Hel' }, { content: 'lo' }], 'stop');
    const { answer } = await converse(server.url, { scenario: 'metadata', messages: [userMessage('Hi')] });
    assert.deepEqual(textsOf(answer), ['Hello']);
    const { model, usage } = /** @type {any} */ (answer.metadata);
    assert.deepEqual([model, usage.inputTokens, usage.outputTokens], ['some-model', 11, 7]);

    const [{ url, authorization, body }] = requests;
    assert.deepEqual([url, authorization, body.model, body.stream], ['/v1/chat/completions', 'Bearer test-key', 'some-model', true]);
    assert.deepEqual(body.messages, [{ role: 'user', content: 'Hi' }]);
    assert.deepEqual(body.stream_options, { include_usage: true });
    assert.equal(body.tools, undefined, 'a scenario without tools offers none');
  });

  test('calls the scenario’s tools', async () => {
    respond = (response, { messages }) =>
      messages.at(-1).role === 'tool'
        ? complete(response, [{ content: `Result: ${messages.at(-1).content}` }], 'stop')
        : complete(
            response,
            [
              { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"ci' } }] },
              { tool_calls: [{ index: 0, function: { arguments: 'ty":"Oslo"}' } }] },
            ],
            'tool_calls',
          );
    const { answer } = await converse(server.url, { scenario: 'tools', messages: [userMessage('Weather in Oslo?')] });
    const [call] = partsOfType(answer, 'tool-weather');
    assert.deepEqual([call.toolCallId, call.state, call.input], ['call_1', 'output-available', { city: 'Oslo' }]);
    assert.match(textsOf(answer).join(''), /^Result: .*"temperature":14\.5/);

    assert.equal((await getJson(`${server.url}/api/executions`)).length, 1);
    assert.deepEqual(requests[0].body.tools.map((/** @type {any} */ tool) => tool.function.name), ['weather']);
    assert.match(requests[0].body.messages[0].content, /weather tool/);
    assert.equal(requests.length, 2);
  });

  test('that refuses is reported in the answer, without the key', async () => {
    respond = response => {
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: 'Wrong key', type: 'auth', code: 'invalid' } }));
    };
    const { chunks, body } = await converse(server.url, { scenario: 'plain', messages: [userMessage('Hi')] });
    assert.deepEqual(chunks.filter(({ type }) => type === 'error').map(({ errorText }) => errorText), ['Wrong key']);
    assert.doesNotMatch(body, /test-key/);
  });

  test('stops working when nobody reads its answer any more', { timeout: 10_000 }, async () => {
    for (const query of ['delay=0', 'delay=0&cut=3&cutMode=end']) {
      // Says one word and then thinks for ever, so that only the broken connection can end it.
      const providerSawTheEnd = new Promise(resolve => {
        respond = response => {
          const delta = { id: 'c', choices: [{ index: 0, delta: { content: 'word' }, finish_reason: null }] };
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(`data: ${JSON.stringify(delta)}\n\n`);
          response.on('close', resolve);
        };
      });
      const leaving = new AbortController();
      const response = await fetch(`${server.url}/api/chat?scenario=plain&${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id: 'chat', messages: [userMessage('Hi')] }),
        signal: leaving.signal,
      });
      if (query.includes('cut')) await response.text();
      else leaving.abort();
      await providerSawTheEnd;
    }
  });
});
