//! What a client answered, merged into the message that the server stored.

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{self, JsonKind, ObjectReader, RawJson, Text};
use crate::message::{FieldName, Message, Part, ToolResult, ToolState};

/// Who may answer what.
#[derive(Clone, Debug, Default)]
pub struct MergeOptions {
    /// The tools that the client runs. With a list no other tool takes an output from the client.
    /// Default `None`: any tool that waits with its input, and needs no approval.
    pub client_tools: Option<Vec<String>>,
}

/// What [`merge_client_tool_responses`] gives. A tool call is in at most one of the lists.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The stored message with the answers.
    pub message: Message,
    /// The tool calls that took an answer.
    pub merged: Vec<Text>,
    /// The tool calls that had the very answer already, of the client's last step. A request that
    /// brings only such ones is a repeat.
    pub already_resolved: Vec<Text>,
    /// The tool calls whose answer was refused; the stored message is as if it had not come.
    pub rejected: Vec<Rejection>,
}

/// An answer that was refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rejection {
    /// The tool call.
    pub tool_call_id: Text,
    /// Why.
    pub reason: RejectReason,
}

/// Why an answer was refused. Each has a stable code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum RejectReason {
    /// The stored message has no tool call with this id.
    UnknownToolCall,
    /// The stored tool call does not ask for this approval.
    UnknownApproval,
    /// The tool, its input or what the approval asks is not what was stored.
    RequestAltered,
    /// The server or the provider runs this tool.
    NotAClientTool,
    /// The call waits for an approval, which the client did not give.
    AwaitsApproval,
    /// The call's input is not complete.
    NotReady,
    /// The call has another answer already.
    ConflictingAnswer,
    /// The answer is not what its state demands: a boolean `approved`, a string `reason` or
    /// `errorText`.
    InvalidAnswer,
}

impl RejectReason {
    /// Every reason, for tests and documentation.
    pub const ALL: &[Self] = &[
        Self::UnknownToolCall,
        Self::UnknownApproval,
        Self::RequestAltered,
        Self::NotAClientTool,
        Self::AwaitsApproval,
        Self::NotReady,
        Self::ConflictingAnswer,
        Self::InvalidAnswer,
    ];

    /// The stable code, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::UnknownToolCall => "unknown_tool_call",
            Self::UnknownApproval => "unknown_approval",
            Self::RequestAltered => "request_altered",
            Self::NotAClientTool => "not_a_client_tool",
            Self::AwaitsApproval => "awaits_approval",
            Self::NotReady => "not_ready",
            Self::ConflictingAnswer => "conflicting_answer",
            Self::InvalidAnswer => "invalid_answer",
        }
    }
}

/// Merges a client's tool outputs and approval answers into the stored message.
///
/// Calls are matched by `toolCallId`, approvals by their id, too. Taken from the client are `output`
/// or `errorText`, and `approved` with its `reason`. Everything else of the stored message stays
/// byte for byte, whatever the client sent. A client's part whose state is no answer is passed over.
#[must_use]
pub fn merge_client_tool_responses(
    stored: Message,
    incoming: &Message,
    options: &MergeOptions,
) -> Merged {
    let last_step = incoming.current_step();
    let mut merge = Merged {
        message: stored,
        merged: Vec::new(),
        already_resolved: Vec::new(),
        rejected: Vec::new(),
    };
    let mut seen = BTreeSet::new();
    for (index, answer) in incoming.parts().iter().enumerate() {
        let Some(tool_call_id) = answer.tool_call_id().filter(|id| !seen.contains(id)) else {
            continue;
        };
        match merge_answer(&mut merge.message, &tool_call_id, answer, options) {
            Ok(Outcome::NoAnswer) => continue,
            Ok(Outcome::Merged) => merge.merged.push(tool_call_id.clone()),
            // The client's earlier steps only repeat what the server has sent.
            Ok(Outcome::AlreadyResolved) if index < last_step => continue,
            Ok(Outcome::AlreadyResolved) => merge.already_resolved.push(tool_call_id.clone()),
            Err(reason) => {
                merge.rejected.push(Rejection { tool_call_id: tool_call_id.clone(), reason });
            }
        }
        seen.insert(tool_call_id);
    }
    merge
}

enum Outcome {
    NoAnswer,
    Merged,
    AlreadyResolved,
}

fn merge_answer(
    message: &mut Message,
    tool_call_id: &Text,
    answer: &Part,
    options: &MergeOptions,
) -> Result<Outcome, RejectReason> {
    let is_result = match answer.tool_state() {
        Some(ToolState::ApprovalResponded | ToolState::OutputDenied) => false,
        Some(ToolState::OutputAvailable | ToolState::OutputError) => {
            if !answer.has_final_result() {
                return Ok(Outcome::NoAnswer);
            }
            true
        }
        _ => return Ok(Outcome::NoAnswer),
    };
    let part = find_call(message, tool_call_id).ok_or(RejectReason::UnknownToolCall)?;
    if !is_same_request(part, answer) {
        return Err(RejectReason::RequestAltered);
    }
    // A refused answer must leave nothing behind, its approval included.
    let mut answered = part.clone();
    let mut outcome = Outcome::NoAnswer;
    if !is_result || answer.approved().is_some() {
        outcome = merge_approval(&mut answered, answer)?;
    }
    if is_result {
        let approval = outcome;
        outcome = merge_result(&mut answered, answer, options)?;
        if matches!(approval, Outcome::Merged) {
            outcome = Outcome::Merged;
        }
    }
    if matches!(outcome, Outcome::Merged) {
        *part = answered;
    }
    Ok(outcome)
}

/// The tool call with this id; of several the first that waits.
fn find_call<'a>(message: &'a mut Message, tool_call_id: &Text) -> Option<&'a mut Part> {
    let is_it = |part: &Part| part.tool_call_id().as_ref() == Some(tool_call_id);
    let parts = message.parts();
    let index = parts
        .iter()
        .position(|part| is_it(part) && !part.has_final_result())
        .or_else(|| parts.iter().position(is_it))?;
    message.edit_part(index)
}

/// Whether the client answers what was asked. What it left out it has not altered.
fn is_same_request(stored: &Part, answer: &Part) -> bool {
    let is_same_input =
        match (stored.fields.json(FieldName::Input), answer.fields.json(FieldName::Input)) {
            (_, None) => true,
            (Some(stored), Some(given)) => json::same_value(stored.as_str(), given.as_str()),
            (None, Some(_)) => false,
        };
    stored.tool_name() == answer.tool_name() && is_same_input
}

fn merge_approval(part: &mut Part, answer: &Part) -> Result<Outcome, RejectReason> {
    let approved = answer.approved().ok_or(RejectReason::InvalidAnswer)?;
    let is_denial = answer.tool_state() == Some(ToolState::OutputDenied);
    let reason = answer.approval_reason();
    if is_denial && approved || reason.is_some_and(|raw| json::kind(raw) != Some(JsonKind::String))
    {
        return Err(RejectReason::InvalidAnswer);
    }
    if part.approval_id().is_none() || part.approval_id() != answer.approval_id() {
        return Err(RejectReason::UnknownApproval);
    }
    if !is_same_approval(part, answer) {
        return Err(RejectReason::RequestAltered);
    }
    if part.tool_state() == Some(ToolState::ApprovalRequested) {
        part.answer_approval(None, approved, reason);
        return Ok(Outcome::Merged);
    }
    if part.approved() == Some(approved) {
        Ok(Outcome::AlreadyResolved)
    } else {
        Err(RejectReason::ConflictingAnswer)
    }
}

/// Whether what the approval asks is as stored: each member that the client sent, but its answer.
fn is_same_approval(stored: &Part, answer: &Part) -> bool {
    let members = |part: &Part| {
        part.fields.json(FieldName::Approval).and_then(|raw| approval_request(raw).ok())
    };
    let (Some(stored), Some(given)) = (members(stored), members(answer)) else { return false };
    given.iter().all(|(key, value)| {
        stored
            .iter()
            .any(|(own, text)| own == key && json::same_value(text.as_str(), value.as_str()))
    })
}

fn approval_request(approval: &RawJson) -> Result<BTreeMap<Text, RawJson>, json::JsonError> {
    let mut members = BTreeMap::new();
    let mut reader = ObjectReader::new(approval.as_str())?;
    while let Some((key, value)) = reader.next()? {
        if !key.eq_str("approved") && !key.eq_str("reason") {
            members.insert(key.to_text(), RawJson::from_validated(value));
        }
    }
    Ok(members)
}

fn merge_result(
    part: &mut Part,
    answer: &Part,
    options: &MergeOptions,
) -> Result<Outcome, RejectReason> {
    let result = result_of(answer)?;
    let is_listed = options.client_tools.as_ref().map(|tools| {
        part.tool_name().is_some_and(|name| tools.iter().any(|tool| name.as_str() == Some(tool)))
    });
    let may_answer = !part.is_provider_executed() && is_listed.unwrap_or(true);
    if part.has_final_result() {
        return match (part.has_result(&result), may_answer) {
            (true, true) => Ok(Outcome::AlreadyResolved),
            (true, false) => Ok(Outcome::NoAnswer),
            (false, true) => Err(RejectReason::ConflictingAnswer),
            (false, false) => Err(RejectReason::NotAClientTool),
        };
    }
    match (part.tool_state(), part.approved()) {
        _ if !may_answer => return Err(RejectReason::NotAClientTool),
        (Some(ToolState::InputAvailable), _) => {}
        (Some(ToolState::ApprovalRequested), _) => return Err(RejectReason::AwaitsApproval),
        (Some(ToolState::ApprovalResponded), Some(true)) => {
            // What a person approved runs on the server, unless the server says otherwise.
            if is_listed.is_none() {
                return Err(RejectReason::NotAClientTool);
            }
        }
        (Some(ToolState::ApprovalResponded), _) => return Err(RejectReason::ConflictingAnswer),
        _ => return Err(RejectReason::NotReady),
    }
    part.set_result(&result);
    Ok(Outcome::Merged)
}

/// `JSON.stringify` drops an output that is `undefined`: then it is `null`.
fn result_of(answer: &Part) -> Result<ToolResult, RejectReason> {
    if answer.tool_state() == Some(ToolState::OutputError) {
        let text = answer.fields.text(FieldName::ErrorText);
        return text.map(ToolResult::Error).ok_or(RejectReason::InvalidAnswer);
    }
    let output = answer.fields.json(FieldName::Output).cloned();
    Ok(ToolResult::Output(output.unwrap_or_else(|| RawJson::from_validated("null"))))
}
