// The error class, and that the AI SDK's checks recognise it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { JSONParseError } from "@ai-sdk/provider";
import * as peer from "ai";
import { ChatwireError } from "chatwire";

const peers = {
  AI_APICallError: peer.APICallError,
  AI_EmptyResponseBodyError: peer.EmptyResponseBodyError,
  AI_InvalidArgumentError: peer.InvalidArgumentError,
  AI_JSONParseError: JSONParseError,
  AI_TypeValidationError: peer.TypeValidationError,
  AI_UIMessageStreamError: peer.UIMessageStreamError,
  AI_UnsupportedFunctionalityError: peer.UnsupportedFunctionalityError,
};

for (const [name, Peer] of Object.entries(peers)) {
  test(`${name} is recognised, and only as that`, () => {
    const error = new ChatwireError({ code: "http_error", message: "m", name });
    assert.equal(error.name, name);
    assert.ok(error instanceof Error);
    assert.ok(peer.AISDKError.isInstance(error));
    for (const [other, Other] of Object.entries(peers)) {
      assert.equal(Other.isInstance(error), other === name, other);
    }
    assert.ok(Peer.isInstance(error));
  });
}

test("an error without a counterpart is none of the AI SDK's", () => {
  const error = new ChatwireError({ code: "wasm_invalid", message: "m" });
  assert.equal(error.name, "ChatwireError");
  assert.equal(peer.AISDKError.isInstance(error), false);
  assert.equal(String(error), "ChatwireError: m");
});

test("code, cause and details are kept, what is not known is absent", () => {
  const cause = new Error("cause");
  const error = new ChatwireError({
    code: "http_error",
    message: "HTTP 404 from /api/chat",
    name: "AI_APICallError",
    cause,
    statusCode: 404,
    url: "/api/chat",
    responseBody: "<html>",
  });
  assert.equal(error.code, "http_error");
  assert.equal(error.cause, cause);
  assert.equal(error.statusCode, 404);
  assert.equal(error.url, "/api/chat");
  assert.equal(error.responseBody, "<html>");
  assert.equal("chunkType" in error, false);
  assert.equal("cause" in new ChatwireError({ code: "busy", message: "m" }), false);
});

test("isRetryable follows the status as in the AI SDK, unless given", () => {
  for (const statusCode of [200, 400, 404, 408, 409, 422, 429, 499, 500, 503]) {
    const ours = new ChatwireError({ code: "http_error", message: "m", statusCode });
    const theirs = new peer.APICallError({
      message: "m",
      url: "u",
      requestBodyValues: {},
      statusCode,
    });
    assert.equal(ours.isRetryable, theirs.isRetryable, String(statusCode));
  }
  const given = { code: "http_error", message: "m", statusCode: 500, isRetryable: false };
  assert.equal(new ChatwireError(given).isRetryable, false);
});

test("isInstance needs the mark of this package", () => {
  assert.ok(ChatwireError.isInstance(new ChatwireError({ code: "busy", message: "m" })));
  for (const other of [undefined, null, "text", new Error("e"), { code: "busy" }]) {
    assert.equal(ChatwireError.isInstance(other), false);
  }
});
