//! The active response: from the transport's events to the message.

use std::collections::VecDeque;

use crate::error::{Error, ErrorKind};
use crate::json::{self, RawJson, Text};
use crate::message::{FieldName, Message, MessageKey, Role, ToolState};
use crate::protocol::text_stream::{self, TextStream};
use crate::protocol::ui_stream::{
    Chunk, ChunkKind, DONE, Decoded, Effect, Fold, FoldWarning, Key, RepeatedDelta, Target,
};
use crate::sse::SseParser;

use super::http::ResponseHead;
use super::output::{
    CommandId, Finish, FinishedMessage, OpenRequest, Outcome, Output, RequestId, RequestKind,
};
use super::{Chat, Status};

/// What delivers a response.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StreamKind {
    /// Server-sent events in the body of an HTTP answer.
    EventStream,
    /// Chunks that the app's own transport delivers, without an end marker.
    Chunks,
    /// Plain text in the body of an HTTP answer.
    Text,
}

/// How a transport failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TransportFailure {
    /// The connection could not be made, or broke.
    Connection(String),
    /// The transport says that it was aborted, though not by this chat.
    Aborted,
    /// The answer has no body.
    EmptyBody,
    /// Anything else that the transport threw.
    Other(String),
}

/// The response under way.
#[derive(Debug)]
pub(super) struct Response {
    request: RequestId,
    kind: RequestKind,
    options: u32,
    /// Commands that settle when the chain of requests that began with them ends.
    waiters: Vec<CommandId>,
    key: MessageKey,
    /// The message while nothing of it is to be seen.
    hidden: Option<Message>,
    /// The response continues a message that had this many parts.
    continues_from: Option<usize>,
    /// The message that the response continued before it opened its own.
    earlier: Option<MessageKey>,
    fold: Fold,
    /// How the last event was spelled, when it was a delta.
    repeated: Option<RepeatedDelta>,
    sse: SseParser,
    stream: StreamKind,
    head: ResponseHead,
    text: TextStream,
    saw_finish: bool,
    saw_done: bool,
    has_content: bool,
}

/// What a transport delivered behind a callback that has not run yet.
#[derive(Default, Debug)]
pub(super) struct PendingInput {
    events: VecDeque<Box<str>>,
    end: Option<End>,
}

#[derive(Clone, Debug)]
enum End {
    Clean,
    Failure(TransportFailure),
    Fault(Error),
}

impl Chat {
    pub(super) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Begins a request and makes `submitted` visible.
    pub(super) fn begin_request(
        &mut self,
        kind: RequestKind,
        options: u32,
        waiters: Vec<CommandId>,
    ) {
        let request = self.next_request;
        self.next_request += 1;
        self.auto_send.request_begins();
        let base = match &kind {
            RequestKind::Submit { message_id } => self.continued_message(message_id.as_ref()),
            RequestKind::Regenerate { .. } => None,
            RequestKind::Resume => self.resumed_message(),
        };
        let (key, hidden, continues_from, fold) = match base.and_then(|at| self.messages.get(at)) {
            Some(message) => (message.key(), None, Some(message.parts().len()), Fold::new(message)),
            None => {
                let message = Message::assistant(self.new_key(), Text::new());
                let fold = Fold::new(&message);
                (message.key(), Some(message), None, fold)
            }
        };
        self.active = Some(Response {
            request,
            kind: kind.clone(),
            options,
            waiters,
            key,
            hidden,
            continues_from,
            earlier: None,
            fold,
            repeated: None,
            sse: SseParser::new(self.config.max_event_bytes),
            stream: StreamKind::EventStream,
            head: ResponseHead::default(),
            text: TextStream::default(),
            saw_finish: false,
            saw_done: false,
            has_content: false,
        });
        self.error = None;
        self.outcome = None;
        self.set_status(Status::Submitted);
        self.outputs.push_back(Output::OpenRequest(OpenRequest { request, kind, options }));
    }

    /// The assistant message that a submit request continues: the named one, else the last.
    fn continued_message(&self, message_id: Option<&Text>) -> Option<usize> {
        let index = match message_id {
            Some(id) => self.position_of_id(id)?,
            None => self.messages.len().checked_sub(1)?,
        };
        (self.messages.get(index)?.role() == Role::Assistant).then_some(index)
    }

    /// The message that a resumed stream continues: the last one, when it is an assistant's with
    /// something unfinished.
    fn resumed_message(&self) -> Option<usize> {
        let index = self.messages.len().checked_sub(1)?;
        let message = self.messages.get(index)?;
        let is_unfinished = message.parts().iter().any(|part| match part.tool_state() {
            Some(ToolState::InputStreaming | ToolState::ApprovalResponded) => true,
            Some(ToolState::InputAvailable) => part.is_provider_executed(),
            _ => part.is_streaming(),
        });
        (message.role() == Role::Assistant && is_unfinished).then_some(index)
    }

    /// Gives a new response its id until the server names one. Call it for every
    /// [`Output::OpenRequest`], before anything of the answer.
    pub fn set_response_id(&mut self, request: RequestId, id: Text) {
        if let Some(response) = self.response(request)
            && let Some(message) = &mut response.hidden
            && message.id().is_empty()
        {
            message.set_id(id);
        }
    }

    fn response(&mut self, request: RequestId) -> Option<&mut Response> {
        self.active.as_mut().filter(|response| response.request == request)
    }

    // Events of the transport

    /// The answer's head has come. Returns whether the body is to be delivered; when not, deliver
    /// it whole by [`handle_failure_body`](Self::handle_failure_body).
    pub fn handle_head(
        &mut self,
        request: RequestId,
        head: ResponseHead,
        stream: StreamKind,
    ) -> bool {
        let Some(response) = self.response(request) else { return false };
        response.head = head;
        response.stream = stream;
        let is_stream =
            !response.head.is_failure() && (stream == StreamKind::Text || !response.head.is_page());
        if is_stream && stream == StreamKind::Text {
            for chunk in text_stream::OPENING {
                self.handle_event(request, chunk);
            }
        }
        is_stream
    }

    /// The body of an answer that is no stream.
    pub fn handle_failure_body(&mut self, now: f64, request: RequestId, body: &str) {
        self.now = now;
        let Some(response) = self.response(request) else { return };
        let error = if response.head.is_failure() {
            response.head.failure(body)
        } else {
            response.head.unexpected(body)
        };
        self.end_response(Outcome::Error, None, Some(error));
    }

    /// The answer says that there is nothing to resume.
    pub fn handle_nothing_to_resume(&mut self, request: RequestId) {
        if self.response(request).is_none() {
            return;
        }
        if let Some(response) = self.active.take() {
            self.set_status(Status::Ready);
            self.finish_chain(response.waiters);
        }
    }

    /// The app's transport opened a stream of chunks.
    pub fn handle_chunk_stream(&mut self, request: RequestId) {
        if let Some(response) = self.response(request) {
            response.stream = StreamKind::Chunks;
        }
    }

    /// Bytes of the body.
    pub fn handle_bytes(&mut self, now: f64, request: RequestId, bytes: &[u8]) {
        self.now = now;
        let Some(response) = self.response(request) else { return };
        if response.stream == StreamKind::Text {
            let chunk = response.text.push(bytes);
            if let Some(chunk) = chunk {
                self.handle_event(request, &chunk);
            }
            return self.publish_if_streaming(request);
        }
        if response.head.may_be_json_document() {
            match bytes.iter().find(|byte| !byte.is_ascii_whitespace()) {
                Some(b'{' | b'[') => {
                    let body = String::from_utf8_lossy(bytes);
                    let error = response.head.unexpected(&body);
                    self.outputs.push_back(Output::AbortRequest(request));
                    self.end_response(Outcome::Error, None, Some(error));
                    return;
                }
                Some(_) => response.head.content_type.clear(),
                None => {}
            }
        }
        self.parse_events(request, |sse, on_event| sse.push(bytes, on_event));
        self.publish_if_streaming(request);
    }

    /// Chunks of the app's own transport: JSON texts, one a line.
    pub fn handle_chunks(&mut self, now: f64, request: RequestId, chunks: &str) {
        self.now = now;
        for chunk in chunks.lines() {
            self.handle_event(request, chunk);
        }
        self.publish_if_streaming(request);
    }

    /// The body has ended.
    pub fn handle_end(&mut self, now: f64, request: RequestId) {
        self.now = now;
        let text = self.response(request).filter(|response| response.stream == StreamKind::Text);
        if let Some(last) = text.map(|response| response.text.finish()) {
            for chunk in last.iter().map(String::as_str).chain(text_stream::CLOSING) {
                self.handle_event(request, chunk);
            }
        }
        self.parse_events(request, |sse, on_event| sse.finish(on_event));
        self.handle_end_or_wait(request, End::Clean);
    }

    /// The transport failed.
    pub fn handle_failure(&mut self, now: f64, request: RequestId, failure: TransportFailure) {
        self.now = now;
        self.handle_end_or_wait(request, End::Failure(failure));
    }

    fn parse_events(
        &mut self,
        request: RequestId,
        parse: impl FnOnce(
            &mut SseParser,
            &mut dyn FnMut(crate::sse::SseEvent<'_>),
        ) -> Result<(), crate::sse::SseError>,
    ) {
        let Some(response) = self.response(request) else { return };
        let mut sse = std::mem::take(&mut response.sse);
        let result = parse(&mut sse, &mut |event| self.handle_event(request, event.data));
        if let Some(response) = self.response(request) {
            response.sse = sse;
            if let Err(error) = result {
                self.handle_end_or_wait(request, End::Fault(error.into()));
            }
        }
    }

    fn handle_event(&mut self, request: RequestId, data: &str) {
        if self.response(request).is_none() {
            return;
        }
        if self.waits_for_callback() {
            self.input.events.push_back(data.into());
        } else {
            self.apply_event(data);
        }
    }

    fn handle_end_or_wait(&mut self, request: RequestId, end: End) {
        if self.response(request).is_none() {
            return;
        }
        if self.waits_for_callback() {
            self.input.end.get_or_insert(end);
        } else {
            self.apply_end(end);
        }
    }

    /// Whether a callback that may give new commands has not run yet.
    fn waits_for_callback(&self) -> bool {
        !self.input.events.is_empty()
            || self
                .outputs
                .iter()
                .any(|output| matches!(output, Output::ToolCall(_) | Output::Data(_)))
    }

    /// Goes on with what waited for a callback. False when nothing did.
    pub(super) fn process_pending_input(&mut self) -> bool {
        if let Some(data) = self.input.events.pop_front() {
            self.apply_event(&data);
            if self.input.events.is_empty() {
                self.publish_if_changed();
            }
            return true;
        }
        match self.input.end.take() {
            Some(end) => {
                self.apply_end(end);
                true
            }
            None => false,
        }
    }

    // Applying

    fn apply_event(&mut self, data: &str) {
        let Some(response) = self.active.as_mut() else { return };
        if let Some(repeated) = &response.repeated
            && let Some(delta) = repeated.delta(data)
            && let Some(target) =
                target(&mut self.messages, &mut response.hidden, response.key, None)
            && Fold::apply_repeated(repeated, delta, target.message)
        {
            return;
        }
        response.repeated = None;
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

    fn apply_chunk(&mut self, chunk: &Chunk<'_>, data: &str) {
        if chunk.kind() == ChunkKind::Start {
            self.apply_start(chunk);
        }
        let Some(response) = self.active.as_mut() else { return };
        let mut warnings = Vec::new();
        let (hidden, key, earlier) = (&mut response.hidden, response.key, response.earlier);
        let Some(mut target) = target(&mut self.messages, hidden, key, earlier) else { return };
        let applied = response.fold.apply(chunk, &mut target, &mut warnings);
        if applied == Ok(Effect::Write) {
            response.repeated = response.fold.remember_delta(data, chunk, target.message);
        }
        if chunk.kind() == ChunkKind::Finish {
            response.saw_finish = true;
        }
        for warning in warnings {
            self.warn_of_fold(&warning);
        }
        match applied {
            Ok(Effect::None) => {}
            Ok(Effect::Write) => self.show(true),
            Ok(Effect::WriteQuietly) => self.show(false),
            Ok(Effect::ToolCall) => {
                self.show(true);
                if self.config.report_tool_calls {
                    self.publish();
                    self.outputs.push_back(Output::ToolCall(data.to_owned()));
                }
            }
            Ok(effect @ (Effect::Data | Effect::TransientData)) => {
                if effect == Effect::Data {
                    self.show(true);
                }
                if self.config.report_data {
                    self.publish_if_changed();
                    self.outputs.push_back(Output::Data(data.to_owned()));
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
        if let Some(at) = taken {
            if response.kind == RequestKind::Resume {
                return self.replay_into(at);
            }
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
                    Some(at) => self.messages.get_mut(at).map(|message| message.split_parts(from)),
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

    /// A resumed stream starts over a message that is in the list: it is written anew in place.
    fn replay_into(&mut self, at: usize) {
        let Some(message) = self.messages.get_mut(at) else { return };
        message.split_parts(0);
        message.fields.remove(FieldName::Metadata);
        let Some(response) = self.active.as_mut() else { return };
        response.key = message.key();
        response.hidden = None;
        response.continues_from = None;
        response.fold = Fold::new(message);
        self.show(false);
    }

    /// Makes the response's message part of the list; content makes the status `streaming`.
    fn show(&mut self, is_content: bool) {
        let Some(response) = self.active.as_mut() else { return };
        if let Some(message) = response.hidden.take() {
            self.messages.push(message);
            self.list_changed = true;
        }
        if is_content {
            response.has_content = true;
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

    fn publish_if_streaming(&mut self, request: RequestId) {
        if self.response(request).is_some() {
            self.publish_if_changed();
        }
    }

    fn publish_if_changed(&mut self) {
        if self.has_changes() {
            self.publish_when_due();
        }
    }

    // Ends

    fn fail_response(&mut self, error: Error) {
        self.abort_request();
        self.end_response(Outcome::Error, None, Some(error));
    }

    pub(super) fn abort_request(&mut self) {
        if let Some(response) = &self.active {
            self.outputs.push_back(Output::AbortRequest(response.request));
        }
    }

    fn apply_end(&mut self, end: End) {
        let Some(response) = self.active.as_ref() else { return };
        let is_complete = response.saw_finish || response.saw_done;
        let is_interrupted = response.fold.finish_reason() == Some("interrupted");
        match end {
            _ if is_complete && is_interrupted => {
                self.end_response(Outcome::Interrupted, None, None);
            }
            End::Fault(error) => self.fail_response(error),
            _ if is_complete => self.end_response(Outcome::Complete, None, None),
            End::Clean if self.looks_complete() => {
                self.warn(
                    "missing_end",
                    "The stream ended without finish or [DONE]; it was taken as complete because nothing was open.",
                );
                self.end_response(Outcome::Complete, None, None);
            }
            End::Clean => self.end_response(
                Outcome::Truncated,
                None,
                Some(Error::new(
                    ErrorKind::Truncated,
                    "The stream ended before the response was complete. Resume or retry it.",
                )),
            ),
            End::Failure(TransportFailure::Connection(message)) => {
                let error = Error::new(ErrorKind::ConnectionFailed, message);
                self.end_response(Outcome::Disconnect, None, Some(error));
            }
            End::Failure(TransportFailure::Aborted) => {
                self.end_response(Outcome::Aborted, None, None);
            }
            End::Failure(TransportFailure::EmptyBody) => {
                let error = Error::new(ErrorKind::EmptyResponse, "The response body is empty.");
                self.end_response(Outcome::Error, None, Some(error));
            }
            End::Failure(TransportFailure::Other(message)) => {
                let error = Error::new(ErrorKind::TransportFailed, message);
                self.end_response(Outcome::Error, None, Some(error));
            }
        }
    }

    /// Whether a stream that has no end marker by its nature ended where a response may end.
    fn looks_complete(&self) -> bool {
        let Some(response) = self.active.as_ref() else { return false };
        let may_lack_marker = response.stream == StreamKind::Chunks || !response.head.is_ui_stream;
        let Some(message) = self.position(response.key).and_then(|at| self.messages.get(at)) else {
            return false;
        };
        let parts = message.parts();
        let is_server_tool_open = parts.iter().any(|part| {
            part.tool_state() == Some(ToolState::InputAvailable) && part.is_provider_executed()
        });
        let step = parts.get(message.current_step()..).unwrap_or_default();
        let ends_in_results = !step.is_empty()
            && step.iter().all(|part| part.tool_state().is_some_and(ToolState::is_terminal));
        may_lack_marker
            && response.has_content
            && !response.fold.is_anything_open(message)
            && !is_server_tool_open
            && !ends_in_results
    }

    /// Ends the active response: the messages first, then the error, the status, the callback,
    /// and what follows.
    pub(super) fn end_response(
        &mut self,
        outcome: Outcome,
        reason: Option<Text>,
        error: Option<Error>,
    ) {
        let Some(mut response) = self.active.take() else { return };
        self.input = PendingInput::default();
        if !matches!(outcome, Outcome::Complete | Outcome::Interrupted | Outcome::Error)
            && let Some(target) =
                target(&mut self.messages, &mut response.hidden, response.key, None)
        {
            Fold::close_open_parts(target.message);
        }
        self.outcome = Some(outcome);
        if outcome == Outcome::Stopped {
            self.stopped = Some(response.key);
        }
        if outcome == Outcome::Complete {
            self.pending_approval = None;
        }
        if outcome != Outcome::Complete {
            self.queue.pause();
        }
        self.status = if error.is_some() { Status::Error } else { Status::Ready };
        self.error = error.clone();
        self.publish();
        if let Some(error) = error {
            self.outputs.push_back(Output::Error(error));
        }
        let message = match &response.hidden {
            Some(message) => FinishedMessage::Unlisted(message.to_json()),
            None => FinishedMessage::Listed(response.key),
        };
        self.outputs.push_back(Output::Finish(Finish {
            outcome,
            reason,
            finish_reason: response.fold.finish_reason().map(str::to_owned),
            message,
        }));
        if outcome == Outcome::Complete {
            self.continue_after_response(response.options, response.waiters);
        } else {
            self.finish_chain(response.waiters);
        }
    }

    /// The chain of requests that these commands began has ended.
    pub(super) fn finish_chain(&mut self, waiters: Vec<CommandId>) {
        for command in waiters {
            self.settle(command, None);
        }
        self.send_next_queued();
    }

    /// The key of the message that the active response writes to, once it is in the list.
    pub(super) fn streaming_key(&self) -> Option<MessageKey> {
        self.active
            .as_ref()
            .filter(|response| response.hidden.is_none())
            .map(|response| response.key)
    }

    /// Tool calls that a stop left without an output are reported as stopped, since servers refuse
    /// a history that has such calls.
    pub(super) fn close_stopped_tool_calls(&mut self) {
        let Some(at) = self.stopped.take().and_then(|key| self.position(key)) else { return };
        let Some(message) = self.messages.get_mut(at) else { return };
        for index in 0..message.parts().len() {
            let is_left = message.parts().get(index).is_some_and(|part| {
                part.tool_state() == Some(ToolState::InputAvailable) && !part.is_provider_executed()
            });
            if is_left && let Some(part) = message.edit_part(index) {
                part.set_tool_state(ToolState::OutputError);
                let text = json::quote("stopped by the user");
                part.fields.set_json(FieldName::ErrorText, RawJson::from_validated(&text));
            }
        }
    }
}

/// The messages that a response writes to.
fn target<'a>(
    messages: &'a mut [Message],
    hidden: &'a mut Option<Message>,
    key: MessageKey,
    earlier: Option<MessageKey>,
) -> Option<Target<'a>> {
    let find =
        |messages: &[Message], key| messages.iter().rposition(|message| message.key() == key);
    let earlier = earlier.and_then(|key| find(messages, key));
    if let Some(message) = hidden {
        let earlier = earlier.and_then(|at| messages.get_mut(at));
        return Some(Target { message, earlier });
    }
    let at = find(messages, key)?;
    match earlier {
        Some(earlier) if earlier != at => {
            let [message, earlier] = messages.get_disjoint_mut([at, earlier]).ok()?;
            Some(Target { message, earlier: Some(earlier) })
        }
        _ => Some(Target { message: messages.get_mut(at)?, earlier: None }),
    }
}
