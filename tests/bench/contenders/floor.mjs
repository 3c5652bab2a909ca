// The least JavaScript that gives the message: no checks, no copies, nothing immutable, and a tool's
// input only when it is whole.

/** @type {import("../measure.mjs").Contender} */
export const floor = {
  async load() {},
  async run({ history, fetch, onMessages }) {
    const answer = { id: "", role: "assistant", parts: [] };
    const messages = [...history, { id: "go", role: "user", parts: [{ type: "text", text: "Go" }] }, answer];
    const response = await fetch("/api/chat", { method: "POST", body: JSON.stringify({ messages }) });
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const open = new Map();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      const text = decoder.decode(value, { stream: true });
      // A long event comes in many reads: what has no end in it is not searched again.
      if (!text.includes("\n")) {
        rest += text;
        continue;
      }
      const events = (rest + text).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        if (event !== "data: [DONE]") append(answer, open, JSON.parse(event.slice(6)));
      }
      onMessages(messages);
    }
    return { messages, release() {} };
  },
};

function append(message, open, chunk) {
  switch (chunk.type) {
    case "start":
      message.id = chunk.messageId;
      return;
    case "start-step":
      message.parts.push({ type: "step-start" });
      return;
    case "text-start":
      addText(message, open, chunk.id, { type: "text", text: "", state: "streaming" });
      return;
    case "reasoning-start":
      addText(message, open, chunk.id, { type: "reasoning", id: chunk.id, text: "", state: "streaming" });
      return;
    case "text-delta":
    case "reasoning-delta":
      open.get(chunk.id).text += chunk.delta;
      return;
    case "text-end":
    case "reasoning-end":
      open.get(chunk.id).state = "done";
      return;
    case "tool-input-start":
      addTool(message, open, chunk).inputText = "";
      return;
    case "tool-input-delta":
      open.get(chunk.toolCallId).inputText += chunk.inputTextDelta;
      return;
    case "tool-input-available": {
      const part = open.get(chunk.toolCallId) ?? addTool(message, open, chunk);
      part.inputText = undefined;
      part.input = chunk.input;
      part.state = "input-available";
      return;
    }
    case "tool-output-available": {
      const part = open.get(chunk.toolCallId);
      part.output = chunk.output;
      part.state = "output-available";
      return;
    }
    case "data-row":
      message.parts.push(chunk);
      return;
  }
}

function addText(message, open, id, part) {
  open.set(id, part);
  message.parts.push(part);
}

function addTool(message, open, { toolName, toolCallId }) {
  const part = { type: `tool-${toolName}`, toolCallId, state: "input-streaming", inputText: undefined };
  open.set(toolCallId, part);
  message.parts.push(part);
  return part;
}
