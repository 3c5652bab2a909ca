// The AI SDK's error classes and id generators, under their own names.

import assert from "node:assert/strict";
import { test } from "node:test";
import * as peer from "ai";
import * as chatwire from "chatwire";

const KINDS = {
  APICallError: { message: "m", url: "/", requestBodyValues: {} },
  EmptyResponseBodyError: {},
  InvalidArgumentError: { parameter: "p", value: 1, message: "m" },
  JSONParseError: { text: "x", cause: new Error("c") },
  TypeValidationError: { value: 1, cause: new Error("c") },
  UIMessageStreamError: { chunkType: "c", chunkId: "i", message: "m" },
  UnsupportedFunctionalityError: { functionality: "f" },
};

for (const [name, options] of Object.entries(KINDS)) {
  test(`${name} recognises errors of both packages, and no others`, () => {
    const kind = chatwire[name];
    const own = new chatwire.ChatwireError({ code: "http_error", message: "m", name: `AI_${name}` });
    const theirs = new peer[name](options);
    const others = [
      new chatwire.ChatwireError({ code: "http_error", message: "m" }),
      new Error("m"),
      new peer.NoSuchToolError({ toolName: "t" }),
      undefined,
      null,
      `AI_${name}`,
    ];
    for (const error of [own, theirs]) {
      assert.ok(kind.isInstance(error));
      assert.ok(error instanceof kind);
      assert.ok(chatwire.AISDKError.isInstance(error));
    }
    for (const error of others) {
      assert.ok(!kind.isInstance(error));
      assert.ok(!(error instanceof kind));
    }
    assert.ok(peer[name].isInstance(own));
  });
}

test("createIdGenerator takes the AI SDK's options", () => {
  for (const [options, form] of [
    [undefined, /^[0-9A-Za-z]{16}$/],
    [{ size: 3 }, /^[0-9A-Za-z]{3}$/],
    [{ prefix: "msg" }, /^msg-[0-9A-Za-z]{16}$/],
    [{ prefix: "msg", separator: "_", size: 4, alphabet: "ab" }, /^msg_[ab]{4}$/],
    [{ alphabet: "x-" }, /^[x-]{16}$/],
  ]) {
    for (const { createIdGenerator } of [peer, chatwire]) {
      const generate = createIdGenerator(options);
      for (let count = 0; count < 50; count++) assert.match(generate(), form);
    }
  }
  assert.notEqual(chatwire.generateId(), chatwire.generateId());
});

test("a separator of the alphabet is refused", () => {
  for (const { createIdGenerator } of [peer, chatwire]) {
    assert.throws(() => createIdGenerator({ prefix: "a", separator: "b" }), {
      name: "AI_InvalidArgumentError",
    });
  }
});
