/**
 * When a chat continues by itself: predicates, what combines them, and what bounds them.
 *
 * @module
 */

import type { UIMessage } from "./message-types.js";
import {
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "./predicates.js";

/** Says whether the chat sends again by itself. See `ChatInit.sendAutomaticallyWhen`. */
export type AutoSendPredicate<UI_MESSAGE extends UIMessage = UIMessage> = (options: {
  messages: UI_MESSAGE[];
}) => boolean | PromiseLike<boolean>;

/** A bound on what a chat sends by itself since the last message of the user. */
export type AutoSendLimit = { readonly maxSteps: number } | { readonly maxTokens: number };

/** A rule by which a chat goes on after a response that is not what the person needs. */
export type AutoSendRecovery =
  | { readonly continueOnLength: number }
  | { readonly nudgeOnEmpty: number; readonly text: string }
  | { readonly retryStream: number };

/** A predicate with its bounds and what else lets the chat go on; see {@link autoSend}. */
export interface AutoSendPolicy<UI_MESSAGE extends UIMessage = UIMessage> {
  readonly when: AutoSendPredicate<UI_MESSAGE>;
  readonly limits?: readonly AutoSendLimit[];
  readonly recover?: readonly AutoSendRecovery[];
}

/** Whether the chat continued by itself, and why. See `ChatInit.onAutoSend`. */
export interface AutoSendReport {
  /** Whether it sends. */
  readonly send: boolean;
  /**
   * What decided: the predicate (`tool-calls-complete`, `approvals-answered`, `predicate`), a rule of
   * recovery (`continue-on-length`, `nudge-on-empty`, `retry-stream`), a limit (`max-steps`, `token-ceiling`, `auto-send-limit`), or that there was nothing to decide
   * (`nothing-new`, `interrupted`, `not-complete`).
   */
  readonly rule: string;
  /** Why, for people. */
  readonly reason: string;
}

/**
 * For `sendAutomaticallyWhen`: a predicate with bounds, and rules by which the chat goes on after an
 * answer that is cut short, empty or lost. Whatever they are, a chat sends by itself at most 25 times
 * since the last message of the user, and by no rule after a stop, a denial or an interruption.
 */
export function autoSend<UI_MESSAGE extends UIMessage>(
  policy: AutoSendPolicy<UI_MESSAGE>,
): AutoSendPolicy<UI_MESSAGE> {
  return policy;
}

/** No more requests once the answers since the last message of the user have `steps` steps. */
export function maxSteps(steps: number): AutoSendLimit {
  return { maxSteps: atLeastOne(steps) };
}

/**
 * No more requests once these answers took `tokens` tokens: what the server writes into their metadata
 * as `totalUsage`, else `usage`, with `totalTokens`.
 */
export function tokenCeiling(tokens: number): AutoSendLimit {
  return { maxTokens: atLeastOne(tokens) };
}

/** An answer that reached the model's limit of length is continued. @param options `max`: times. Default: 1. */
export function continueOnLength({ max = 1 }: { max?: number } = {}): AutoSendRecovery {
  return { continueOnLength: atLeastOne(max) };
}

/**
 * After a complete answer without text, tool call, source, file or data, the chat sends a message of the
 * user.
 *
 * @param options `text`: of that message. `max`: times. Default: 1.
 */
export function nudgeOnEmpty({ text, max = 1 }: { text: string; max?: number }): AutoSendRecovery {
  return { nudgeOnEmpty: atLeastOne(max), text };
}

/**
 * A response that was cut or lost its connection, and is not taken up again, is asked for once more:
 * what it brought goes, and comes back when the second try brings nothing. A tool that the server ran
 * for it runs again.
 */
export function retryStreamOnce(): AutoSendRecovery {
  return { retryStream: 1 };
}

/** True when one of the predicates is. They are asked in order, up to the first that is true. */
export function any<UI_MESSAGE extends UIMessage>(
  ...predicates: AutoSendPredicate<UI_MESSAGE>[]
): AutoSendPredicate<UI_MESSAGE> {
  return (options) => firstThatIs(true, predicates, options);
}

/** True when all predicates are. They are asked in order, up to the first that is false. */
export function all<UI_MESSAGE extends UIMessage>(
  ...predicates: AutoSendPredicate<UI_MESSAGE>[]
): AutoSendPredicate<UI_MESSAGE> {
  return (options) => firstThatIs(false, predicates, options);
}

/** True when the predicate is not. */
export function not<UI_MESSAGE extends UIMessage>(
  predicate: AutoSendPredicate<UI_MESSAGE>,
): AutoSendPredicate<UI_MESSAGE> {
  return (options) => {
    const answer = predicate(options);
    return isPromiseLike(answer) ? answer.then((value) => !value) : !answer;
  };
}

/** All tool calls of the last step have a result: the AI SDK's predicate by a shorter name. */
export const toolCallsComplete: typeof lastAssistantMessageIsCompleteWithToolCalls =
  lastAssistantMessageIsCompleteWithToolCalls;

/** All approvals of the last step are answered: the AI SDK's predicate by a shorter name. */
export const approvalsAnswered: typeof lastAssistantMessageIsCompleteWithApprovalResponses =
  lastAssistantMessageIsCompleteWithApprovalResponses;

/** The bounds and rules of a policy as the core takes them (`Driver.limitAutoSend` of the crate). */
export function limitsOf({ limits = [], recover = [] }: AutoSendPolicy<never>): readonly number[] {
  const given = Object.assign({}, ...limits, ...recover) as Record<string, number>;
  const names = ["maxSteps", "maxTokens", "continueOnLength", "nudgeOnEmpty", "retryStream"];
  return names.map((name) => given[name] ?? 0);
}

/** The text of the policy's {@link nudgeOnEmpty}. */
export function nudgeOf({ recover = [] }: AutoSendPolicy<never>): string {
  return (Object.assign({}, ...recover) as { text?: string }).text ?? "";
}

/** A predicate is a policy without bounds. */
export function policyOf<UI_MESSAGE extends UIMessage>(
  given: AutoSendPredicate<UI_MESSAGE> | AutoSendPolicy<UI_MESSAGE> | undefined,
): AutoSendPolicy<UI_MESSAGE> | undefined {
  return typeof given === "function" ? { when: given } : given;
}

/** Synchronous where the predicates are: what is decided at once is sent at once. */
function firstThatIs<OPTIONS>(
  wanted: boolean,
  predicates: readonly ((options: OPTIONS) => boolean | PromiseLike<boolean>)[],
  options: OPTIONS,
): boolean | PromiseLike<boolean> {
  for (const [index, predicate] of predicates.entries()) {
    const answer = predicate(options);
    if (isPromiseLike(answer)) {
      const rest = predicates.slice(index + 1);
      return answer.then((value) =>
        Boolean(value) === wanted ? wanted : firstThatIs(wanted, rest, options),
      );
    }
    if (Boolean(answer) === wanted) return wanted;
  }
  return !wanted;
}

function isPromiseLike(value: boolean | PromiseLike<boolean>): value is PromiseLike<boolean> {
  return typeof value === "object" && typeof value.then === "function";
}

function atLeastOne(count: number): number {
  if (Number.isInteger(count) && count >= 1 && count < 2 ** 32) return count;
  throw new RangeError(`A limit is a whole number from 1 up, not ${count}.`);
}
