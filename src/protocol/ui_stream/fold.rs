//! Applies chunks to the assistant message of a response.
//!
//! Equal to the AI SDK's client, but for these rules: a delta without an open part continues the
//! one open part of its kind or opens one, a tool call has one part whatever its steps and
//! spellings, and an input delta that comes after the input was complete changes nothing.

use crate::json::{self, JsonStr, RawJson, Text};
use crate::limits;
use crate::message::{
    FieldName, GrowingText, Message, Part, PartKind, StreamingInput, ToolState, Value,
};

use super::chunk::Chunk;
use super::index::{Index, Name};
use super::metadata;
use super::repeated_delta::RepeatedDelta;
use super::schema::{ChunkKind, Key, members};

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
    index: Index,
    has_opened_text: bool,
    has_opened_reasoning: bool,
    is_step_open: bool,
    finish_reason: Option<String>,
}

/// Which message of a [`Target`] a tool call is in, and where.
#[derive(Clone, Copy)]
struct Place {
    in_earlier: bool,
    index: usize,
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
        if target.message.parts().len() >= limits::MAX_PARTS {
            return Err(FoldError::TooManyParts);
        }
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
        Ok(effect)
    }

    // Deltas that repeat

    /// Remembers the spelling of a delta that was just applied.
    #[must_use]
    pub fn remember_delta(
        &self,
        data: &str,
        chunk: &Chunk<'_>,
        message: &Message,
    ) -> Option<RepeatedDelta> {
        let at = match chunk.kind() {
            ChunkKind::TextDelta | ChunkKind::ReasoningDelta => {
                self.named_open_part(chunk, &chunk.text(Key::Id), message)?
            }
            ChunkKind::ToolInputDelta => {
                self.index.get(Name::ToolCall(&chunk.text(Key::ToolCallId)))?
            }
            _ => return None,
        };
        RepeatedDelta::new(data, chunk, at)
    }

    /// Applies a delta that is spelled as the last one, when nothing came between that could have
    /// closed its part. False when there is no such part.
    pub fn apply_repeated(
        repeated: &RepeatedDelta,
        delta: JsonStr<'_>,
        message: &mut Message,
    ) -> bool {
        let Some(part) = message.edit_part(repeated.part()) else { return false };
        match repeated.kind() {
            ChunkKind::ToolInputDelta => {
                if part.tool_state() != Some(ToolState::InputStreaming) {
                    return false;
                }
                append_input(part, delta);
            }
            _ => part.fields.append(FieldName::Text, delta),
        }
        true
    }

    // Text and reasoning

    fn open(&mut self, chunk: &Chunk<'_>, message: &mut Message) -> Effect {
        let mut part = new_text_part(chunk.kind(), chunk.raw(Key::Id));
        part.fields.set_if_given(FieldName::ProviderMetadata, chunk.raw(Key::ProviderMetadata));
        self.push_open(chunk, part, message);
        Effect::Write
    }

    fn push_open(&mut self, chunk: &Chunk<'_>, part: Part, message: &mut Message) -> usize {
        match part.kind() {
            PartKind::Reasoning => self.has_opened_reasoning = true,
            _ => self.has_opened_text = true,
        }
        let at = message.push_part(part);
        self.index.insert(text_name(chunk.kind(), &chunk.text(Key::Id)), at);
        at
    }

    /// The open part that a chunk names.
    fn named_open_part(&self, chunk: &Chunk<'_>, id: &Text, message: &Message) -> Option<usize> {
        let at = self.index.get(text_name(chunk.kind(), id))?;
        message.parts().get(at).is_some_and(is_open_text).then_some(at)
    }

    fn append(
        &mut self,
        chunk: &Chunk<'_>,
        message: &mut Message,
        warnings: &mut Vec<FoldWarning>,
    ) -> Effect {
        let id = chunk.text(Key::Id);
        let at = match self.named_open_part(chunk, &id, message) {
            Some(at) => at,
            None => {
                let at = match self.only_open_part(chunk.kind(), message) {
                    Some(at) => {
                        self.index.insert(text_name(chunk.kind(), &id), at);
                        at
                    }
                    None => {
                        let part = new_text_part(chunk.kind(), chunk.raw(Key::Id));
                        self.push_open(chunk, part, message)
                    }
                };
                warnings.push(FoldWarning::PartNotOpen { chunk: chunk.kind(), id });
                at
            }
        };
        if let (Some(part), Some(delta)) = (message.edit_part(at), chunk.str(Key::Delta)) {
            part.fields.append(FieldName::Text, delta);
            part.fields.set_if_given(FieldName::ProviderMetadata, chunk.raw(Key::ProviderMetadata));
        }
        Effect::Write
    }

    fn close(
        &mut self,
        chunk: &Chunk<'_>,
        message: &mut Message,
        warnings: &mut Vec<FoldWarning>,
    ) -> Effect {
        let id = chunk.text(Key::Id);
        let at = match self.named_open_part(chunk, &id, message) {
            Some(at) => at,
            None => {
                let resumed = if self.has_opened(chunk.kind()) {
                    None
                } else {
                    last_open(chunk.kind(), message)
                };
                warnings.push(FoldWarning::PartNotOpen { chunk: chunk.kind(), id });
                let Some(at) = resumed else { return Effect::None };
                at
            }
        };
        if let Some(part) = message.edit_part(at) {
            part.set_state("done");
            part.fields.set_if_given(FieldName::Citations, chunk.raw(Key::Citations));
            part.fields.set_if_given(FieldName::ProviderMetadata, chunk.raw(Key::ProviderMetadata));
        }
        Effect::Write
    }

    fn has_opened(&self, kind: ChunkKind) -> bool {
        match part_kind(kind) {
            PartKind::Reasoning => self.has_opened_reasoning,
            _ => self.has_opened_text,
        }
    }

    /// The part that a delta without an open part of its own belongs to: the only open one of its
    /// kind, or after a reload the last one that was still streaming.
    fn only_open_part(&self, kind: ChunkKind, message: &Message) -> Option<usize> {
        let last = last_open(kind, message)?;
        let is_other = |(at, part): (usize, &Part)| {
            at != last && part.kind() == part_kind(kind) && part.is_streaming()
        };
        let is_only = !message.parts().iter().enumerate().any(is_other);
        (is_only || !self.has_opened(kind)).then_some(last)
    }

    // Tool calls

    /// The part of the chunk's tool call, with its name and kind brought up to date; a new one
    /// when there is none.
    fn tool_part<'m>(
        &mut self,
        chunk: &Chunk<'_>,
        dynamic: bool,
        message: &'m mut Message,
    ) -> Option<&'m mut Part> {
        let id = chunk.text(Key::ToolCallId);
        let name = chunk.text(Key::ToolName);
        let type_name = if dynamic {
            String::from("dynamic-tool")
        } else {
            ["tool-", &name.to_string_lossy()].concat()
        };
        let index = match self.index.get(Name::ToolCall(&id)) {
            Some(index) => index,
            None => {
                let mut part = Part::new(&type_name);
                if dynamic {
                    part.fields.set_json(FieldName::ToolName, RawJson::string(&name));
                }
                part.fields.set_json(FieldName::ToolCallId, RawJson::string(&id));
                let index = message.push_part(part);
                self.index.insert(Name::ToolCall(&id), index);
                index
            }
        };
        let part = message.edit_part(index)?;
        part.set_type(&type_name);
        if dynamic {
            part.fields.set_json(FieldName::ToolName, RawJson::string(&name));
        } else {
            part.fields.remove(FieldName::ToolName);
        }
        Some(part)
    }

    fn start_tool_input(&mut self, chunk: &Chunk<'_>, message: &mut Message) {
        let Some(part) = self.tool_part(chunk, chunk.is_true(Key::Dynamic), message) else {
            return;
        };
        part.set_tool_state(ToolState::InputStreaming);
        set_call_fields(part, chunk);
        for field in [
            FieldName::Input,
            FieldName::Output,
            FieldName::ErrorText,
            FieldName::RawInput,
            FieldName::Preliminary,
        ] {
            part.fields.remove(field);
        }
        part.fields.set_or_remove(FieldName::InputEncoding, chunk.raw(Key::InputEncoding));
    }

    fn append_tool_input(
        &mut self,
        chunk: &Chunk<'_>,
        message: &mut Message,
        warnings: &mut Vec<FoldWarning>,
    ) -> Effect {
        let id = chunk.text(Key::ToolCallId);
        let index = self.index.get(Name::ToolCall(&id));
        let streaming = index.filter(|&index| {
            message.parts().get(index).and_then(Part::tool_state) == Some(ToolState::InputStreaming)
        });
        match (streaming.and_then(|index| message.edit_part(index)), chunk.str(Key::InputTextDelta))
        {
            (Some(part), Some(delta)) => {
                append_input(part, delta);
                Effect::Write
            }
            _ => {
                warnings.push(FoldWarning::LateInput { tool_call_id: id });
                Effect::None
            }
        }
    }

    fn fail_tool_input(&mut self, chunk: &Chunk<'_>, message: &mut Message) {
        let known = self.index.get(Name::ToolCall(&chunk.text(Key::ToolCallId)));
        let dynamic = match known.and_then(|index| message.parts().get(index)) {
            Some(part) => part.kind() == PartKind::DynamicTool,
            None => chunk.is_true(Key::Dynamic),
        };
        let Some(part) = self.tool_part(chunk, dynamic, message) else { return };
        part.set_tool_state(ToolState::OutputError);
        part.fields.set_if_given(FieldName::Input, chunk.raw(Key::Input));
        part.fields.set_if_given(FieldName::ErrorText, chunk.raw(Key::ErrorText));
        for field in [
            FieldName::Output,
            FieldName::RawInput,
            FieldName::Preliminary,
            FieldName::InputEncoding,
        ] {
            part.fields.remove(field);
        }
        set_result_fields(part, chunk);
    }

    fn find_tool_call(&self, chunk: &Chunk<'_>, target: &Target<'_>) -> Result<Place, FoldError> {
        let id = chunk.text(Key::ToolCallId);
        if let Some(index) = self.index.get(Name::ToolCall(&id)) {
            return Ok(Place { in_earlier: false, index });
        }
        let earlier = target.earlier.as_ref().and_then(|message| message.find_tool_call(&id));
        match earlier {
            Some(index) => Ok(Place { in_earlier: true, index }),
            None => Err(FoldError::UnknownToolCall(id)),
        }
    }

    fn find_approval(&self, chunk: &Chunk<'_>, target: &Target<'_>) -> Result<Place, FoldError> {
        let id = chunk.text(Key::ApprovalId);
        if let Some(index) = self.index.get(Name::Approval(&id)) {
            return Ok(Place { in_earlier: false, index });
        }
        let earlier = target.earlier.as_ref().and_then(|message| message.find_approval(&id));
        match earlier {
            Some(index) => Ok(Place { in_earlier: true, index }),
            None => Err(FoldError::UnknownApproval(id)),
        }
    }

    // Data, steps

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

    /// Ends everything that is still being written: text and reasoning become `done`. A tool
    /// input stays as it is; the outcome of the response explains it.
    pub fn close_open_parts(message: &mut Message) {
        for index in 0..message.parts().len() {
            let is_open = message.parts().get(index).is_some_and(is_open_text);
            if is_open && let Some(part) = message.edit_part(index) {
                part.set_state("done");
            }
        }
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

fn part_kind(kind: ChunkKind) -> PartKind {
    match kind {
        ChunkKind::ReasoningStart | ChunkKind::ReasoningDelta | ChunkKind::ReasoningEnd => {
            PartKind::Reasoning
        }
        _ => PartKind::Text,
    }
}

fn text_name(kind: ChunkKind, id: &Text) -> Name<'_> {
    match part_kind(kind) {
        PartKind::Reasoning => Name::Reasoning(id),
        _ => Name::Text(id),
    }
}

fn is_open_text(part: &Part) -> bool {
    matches!(part.kind(), PartKind::Text | PartKind::Reasoning) && part.is_streaming()
}

fn last_open(kind: ChunkKind, message: &Message) -> Option<usize> {
    let wanted = part_kind(kind);
    message.parts().iter().rposition(|part| part.kind() == wanted && part.is_streaming())
}

fn new_text_part(kind: ChunkKind, id: Option<&str>) -> Part {
    let is_reasoning = part_kind(kind) == PartKind::Reasoning;
    let mut part = Part::new(if is_reasoning { "reasoning" } else { "text" });
    if is_reasoning {
        part.fields.set_if_given(FieldName::Id, id);
    }
    part.fields.set(FieldName::Text, Value::Text(GrowingText::default()));
    part.set_state("streaming");
    part
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

/// Appends to a streaming tool input and to the value that it spells so far.
fn append_input(part: &mut Part, delta: JsonStr<'_>) {
    if part.fields.is_str(FieldName::InputEncoding, "text") {
        part.fields.append(FieldName::RawInput, delta);
        part.fields.append(FieldName::Input, delta);
        return;
    }
    if !matches!(part.fields.get(FieldName::Input), Some(Value::Input(_))) {
        // The first delta, or the first one after a reload: what is known is read once.
        let raw = part.fields.text(FieldName::RawInput).unwrap_or_default();
        part.fields.set(FieldName::Input, Value::Input(Box::new(StreamingInput::new(&raw))));
    }
    part.fields.append(FieldName::RawInput, delta);
    part.fields.mark(FieldName::Input);
    let delta = delta.to_text();
    if let Some(Value::Input(input)) = part.fields.get_mut(FieldName::Input) {
        input.partial.push(delta.as_bytes());
    }
}

/// A streaming input becomes the value that it spells so far: its raw text is about to go.
fn freeze_input(part: &mut Part) {
    if matches!(part.fields.get(FieldName::Input), Some(Value::Input(_))) {
        let value = part.field_text(FieldName::Input);
        part.fields.set_or_remove(FieldName::Input, value.as_deref());
    }
}

fn set_call_fields(part: &mut Part, chunk: &Chunk<'_>) {
    part.fields.set_if_given(FieldName::Title, chunk.raw(Key::Title));
    part.fields.set_if_given(FieldName::ToolMetadata, chunk.raw(Key::ToolMetadata));
    part.fields.set_if_given(FieldName::ProviderExecuted, chunk.raw(Key::ProviderExecuted));
    part.fields.set_if_given(FieldName::CallProviderMetadata, chunk.raw(Key::ProviderMetadata));
}

fn set_result_fields(part: &mut Part, chunk: &Chunk<'_>) {
    part.fields.set_if_given(FieldName::ToolMetadata, chunk.raw(Key::ToolMetadata));
    part.fields.set_if_given(FieldName::ProviderExecuted, chunk.raw(Key::ProviderExecuted));
    part.fields.set_if_given(FieldName::ResultProviderMetadata, chunk.raw(Key::ProviderMetadata));
}

fn set_input_available(part: &mut Part, chunk: &Chunk<'_>) {
    part.set_tool_state(ToolState::InputAvailable);
    set_call_fields(part, chunk);
    part.fields.set_if_given(FieldName::Input, chunk.raw(Key::Input));
    for field in [
        FieldName::Output,
        FieldName::ErrorText,
        FieldName::RawInput,
        FieldName::Preliminary,
        FieldName::InputEncoding,
    ] {
        part.fields.remove(field);
    }
}

fn request_approval(part: &mut Part, chunk: &Chunk<'_>) {
    freeze_input(part);
    let mut approval = String::from("{\"id\":");
    approval.push_str(chunk.raw(Key::ApprovalId).unwrap_or("null"));
    let members = [
        ("descriptor", chunk.raw_non_null(Key::ApprovalDescriptor)),
        ("inputSchemaInput", chunk.raw(Key::InputSchemaInput)),
        ("requestReason", chunk.raw(Key::Reason)),
        ("isAutomatic", chunk.raw(Key::IsAutomatic).filter(|raw| *raw == "true")),
        ("signature", chunk.raw(Key::Signature)),
    ];
    for (name, raw) in members {
        if let Some(raw) = raw {
            approval.push(',');
            approval.push_str(&json::quote(name));
            approval.push(':');
            approval.push_str(raw);
        }
    }
    approval.push('}');
    part.fields.set_raw(FieldName::Approval, &approval);
    part.set_tool_state(ToolState::ApprovalRequested);
}

fn respond_to_approval(part: &mut Part, chunk: &Chunk<'_>) {
    part.answer_approval(
        chunk.raw(Key::ApprovalId),
        chunk.is_true(Key::Approved),
        chunk.raw(Key::Reason),
    );
    part.fields.set_if_given(FieldName::ProviderExecuted, chunk.raw(Key::ProviderExecuted));
    part.fields.set_if_given(FieldName::CallProviderMetadata, chunk.raw(Key::ProviderMetadata));
}

fn set_output(part: &mut Part, chunk: &Chunk<'_>) {
    freeze_input(part);
    part.set_tool_state(ToolState::OutputAvailable);
    part.fields.set_if_given(FieldName::Output, chunk.raw(Key::Output));
    part.fields.set_or_remove(FieldName::Preliminary, chunk.raw(Key::Preliminary));
    for field in [FieldName::ErrorText, FieldName::RawInput, FieldName::InputEncoding] {
        part.fields.remove(field);
    }
    set_result_fields(part, chunk);
}

fn set_output_error(part: &mut Part, chunk: &Chunk<'_>) {
    freeze_input(part);
    part.set_tool_state(ToolState::OutputError);
    part.fields.set_if_given(FieldName::ErrorText, chunk.raw(Key::ErrorText));
    for field in [FieldName::Output, FieldName::Preliminary, FieldName::InputEncoding] {
        part.fields.remove(field);
    }
    if part.kind() == PartKind::DynamicTool {
        part.fields.remove(FieldName::RawInput);
    }
    set_result_fields(part, chunk);
}
