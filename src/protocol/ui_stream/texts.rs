//! Text and reasoning parts: opened, grown, closed.

use crate::json::{JsonStr, Text};
use crate::message::{FieldName, GrowingText, Message, Part, PartKind, ToolState, Value};

use super::chunk::Chunk;
use super::fold::{Effect, Fold, FoldWarning};
use super::index::Name;
use super::repeated_delta::RepeatedDelta;
use super::schema::{ChunkKind, Key};
use super::tool_calls::append_input;

impl Fold {
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
        let is_input = repeated.kind() == ChunkKind::ToolInputDelta;
        let state = message.parts().get(repeated.part()).and_then(Part::tool_state);
        // The app may have answered the call while its input came.
        if is_input && state != Some(ToolState::InputStreaming) {
            return false;
        }
        let Some(part) = message.edit_part(repeated.part()) else { return false };
        if is_input {
            append_input(part, delta);
        } else {
            part.fields.append(FieldName::Text, delta);
        }
        true
    }

    /// Applies all events at the begin of `bytes` that are spelled as the last delta, and gives how
    /// many bytes they have.
    pub fn apply_run(repeated: &RepeatedDelta, bytes: &[u8], message: &mut Message) -> usize {
        let (content, length) = repeated.run(bytes);
        let is_applied =
            length > 0 && Self::apply_repeated(repeated, JsonStr::from_content(&content), message);
        if is_applied { length } else { 0 }
    }

    pub(super) fn open(&mut self, chunk: &Chunk<'_>, message: &mut Message) -> Effect {
        let mut part = new_text_part(chunk.kind(), chunk.raw(Key::Id));
        part.fields.set_if_given(FieldName::ProviderMetadata, chunk.raw(Key::ProviderMetadata));
        self.push_open(chunk, part, message);
        Effect::Write
    }

    pub(super) fn push_open(
        &mut self,
        chunk: &Chunk<'_>,
        part: Part,
        message: &mut Message,
    ) -> usize {
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

    pub(super) fn append(
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

    pub(super) fn close(
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

pub(super) fn is_open_text(part: &Part) -> bool {
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
