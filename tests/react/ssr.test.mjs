// chatwire/react on a server: it imports without a browser, renders the initial state, and keeps the
// visitors apart.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Chat as NodeChat } from "chatwire";
import { Chat, useChat, useChatMessage, useChatPart, useCompletion, useObject } from "chatwire/react";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { z } from "zod";

const messages = [{ id: "m", role: "user", parts: [{ type: "text", text: "Hello" }] }];

test("the hooks' Chat is the package's own, for Node", () => {
  assert.equal(Chat, NodeChat);
});

test("the first statement makes the file a client component", () => {
  const file = readFileSync(new URL(import.meta.resolve("chatwire/react")), "utf8");
  assert.match(file, /^"use client";/);
});

test("useChat and the hooks for parts render the initial messages", () => {
  function Page() {
    const { chat, messages: shown, status, id } = useChat({ id: "chat", messages, resume: true });
    const message = useChatMessage(chat, "m");
    const part = useChatPart(chat, "m", 0);
    return [id, status, shown.length, message.role, part.text].join(" ");
  }
  assert.equal(renderToString(createElement(Page)), "chat ready 1 user Hello");
});

test("a completion of one visitor cannot be stopped by another of the same name", async () => {
  const signals = [];
  const helpers = [];
  const fetch = (_url, { signal }) => {
    signals.push(signal);
    return new Promise((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
    });
  };
  function Page() {
    helpers.push(useCompletion({ id: "same", fetch }));
    return null;
  }
  for (let visitor = 0; visitor < 2; visitor++) renderToString(createElement(Page));
  const [first, second] = helpers;
  const result = first.complete("A prompt");
  while (signals.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  second.stop();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(signals[0].aborted, false);
  first.stop();
  assert.equal(await result, null);
});

test("a completion and an object render what they begin with", () => {
  function Page() {
    const { completion, isLoading } = useCompletion({ id: "text", initialCompletion: "Text" });
    const { object } = useObject({
      id: "object",
      api: "/",
      schema: z.object({}),
      initialValue: { name: "Object" },
    });
    return [completion, isLoading, object.name].join(" ");
  }
  assert.equal(renderToString(createElement(Page)), "Text false Object");
});
