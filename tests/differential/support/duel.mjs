// Both clients side by side: the same commands, the same bytes at the same time, and after each of
// them a look at everything that an app sees.

import { peer } from "./clients.mjs";
import { comparableLog, Mismatch, withoutEmptyStep } from "./comparison.mjs";
import { legalDifference } from "./differences.mjs";
import { eventOf } from "./events.mjs";
import { isSameJson } from "./json.mjs";
import { Side, settle } from "./side.mjs";

export class Duel {
  /** @type {Side} */
  plain;
  /** @type {Side} */
  ours;
  /** The AI SDK's client on a repaired stream, once the stream has shown a difference. @type {Side | undefined} */
  #reference;
  /** What the reference shows, as chatwire must show it. @type {((messages: object[]) => object[]) | undefined} */
  #adapt;
  #chunks = [];
  #history = [];

  /** @param {import("./side.mjs").SideOptions} options */
  constructor(options = {}) {
    this.options = options;
    this.plain = new Side("peer", options);
    this.ours = new Side("chatwire", options);
  }

  /** Whether the stream has shown a difference, so that the two cannot go on together. */
  get hasDiverged() {
    return this.#reference !== undefined;
  }

  /** Gives both the same command. @param {string} what for the report @param {(chat: object) => unknown} give */
  async give(what, give) {
    this.#history.push(what);
    this.plain.command(give);
    this.ours.command(give);
    await settle();
    this.compare();
    const [expected, actual] = [this.plain, this.ours].map((side) => side.rejections.map(({ name }) => name));
    if (!isSameJson(expected, actual)) throw this.mismatch("rejections", expected, actual);
  }

  /** Begins the answer to the request that both have made. */
  beginAnswer() {
    const { request } = this.plain;
    this.#chunks = [];
    this.#history.push("answer");
    this.messagesAtRequest = request.sent.body.messages;
    if (!isSameJson(request.sent, this.ours.request?.sent)) {
      throw this.mismatch("request", request.sent, this.ours.request?.sent);
    }
  }

  /** The message that the response to the open request continues. */
  get continued() {
    const { trigger, messageId, messages } = this.plain.request.sent.body;
    if (trigger === "regenerate-message") return undefined;
    const message = messageId === undefined ? messages.at(-1) : messages.find(({ id }) => id === messageId);
    return message?.role === "assistant" ? message : undefined;
  }

  /** Sends both the same bytes and lets them take effect. @param {string} bytes */
  async push(bytes, ...sides) {
    for (const side of sides.length > 0 ? sides : this.#sides) side.request?.push(bytes);
    await settle();
  }

  /**
   * Sends a chunk that is legal for both.
   *
   * @param {object} chunk
   * @param {string} bytes of its event
   * @param {import("./stream-state.mjs").StreamState} state before the chunk
   * @returns {Promise<string | undefined>} the difference that it shows
   */
  async sendChunk(chunk, bytes, state) {
    const difference = legalDifference(chunk, state);
    this.#history.push(JSON.stringify(chunk) + (difference ? ` difference ${difference.id}` : ""));
    if (!difference) {
      this.#chunks.push(chunk);
      await this.push(bytes);
      this.compare();
      return undefined;
    }
    this.#chunks = difference.repair(this.#chunks, chunk);
    await this.push(bytes, this.plain, this.ours);
    this.#compareLogs(this.plain, undefined, false);
    await this.#rebuildReference(difference);
    this.#compareShown(false);
    if (isSameJson(this.plain.shown, this.ours.shown)) {
      throw this.mismatch(`difference ${difference.id} is not to be seen`, {}, this.ours.shown);
    }
    return difference.id;
  }

  async #rebuildReference({ opensMessage }) {
    await this.#reference?.end();
    const messages = this.messagesAtRequest;
    if (opensMessage) this.#adapt = opensOwnMessage(messages, this.ours.shown.messages.at(-1).id);
    this.#reference = new Side("peer", {
      ...this.options,
      rule: undefined,
      onToolCall: undefined,
      messages,
      responseId: this.plain.request.responseId,
    });
    // Not sendMessage(), which prefers a message with an answered approval.
    const continued = { trigger: "submit-message", messageId: messages.at(-1).id };
    this.#reference.command((chat) => chat.makeRequest(continued));
    await settle();
    await this.push(this.#chunks.map(eventOf).join(""), this.#reference);
    this.#reference.takeLog();
  }

  /**
   * Ends the answer.
   *
   * @param {boolean} mayResend whether nothing is new, so that only the AI SDK's client may go on
   * @returns {Promise<boolean>} whether it did (difference 12)
   */
  async endAnswer(mayResend) {
    this.#history.push("end");
    const { rule } = this.options;
    const shown = this.plain.shown;
    for (const side of this.#sides) side.request?.close();
    await settle();
    const resends = mayResend && shown.status !== "error" && this.plain.request !== undefined;
    if (resends && !wantsToSend(rule, shown.messages)) throw this.mismatch("resent", false, true);
    this.compare(resends);
    return resends;
  }

  get #sides() {
    return [this.plain, this.ours, ...(this.#reference ? [this.#reference] : [])];
  }

  /**
   * Throws when chatwire does not show what it must.
   *
   * @param {boolean} resends whether the AI SDK's client has begun a request of its own
   */
  compare(resends = false) {
    this.#compareLogs(this.#reference ?? this.plain, this.#adapt, resends);
    this.#compareShown(resends);
  }

  #compareShown(resends) {
    const { messages, ...rest } = (this.#reference ?? this.plain).shown;
    if (resends) rest.status = "ready";
    const expected = { ...rest, messages: withoutEmptyStep(this.#adapt?.(messages) ?? messages) };
    const actual = { ...this.ours.shown, messages: withoutEmptyStep(this.ours.shown.messages) };
    if (!isSameJson(expected, actual)) throw this.mismatch("state", expected, actual);
  }

  #compareLogs(reference, adapt, resends) {
    const expected = comparableLog(reference.takeLog(), adapt);
    const submits = expected.findLastIndex(({ status }) => status === "submitted");
    if (resends) expected.splice(submits, 1);
    const log = this.ours.takeLog();
    const actual = comparableLog(log);
    if (reference !== this.plain) this.plain.takeLog();
    if (!isSameJson(expected, actual)) throw this.mismatch("callbacks", expected, actual);
    for (const { finish } of log) {
      if (finish && finish.outcome !== outcomeOf(finish))
        throw this.mismatch("outcome", outcomeOf(finish), finish.outcome);
    }
  }

  /** @returns {Mismatch} */
  mismatch(what, expected, actual) {
    return new Mismatch(what, expected, actual, this.#history.slice(-80).join("\n"));
  }

  async end() {
    await Promise.all(this.#sides.map((side) => side.end()));
  }
}

/** The part of the reference's one message that the response brought, as a message of its own. */
function opensOwnMessage(before, id) {
  return (messages) => {
    const earlier = before.at(-1);
    const { parts, metadata, ...message } = messages.at(-1);
    const count = earlier.parts.length;
    return [
      ...messages.slice(0, -1),
      { ...message, parts: parts.slice(0, count) },
      { ...message, id, parts: parts.slice(count), metadata },
    ];
  };
}

/** How a response ended that nobody stopped and whose stream is whole. */
function outcomeOf({ isError, finishReason }) {
  if (isError) return "error";
  return finishReason === "interrupted" ? "interrupted" : "complete";
}

/** Whether the AI SDK's own rule says that the chat goes on. */
function wantsToSend(rule, messages) {
  if (rule === "toolCalls") return peer.lastAssistantMessageIsCompleteWithToolCalls({ messages });
  if (rule === "approvals") return peer.lastAssistantMessageIsCompleteWithApprovalResponses({ messages });
  return false;
}
