/**
 * The check of messages before they are sent.
 *
 * @module
 */

import type { CoreCall } from "./core-call.js";
import { Issues } from "./issues.js";
import { losslessStringify, type RawText } from "./lossless.js";
import type { UIMessage } from "./message-types.js";
import { structureIssues } from "./validate.js";

/** The messages of a request. */
export interface OutgoingMessages {
  readonly messages: readonly UIMessage[];
  /** The same as exact JSON text. */
  readonly messagesText: string;
  /** The exact text behind an object of them. */
  readonly rawText: RawText;
}

/** Remembers of one chat which messages need no check (any more). */
export class SendCheck {
  /** Messages as objects. What changes becomes another object. */
  readonly #accepted = new WeakSet<object>();

  /** Takes messages as they are: the app's history, whatever version wrote it. */
  accept(messages: readonly UIMessage[]): void {
    for (const message of messages) {
      // Whatever the app gave, it is not for this place to complain.
      if (typeof message === "object" && message !== null) this.#accepted.add(message);
    }
  }

  /** @throws ChatwireError `invalid_value` with `issues`. */
  check(call: CoreCall, mode: "new" | "all" | false, outgoing: OutgoingMessages): void {
    if (mode === false || outgoing.messages.length === 0) return;
    const issues =
      mode === "all"
        ? structureIssues(call, outgoing.messagesText)
        : this.#issuesOfNew(call, outgoing);
    if (issues.total > 0) throw issues.toError(outgoing.messages);
    this.accept(outgoing.messages);
  }

  #issuesOfNew(call: CoreCall, { messages, rawText }: OutgoingMessages): Issues {
    // What the server made of its own message is the server's: a fault there must not keep the person
    // from writing on.
    const indices = [...messages.keys()].filter(
      (index) => messages[index]?.role !== "assistant" && !this.#isAccepted(messages[index]),
    );
    const issues = new Issues();
    if (indices.length === 0) return issues;

    const texts = indices.map((index) => losslessStringify(messages[index], rawText));
    const found = structureIssues(call, `[${texts}]`);
    const placed = found.list.map((issue) => ({
      ...issue,
      path: [indices[Number(issue.path[0])] ?? 0, ...issue.path.slice(1)],
    }));
    issues.add(placed, [], found.total);
    return issues;
  }

  #isAccepted(value: object | undefined): boolean {
    return value !== undefined && this.#accepted.has(value);
  }
}
