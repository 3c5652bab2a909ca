//! Makes a conversation fit a model's context, the least valuable first.

mod estimate;
mod stub;

use std::ops::Range;

use crate::json::Text;
use crate::message::{FieldName, Message, Part, PartKind, Role, ToolState};

pub use estimate::Estimator;
use estimate::is_any;

/// How far and of what [`prune_context`] prunes.
#[derive(Clone, Debug, Default)]
pub struct PruneOptions<'a> {
    /// Into how many tokens the messages are to fit.
    pub budget_tokens: u64,
    /// Tools whose calls and results stay (snapshots become stubs all the same).
    pub pinned_tools: Vec<String>,
    /// Tools whose output is a snapshot of the document. Only the newest output of all of them stays.
    pub snapshot_tools: Vec<String>,
    /// How tokens are counted.
    pub estimator: Estimator<'a>,
}

/// What may be taken out, in this order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Tier {
    /// Superseded snapshots, whatever the budget: two would contradict each other.
    Snapshots,
    /// Reasoning of old messages. What lost its signature goes whatever the budget: a provider that
    /// signs refuses it.
    Reasoning,
    /// Tool calls with their results, the oldest first.
    ToolCalls,
    /// Attachments of old messages of the user, the oldest first.
    Attachments,
}

impl Tier {
    /// The tier's number, from 0.
    #[must_use]
    pub fn number(self) -> u8 {
        self as u8
    }
}

/// Something that was taken out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// As what.
    pub tier: Tier,
    /// Of which message.
    pub message_id: Text,
    /// Which tool call, for snapshots and tool calls.
    pub tool_call_id: Option<Text>,
}

/// What [`prune_context`] gives.
#[derive(Clone, Debug)]
pub struct Pruned {
    /// The messages, as many as before.
    pub messages: Vec<Message>,
    /// How many tokens they are estimated to take.
    pub tokens: u64,
    /// What was taken out, in the order it was.
    pub applied: Vec<Applied>,
    /// They do not fit, though nothing more may be taken out.
    pub over_budget: bool,
}

/// Makes messages fit a budget for the model. They are for this request only: store the originals.
///
/// See [`Tier`] for what goes, as little as the budget asks. Every message stays, with a one-line
/// stub for what it said; a call goes with its result, never one of them alone. Instructions, the
/// last message of the user and the last one of the assistant stay whole, but for superseded
/// snapshots, and so does each step with a tool call that has no final result yet.
#[must_use]
pub fn prune_context(messages: Vec<Message>, options: &PruneOptions<'_>) -> Pruned {
    let mut context = Context::new(messages, options);
    context.stub_superseded_snapshots();
    for at in context.old(Role::Assistant) {
        context.strip_reasoning(at, has_lost_signature);
    }
    for at in context.old(Role::Assistant) {
        if context.is_over_budget() {
            context.strip_reasoning(at, |_| true);
        }
    }
    let snapshot = context.newest_snapshot();
    for at in context.old(Role::Assistant) {
        context.collapse_tool_calls(at, snapshot);
    }
    for at in context.old(Role::User) {
        context.drop_attachments(at);
    }
    Pruned {
        over_budget: context.is_over_budget(),
        messages: context.messages,
        tokens: context.tokens,
        applied: context.applied,
    }
}

struct Context<'a> {
    messages: Vec<Message>,
    options: &'a PruneOptions<'a>,
    tokens: u64,
    applied: Vec<Applied>,
}

impl<'a> Context<'a> {
    fn new(messages: Vec<Message>, options: &'a PruneOptions<'a>) -> Self {
        let tokens = messages
            .iter()
            .map(|message| options.estimator.message(message))
            .fold(0, u64::saturating_add);
        Self { messages, options, tokens, applied: Vec::new() }
    }

    fn is_over_budget(&self) -> bool {
        self.tokens > self.options.budget_tokens
    }

    /// The messages of a role but its last one.
    fn old(&self, role: Role) -> Vec<usize> {
        let is_of_role = |at: &usize| self.messages.get(*at).is_some_and(|m| m.role() == role);
        let mut all: Vec<_> = (0..self.messages.len()).filter(is_of_role).collect();
        all.pop();
        all
    }

    fn stub_superseded_snapshots(&mut self) {
        let Some(newest) = self.newest_snapshot() else { return };
        for at in 0..self.messages.len() {
            for index in 0..self.part_count(at) {
                let Some(part) = self.part(at, index).filter(|part| self.is_snapshot(part)) else {
                    continue;
                };
                if (at, index) != newest
                    && part.fields.json(FieldName::Output) != Some(&stub::of_snapshot())
                {
                    let mut stubbed = part.clone();
                    stubbed.fields.set_json(FieldName::Output, stub::of_snapshot());
                    self.replace(Tier::Snapshots, at, index, stubbed);
                }
            }
        }
    }

    /// The message and part that has it.
    fn newest_snapshot(&self) -> Option<(usize, usize)> {
        self.messages.iter().enumerate().rev().find_map(|(at, message)| {
            let index = message.parts().iter().rposition(|part| self.is_snapshot(part))?;
            Some((at, index))
        })
    }

    fn is_snapshot(&self, part: &Part) -> bool {
        part.tool_state() == Some(ToolState::OutputAvailable)
            && part.has_final_result()
            && !part.is_provider_executed()
            && is_of(part, &self.options.snapshot_tools)
    }

    /// Removes the reasoning that `goes` from the steps of a message that are over.
    fn strip_reasoning(&mut self, at: usize, goes: fn(&Part) -> bool) {
        let Some(message) = self.messages.get(at) else { return };
        let settled = settled_parts(message.parts());
        let is_gone = |part: &Part, settled: bool| settled && is_reasoning(part) && goes(part);
        let parts = message.parts().iter().zip(settled);
        let mut kept: Vec<_> = parts
            .filter(|(part, settled)| !is_gone(part, *settled))
            .map(|(part, _)| part.clone())
            .collect();
        if kept.len() == message.parts().len() {
            return;
        }
        if kept.iter().all(|part| part.kind() == PartKind::StepStart) {
            kept.push(stub::of_reasoning());
        }
        self.set_parts(at, kept);
        self.note(Tier::Reasoning, at, None);
    }

    fn collapse_tool_calls(&mut self, at: usize, snapshot: Option<(usize, usize)>) {
        let Some(message) = self.messages.get(at) else { return };
        for (index, settled) in settled_parts(message.parts()).into_iter().enumerate() {
            let Some(part) = self.part(at, index).filter(|_| settled && self.is_over_budget())
            else {
                continue;
            };
            let is_kept = !part.kind().is_tool()
                || snapshot == Some((at, index))
                || is_of(part, &self.options.pinned_tools);
            let stub = stub::of_tool_call(part);
            if !is_kept && self.saves(part, &stub) {
                self.replace(Tier::ToolCalls, at, index, stub);
            }
        }
    }

    fn drop_attachments(&mut self, at: usize) {
        for index in 0..self.part_count(at) {
            let Some(part) = self.part(at, index).filter(|_| self.is_over_budget()) else { return };
            let stub = stub::of_file(part);
            if is_any(part, &["file"]) && self.saves(part, &stub) {
                self.replace(Tier::Attachments, at, index, stub);
            }
        }
    }

    fn saves(&self, part: &Part, stub: &Part) -> bool {
        self.options.estimator.part(stub) < self.options.estimator.part(part)
    }

    fn part_count(&self, at: usize) -> usize {
        self.messages.get(at).map_or(0, |message| message.parts().len())
    }

    fn part(&self, at: usize, index: usize) -> Option<&Part> {
        self.messages.get(at)?.parts().get(index)
    }

    fn replace(&mut self, tier: Tier, at: usize, index: usize, new: Part) {
        let estimator = self.options.estimator;
        let Some(part) = self.messages.get_mut(at).and_then(|message| message.edit_part(index))
        else {
            return;
        };
        let tool_call_id = part.tool_call_id();
        self.tokens = self.tokens.saturating_sub(estimator.part(part));
        self.tokens = self.tokens.saturating_add(estimator.part(&new));
        *part = new;
        self.note(tier, at, tool_call_id);
    }

    fn set_parts(&mut self, at: usize, parts: Vec<Part>) {
        let estimator = self.options.estimator;
        let Some(message) = self.messages.get_mut(at) else { return };
        self.tokens = self.tokens.saturating_sub(estimator.message(message));
        message.split_parts(0);
        for part in parts {
            message.push_part(part);
        }
        self.tokens = self.tokens.saturating_add(estimator.message(message));
    }

    fn note(&mut self, tier: Tier, at: usize, tool_call_id: Option<Text>) {
        if let Some(message) = self.messages.get(at) {
            self.applied.push(Applied { tier, message_id: message.id().clone(), tool_call_id });
        }
    }
}

/// Which parts are in a step where nothing waits for a result. A provider that signs its reasoning
/// takes an open call only with all that led to it.
fn settled_parts(parts: &[Part]) -> Vec<bool> {
    let mut settled = vec![true; parts.len()];
    let starts = parts.iter().enumerate().filter(|(_, part)| part.kind() == PartKind::StepStart);
    let mut bounds: Vec<_> = starts.map(|(index, _)| index).collect();
    bounds.push(parts.len());
    let mut start = 0;
    for end in bounds {
        let step: Range<usize> = start..end;
        start = end;
        let is_open = |part: &Part| part.kind().is_tool() && !part.has_final_result();
        if parts.get(step.clone()).is_some_and(|parts| parts.iter().any(is_open)) {
            settled.iter_mut().take(step.end).skip(step.start).for_each(|part| *part = false);
        }
    }
    settled
}

fn is_reasoning(part: &Part) -> bool {
    part.kind() == PartKind::Reasoning || is_any(part, &["reasoning-file"])
}

/// Signatures are in the metadata, under a name of each provider's own.
fn has_lost_signature(part: &Part) -> bool {
    let metadata = part.fields.json(FieldName::ProviderMetadata);
    metadata.is_none_or(|metadata| !has_value(metadata.as_str()))
}

/// Whether there is a string that is not empty at `{"provider":{"member":...}}`.
fn has_value(metadata: &str) -> bool {
    let is_signature = |value: &str| value.len() > 2 && value.starts_with('"');
    any_member(metadata, |provider| any_member(provider, is_signature))
}

fn any_member(object: &str, test: impl Fn(&str) -> bool) -> bool {
    let Ok(mut reader) = crate::json::ObjectReader::new(object) else { return false };
    while let Ok(Some((_, value))) = reader.next() {
        if test(value) {
            return true;
        }
    }
    false
}

fn is_of(part: &Part, tools: &[String]) -> bool {
    let name = part.tool_name();
    name.is_some_and(|name| tools.iter().any(|tool| name.as_str() == Some(tool)))
}
