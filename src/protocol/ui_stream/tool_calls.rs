//! Tool calls: their input as it arrives, approvals, results.

use crate::json::{self, JsonStr, RawJson};
use crate::message::{FieldName, Message, Part, PartKind, StreamingInput, ToolState, Value};

use super::chunk::Chunk;
use super::fold::{Effect, Fold, FoldError, FoldWarning, Place, Target};
use super::index::Name;
use super::schema::Key;

impl Fold {
    /// The part of the chunk's tool call, with its name and kind brought up to date; a new one
    /// when there is none.
    pub(super) fn tool_part<'m>(
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

    pub(super) fn start_tool_input(&mut self, chunk: &Chunk<'_>, message: &mut Message) {
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

    pub(super) fn append_tool_input(
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

    pub(super) fn fail_tool_input(&mut self, chunk: &Chunk<'_>, message: &mut Message) {
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

    pub(super) fn find_tool_call(
        &self,
        chunk: &Chunk<'_>,
        target: &Target<'_>,
    ) -> Result<Place, FoldError> {
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

    pub(super) fn find_approval(
        &self,
        chunk: &Chunk<'_>,
        target: &Target<'_>,
    ) -> Result<Place, FoldError> {
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
}

/// Appends to a streaming tool input and to the value that it spells so far.
pub(super) fn append_input(part: &mut Part, delta: JsonStr<'_>) {
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

pub(super) fn set_input_available(part: &mut Part, chunk: &Chunk<'_>) {
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

pub(super) fn request_approval(part: &mut Part, chunk: &Chunk<'_>) {
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

pub(super) fn respond_to_approval(part: &mut Part, chunk: &Chunk<'_>) {
    part.answer_approval(
        chunk.raw(Key::ApprovalId),
        chunk.is_true(Key::Approved),
        chunk.raw(Key::Reason),
    );
    part.fields.set_if_given(FieldName::ProviderExecuted, chunk.raw(Key::ProviderExecuted));
    part.fields.set_if_given(FieldName::CallProviderMetadata, chunk.raw(Key::ProviderMetadata));
}

pub(super) fn set_output(part: &mut Part, chunk: &Chunk<'_>) {
    freeze_input(part);
    part.set_tool_state(ToolState::OutputAvailable);
    part.fields.set_if_given(FieldName::Output, chunk.raw(Key::Output));
    part.fields.set_or_remove(FieldName::Preliminary, chunk.raw(Key::Preliminary));
    for field in [FieldName::ErrorText, FieldName::RawInput, FieldName::InputEncoding] {
        part.fields.remove(field);
    }
    set_result_fields(part, chunk);
}

pub(super) fn set_output_error(part: &mut Part, chunk: &Chunk<'_>) {
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
