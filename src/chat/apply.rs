//! Applies the events of the active response.

use crate::error::{Error, ErrorKind};
use crate::message::{Message, MessageKey};
use crate::protocol::ui_stream::{
    Chunk, ChunkKind, DONE, Decoded, Effect, FoldWarning, Key, Target,
};

use super::auto_send::usage;
use super::messages::Messages;
use super::output::{Outcome, Output, RequestId};
use super::{Chat, Status};

impl Chat {
    /// Applies the data of one event.
    pub(super) fn apply_event(&mut self, data: &str) {
        let Some(response) = self.active.as_mut() else { return };
        self.events += 1;
        if let Some(target) = target(&mut self.messages, &mut response.hidden, response.key, None)
            && response.repeated.apply(data, target.message)
        {
            return self.adopt_replay_when_caught_up();
        }
        if data == DONE {
            response.saw_done = true;
            return;
        }
        match Chunk::decode(data) {
            Ok(Decoded::Chunk(chunk)) => self.apply_chunk(&chunk, data),
            Ok(Decoded::UnknownType(name)) => {
                let message = [
                    "The stream has a chunk of unknown type \"",
                    &name.to_utf8_lossy(),
                    "\"; it was skipped.",
                ];
                self.warn("unknown_chunk", message.concat());
            }
            Err(error) => self.fail_response(error.into()),
        }
    }

    /// Applies the deltas at the begin of `bytes` that are spelled as the last ones, and gives how
    /// many bytes they have.
    pub(super) fn apply_run(&mut self, request: RequestId, bytes: &[u8]) -> usize {
        if self.waits_for_callback() {
            return 0;
        }
        let Some(response) = self.active.as_mut() else { return 0 };
        if response.request != request || response.resume.is_replaying() {
            return 0;
        }
        match target(&mut self.messages, &mut response.hidden, response.key, None) {
            Some(target) => {
                let run = response.repeated.apply_run(bytes, target.message);
                self.events += run.events;
                run.bytes
            }
            None => 0,
        }
    }

    fn apply_chunk(&mut self, chunk: &Chunk<'_>, data: &str) {
        self.meet_first_event(chunk);
        if !self.waits_for_check(chunk, data) {
            self.fold_chunk(chunk, data);
        }
    }

    pub(super) fn fold_chunk(&mut self, chunk: &Chunk<'_>, data: &str) {
        if chunk.kind() == ChunkKind::Start {
            self.apply_start(chunk);
        }
        let Some(response) = self.active.as_mut() else { return };
        let mut warnings = Vec::new();
        let (hidden, key, earlier) = (&mut response.hidden, response.key, response.earlier);
        let Some(mut target) = target(&mut self.messages, hidden, key, earlier) else { return };
        let applied = response.fold.apply(chunk, &mut target, &mut warnings);
        let delta = match applied {
            Ok(Effect::Write) => response.fold.remember_delta(data, chunk, target.message),
            _ => None,
        };
        match delta {
            Some(spelling) => response.repeated.remember(spelling),
            None => response.repeated.clear(),
        }
        if chunk.kind() == ChunkKind::Finish {
            response.saw_finish = true;
        }
        if let Some(usage) = chunk.raw(Key::MessageMetadata).and_then(usage) {
            response.usage = Some(usage.to_owned());
        }
        for warning in warnings {
            self.warn_of_fold(&warning);
        }
        match applied {
            Ok(Effect::None) => {}
            Ok(Effect::Write) => self.show(true),
            Ok(Effect::WriteQuietly) => self.show(false),
            Ok(Effect::ToolCall) => {
                let is_known = self.was_tool_call_shown(&chunk.text(Key::ToolCallId));
                self.show(true);
                if self.config.report_tool_calls && !is_known {
                    self.publish();
                    self.outputs.push_back(Output::ToolCall(chunk.to_json(data)));
                }
            }
            Ok(effect @ (Effect::Data | Effect::TransientData)) => {
                let is_known = self.was_data_reported();
                if effect == Effect::Data {
                    self.show(true);
                }
                if self.config.report_data && !is_known {
                    self.publish_if_changed();
                    self.outputs.push_back(Output::Data(chunk.to_json(data)));
                }
            }
            Ok(Effect::Error(text)) => {
                self.fail_response(Error::new(ErrorKind::ServerError, text.to_string_lossy()));
            }
            Ok(Effect::Abort(reason)) => {
                self.abort_request();
                self.end_response(Outcome::Aborted, reason, None);
            }
            Err(error) => self.fail_response(error.into()),
        }
    }

    /// `start` may name the message: the response's own, or on a continuation another one, which
    /// then holds what this response brought.
    fn apply_start(&mut self, chunk: &Chunk<'_>) {
        if chunk.raw(Key::MessageId).is_none() {
            return;
        }
        let id = chunk.text(Key::MessageId);
        let taken = self.position_of_id(&id);
        let Some(response) = self.active.as_mut() else { return };
        let own =
            taken.and_then(|at| self.messages.get(at)).map(Message::key) == Some(response.key);
        if own {
            return self.show(false);
        }
        if taken.is_some() {
            let message = [
                "The stream names its message \"",
                &id.to_string_lossy(),
                "\", an id that another message has; it was not used.",
            ];
            return self.warn("duplicate_message_id", message.concat());
        }
        match response.continues_from.take() {
            Some(from) => {
                let earlier = response.key;
                let key = self.new_key();
                let parts = match self.position(earlier) {
                    Some(at) => self.messages.edit(at).map(|message| message.split_parts(from)),
                    None => None,
                };
                let mut message = Message::assistant(key, id);
                for part in parts.unwrap_or_default() {
                    message.push_part(part);
                }
                let Some(response) = self.active.as_mut() else { return };
                response.fold.reindex(&message, from);
                response.earlier = Some(earlier);
                response.key = key;
                response.hidden = Some(message);
            }
            None => {
                let (hidden, key) = (&mut response.hidden, response.key);
                if let Some(target) = target(&mut self.messages, hidden, key, None) {
                    target.message.set_id(id);
                }
            }
        }
        self.show(false);
    }

    /// Makes the response's message part of the list; content makes the status `streaming`.
    fn show(&mut self, is_content: bool) {
        let Some(response) = self.active.as_mut() else { return };
        if is_content {
            response.has_content = true;
        }
        if response.resume.is_replaying() {
            self.adopt_replay_when_caught_up();
        } else if let Some(message) = response.hidden.take() {
            self.messages.edit_list().push(message);
        }
        if is_content {
            self.set_status(Status::Streaming);
        }
    }

    fn warn_of_fold(&mut self, warning: &FoldWarning) {
        match warning {
            FoldWarning::PartNotOpen { chunk, id } => self.warn(
                "part_not_open",
                [
                    "Received ",
                    chunk.as_str(),
                    " for \"",
                    &id.to_string_lossy(),
                    "\", which is not open.",
                ]
                .concat(),
            ),
            FoldWarning::LateInput { tool_call_id } => self.warn(
                "late_tool_input",
                [
                    "Received input for tool call \"",
                    &tool_call_id.to_string_lossy(),
                    "\", which takes none; it was ignored.",
                ]
                .concat(),
            ),
        }
    }
}

/// The messages that a response writes to.
pub(super) fn target<'a>(
    messages: &'a mut Messages,
    hidden: &'a mut Option<Message>,
    key: MessageKey,
    earlier: Option<MessageKey>,
) -> Option<Target<'a>> {
    let earlier = earlier.and_then(|key| messages.position(key));
    if let Some(message) = hidden {
        let earlier = earlier.and_then(|at| messages.edit(at));
        return Some(Target { message, earlier });
    }
    let at = messages.position(key)?;
    match earlier {
        Some(earlier) if earlier != at => {
            let [message, earlier] = messages.edit_two([at, earlier])?;
            Some(Target { message, earlier: Some(earlier) })
        }
        _ => Some(Target { message: messages.edit(at)?, earlier: None }),
    }
}
