// The check of messages before they are sent: what it looks at, what it leaves alone, what follows.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as peer from "ai";
import { Chat } from "chatwire";

/** A transport that answers with these chunks, one list for each request, and keeps the requests. */
function scripted(...answers) {
  const requests = [];
  const answer = () => {
    const chunks = [...(answers[requests.length - 1] ?? []), { type: "finish" }];
    return new ReadableStream({
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
        controller.close();
      },
    });
  };
  return {
    requests,
    sendMessages: async (request) => {
      requests.push(JSON.parse(JSON.stringify(request.messages)));
      return answer();
    },
    reconnectToStream: async (request) => {
      requests.push(request);
      return answer();
    },
  };
}

const issuesOf = (chat) => chat.error?.issues.map(({ path, code }) => `${path.join(".")} ${code}`);
// What earlier versions, and other programs, have left in databases.
const legacy = [
  { id: "old1", role: "user", content: "Hi", parts: [] },
  { id: "old2", role: "data", parts: [{ type: "tool-invocation", toolInvocation: {} }] },
];
const bad = { parts: [{ type: "text" }] };

test("a message with a fault is not sent; it stays, and the error says why", async () => {
  const transport = scripted();
  const errors = [];
  const chat = new Chat({ transport, onError: (error) => errors.push(error) });
  await chat.sendMessage({ id: "a", parts: [{ type: "text" }, { type: "file", url: "u" }] });
  assert.equal(transport.requests.length, 0);
  assert.equal(chat.status, "error");
  assert.equal(chat.error.name, "AI_TypeValidationError");
  assert.equal(chat.error.code, "invalid_value");
  assert.ok(peer.TypeValidationError.isInstance(chat.error));
  assert.deepEqual(issuesOf(chat), ["0.parts.0.text invalid_type", "0.parts.1.mediaType invalid_type"]);
  assert.equal(chat.error.totalIssues, 2);
  assert.deepEqual(errors, [chat.error]);
  assert.deepEqual(chat.messages.map(({ id }) => id), ["a"]);

  // Sent again as it is, it is refused again.
  await chat.sendMessage();
  assert.equal(chat.status, "error");
  assert.equal(transport.requests.length, 0);

  chat.setMessages([]);
  await chat.sendMessage({ text: "Hello" });
  assert.equal(chat.status, "ready");
  assert.equal(transport.requests.length, 1);
});

test("false checks nothing", async () => {
  const transport = scripted();
  const chat = new Chat({ transport, validate: false });
  await chat.sendMessage(bad);
  assert.equal(chat.status, "ready");
  assert.equal(transport.requests[0][0].parts.length, 1);
});

test("history is not checked, however the chat got it", async () => {
  const asObjects = (transport) => new Chat({ transport, messages: legacy });
  const asText = (transport) => new Chat({ transport, messages: JSON.stringify(legacy) });
  const later = (transport) => {
    const chat = new Chat({ transport });
    chat.setMessages(legacy);
    return chat;
  };
  const afterRequest = async (transport) => {
    const chat = new Chat({ transport });
    await chat.sendMessage({ text: "first" });
    transport.requests.length = 0;
    chat.messages = legacy;
    return chat;
  };
  for (const create of [asObjects, asText, later, afterRequest]) {
    const transport = scripted();
    const chat = await create(transport);
    await chat.sendMessage({ text: "Hello" });
    assert.equal(chat.error, undefined, create.name);
    assert.deepEqual(transport.requests[0].slice(0, 2), legacy, create.name);
    // Only what is new is at fault, by its place among all.
    await chat.sendMessage(bad);
    assert.deepEqual(issuesOf(chat), ["3.parts.0.text invalid_type"], create.name);
  }
});

test('"all" checks history, too', async () => {
  const transport = scripted();
  const chat = new Chat({ transport, messages: legacy, validate: "all" });
  await chat.sendMessage({ text: "Hello" });
  assert.equal(transport.requests.length, 0);
  assert.deepEqual(issuesOf(chat), [
    "0.parts too_small",
    "1.role invalid_value",
    "1.parts.0.toolCallId invalid_type",
    "1.parts.0.state invalid_type",
  ]);
  const empty = new Chat({ transport, validate: "all" });
  await empty.sendMessage();
  assert.equal(empty.status, "ready", "there is nothing to check");
});

// A server that asks for approval of an input that it has not sent: a history which it refuses itself.
const askedTooEarly = [
  { type: "tool-input-start", toolCallId: "e", toolName: "delete" },
  { type: "tool-approval-request", toolCallId: "e", approvalId: "a" },
];

test("what the server made does not keep the person from writing on", async () => {
  const transport = scripted(askedTooEarly);
  const chat = new Chat({ transport });
  await chat.sendMessage({ text: "Hello" });
  await chat.sendMessage({ text: "Go on" });
  assert.equal(chat.error, undefined);
  assert.equal(transport.requests.length, 2);

  const strict = new Chat({ transport: scripted(askedTooEarly), validate: "all" });
  await strict.sendMessage({ text: "Hello" });
  await strict.sendMessage({ text: "Go on" });
  assert.deepEqual(issuesOf(strict), ["1.parts.0.input invalid_type"]);
});

test("resuming sends nothing, so nothing is checked", async () => {
  const transport = scripted([]);
  const chat = new Chat({ transport, messages: legacy, validate: "all" });
  await chat.resumeStream();
  assert.equal(chat.error, undefined);
  assert.equal(transport.requests.length, 1);
});

test("messages that are no messages do not keep a chat from being made", () => {
  for (const messages of [[null], [1], [{}], [{ parts: [1, null] }], '[null,{"parts":null}]']) {
    assert.equal(new Chat({ messages }).status, "ready");
  }
});
