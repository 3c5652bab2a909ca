/**
 * Type guards for parts, and the predicates for `sendAutomaticallyWhen`.
 *
 * @module
 */

import type {
  CustomContentUIPart,
  DataUIPart,
  DynamicToolUIPart,
  FileUIPart,
  ReasoningFileUIPart,
  ReasoningUIPart,
  TextUIPart,
  ToolOutputErrorUIPart,
  ToolUIPart,
  UIDataTypes,
  UIMessage,
  UIMessagePart,
  UITools,
} from "./message-types.js";

type AnyPart = UIMessagePart<UIDataTypes, UITools>;

/** True for a text part. */
export function isTextUIPart(part: AnyPart): part is TextUIPart {
  return part.type === "text";
}

/** True for a reasoning part. */
export function isReasoningUIPart(part: AnyPart): part is ReasoningUIPart {
  return part.type === "reasoning";
}

/** True for a file part. */
export function isFileUIPart(part: AnyPart): part is FileUIPart {
  return part.type === "file";
}

/** True for a file that belongs to the reasoning. */
export function isReasoningFileUIPart(part: AnyPart): part is ReasoningFileUIPart {
  return part.type === "reasoning-file";
}

/** True for content that only one provider knows. */
export function isCustomContentUIPart(part: AnyPart): part is CustomContentUIPart {
  return part.type === "custom";
}

/** True for a data part (`data-<name>`). */
export function isDataUIPart<DATA_PARTS extends UIDataTypes>(
  part: UIMessagePart<DATA_PARTS, UITools>,
): part is DataUIPart<DATA_PARTS> {
  return part.type.startsWith("data-");
}

/** True for a call of a tool whose types are known (`tool-<name>`). */
export function isStaticToolUIPart<TOOLS extends UITools>(
  part: UIMessagePart<UIDataTypes, TOOLS>,
): part is ToolUIPart<TOOLS> {
  return part.type.startsWith("tool-");
}

/** True for a call of a tool that is known only at run time. */
export function isDynamicToolUIPart(part: AnyPart): part is DynamicToolUIPart {
  return part.type === "dynamic-tool";
}

/** True for any tool call. */
export function isToolUIPart<TOOLS extends UITools>(
  part: UIMessagePart<UIDataTypes, TOOLS>,
): part is ToolUIPart<TOOLS> | DynamicToolUIPart {
  return isStaticToolUIPart(part) || isDynamicToolUIPart(part);
}

/** True for any tool call that failed. */
export function isToolOutputErrorUIPart<TOOLS extends UITools>(
  part: UIMessagePart<UIDataTypes, TOOLS>,
): part is ToolOutputErrorUIPart<TOOLS> {
  return isToolUIPart(part) && part.state === "output-error";
}

/** The tool's name, typed by the tools of the app. */
export function getStaticToolName<TOOLS extends UITools>(part: ToolUIPart<TOOLS>): keyof TOOLS {
  return part.type.slice("tool-".length);
}

/** The tool's name, static or dynamic. */
export function getToolName(part: ToolUIPart | DynamicToolUIPart): string {
  return isDynamicToolUIPart(part) ? part.toolName : getStaticToolName(part);
}

/**
 * The tool's name, static or dynamic.
 *
 * @deprecated The AI SDK's older name of {@link getToolName}.
 */
export const getToolOrDynamicToolName: typeof getToolName = getToolName;

/**
 * For `sendAutomaticallyWhen`: in the last step of the last message, which is the assistant's, there
 * is a tool call that this client must answer, each such call has its final output or its error, and
 * no text after them is still streaming.
 */
export function lastAssistantMessageIsCompleteWithToolCalls({
  messages,
}: {
  messages: UIMessage[];
}): boolean {
  const step = lastAssistantStep(messages);
  const isClientTool = (part: AnyPart) => isToolUIPart(part) && !part.providerExecuted;
  const lastTool = step.findLastIndex(isClientTool);
  return (
    lastTool !== -1 &&
    step.every((part) => !isClientTool(part) || hasFinalOutput(part)) &&
    step.slice(lastTool + 1).every((part) => !isTextUIPart(part) || part.state === "done")
  );
}

/**
 * For `sendAutomaticallyWhen`: in the last step of the last message, which is the assistant's, a
 * person has answered an approval request, and every tool call has such an answer or has ended.
 */
export function lastAssistantMessageIsCompleteWithApprovalResponses({
  messages,
}: {
  messages: UIMessage[];
}): boolean {
  const toolParts = lastAssistantStep(messages).filter(isToolUIPart);
  return (
    toolParts.some((part) => part.state === "approval-responded") &&
    toolParts.every(
      (part) =>
        part.state === "approval-responded" ||
        part.state === "output-denied" ||
        hasFinalOutput(part),
    )
  );
}

/** The parts after the last `step-start` of the last message; none if that is not the assistant's. */
function lastAssistantStep(messages: UIMessage[]): AnyPart[] {
  const message = messages.at(-1);
  if (message?.role !== "assistant") return [];
  return message.parts.slice(
    message.parts.findLastIndex((part) => part.type === "step-start") + 1,
  );
}

function hasFinalOutput(part: AnyPart): boolean {
  if (!isToolUIPart(part)) return false;
  return (
    part.state === "output-error" ||
    (part.state === "output-available" && part.preliminary !== true)
  );
}
