// The AI SDK's chat with its state for React, unthrottled. No component is rendered.

import { Chat } from "@ai-sdk/react";
import { DefaultChatTransport } from "ai";

/** @type {import("../measure.mjs").Contender} */
export const peer = {
  async load() {},
  async run({ history, fetch, onMessages }) {
    let failure;
    const chat = new Chat({
      messages: history,
      transport: new DefaultChatTransport({ fetch }),
      onError: (error) => (failure = error),
    });
    // What `useChat` subscribes with.
    chat["~registerMessagesCallback"](() => onMessages(chat.messages));
    await chat.sendMessage({ text: "Go" });
    if (failure) throw failure;
    return { messages: chat.messages, release() {} };
  },
};
