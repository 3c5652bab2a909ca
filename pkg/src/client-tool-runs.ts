/**
 * The tools of the page that a chat is running.
 *
 * @module
 */

import type { AbstractChat } from "./chat.js";
import type { ClientTool } from "./chat-types.js";
import type { ToolCall, UIMessage } from "./message-types.js";

/** Runs tools and answers their calls. */
export class ClientToolRuns<UI_MESSAGE extends UIMessage> {
  readonly #chat: AbstractChat<UI_MESSAGE>;
  readonly #running = new Map<string, AbortController>();

  constructor(chat: AbstractChat<UI_MESSAGE>) {
    this.#chat = chat;
  }

  /** Runs a tool for a call, and gives its output unless the chat was stopped. */
  async run(tool: ClientTool, call: ToolCall<string, unknown>): Promise<void> {
    const { toolCallId, toolName } = call;
    if (this.#running.has(toolCallId)) return;
    const controller = new AbortController();
    this.#running.set(toolCallId, controller);
    const { signal } = controller;
    try {
      // By itself, so that chats without such tools do not load it.
      const { runClientTool } = await import("./run-client-tool.js");
      const result = await runClientTool(tool, call, this.#chat.messages, signal);
      if (signal.aborted) return;
      const answer = { tool: toolName, toolCallId, ...result };
      // It rejects when somebody else has answered; the chat has told of it.
      await this.#chat.addToolOutput(answer as never).catch(() => {});
    } finally {
      this.#running.delete(toolCallId);
    }
  }

  /** Tells all tools to end. What they give then is not used. */
  abort(label = "The chat was stopped."): void {
    for (const controller of this.#running.values()) {
      controller.abort(new DOMException(label, "AbortError"));
    }
  }
}
