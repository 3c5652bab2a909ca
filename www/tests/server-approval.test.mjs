/** Approval requests are signed by the server, and only what was signed is executed. */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';

import { startServer } from '../server.mjs';
import { converse, getJson, partsOfType, textsOf, userMessage, withToolPart } from './server-client.mjs';

const TOOL = 'apply_resume_patch';

/** @type {Awaited<ReturnType<typeof startServer>>} */
let server;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.close());

/** @param {import('ai').UIMessage[]} [before] */
function ask(before = []) {
  return converse(server.url, { scenario: 'approval', messages: [...before, userMessage('Make it more senior.')] });
}

/**
 * The conversation as a client sends it when the person has decided.
 *
 * @param {import('ai').UIMessage[]} messages
 * @param {{ approved: boolean, reason?: string }} decision
 * @param {(part: any) => object} [change] what a dishonest client changes besides
 */
function decide(messages, decision, change = () => ({})) {
  const decided = withToolPart(messages, TOOL, part => ({
    state: 'approval-responded',
    approval: { ...part.approval, ...decision },
  }));
  return withToolPart(decided, TOOL, change);
}

/** @param {import('ai').UIMessage[]} messages */
function answerTo(messages) {
  return converse(server.url, { scenario: 'approval', messages });
}

/** @param {import('ai').UIMessage} message */
function callIn(message) {
  return partsOfType(message, `tool-${TOOL}`)[0];
}

function executions() {
  return getJson(`${server.url}/api/executions`);
}

describe('approval', () => {
  test('is requested with a signature, before anything is executed', async () => {
    const { answer } = await ask();
    const call = callIn(answer);
    assert.equal(call.state, 'approval-requested');
    assert.equal(call.input.patch[0].op, 'replace');
    assert.equal(call.approval.requestReason, 'The patch changes your résumé.');
    assert.match(call.approval.signature, /^[\w-]{43}$/);
    assert.deepEqual(await executions(), []);
  });

  test('given: the patch is applied once and the answer says so', async () => {
    const { answer: asked, messages } = await ask();
    const { answer } = await answerTo(decide(messages, { approved: true }));
    assert.equal(answer.id, asked.id);
    const call = callIn(answer);
    assert.equal(call.state, 'output-available');
    assert.deepEqual(call.output.changedPaths, ['/title', '/skills/-']);
    assert.equal(call.output.resume.title, 'Senior software engineer');
    assert.deepEqual(call.output.resume.skills, ['TypeScript', 'Rust', 'WebAssembly']);
    assert.equal(textsOf(answer).at(-1), 'Done. I changed /title and /skills/-.');
    const log = await executions();
    assert.deepEqual(log.map((/** @type {any} */ { toolCallId }) => toolCallId), [call.toolCallId]);
    assert.deepEqual(log[0].input, call.input);
  });

  test('given later: each patch builds on the one before, whatever its values look like', async () => {
    const first = await ask();
    const applied = await answerTo(decide(first.messages, { approved: true }));
    const second = await ask(applied.messages);
    assert.equal(callIn(second.answer).input.patch[1].value['10'], 1e21);
    const { answer } = await answerTo(decide(second.messages, { approved: true }));
    const { resume } = callIn(answer).output;
    assert.equal(resume.title, 'Senior software engineer');
    assert.deepEqual([resume.years, resume.languages['2'], resume.languages['português']], [8.25, 1e-7, 'C2']);
    assert.equal((await executions()).length, 2);
  });

  test('denied: nothing is executed and the answer repeats the reason', async () => {
    const { messages } = await ask();
    const { answer } = await answerTo(decide(messages, { approved: false, reason: 'Too boastful' }));
    assert.equal(callIn(answer).state, 'output-denied');
    assert.equal(textsOf(answer).at(-1), 'I left the résumé as it is. Your reason was: “Too boastful”.');
    assert.deepEqual(await executions(), []);
  });

  test('denied without a reason', async () => {
    const { messages } = await ask();
    const { answer } = await answerTo(decide(messages, { approved: false }));
    assert.equal(textsOf(answer).at(-1), 'I left the résumé as it is.');
  });

  test('ignored: the next message gets a new request', async () => {
    const { answer: asked, messages } = await ask();
    const { answer } = await ask(messages);
    assert.equal(callIn(answer).state, 'approval-requested');
    assert.notEqual(callIn(answer).approval.id, callIn(asked).approval.id);
    assert.deepEqual(await executions(), []);
  });
});

/** @type {Record<string, [RegExp, (part: any) => object]>} */
const DISHONEST = {
  'a changed input': [
    /invalid signature/i,
    part => ({ input: { patch: [{ ...part.input.patch[0], value: 'Owner' }, part.input.patch[1]] } }),
  ],
  'a changed tool call id': [/invalid signature/i, () => ({ toolCallId: 'call_other' })],
  'a changed approval id': [/invalid signature/i, part => ({ approval: { ...part.approval, id: 'other' } })],
  'another signature': [
    /invalid signature/i,
    part => ({ approval: { ...part.approval, signature: 'A'.repeat(43) } }),
  ],
  'no signature': [/missing signature/i, ({ approval: { signature: _, ...approval } }) => ({ approval })],
};

describe('an approval with', () => {
  for (const [name, [expected, change]] of Object.entries(DISHONEST)) {
    test(`${name} is refused`, async () => {
      const { messages } = await ask();
      const { chunks } = await answerTo(decide(messages, { approved: true }, change));
      const errors = chunks.filter(({ type }) => type === 'error');
      assert.equal(errors.length, 1);
      assert.match(errors[0].errorText, expected);
      assert.deepEqual(await executions(), []);
    });
  }

  test('a signature of another server is refused', async () => {
    const { messages } = await ask();
    await server.close();
    server = await startServer();
    const { chunks } = await answerTo(decide(messages, { approved: true }));
    assert.match(chunks.find(({ type }) => type === 'error').errorText, /invalid signature/i);
    assert.deepEqual(await executions(), []);
  });
});

describe('without an approval secret', () => {
  beforeEach(async () => {
    await server.close();
    server = await startServer({ approvalSecret: null });
  });

  test('the same dishonest approvals are executed: only the signature stops them', async () => {
    for (const [, change] of Object.values(DISHONEST)) {
      const { messages } = await ask();
      const { chunks } = await answerTo(decide(messages, { approved: true }, change));
      assert.deepEqual(chunks.filter(({ type }) => type === 'error'), []);
    }
    assert.equal((await executions()).length, Object.keys(DISHONEST).length);
  });

  test('a patch that does not fit is a tool error that names the operation', async () => {
    const { messages } = await ask();
    const patch = [
      { op: 'replace', path: '/title', value: 'Changed' },
      { op: 'remove', path: '/nothing' },
    ];
    const { answer } = await answerTo(decide(messages, { approved: true }, () => ({ input: { patch } })));
    const call = callIn(answer);
    assert.equal(call.state, 'output-error');
    assert.match(call.errorText, /does not fit the résumé at .*"remove","path":"\/nothing"/);

    const next = await ask([...messages.slice(0, -1), answer]);
    const { answer: applied } = await answerTo(decide(next.messages, { approved: true }));
    assert.equal(callIn(applied).output.resume.title, 'Software engineer', 'the failed patch left nothing behind');
  });

  test('a patch that reaches for the prototype is refused', async () => {
    const { messages } = await ask();
    const patch = [{ op: 'add', path: '/__proto__/polluted', value: true }];
    const { answer } = await answerTo(decide(messages, { approved: true }, () => ({ input: { patch } })));
    assert.equal(callIn(answer).state, 'output-error');
    assert.equal(/** @type {any} */ ({}).polluted, undefined);
  });
});
