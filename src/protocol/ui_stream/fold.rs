//! Applies chunks to the assistant message of a response.
//!
//! Equal to the AI SDK's client, but for these rules: a delta without an open part continues the
//! one open part of its kind or opens one, a tool call has one part whatever its steps and
//! spellings, and an input delta that comes after the input was complete changes nothing.

use std::collections::BTreeMap;

use crate::json::{self, JsonStr, RawJson, Text};
use crate::limits;
use crate::message::{
    FieldName, GrowingText, Message, Part, PartKind, StreamingInput, ToolState, Value,
};

use super::chunk::Chunk;
use super::metadata;
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
    /// The message changed, but it is no content: the status stays.
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
    open_text: BTreeMap<Text, usize>,
    open_reasoning: BTreeMap<Text, usize>,
    tool_calls: BTreeMap<Text, usize>,
    approvals: BTreeMap<Text, usize>,
    data_parts: BTreeMap<(Text, Text), usize>,
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
        fold.index_parts(message, 0);
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
            || !self.open_text.is_empty()
            || !self.open_reasoning.is_empty()
            || message
                .parts()
                .iter()
                .any(|part| part.tool_state() == Some(ToolState::InputStreaming))
    }

    /// The response's parts moved to another message: finds everything again.
    pub fn reindex(&mut self, message: &Message, removed_before: usize) {
        for open in [&mut self.open_text, &mut self.open_reasoning] {
            open.retain(|_, index| *index >= removed_before);
            open.values_mut().for_each(|index| *index -= removed_before);
        }
        self.tool_calls.clear();
        self.approvals.clear();
        self.data_parts.clear();
        self.index_parts(message, 0);
    }

    fn index_parts(&mut self, message: &Message, from: usize) {
        for (index, part) in message.parts().iter().enumerate().skip(from) {
            if let Some(id) = part.tool_call_id() {
                self.tool_calls.insert(id, index);
                if let Some(id) = part.approval_id() {
                    self.approvals.entry(id).or_insert(index);
                }
            } else if part.kind() == PartKind::Data
                && let (Some(name), Some(id)) =
                    (part.fields.text(FieldName::Type), part.fields.text(FieldName::Id))
            {
                self.data_parts.entry((name, id)).or_insert(index);
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
                    self.approvals.entry(chunk.text(Key::ApprovalId)).or_insert(place.index);
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
            ChunkKind::Start => {
                merge_metadata(chunk, target.message);
                Effect::None
            }
            ChunkKind::Finish => {
                if let Some(reason) = chunk.str(Key::FinishReason) {
                    self.finish_reason = Some(reason.to_utf8_lossy());
                }
                merge_metadata(chunk, target.message)
            }
            ChunkKind::MessageMetadata => merge_metadata(chunk, target.message),
            ChunkKind::Error => Effect::Error(chunk.text(Key::ErrorText)),
            ChunkKind::Abort => Effect::Abort(chunk.str(Key::Reason).map(JsonStr::to_text)),
        };
        Ok(effect)
    }

    // Text and reasoning

    fn open(&mut self, chunk: &Chunk<'_>, message: &mut Message) -> Effect {
        let id = chunk.text(Key::Id);
        let mut part = new_text_part(chunk.kind(), chunk.raw(Key::Id));
        part.fields.set_if_given(FieldName::ProviderMetadata, chunk.raw(Key::ProviderMetadata));
        let index = message.push_part(part);
        self.open_parts(chunk.kind()).insert(id, index);
        Effect::Write
    }

    fn append(
        &mut self,
        chunk: &Chunk<'_>,
        message: &mut Message,
        warnings: &mut Vec<FoldWarning>,
    ) -> Effect {
        let id = chunk.text(Key::Id);
        let index = match self.open_parts(chunk.kind()).get(&id) {
            Some(&index) => index,
            None => {
                let index = match self.only_open_part(chunk.kind(), message) {
                    Some(index) => index,
                    None => message.push_part(new_text_part(chunk.kind(), chunk.raw(Key::Id))),
                };
                warnings.push(FoldWarning::PartNotOpen { chunk: chunk.kind(), id: id.clone() });
                self.open_parts(chunk.kind()).insert(id, index);
                index
            }
        };
        if let (Some(part), Some(delta)) = (message.edit_part(index), chunk.str(Key::Delta)) {
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
        let open = self.open_parts(chunk.kind());
        let index = match open.get(&id) {
            Some(&index) => index,
            None => {
                let resumed =
                    if open.is_empty() { last_streaming(chunk.kind(), message) } else { None };
                warnings.push(FoldWarning::PartNotOpen { chunk: chunk.kind(), id });
                let Some(index) = resumed else {
                    return Effect::None;
                };
                index
            }
        };
        self.open_parts(chunk.kind()).retain(|_, open| *open != index);
        if let Some(part) = message.edit_part(index) {
            part.set_state("done");
            part.fields.set_if_given(FieldName::Citations, chunk.raw(Key::Citations));
            part.fields.set_if_given(FieldName::ProviderMetadata, chunk.raw(Key::ProviderMetadata));
        }
        Effect::Write
    }

    fn open_parts(&mut self, kind: ChunkKind) -> &mut BTreeMap<Text, usize> {
        match part_kind(kind) {
            PartKind::Reasoning => &mut self.open_reasoning,
            _ => &mut self.open_text,
        }
    }

    /// The part that a delta without an open part of its own belongs to: the only open one of its
    /// kind, or after a reload the last one that was still streaming.
    fn only_open_part(&mut self, kind: ChunkKind, message: &Message) -> Option<usize> {
        let mut open = self.open_parts(kind).values().copied();
        match open.next() {
            None => last_streaming(kind, message),
            Some(first) => open.all(|other| other == first).then_some(first),
        }
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
        let index = match self.tool_calls.get(&id) {
            Some(&index) => index,
            None => {
                let mut part = Part::new(&type_name);
                if dynamic {
                    part.fields.set_json(FieldName::ToolName, RawJson::string(&name));
                }
                part.fields.set_json(FieldName::ToolCallId, RawJson::string(&id));
                let index = message.push_part(part);
                self.tool_calls.insert(id, index);
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
        let index = self.tool_calls.get(&id).copied();
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
        let known = self.tool_calls.get(&chunk.text(Key::ToolCallId)).copied();
        let dynamic = match known.and_then(|index| message.parts().get(index)) {
            Some(part) => part.kind() == PartKind::DynamicTool,
            None => chunk.is_true(Key::Dynamic),
        };
        let Some(part) = self.tool_part(chunk, dynamic, message) else {
            return;
        };
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
        if let Some(&index) = self.tool_calls.get(&id) {
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
        if let Some(&index) = self.approvals.get(&id) {
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
        let id = chunk.raw(Key::Id).map(|_| (chunk.type_name().to_text(), chunk.text(Key::Id)));
        if let Some(&index) = id.as_ref().and_then(|id| self.data_parts.get(id)) {
            if let Some(part) = message.edit_part(index) {
                part.fields.set_if_given(FieldName::Data, chunk.raw(Key::Data));
            }
        } else {
            let mut part = Part::new(&chunk.type_name().to_utf8_lossy());
            part.fields.set_if_given(FieldName::Id, chunk.raw(Key::Id));
            part.fields.set_if_given(FieldName::Data, chunk.raw(Key::Data));
            let index = message.push_part(part);
            if let Some(id) = id {
                self.data_parts.insert(id, index);
            }
        }
        Effect::Data
    }

    fn reset_step(&mut self, message: &mut Message) -> Effect {
        self.open_text.clear();
        self.open_reasoning.clear();
        let step = message.current_step();
        if message.split_parts(step).is_empty() {
            return Effect::None;
        }
        self.tool_calls.retain(|_, index| *index < step);
        self.approvals.retain(|_, index| *index < step);
        self.data_parts.retain(|_, index| *index < step);
        Effect::Write
    }

    /// Ends everything that is still being written: text and reasoning become `done`. A tool
    /// input stays as it is; the outcome of the response explains it.
    pub fn close_open_parts(&mut self, message: &mut Message) {
        self.open_text.clear();
        self.open_reasoning.clear();
        for index in 0..message.parts().len() {
            let is_open = message.parts().get(index).is_some_and(|part| {
                matches!(part.kind(), PartKind::Text | PartKind::Reasoning) && part.is_streaming()
            });
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

fn last_streaming(kind: ChunkKind, message: &Message) -> Option<usize> {
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

fn merge_metadata(chunk: &Chunk<'_>, message: &mut Message) -> Effect {
    let Some(update) = chunk.raw_non_null(Key::MessageMetadata) else {
        return Effect::None;
    };
    let merged = match message.metadata() {
        Some(old) => metadata::merge(old.as_str(), update),
        None => Ok(update.to_owned()),
    };
    if let Ok(merged) = merged {
        message.set_metadata(RawJson::from_validated(&merged));
    }
    Effect::WriteQuietly
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
