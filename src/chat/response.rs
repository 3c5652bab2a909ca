//! The active response: from the transport's events to the message.

use std::collections::VecDeque;

use crate::error::Error;
use crate::json::{self, JsonErrorKind, RawJson, Text};
use crate::message::{FieldName, Message, MessageKey, Role, ToolState};
use crate::protocol::text_stream::{self, TextStream};
use crate::protocol::ui_stream::{DONE, Fold, RepeatedDeltas};
use crate::sse::{SseError, SseInput, SseParser};

use super::http::ResponseHead;
use super::output::{CommandId, OpenRequest, Outcome, Output, RequestId, RequestKind};
use super::recover::Replaced;
use super::resume::{Connection, Resume};
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
    /// Nothing came for longer than the app allows. Says for what and how long.
    TimedOut(String),
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
    pub(super) request: RequestId,
    pub(super) kind: RequestKind,
    pub(super) options: u32,
    /// Commands that settle when the chain of requests that began with them ends.
    pub(super) waiters: Vec<CommandId>,
    pub(super) key: MessageKey,
    /// The message while nothing of it is to be seen.
    pub(super) hidden: Option<Message>,
    /// The last message before it, which it answers or continues.
    pub(super) answered_id: Option<Text>,
    /// The response continues a message that had this many parts.
    pub(super) continues_from: Option<usize>,
    /// How the response is taken up again, once it was.
    pub(super) resume: Resume,
    /// The message that the response continued before it opened its own.
    pub(super) earlier: Option<MessageKey>,
    pub(super) fold: Fold,
    /// How the last events were spelled, when they were deltas.
    pub(super) repeated: RepeatedDeltas,
    pub(super) sse: SseParser,
    pub(super) stream: StreamKind,
    pub(super) head: ResponseHead,
    text: TextStream,
    /// There is a response: of a resume, once the server has one to take up.
    pub(super) has_begun: bool,
    pub(super) saw_finish: bool,
    pub(super) saw_done: bool,
    pub(super) has_content: bool,
    /// What the response brought whose request this one repeats.
    pub(super) replaced: Option<Replaced>,
    /// What the server says that it took.
    pub(super) usage: Option<String>,
}

/// What a transport delivered behind a callback, or a check of a value, that is not over yet.
#[derive(Default, Debug)]
pub(super) struct PendingInput {
    pub(super) events: VecDeque<Box<str>>,
    /// The event whose value the app's schema has not accepted yet; all others wait behind it.
    pub(super) checked: Option<Box<str>>,
    pub(super) end: Option<End>,
}

/// How a stream came to its end.
#[derive(Clone, Debug)]
pub(super) enum End {
    Clean,
    Failure(TransportFailure),
    Fault(Error),
}

impl Chat {
    pub(super) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Begins a request and makes `submitted` visible; a resume does so when there is a stream.
    pub(super) fn begin_request(
        &mut self,
        mut kind: RequestKind,
        options: u32,
        waiters: Vec<CommandId>,
    ) {
        let is_resume = matches!(kind, RequestKind::Resume { .. });
        if !is_resume {
            self.close_stopped_tool_calls();
        }
        self.auto_send.request_begins();
        let base = match &kind {
            RequestKind::Submit { message_id } => self.continued_message(message_id.as_ref()),
            RequestKind::Regenerate { .. } | RequestKind::Resume { .. } => None,
        };
        let (key, hidden, continues_from, fold) = match base.and_then(|at| self.messages.get(at)) {
            Some(message) => (message.key(), None, Some(message.parts().len()), Fold::new(message)),
            None => {
                let message = Message::assistant(self.new_key(), Text::new());
                let fold = Fold::new(&message);
                (message.key(), Some(message), None, fold)
            }
        };
        let (resume, last_event_id) = self.resume_from();
        let is_resume = matches!(kind, RequestKind::Resume { .. });
        if is_resume {
            kind = RequestKind::Resume { last_event_id };
        }
        let request = self.new_request();
        self.active = Some(Response {
            request,
            kind: kind.clone(),
            options,
            waiters,
            key,
            hidden,
            answered_id: self.messages.last().map(|message| message.id().clone()),
            continues_from,
            resume: if is_resume { resume } else { Resume::default() },
            earlier: None,
            fold,
            repeated: RepeatedDeltas::default(),
            sse: SseParser::new(self.config.max_event_bytes),
            stream: StreamKind::EventStream,
            head: ResponseHead::default(),
            text: TextStream::default(),
            has_begun: !is_resume,
            saw_finish: false,
            saw_done: false,
            has_content: false,
            replaced: None,
            usage: None,
        });
        if !is_resume {
            self.show_submitted();
        }
        self.outputs.push_back(Output::OpenRequest(OpenRequest { request, kind, options }));
    }

    pub(super) fn new_request(&mut self) -> RequestId {
        let request = self.next_request;
        self.next_request += 1;
        request
    }

    /// Makes visible that a response is under way, or is again after its connection was lost.
    fn show_submitted(&mut self) {
        if let Some(response) = self.active.as_mut() {
            response.has_begun = true;
        }
        self.error = None;
        self.outcome = None;
        if self.status != Status::Streaming {
            self.set_status(Status::Submitted);
        }
        if self.connection != Connection::Open {
            self.connection = Connection::Open;
            self.publish();
        }
    }

    /// The assistant message that a submit request continues: the named one, else the last.
    fn continued_message(&self, message_id: Option<&Text>) -> Option<usize> {
        let index = match message_id {
            Some(id) => self.position_of_id(id)?,
            None => self.messages.len().checked_sub(1)?,
        };
        (self.messages.get(index)?.role() == Role::Assistant).then_some(index)
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

    pub(super) fn response(&mut self, request: RequestId) -> Option<&mut Response> {
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
        if is_stream {
            self.show_submitted();
        }
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
        self.handle_refusal(error);
    }

    /// The app's transport opened a stream of chunks.
    pub fn handle_chunk_stream(&mut self, request: RequestId) {
        if let Some(response) = self.response(request) {
            response.stream = StreamKind::Chunks;
            self.show_submitted();
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
        self.parse_events(request, |sse, on_input| sse.push_ahead(bytes, on_input));
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
        self.parse_events(request, |sse, on_input| {
            sse.finish(&mut |event| {
                // What the end cut in its middle is no event: the response is truncated, not faulty.
                if event.data == DONE || !is_cut(event.data) {
                    on_input(SseInput::Event(event));
                }
            })
        });
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
            &mut dyn FnMut(SseInput<'_>) -> usize,
        ) -> Result<(), SseError>,
    ) {
        let Some(response) = self.response(request) else { return };
        let mut sse = std::mem::take(&mut response.sse);
        let result = parse(&mut sse, &mut |input| match input {
            SseInput::Event(event) => {
                self.handle_event(request, event.data);
                0
            }
            SseInput::Ahead(bytes) => self.apply_run(request, bytes),
        });
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

    /// Whether a callback that may give new commands has not run yet, or a check is not over.
    pub(super) fn waits_for_callback(&self) -> bool {
        self.input.checked.is_some()
            || !self.input.events.is_empty()
            || self
                .outputs
                .iter()
                .any(|output| matches!(output, Output::ToolCall(_) | Output::Data(_)))
    }

    /// Goes on with what waited for a callback. False when nothing did, or a check is not over.
    pub(super) fn process_pending_input(&mut self) -> bool {
        if self.input.checked.is_some() {
            return false;
        }
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

    fn publish_if_streaming(&mut self, request: RequestId) {
        if self.response(request).is_some() {
            self.publish_if_changed();
        }
    }

    pub(super) fn publish_if_changed(&mut self) {
        if self.has_changes() {
            self.publish_when_due();
        }
    }

    /// The key of the message that the active response writes to, once it is in the list.
    pub(super) fn streaming_key(&self) -> Option<MessageKey> {
        self.active
            .as_ref()
            .filter(|response| response.hidden.is_none() || response.resume.is_replaying())
            .map(|response| response.key)
    }

    /// The last response, or the tools that it called, were stopped: the next request says so.
    pub fn restore_stopped(&mut self) {
        self.stopped = self.messages.last().map(Message::key);
    }

    /// Tool calls that a stop left without an output are reported as stopped, since servers refuse
    /// a history that has such calls.
    fn close_stopped_tool_calls(&mut self) {
        let stopped = self.stopped.take();
        if self.config.keep_unfinished_tools {
            return;
        }
        let Some(at) = stopped.and_then(|key| self.position(key)) else { return };
        let Some(message) = self.messages.edit(at) else { return };
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

/// Whether a text is not JSON, or not all of it.
fn is_cut(data: &str) -> bool {
    let error = json::check(data).err().map(|error| error.kind);
    matches!(error, Some(JsonErrorKind::Syntax | JsonErrorKind::UnexpectedEnd))
}
