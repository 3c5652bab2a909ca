//! When a finished answer may be continued without the person: the AI SDK's two predicates.

use super::{Message, Part, PartKind, Role, ToolState};

/// Whether the last message is an assistant's whose current step has tool calls that this side or
/// the server runs, all of them with a final result, and no text after the last of them that is
/// still open (AI SDK: `lastAssistantMessageIsCompleteWithToolCalls`).
#[must_use]
pub fn is_complete_with_tool_calls(messages: &[Message]) -> bool {
    let Some(step) = current_step_of_last_assistant(messages) else { return false };
    let is_relevant = |part: &Part| part.kind().is_tool() && !part.is_provider_executed();
    let Some(last) = step.iter().rposition(is_relevant) else { return false };
    let has_open_text = step.iter().skip(last + 1).any(|part| {
        part.kind() == PartKind::Text && !part.fields.is_str(super::FieldName::State, "done")
    });
    !has_open_text && step.iter().filter(|part| is_relevant(part)).all(has_final_output)
}

/// Whether the last message is an assistant's whose current step has an answered approval, and
/// every tool call in it is answered or has ended (AI SDK:
/// `lastAssistantMessageIsCompleteWithApprovalResponses`).
#[must_use]
pub fn is_complete_with_approval_responses(messages: &[Message]) -> bool {
    let Some(step) = current_step_of_last_assistant(messages) else { return false };
    let mut tools = step.iter().filter(|part| part.kind().is_tool()).peekable();
    let mut has_answer = false;
    let all_settled = tools.all(|part| match part.tool_state() {
        Some(ToolState::ApprovalResponded) => {
            has_answer = true;
            true
        }
        Some(ToolState::OutputDenied) => true,
        _ => has_final_output(part),
    });
    all_settled && has_answer
}

fn current_step_of_last_assistant(messages: &[Message]) -> Option<&[Part]> {
    let last = messages.last().filter(|message| message.role() == Role::Assistant)?;
    last.parts().get(last.current_step()..)
}

fn has_final_output(part: &Part) -> bool {
    match part.tool_state() {
        Some(ToolState::OutputAvailable) => !part.fields.is_true(super::FieldName::Preliminary),
        Some(ToolState::OutputError) => true,
        _ => false,
    }
}
