/**
 * One message and its answer, with the exports of the entry point under test.
 *
 * @param {typeof import("chatwire")} chatwire
 * @param {string} api
 */
export async function talk({ Chat, DefaultChatTransport, isTextUIPart }, api) {
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
    error: error && { name: error.name, code: error.code, message: error.message },
  };
}
