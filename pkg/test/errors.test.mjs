// The error class, and that the AI SDK's checks recognise it.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { JSONParseError } from "@ai-sdk/provider";
import * as peer from "ai";
import { Chat, ChatwireError, DefaultChatTransport } from "chatwire";

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
  assert.equal("offset" in error, false);
  assert.equal("cause" in new ChatwireError({ code: "busy", message: "m" }), false);
});

test("an error answer is reported as by the AI SDK's transport", async () => {
  for (const status of [400, 404, 408, 409, 422, 429, 499, 500, 503]) {
    const fetch = async () => new Response("Out of order.", { status });
    const chat = new Chat({ transport: new DefaultChatTransport({ fetch }) });
    await chat.sendMessage({ text: "Hello" });
    const request = { chatId: "c", trigger: "submit-message", messages: [] };
    const theirs = await new peer.DefaultChatTransport({ fetch })
      .sendMessages(request)
      .catch((error) => error);
    for (const key of ["name", "message", "statusCode", "responseBody", "url", "isRetryable"]) {
      assert.equal(chat.error[key], theirs[key], `${key} for ${status}`);
    }
    assert.ok(peer.APICallError.isInstance(chat.error));
    assert.equal(chat.error.code, status === 409 ? "run_active" : "http_error");
  }
});

test("the codes are those of the core and of this package", () => {
  const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
  const codesIn = (text) => [...text.matchAll(/"(\w+)"/g)].map(([, code]) => code);
  const ofCore = (file, method) => {
    const codes = codesIn(read(file).match(new RegExp(`fn ${method}\\(&?self\\).*?\\n {4}\\}`, "s"))[0]);
    assert.ok(codes.length > 5);
    return codes;
  };
  const sources = readdirSync(new URL("../src", import.meta.url)).map((file) => read(`../src/${file}`));
  const ofPackage = sources.flatMap((source) =>
    [...source.matchAll(/(?:code: |\[\s+)"(\w+)",/g)].map(([, code]) => code),
  );
  const used = [
    ...ofCore("../../src/error.rs", "code"),
    ...ofCore("../../src/agent/error.rs", "code"),
    ...ofCore("../../src/message/validate.rs", "as_str"),
    ...ofPackage,
  ];
  const errors = read("../src/errors.ts");
  const declared = ["ChatwireErrorCode", "ValidationIssueCode"].flatMap((type) =>
    codesIn(errors.match(new RegExp(`type ${type} =(.*?);`, "s"))[1]),
  );
  assert.deepEqual([...new Set(declared)].sort(), [...new Set(used)].sort());
});

test("isInstance needs the mark of this package", () => {
  assert.ok(ChatwireError.isInstance(new ChatwireError({ code: "busy", message: "m" })));
  for (const other of [undefined, null, "text", new Error("e"), { code: "busy" }]) {
    assert.equal(ChatwireError.isInstance(other), false);
  }
});
