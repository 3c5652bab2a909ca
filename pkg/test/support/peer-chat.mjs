import { AbstractChat } from "ai";

/** The AI SDK's chat, with the least state that it accepts. */
export class PeerChat extends AbstractChat {
  constructor(init) {
    const state = {
      status: "ready",
      messages: init.messages ?? [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: structuredClone,
    };
    super({ ...init, state });
  }
}
