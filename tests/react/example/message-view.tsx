import type { UIMessage } from "ai";
import { getToolName, isDataUIPart, isToolUIPart } from "ai";
import type { UseChatHelpers } from "@ai-sdk/react";
import type { DemoMessage } from "./message.js";

type Actions = Pick<UseChatHelpers<DemoMessage>, "addToolOutput" | "addToolApprovalResponse">;

/** One message with its parts. */
export function MessageView({ message, ...actions }: { message: DemoMessage } & Actions) {
  return (
    <article data-role={message.role} data-id={message.id}>
      {message.parts.map((part, index) => (
        <PartView key={index} part={part} {...actions} />
      ))}
      {message.metadata?.usage && <small>{message.metadata.usage.totalTokens} tokens</small>}
    </article>
  );
}

function PartView({
  part,
  addToolOutput,
  addToolApprovalResponse,
}: { part: DemoMessage["parts"][number] } & Actions) {
  switch (part.type) {
    case "text":
      return <p data-state={part.state}>{part.text}</p>;
    case "reasoning":
      return <blockquote>{part.text}</blockquote>;
    case "file":
      return <img src={part.url} alt={part.filename ?? part.mediaType} />;
    case "source-url":
      return <a href={part.url}>{part.title ?? part.url}</a>;
    case "data-progress":
      return <progress value={part.data.done} max={part.data.total} />;
    case "data-result":
      return <output>{part.data.title}</output>;

    case "tool-weather":
      return (
        <dl data-tool={getToolName(part)} data-state={part.state}>
          <dt>{part.input?.city ?? "…"}</dt>
          {part.state === "output-available" && (
            <dd>
              {part.output.condition}, {part.output.temperature} {part.output.unit}
            </dd>
          )}
        </dl>
      );

    case "tool-ask_user_question":
      return (
        <fieldset data-tool={getToolName(part)} data-state={part.state}>
          <legend>{part.input?.question}</legend>
          {part.state === "input-available" &&
            part.input.options.map((answer) => (
              <button
                key={answer}
                type="button"
                onClick={() => {
                  void addToolOutput({
                    tool: "ask_user_question",
                    toolCallId: part.toolCallId,
                    output: { answer },
                  });
                }}
              >
                {answer}
              </button>
            ))}
          {part.state === "output-available" && <output>{part.output.answer}</output>}
        </fieldset>
      );

    case "tool-apply_resume_patch": {
      const answer = (approved: boolean, reason?: string) => () => {
        void addToolApprovalResponse({
          id: part.approval?.id ?? "",
          approved,
          ...(reason === undefined ? {} : { reason }),
        });
      };
      return (
        <fieldset data-tool={getToolName(part)} data-state={part.state}>
          <legend>{part.input?.patch?.map((operation) => operation?.path).join(", ")}</legend>
          {part.state === "approval-requested" && (
            <>
              <button type="button" onClick={answer(true)}>
                Approve
              </button>
              <button type="button" onClick={answer(false, "Not today")}>
                Deny
              </button>
            </>
          )}
          {part.state === "output-available" && (
            <output>{part.output.changedPaths.join(" and ")}</output>
          )}
        </fieldset>
      );
    }

    default:
      if (isToolUIPart(part) || isDataUIPart(part)) return <code>{part.type}</code>;
      return null;
  }
}

/** The text of a message, for a list of conversations. */
export function textOf(message: UIMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}
