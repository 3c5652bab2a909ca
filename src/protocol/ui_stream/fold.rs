//! Applies chunks to the assistant message of a response.
//!
//! Equal to the AI SDK's client, but for these rules: a delta without an open part continues the
//! one open part of its kind or opens one, a tool call has one part whatever its steps and
//! spellings, and an input delta that comes after the input was complete changes nothing.

use crate::json::{JsonStr, RawJson, Text};
use crate::limits;
use crate::message::{FieldName, Message, Part, PartKind, ToolState};

use super::chunk::Chunk;
use super::index::{Index, Name};
use super::metadata;
use super::schema::{ChunkKind, Key, members};
use super::texts::is_open_text;
use super::tool_calls::{
    request_approval, respond_to_approval, set_input_available, set_output, set_output_error,
};

/// The message that a response writes to.
#[derive(Debug)]
pub struct Target<'a> {
    /// The message of the response.
    pub message: &'a mut Message,
    /// The message that the response continued before it opened its own: results for its tool
    /// calls still reach it.
    pub earlier: Option<&'a mut Message>,
}

/// What a chunk did, and what its host must do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Nothing to show.
    None,
    /// Content changed.
    Write,
    /// The message changed by its start: the status stays.
    WriteQuietly,
    /// Content changed: a tool call is complete which this client may run.
    ToolCall,
    /// Content changed: a data part came.
    Data,
    /// A data part came that is not stored.
    TransientData,
    /// The server reports an error; the response ends.
    Error(Text),
    /// The server aborted; the response ends.
    Abort(Option<Text>),
}

/// Something that was put right or skipped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FoldWarning {
    /// A delta or end names a part that is not open.
    PartNotOpen {
        /// The chunk's type.
        chunk: ChunkKind,
        /// The id that it names.
        id: Text,
    },
    /// An input delta names a tool call that is unknown or whose input is complete.
    LateInput {
        /// The tool call's id.
        tool_call_id: Text,
    },
}

/// Why a chunk ends the response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FoldError {
    /// A chunk names a tool call that no message of the response has.
    UnknownToolCall(Text),
    /// A chunk names an approval that no message of the response has.
    UnknownApproval(Text),
    /// The message would exceed [`limits::MAX_PARTS`].
    TooManyParts,
}

/// What is open in the message of a response, and where things are.
#[derive(Debug, Default)]
pub struct Fold {
    pub(super) index: Index,
    pub(super) has_opened_text: bool,
    pub(super) has_opened_reasoning: bool,
    is_step_open: bool,
    finish_reason: Option<String>,
}

/// Which message of a [`Target`] a tool call is in, and where.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) in_earlier: bool,
    pub(super) index: usize,
}

impl Fold {
    /// A fold into `message`, which may have parts already when the response continues it.
    #[must_use]
    pub fn new(message: &Message) -> Self {
        let mut fold = Self::default();
        fold.index_parts(message);
        fold
    }

    /// The reason that `finish` gave.
    #[must_use]
    pub fn finish_reason(&self) -> Option<&str> {
        self.finish_reason.as_deref()
    }

    /// Whether a step, text, reasoning or a tool input is unfinished.
    #[must_use]
    pub fn is_anything_open(&self, message: &Message) -> bool {
        self.is_step_open
            || message.parts().iter().any(|part| {
                is_open_text(part) || part.tool_state() == Some(ToolState::InputStreaming)
            })
    }

    /// The response's parts moved to the begin of another message: finds everything again.
    pub fn reindex(&mut self, message: &Message, removed_before: usize) {
        self.index.shift_open_texts(removed_before);
        self.index_parts(message);
    }

    fn index_parts(&mut self, message: &Message) {
        for (at, part) in message.parts().iter().enumerate() {
            if let Some(id) = part.tool_call_id() {
                self.index.insert(Name::ToolCall(&id), at);
                if let Some(id) = part.approval_id() {
                    self.index.insert_first(Name::Approval(&id), at);
                }
            } else if part.kind() == PartKind::Data
                && let (Some(name), Some(id)) =
                    (part.fields.text(FieldName::Type), part.fields.text(FieldName::Id))
            {
                self.index.insert_first(Name::Data(&name, &id), at);
            }
        }
    }

    /// Applies one chunk. `start` is the host's, which knows the list of messages; of it only the
    /// metadata is applied here.
    ///
    /// # Errors
    /// See [`FoldError`]; the response ends with it, what was received stays.
    pub fn apply(
        &mut self,
        chunk: &Chunk<'_>,
        target: &mut Target<'_>,
        warnings: &mut Vec<FoldWarning>,
    ) -> Result<Effect, FoldError> {
        let effect = match chunk.kind() {
            ChunkKind::TextStart | ChunkKind::ReasoningStart => self.open(chunk, target.message),
            ChunkKind::TextDelta | ChunkKind::ReasoningDelta => {
                self.append(chunk, target.message, warnings)
            }
            ChunkKind::TextEnd | ChunkKind::ReasoningEnd => {
                self.close(chunk, target.message, warnings)
            }
            ChunkKind::ToolInputStart => {
                self.start_tool_input(chunk, target.message);
                Effect::Write
            }
            ChunkKind::ToolInputDelta => self.append_tool_input(chunk, target.message, warnings),
            ChunkKind::ToolInputAvailable => {
                match self.tool_part(chunk, chunk.is_true(Key::Dynamic), target.message) {
                    Some(part) => {
                        set_input_available(part, chunk);
                        if chunk.is_true(Key::ProviderExecuted) {
                            Effect::Write
                        } else {
                            Effect::ToolCall
                        }
                    }
                    None => Effect::None,
                }
            }
            ChunkKind::ToolInputError => {
                self.fail_tool_input(chunk, target.message);
                Effect::Write
            }
            ChunkKind::ToolApprovalRequest => {
                let place = self.find_tool_call(chunk, target)?;
                if !place.in_earlier {
                    let id = chunk.text(Key::ApprovalId);
                    self.index.insert_first(Name::Approval(&id), place.index);
                }
                edit(target, place, |part| request_approval(part, chunk));
                Effect::Write
            }
            ChunkKind::ToolApprovalResponse => {
                let place = self.find_approval(chunk, target)?;
                edit(target, place, |part| respond_to_approval(part, chunk));
                Effect::Write
            }
            ChunkKind::ToolOutputAvailable => {
                let place = self.find_tool_call(chunk, target)?;
                edit(target, place, |part| set_output(part, chunk));
                Effect::Write
            }
            ChunkKind::ToolOutputError => {
                let place = self.find_tool_call(chunk, target)?;
                edit(target, place, |part| set_output_error(part, chunk));
                Effect::Write
            }
            ChunkKind::ToolOutputDenied => {
                let place = self.find_tool_call(chunk, target)?;
                edit(target, place, |part| part.set_tool_state(ToolState::OutputDenied));
                Effect::Write
            }
            ChunkKind::Data => self.apply_data(chunk, target.message),
            ChunkKind::Custom
            | ChunkKind::SourceUrl
            | ChunkKind::SourceDocument
            | ChunkKind::File
            | ChunkKind::ReasoningFile
            | ChunkKind::SteeringMessage => {
                target.message.push_part(whole_part(chunk));
                Effect::Write
            }
            ChunkKind::StartStep => {
                target.message.push_part(Part::new("step-start"));
                self.is_step_open = true;
                Effect::None
            }
            ChunkKind::FinishStep => {
                self.is_step_open = false;
                Effect::None
            }
            ChunkKind::ResetStep => self.reset_step(target.message),
            ChunkKind::Start => merge_metadata(chunk, target.message, Effect::WriteQuietly),
            ChunkKind::Finish => {
                if let Some(reason) = chunk.str(Key::FinishReason) {
                    self.finish_reason = Some(reason.to_utf8_lossy());
                }
                merge_metadata(chunk, target.message, Effect::Write)
            }
            ChunkKind::MessageMetadata => merge_metadata(chunk, target.message, Effect::Write),
            ChunkKind::Error => Effect::Error(chunk.text(Key::ErrorText)),
            ChunkKind::Abort => Effect::Abort(chunk.str(Key::Reason).map(JsonStr::to_text)),
        };
        if target.message.parts().len() > limits::MAX_PARTS {
            target.message.split_parts(limits::MAX_PARTS);
            return Err(FoldError::TooManyParts);
        }
        Ok(effect)
    }

    fn apply_data(&mut self, chunk: &Chunk<'_>, message: &mut Message) -> Effect {
        if chunk.is_true(Key::Transient) {
            return Effect::TransientData;
        }
        let (name, id) = (chunk.type_name().to_text(), chunk.text(Key::Id));
        let has_id = chunk.raw(Key::Id).is_some();
        let known = if has_id { self.index.get(Name::Data(&name, &id)) } else { None };
        if let Some(part) = known.and_then(|at| message.edit_part(at)) {
            part.fields.set_if_given(FieldName::Data, chunk.raw(Key::Data));
            return Effect::Data;
        }
        let mut part = Part::new(&name.to_string_lossy());
        part.fields.set_if_given(FieldName::Id, chunk.raw(Key::Id));
        part.fields.set_if_given(FieldName::Data, chunk.raw(Key::Data));
        let at = message.push_part(part);
        if has_id {
            self.index.insert(Name::Data(&name, &id), at);
        }
        Effect::Data
    }

    fn reset_step(&mut self, message: &mut Message) -> Effect {
        let step = message.current_step();
        self.has_opened_text = false;
        self.has_opened_reasoning = false;
        self.index.clear();
        let removed = message.split_parts(step);
        self.index_parts(message);
        if removed.is_empty() { Effect::None } else { Effect::Write }
    }
}

fn edit(target: &mut Target<'_>, place: Place, change: impl FnOnce(&mut Part)) {
    let message = match (place.in_earlier, target.earlier.as_deref_mut()) {
        (true, Some(earlier)) => earlier,
        _ => &mut *target.message,
    };
    if let Some(part) = message.edit_part(place.index) {
        change(part);
    }
}

/// A part that arrives in one chunk: its type and its declared members.
fn whole_part(chunk: &Chunk<'_>) -> Part {
    let mut part = Part::new(chunk.kind().as_str());
    let (required, optional) = members(chunk.kind());
    for (key, _) in required.iter().chain(optional) {
        if let (Some(field), Some(raw)) = (FieldName::from_name(key.as_str()), chunk.raw(*key)) {
            part.fields.set_raw(field, raw);
        }
    }
    part
}

/// Merges the chunk's metadata, when it has any: that is the given kind of write.
fn merge_metadata(chunk: &Chunk<'_>, message: &mut Message, write: Effect) -> Effect {
    let Some(update) = chunk.raw_non_null(Key::MessageMetadata) else { return Effect::None };
    let merged = match message.metadata() {
        Some(old) => metadata::merge(old.as_str(), update),
        None => Ok(update.to_owned()),
    };
    if let Ok(merged) = merged {
        message.set_metadata(RawJson::from_validated(&merged));
    }
    write
}
