/**
 * Token usage, summed over the responses that made a message.
 *
 * @module
 */

import type { UIMessage } from "./message-types.js";

/** Tokens, in the shape of the AI SDK's `LanguageModelUsage`. What is not known is absent. */
export interface TokenUsage {
  /** Tokens of the prompt. */
  readonly inputTokens?: number;
  readonly inputTokenDetails?: {
    readonly noCacheTokens?: number;
    readonly cacheReadTokens?: number;
    readonly cacheWriteTokens?: number;
  };
  /** Tokens of the answer. */
  readonly outputTokens?: number;
  readonly outputTokenDetails?: {
    readonly textTokens?: number;
    readonly reasoningTokens?: number;
  };
  readonly totalTokens?: number;
}

/** Sums the usage of the messages of one chat. */
export class UsageSums<UI_MESSAGE extends UIMessage> {
  readonly #keyOf: (message: UI_MESSAGE) => string;
  /** Of messages that this chat saw being made. */
  readonly #seen = new Map<string, TokenUsage | undefined>();

  /** @param keyOf names a message, whatever becomes of its id */
  constructor(keyOf: (message: UI_MESSAGE) => string) {
    this.#keyOf = keyOf;
  }

  /** A request begins, which may continue this message: what it has is that of earlier responses. */
  begin(message: UI_MESSAGE | undefined): void {
    if (message?.role !== "assistant") return;
    const key = this.#keyOf(message);
    if (!this.#seen.has(key)) this.#seen.set(key, usageOf(message.metadata));
  }

  /** A response has ended. */
  end(message: UI_MESSAGE, usage: unknown): void {
    const key = this.#keyOf(message);
    this.#seen.set(key, sum(this.#seen.get(key), asUsage(usage)));
  }

  of(message: UI_MESSAGE): TokenUsage | undefined {
    const key = this.#keyOf(message);
    return this.#seen.has(key) ? this.#seen.get(key) : usageOf(message.metadata);
  }

  total(messages: readonly UI_MESSAGE[]): TokenUsage | undefined {
    return messages.map((message) => this.of(message)).reduce(sum, undefined);
  }
}

/** `totalUsage`, else `usage`, of a message's metadata, where servers put it. */
export function usageOf(metadata: unknown): TokenUsage | undefined {
  const { totalUsage, usage } = Object(metadata) as { totalUsage?: unknown; usage?: unknown };
  return asUsage(totalUsage ?? usage);
}

function asUsage(value: unknown): TokenUsage | undefined {
  return typeof value === "object" && value !== null ? (value as TokenUsage) : undefined;
}

function sum(a: TokenUsage | undefined, b: TokenUsage | undefined): TokenUsage | undefined {
  return a && b ? (sumMembers({ ...a }, { ...b }) as TokenUsage) : (a ?? b);
}

/** Numbers add up, groups of them member by member; anything else is the providers' own. */
function sumMembers(a: Record<string, unknown>, b: Record<string, unknown>): object {
  const result: Record<string, unknown> = {};
  for (const name of new Set([...Object.keys(a), ...Object.keys(b)])) {
    const [x, y] = [a[name], b[name]];
    if (typeof x === "number" || typeof y === "number") {
      result[name] = (typeof x === "number" ? x : 0) + (typeof y === "number" ? y : 0);
    } else if (name !== "raw" && (isGroup(x) || isGroup(y))) {
      result[name] = sumMembers(isGroup(x) ? x : {}, isGroup(y) ? y : {});
    }
  }
  return result;
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
