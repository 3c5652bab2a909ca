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

test("a completion and an object of the same name are not shared between two requests", () => {
  const schema = z.object({});
  const seen = [];
  function Page({ visitor }) {
    const { completion, setCompletion } = useCompletion({ id: "same" });
    const { object, clear } = useObject({ id: "same", api: "/", schema, initialValue: { visitor } });
    seen.push([completion, object?.visitor]);
    // What a render on a server must not do, but one visitor's page may.
    setCompletion(`of ${visitor}`);
    clear();
    return null;
  }
  for (const visitor of ["a", "b"]) renderToString(createElement(Page, { visitor }));
  assert.deepEqual(seen, [
    ["", "a"],
    ["", "b"],
  ]);
});
