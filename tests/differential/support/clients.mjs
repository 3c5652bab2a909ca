// The two clients: the built package by its name, and the AI SDK's own as React uses it.

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

// Both are reached from the package's folder, which has the AI SDK among its modules and may name
// itself.
const { resolve } = createRequire(new URL("../../../pkg/package.json", import.meta.url));
const load = (name) => import(pathToFileURL(resolve(name)).href);

export const chatwire = await load("chatwire");
export const peer = await load("ai");

// So that no first request waits for a file.
await chatwire.init();

/** The state behind `@ai-sdk/react`'s chat: lists are replaced, a message is copied when it changes. */
class PeerState {
  #messages;
  #status = "ready";
  #onStatus;
  error = undefined;

  constructor(messages, onStatus) {
    this.#messages = messages;
    this.#onStatus = onStatus;
  }

  get messages() {
    return this.#messages;
  }

  set messages(messages) {
    this.#messages = [...messages];
  }

  get status() {
    return this.#status;
  }

  set status(status) {
    this.#status = status;
    this.#onStatus(status);
  }

  pushMessage = (message) => {
    this.#messages = this.#messages.concat(message);
  };

  popMessage = () => {
    this.#messages = this.#messages.slice(0, -1);
  };

  replaceMessage = (index, message) => {
    this.#messages = this.#messages.with(index, this.snapshot(message));
  };

  snapshot = (value) => {
    if (!Array.isArray(value?.parts)) return value;
    const copy = { ...value, parts: value.parts.map((part) => ({ ...part })) };
    if (typeof value.metadata === "object" && value.metadata !== null) {
      copy.metadata = Array.isArray(value.metadata) ? [...value.metadata] : { ...value.metadata };
    }
    return copy;
  };
}

/** The AI SDK's chat. `onStatus` hears of each status that is set. */
export class PeerChat extends peer.AbstractChat {
  constructor({ messages = [], onStatus = () => {}, ...init }) {
    super({ ...init, state: new PeerState(messages, onStatus) });
  }
}
