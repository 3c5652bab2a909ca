/** The package's chat that takes up what it lost: from the demo's server, and from servers of other habits. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { lastAssistantMessageIsCompleteWithToolCalls } from '../../pkg/dist/node.js';
import { startServer } from '../server.mjs';
import { getJson, post, userMessage } from './server-client.mjs';
import { BreakingProxy } from './support/breaking-proxy.mjs';
import { expectedMessages } from './support/demo.mjs';
import { NumberedServer } from './support/numbered-server.mjs';
import { resumingChat, textOf, until } from './support/resumable-chat.mjs';

/** @import { Recording } from '../server/recordings.mjs' */

/** Longer than the first reconnection waits, in milliseconds. */
const LONGER_THAN_A_RECONNECTION = 800;

/** A response with a tool of the client, text before and after it, and a data part. */
const CHUNKS = [
  { type: 'start', messageId: 'answer' },
  { type: 'start-step' },
  { type: 'text-start', id: 'before' },
  { type: 'text-delta', id: 'before', delta: 'Let me ' },
  { type: 'text-delta', id: 'before', delta: 'ask.' },
  { type: 'text-end', id: 'before' },
  { type: 'tool-input-start', toolCallId: 'call', toolName: 'ask' },
  { type: 'tool-input-delta', toolCallId: 'call', inputTextDelta: '{"question":' },
  { type: 'tool-input-delta', toolCallId: 'call', inputTextDelta: '"Why?"}' },
  { type: 'tool-input-available', toolCallId: 'call', toolName: 'ask', input: { question: 'Why?' } },
  { type: 'data-progress', id: 'progress', data: { done: 1 } },
  { type: 'text-start', id: 'after' },
  { type: 'text-delta', id: 'after', delta: 'I wait ' },
  { type: 'text-delta', id: 'after', delta: 'for you.' },
  { type: 'text-end', id: 'after' },
  { type: 'finish-step' },
  { type: 'finish', finishReason: 'tool-calls' },
];
const EVENTS = CHUNKS.length + 1;

/** @param {number} first @param {number} [last] */
function numbers(first, last = EVENTS) {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** @param {number} ms */
function pause(ms) {
  return new Promise(resolve => setTimeout(resolve, ms));
}

/** @param {any} chat */
function messagesOf(chat) {
  return JSON.parse(JSON.stringify(chat.messages));
}

describe('a server that numbers its events', { concurrency: 10, timeout: 60_000 }, () => {
  /**
   * Sends a message to a server with these habits.
   *
   * @param {Omit<Parameters<typeof NumberedServer.start>[0], 'chunks'>} habits
   * @param {(server: NumberedServer, context: ReturnType<typeof resumingChat>) => Promise<void> | void} check after
   *   the command has settled
   */
  async function send(habits, check) {
    const server = await NumberedServer.start({ chunks: CHUNKS, ...habits });
    const context = resumingChat(`${server.url}/api/chat`);
    try {
      await context.chat.sendMessage({ text: 'Go' });
      await check(server, context);
    } finally {
      context.chat.dispose();
      await server.close();
    }
  }

  /** @type {any} */
  let uncut;
  before(() =>
    send({ breaks: [], answers: [404] }, (server, { chat, seen }) => {
      assert.equal(server.reconnects.length, 0);
      assert.deepEqual([seen.toolCalls, seen.data.length], [['call'], 1]);
      uncut = messagesOf(chat)[1];
    }),
  );

  /**
   * @param {ReturnType<typeof resumingChat>} context
   */
  function assertWhole({ chat, seen }) {
    assert.deepEqual(messagesOf(chat)[1], uncut);
    assert.equal(chat.messages.length, 2);
    assert.deepEqual([seen.outcomes, seen.errors], [['complete'], []]);
    assert.deepEqual([seen.toolCalls, seen.data.length], [['call'], 1]);
  }

  test('is told the last event that arrived, and sends only what is missing', async () => {
    const breaks = [4, 8, 9, 11, 13];
    await Promise.all(
      breaks.map(count =>
        send({ breaks: [count], answers: ['continue'] }, (server, context) => {
          assertWhole(context);
          assert.deepEqual(server.requests, [
            { method: 'POST', lastEventId: undefined, sent: numbers(1, count) },
            { method: 'GET', lastEventId: String(count), sent: numbers(count + 1) },
          ]);
        }),
      ),
    );
  });

  test('is told the newest of them after each break', async () => {
    await send({ breaks: [3, 4, 5], answers: ['continue'] }, (server, context) => {
      assertWhole(context);
      assert.deepEqual(
        server.reconnects.map(({ lastEventId, sent }) => [lastEventId, sent]),
        [
          ['3', numbers(4, 7)],
          ['7', numbers(8, 12)],
          ['12', numbers(13)],
        ],
      );
    });
  });

  test('that sends everything again all the same gives the same message', async () => {
    const breaks = [4, 8, 9, 11, 13];
    await Promise.all(
      breaks.map(count =>
        send({ breaks: [count], answers: ['replay'] }, (server, context) => {
          assertWhole(context);
          assert.deepEqual(server.reconnects, [{ method: 'GET', lastEventId: String(count), sent: numbers(1) }]);
        }),
      ),
    );
  });

  test('that sends everything again, and breaks before it has caught up, does too', async () => {
    await send({ breaks: [11, 5], answers: ['replay'] }, (server, context) => {
      assertWhole(context);
      assert.deepEqual(server.reconnects.map(({ lastEventId }) => lastEventId), ['11', '5']);
    });
  });

  for (const status of [404, 405, 501]) {
    test(`${status} ends resuming for good and keeps the first error`, async () => {
      await send({ breaks: [4, 4], answers: [status, 'replay'] }, async (server, { chat, seen }) => {
        assert.equal(server.reconnects.length, 1);
        assert.deepEqual(seen.outcomes, ['disconnect']);
        assert.equal(seen.errors.length, 1);
        assert.equal(chat.status, 'error');
        assert.equal(chat.connection, 'idle');
        assert.equal(chat.error.code, 'network_error');
        assert.equal(textOf(chat), 'Let me ');

        await chat.sendMessage({ text: 'Go on' });
        assert.deepEqual(seen.outcomes, ['disconnect', 'disconnect']);
        await pause(LONGER_THAN_A_RECONNECTION);
        assert.deepEqual(server.requests.map(({ method }) => method), ['POST', 'GET', 'POST']);
      });
    });
  }

  test('204 ends this resuming and keeps the first error; the next response may be resumed', async () => {
    await send({ breaks: [4, 4], answers: [204, 'replay'] }, async (server, { chat, seen }) => {
      assert.deepEqual(seen.outcomes, ['disconnect']);
      assert.equal(chat.error.code, 'network_error');
      await chat.regenerate();
      assert.deepEqual(seen.outcomes, ['disconnect', 'complete']);
      assert.deepEqual(messagesOf(chat)[1], uncut);
      assert.equal(server.reconnects.length, 2);
    });
  });

  test('503 is asked again', async () => {
    await send({ breaks: [8], answers: [503, 'continue'] }, (server, context) => {
      assertWhole(context);
      assert.deepEqual(
        server.reconnects.map(({ lastEventId, sent }) => [lastEventId, sent]),
        [
          ['8', []],
          ['8', numbers(9)],
        ],
      );
    });
  });

  test('is asked nothing more after a stop', async () => {
    const server = await NumberedServer.start({ chunks: CHUNKS, breaks: [4], answers: ['continue'] });
    const { chat, seen } = resumingChat(`${server.url}/api/chat`);
    const sending = chat.sendMessage({ text: 'Go' });
    await until(chat, () => chat.connection === 'reconnecting');
    assert.equal(chat.status, 'streaming');
    await chat.stop();
    await sending;
    await pause(LONGER_THAN_A_RECONNECTION);
    assert.deepEqual([seen.outcomes, seen.errors, chat.status], [['stopped'], [], 'ready']);
    assert.equal(server.reconnects.length, 0);
    chat.dispose();
    await server.close();
  });
});

describe('the demo’s server', { concurrency: 6, timeout: 60_000 }, () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  before(async () => {
    server = await startServer({ record: true, resumeGraceMs: 5000 });
  });
  after(() => server.close());

  /**
   * @param {string} scenario
   * @param {number} delay
   * @param {{ url: string }} [at]
   */
  const api = (scenario, delay, at = server) => `${at.url}/api/chat?scenario=${scenario}&delay=${delay}&resumable=1`;

  /**
   * A proxy in front of the server, until the test ends.
   *
   * @param {import('node:test').TestContext} t
   * @param {number[]} [breaks]
   */
  async function proxyFor(t, breaks) {
    const proxy = await BreakingProxy.start([server.url], breaks);
    t.after(() => proxy.close());
    return proxy;
  }

  /**
   * A chat, until the test ends.
   *
   * @param {import('node:test').TestContext} t
   * @param {Parameters<typeof resumingChat>} options
   */
  function chatFor(t, ...options) {
    const context = resumingChat(...options);
    t.after(() => context.chat.dispose());
    return context;
  }

  /** What the AI SDK reads from the whole answer to the chat's only request. @param {any} chat */
  async function wholeMessages(chat) {
    /** @type {Recording[]} */
    const all = await getJson(`${server.url}/api/recordings`);
    const recordings = all.filter(({ requestBody }) => JSON.parse(requestBody).id === chat.id);
    assert.equal(recordings.length, 1);
    assert.ok(recordings[0].ended);
    return expectedMessages(recordings[0]);
  }

  const partOf = (/** @type {any} */ message, /** @type {(part: any) => boolean} */ isIt) => message.parts.some(isIt);
  const reloads = /** @type {[string, string, (message: any) => boolean][]} */ ([
    ['a text', 'markdown', message => partOf(message, ({ type, text }) => type === 'text' && text.length > 100)],
    ['a reasoning', 'reasoning', message => partOf(message, ({ type, text }) => type === 'reasoning' && text.length > 40)],
    ['a tool’s input', 'tools', message => partOf(message, ({ state }) => state === 'input-streaming')],
    ['the step after a tool', 'tools', message => partOf(message, ({ state }) => state === 'output-available')],
  ]);
  for (const [place, scenario, isTime] of reloads) {
    test(`a page that is loaded again in the middle of ${place} gets the whole message`, async t => {
      const left = chatFor(t, api(scenario, 10));
      void left.chat.sendMessage({ text: 'Lisbon' });
      await until(left.chat, () => left.chat.lastMessage?.role === 'assistant' && isTime(left.chat.lastMessage));
      const saved = await left.chat.exportMessages();
      left.chat.dispose();

      const { chat, seen } = chatFor(t, api(scenario, 10), { id: left.chat.id, messages: saved });
      assert.deepEqual(messagesOf(chat), JSON.parse(saved));
      const unsubscribe = chat.subscribe(() => {});
      await until(chat, () => chat.outcome !== undefined);
      assert.deepEqual(messagesOf(chat), await wholeMessages(chat));
      assert.deepEqual([seen.outcomes, seen.errors, chat.status], [['complete'], [], 'ready']);
      unsubscribe();
    });
  }

  test('nothing that is shown shrinks while a replay catches up', async t => {
    const proxy = await proxyFor(t, [6000, 3000]);
    const { chat } = chatFor(t, api('markdown', 5, proxy));
    /** @type {number[]} */
    const lengths = [];
    const unsubscribe = chat.subscribe(() => void lengths.push(textOf(chat).length), { resume: false });
    await chat.sendMessage({ text: 'Go' });
    unsubscribe();
    assert.equal(proxy.broken, 2);
    assert.deepEqual(lengths, [...lengths].sort((one, other) => one - other));
    assert.deepEqual(messagesOf(chat), await wholeMessages(chat));
  });

  test('what a replay adds is shown as it comes', async t => {
    const proxy = await proxyFor(t, [3000]);
    const { chat } = chatFor(t, api('markdown', 8, proxy));
    const sending = chat.sendMessage({ text: 'Go' });
    await until(chat, () => chat.connection === 'reconnecting');
    const lengths = new Set();
    const unsubscribe = chat.subscribe(() => void lengths.add(textOf(chat).length), { resume: false });
    await sending;
    unsubscribe();
    assert.ok(lengths.size > 20, `${lengths.size} different lengths`);
  });

  test('an output that was given before the connection broke outlives the replay', async t => {
    const { body } = await post(server.url, { scenario: 'question', messages: [userMessage('Go')], chatId: 'uncut' });
    const callEnds = Buffer.byteLength(body.slice(0, body.indexOf('data: {"type":"finish-step"')));
    const breaks = Array.from({ length: 9 }, (_, index) => callEnds + index * 8);
    await Promise.all(
      breaks.map(async at => {
        const proxy = await proxyFor(t, [at]);
        const { chat, seen } = chatFor(t, api('question', 2, proxy), {
          sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
          onToolCall: (/** @type {any} */ { toolCall: { toolName, toolCallId } }) => {
            seen.toolCalls.push(toolCallId);
            chat.addToolOutput({ tool: toolName, toolCallId, output: 'Friendly' });
          },
        });
        await chat.sendMessage({ text: 'Go' });
        const name = `broken at ${at} of ${body.length} bytes`;
        assert.match(textOf(chat), /Noted: “Friendly”/, name);
        assert.deepEqual([seen.outcomes, seen.errors], [['complete', 'complete'], []], name);
        assert.equal(seen.toolCalls.length, 1, name);
      }),
    );
  });

  test('several resumes at once attach once', async t => {
    const proxy = await proxyFor(t);
    const url = api('tools', 10, proxy);
    const left = chatFor(t, url);
    void left.chat.sendMessage({ text: 'Lisbon' });
    await until(left.chat, () => textOf(left.chat) !== '');
    const saved = await left.chat.exportMessages();
    left.chat.dispose();

    const { chat, seen } = chatFor(t, url, { id: left.chat.id, messages: saved });
    const unsubscribe = [chat.subscribe(() => {}), chat.subscribe(() => {})];
    await Promise.all([chat.resumeStream(), chat.resumeStream(), chat.resumeStream()]);
    await until(chat, () => chat.outcome !== undefined);
    assert.deepEqual(messagesOf(chat), await wholeMessages(chat));
    assert.deepEqual([seen.outcomes, seen.errors], [['complete'], []]);
    assert.deepEqual(proxy.requests.map(({ method }) => method), ['POST', 'GET']);
    for (const end of unsubscribe) end();
  });

  test('several chats follow one answer', async t => {
    const first = chatFor(t, api('tools', 10));
    const sending = first.chat.sendMessage({ text: 'Lisbon' });
    await until(first.chat, () => textOf(first.chat) !== '');
    const saved = await first.chat.exportMessages();
    const others = [1, 2, 3].map(() => chatFor(t, api('tools', 10), { id: first.chat.id, messages: saved }));
    await Promise.all([sending, ...others.map(({ chat }) => chat.resumeStream())]);
    const whole = await wholeMessages(first.chat);
    for (const { chat, seen } of [first, ...others]) {
      assert.deepEqual(messagesOf(chat), whole);
      assert.deepEqual([seen.outcomes, seen.errors], [['complete'], []]);
    }
  });

  test('stop() ends a resumed stream; the answer itself goes on', async t => {
    const proxy = await proxyFor(t, [2000]);
    const { chat, seen } = chatFor(t, api('markdown', 8, proxy));
    const sending = chat.sendMessage({ text: 'Go' });
    await until(chat, () => chat.connection === 'reconnecting');
    await until(chat, () => chat.connection === 'open');
    await chat.stop();
    await sending;
    const stopped = textOf(chat);
    assert.deepEqual([seen.outcomes, seen.errors, chat.status, chat.connection], [['stopped'], [], 'ready', 'idle']);

    await pause(LONGER_THAN_A_RECONNECTION);
    assert.equal(textOf(chat), stopped);
    assert.deepEqual(proxy.requests.map(({ method, isBroken }) => [method, isBroken]), [['POST', true], ['GET', false]]);
    const follower = chatFor(t, api('markdown', 8), { id: chat.id, messages: await chat.exportMessages() });
    await follower.chat.resumeStream();
    assert.deepEqual(messagesOf(follower.chat), await wholeMessages(chat));
    assert.ok(textOf(follower.chat).length > stopped.length);
  });

  test('a cancelled answer ends as aborted, and is not taken up again', async t => {
    const proxy = await proxyFor(t, [2000]);
    const { chat, seen } = chatFor(t, api('markdown', 20, proxy));
    const sending = chat.sendMessage({ text: 'Go' });
    await until(chat, () => chat.connection === 'reconnecting');
    await fetch(`${server.url}/api/chat/${chat.id}/cancel`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messageId: chat.lastMessage.id, label: 'stop button' }),
    });
    await sending;
    assert.deepEqual([seen.outcomes, seen.errors, chat.status], [['aborted'], [], 'ready']);
    assert.deepEqual(proxy.requests.map(({ method }) => method), ['POST', 'GET']);
  });

  test('with nothing running leaves a chat that is opened as it was', async t => {
    const messages = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
    const proxy = await proxyFor(t);
    const { chat, seen } = chatFor(t, api('plain', 0, proxy), { id: 'new', messages });
    await chat.resumeStream();
    assert.deepEqual([seen.outcomes, seen.errors, chat.status, chat.connection], [[], [], 'ready', 'idle']);
    assert.deepEqual(messagesOf(chat), messages);
    assert.deepEqual(proxy.requests.map(({ method }) => method), ['GET']);
  });
});
