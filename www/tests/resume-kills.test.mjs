/** The package against the demo's server, over connections that break at random bytes. `CHATWIRE_LONG=1`: more of them. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';

import { lastAssistantMessageIsCompleteWithToolCalls } from '../../pkg/dist/node.js';
import { Random } from '../../pkg/test/support/random.mjs';
import { startServer } from '../server.mjs';
import { chunksOf, getJson, post, userMessage } from './server-client.mjs';
import { BreakingProxy } from './support/breaking-proxy.mjs';
import { expectedMessages } from './support/demo.mjs';
import { startRedis } from './support/redis.mjs';
import { resumingChat } from './support/resumable-chat.mjs';
import { startServerProcess } from './support/server-processes.mjs';

/** @import { Recording } from '../server/recordings.mjs' */

/** How many connections are broken, of each kind of server. */
const KILLS = process.env.CHATWIRE_LONG === '1' ? 100 : 20;

/** How many chats run at the same time; most of the time they wait. */
const CHATS_AT_ONCE = 10;

/** How long an answer takes at the least and at the most, in milliseconds: the first reconnection comes after 500. */
const SHORTEST_ANSWER_MS = 200;
const LONGEST_ANSWER_MS = 1500;

const SCENARIOS = ['tools', 'question', 'reasoning', 'data', 'approval', 'metadata', 'markdown', 'sources', 'files', 'plain'];

const PROMPT = 'What is the weather in Lisbon?';

/** A run of any length may be broken twice in its last byte, and the second reconnection comes after 1.25 s more. */
const SERVER = { record: true, resumeGraceMs: 10_000 };

/**
 * Breaks connections until enough are broken, and compares every chat with what its servers sent.
 *
 * @param {string[]} servers addresses; the requests of a chat go to one after the other
 * @param {number} firstSeed
 */
async function breakConnections(servers, firstSeed) {
  const answers = await uncutAnswers(servers[0]);
  let broken = 0;
  let seed = firstSeed;
  while (broken < KILLS) {
    const runs = Array.from({ length: CHATS_AT_ONCE }, (_, index) => {
      const scenario = SCENARIOS[(seed + index) % SCENARIOS.length];
      return breakOneChat(servers, scenario, answers.get(scenario) ?? '', seed + index);
    });
    for (const count of await Promise.all(runs)) broken += count;
    seed += CHATS_AT_ONCE;
  }
}

/**
 * The first answer of each scenario. Only its size is of interest: ids have the same length each time.
 *
 * @param {string} server
 * @returns {Promise<Map<string, string>>}
 */
async function uncutAnswers(server) {
  const answers = SCENARIOS.map(async scenario => {
    const { body } = await post(server, { scenario, messages: [userMessage(PROMPT)], chatId: `uncut ${scenario}` });
    return /** @type {const} */ ([scenario, body]);
  });
  return new Map(await Promise.all(answers));
}

/**
 * @param {string[]} servers
 * @param {string} scenario
 * @param {string} uncut what its first answer is like
 * @param {number} seed
 * @returns {Promise<number>} how many connections were broken
 */
async function breakOneChat(servers, scenario, uncut, seed) {
  const random = new Random(seed);
  const bytes = Buffer.byteLength(uncut);
  const breaks = [random.below(bytes), random.chance(0.5) ? random.below(bytes) : undefined];
  const duration = SHORTEST_ANSWER_MS + random.below(LONGEST_ANSWER_MS - SHORTEST_ANSWER_MS);
  const delay = Math.round(duration / (chunksOf(uncut).length + 1));
  const proxy = await BreakingProxy.start(servers, breaks);
  const id = `${scenario} ${seed}`;
  const api = `${proxy.url}/api/chat?scenario=${scenario}&delay=${delay}&resumable=1`;
  const { chat, seen } = resumingChat(api, {
    id,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: (/** @type {any} */ { toolCall }) => {
      seen.toolCalls.push(toolCall.toolCallId);
      if (toolCall.toolName !== 'ask_user_question') return;
      chat.addToolOutput({ tool: toolCall.toolName, toolCallId: toolCall.toolCallId, output: 'Friendly' });
    },
  });
  try {
    await chat.sendMessage({ text: PROMPT });
    await assertWhole(chat, seen, servers, scenario);
  } catch (error) {
    const errors = seen.errors.map(error => `${error.name}: ${error.message}`);
    const name = `${id}, broken at ${breaks} of ${bytes} bytes, ${delay} ms`;
    throw new Error(`${name}: ${JSON.stringify({ requests: proxy.requests, errors })}`, { cause: error });
  } finally {
    chat.dispose();
    await proxy.close();
  }
  return proxy.broken;
}

/**
 * Fails unless the chat is as if no connection had broken: its messages, and what it and its servers did.
 *
 * @param {any} chat
 * @param {import('./support/resumable-chat.mjs').Seen} seen
 * @param {string[]} servers
 * @param {string} scenario
 */
async function assertWhole(chat, seen, servers, scenario) {
  const recordings = await recordingsOf(servers, chat.id);
  assert.equal(recordings.length, scenario === 'question' ? 2 : 1, 'a message is sent once, and answered once');
  assert.deepEqual(seen.outcomes, recordings.map(() => 'complete'));
  assert.deepEqual(seen.errors, []);
  assert.equal(chat.status, 'ready');
  assert.equal(chat.connection, 'idle');

  const messages = JSON.parse(JSON.stringify(chat.messages));
  assert.deepEqual(messages, await expectedMessages(/** @type {Recording} */ (recordings.at(-1))));
  assert.equal(messages.length, 2);
  assert.deepEqual(messages[0].parts, [{ type: 'text', text: PROMPT }]);

  const chunks = recordings.flatMap(({ body }) => chunksOf(body));
  const calls = chunks.filter(({ type }) => type === 'tool-input-available').map(({ toolCallId }) => toolCallId);
  assert.deepEqual(seen.toolCalls, calls);
  assert.deepEqual(seen.data, chunks.filter(({ type }) => type.startsWith('data-')));
  const executions = (await fromAll(servers, 'executions')).filter(({ chatId }) => chatId === chat.id);
  assert.deepEqual(executions.map(({ toolCallId }) => toolCallId), scenario === 'tools' ? calls : []);
}

/**
 * The requests of a chat, in the order in which it sent them.
 *
 * @param {string[]} servers
 * @param {string} chatId
 * @returns {Promise<Recording[]>}
 */
async function recordingsOf(servers, chatId) {
  const recordings = await fromAll(servers, 'recordings');
  return recordings
    .filter(({ requestBody }) => JSON.parse(requestBody).id === chatId)
    .sort((one, other) => one.requestBody.length - other.requestBody.length);
}

/**
 * @param {string[]} servers
 * @param {'recordings' | 'executions'} name
 * @returns {Promise<any[]>}
 */
async function fromAll(servers, name) {
  return (await Promise.all(servers.map(server => getJson(`${server}/api/${name}`)))).flat();
}

describe('connections that break', { concurrency: 2, timeout: 600_000 }, () => {
  test(`${KILLS} times, of one server: every message is whole`, async () => {
    const server = await startServer(SERVER);
    try {
      await breakConnections([server.url], 1);
    } finally {
      await server.close();
    }
  });

  describe('of two servers that share a Redis', () => {
    /** @type {Awaited<ReturnType<typeof startRedis>>} */
    let redis;
    /** @type {Awaited<ReturnType<typeof startServerProcess>>[]} */
    let servers = [];
    before(async () => {
      redis = await startRedis();
      const options = { ...SERVER, redisUrl: redis.url };
      servers = await Promise.all([startServerProcess(options), startServerProcess(options)]);
    });
    after(async () => {
      await Promise.all(servers.map(server => server.kill()));
      await redis.stop();
    });

    test(`${KILLS} times: every message is whole`, async () => {
      await breakConnections(servers.map(({ url }) => url), 1001);
    });
  });
});
