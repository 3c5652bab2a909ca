/**
 * What a person can still do about an approval, and what became of the run that asked for it.
 *
 * @module
 */

import type { ChatInit } from "./chat-types.js";
import { makeError, type ChatwireError } from "./errors.js";
import type { ToolUIPart, DynamicToolUIPart, UIMessage } from "./message-types.js";

/**
 * What became of the run that made a message.
 * - `running`: the server is still at it.
 * - `cancelled`: the person stopped it.
 * - `reaped`: it was found dead and closed by the server.
 * - `complete`: anything else.
 */
export type DraftStatus = "running" | "cancelled" | "reaped" | "complete";

/**
 * Where an approval stands.
 * - `pending`: it waits for the person.
 * - `approved`, `denied`: the person, or the server by itself, has decided.
 * - `expired`: nobody decided in time.
 * - `cancelled`: nobody decided, and the run that asked is over or went on without.
 */
export type ApprovalState = "pending" | "approved" | "denied" | "expired" | "cancelled";

/** A tool part, as far as its approval goes. */
type ApprovalPart = Pick<ToolUIPart | DynamicToolUIPart, "state"> & {
  readonly approval?: { readonly id: string; readonly approved?: boolean };
};

/** The options of a chat that decide. */
type ApprovalOptions<UI_MESSAGE extends UIMessage> = Pick<
  ChatInit<UI_MESSAGE>,
  "draftStatus" | "approvalExpiresAt"
>;

/** See `Chat.draftStatus`. */
export function draftStatusOf<UI_MESSAGE extends UIMessage>(
  message: UI_MESSAGE,
  { draftStatus }: ApprovalOptions<UI_MESSAGE>,
): DraftStatus {
  if (draftStatus) return draftStatus(message);
  const { status } = Object(message.metadata) as { status?: unknown };
  return status === "running" || status === "cancelled" || status === "reaped" ? status : "complete";
}

/** See `Chat.approvalState`. */
export function approvalStateOf<UI_MESSAGE extends UIMessage>(
  message: UI_MESSAGE,
  part: UI_MESSAGE["parts"][number],
  options: ApprovalOptions<UI_MESSAGE>,
): ApprovalState | undefined {
  const { state, approval } = part as ApprovalPart;
  if (approval === undefined) return undefined;
  if (approval.approved !== undefined) return approval.approved ? "approved" : "denied";
  const status = draftStatusOf(message, options);
  if (state !== "approval-requested" || status === "cancelled" || status === "reaped") return "cancelled";
  const expiresAt = options.approvalExpiresAt?.(part as never);
  return expiresAt !== undefined && expiresAt <= Date.now() ? "expired" : "pending";
}

/** Why an approval cannot be answered any more, if the chat's options say so. */
export function refusedApproval<UI_MESSAGE extends UIMessage>(
  messages: readonly UI_MESSAGE[],
  id: string,
  options: ApprovalOptions<UI_MESSAGE>,
): ChatwireError | undefined {
  for (const message of messages) {
    const part = message.parts.find((part) => (part as ApprovalPart).approval?.id === id);
    if (!part) continue;
    const state = approvalStateOf(message, part, options);
    if (state === "expired") {
      return makeError({
        code: "approval_expired",
        message: `The approval ${id} has expired. Ask the assistant again.`,
      });
    }
    if (state === "cancelled") {
      return makeError({
        code: "conflicting_answer",
        message: `The approval ${id} is withdrawn: the run that asked for it is over.`,
      });
    }
  }
  return undefined;
}
