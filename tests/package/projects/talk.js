/**
 * One message and its answer, and a check by a JSON Schema, with the exports of the entry point under test.
 *
 * @param {typeof import("chatwire")} chatwire
 * @param {string} api
 */
export async function talk({ Chat, DefaultChatTransport, isTextUIPart, safeValidateUIMessages }, api) {
  const chat = new Chat({ transport: new DefaultChatTransport({ api }) });
  const statuses = [chat.status];
  chat.subscribe(() => {
    if (chat.status !== statuses.at(-1)) statuses.push(chat.status);
  });
  // Where the WebAssembly cannot be loaded, this rejects with what is the chat's error, too.
  const rejection = await chat.sendMessage({ text: "Hello" }).catch((reason) => reason);
  const { messages, outcome, error } = chat.getSnapshot();
  return {
    statuses,
    outcome,
    messages: messages.map(({ role, parts }) => ({ role, parts })),
    isFrozen: Object.isFrozen(messages.at(-1)?.parts.at(-1)),
    text: messages.at(-1)?.parts.filter(isTextUIPart).map((part) => part.text),
    rejectedWithError: rejection === error,
    faults: error ? undefined : await faultsByJSONSchema(safeValidateUIMessages),
    error: error && { name: error.name, code: error.code, message: error.message },
  };
}

/** The package loads what interprets JSON Schemas when it needs it. */
async function faultsByJSONSchema(safeValidateUIMessages) {
  const messages = [{ id: "1", role: "user", parts: [{ type: "data-count", data: "one" }] }];
  const dataSchemas = { count: { type: "number" } };
  const { error } = await safeValidateUIMessages({ messages, dataSchemas });
  return error?.issues.map(({ path, code }) => `${path.join(".")} ${code}`);
}
