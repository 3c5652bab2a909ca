// The package, as an app uses it.

import { Chat, DefaultChatTransport, init } from "chatwire";

/** @type {import("../measure.mjs").Contender} */
export const chatwire = contender({ throttle: 0 });

/** With the package's own default: one notification per frame. */
export const chatwireDefault = contender({});

function contender(options) {
  return {
    load: () => init(),
    async run({ history, fetch, onMessages }) {
      let failure;
      const chat = new Chat({
        ...options,
        messages: history,
        transport: new DefaultChatTransport({ fetch }),
        onError: (error) => (failure ??= error),
        onWarning: (warning) => (failure ??= new Error(warning.message)),
      });
      chat.subscribe(() => onMessages(chat.messages));
      await chat.sendMessage({ text: "Go" });
      if (failure) throw failure;
      return { messages: chat.messages, release: () => chat.dispose() };
    },
  };
}
