//! A host with a virtual clock: does what the machine asks, records it, and checks after every
//! output what must hold at all times:
//! - the view that follows the changes equals the export;
//! - at most one response is under way, and each ends by exactly one `Finish`;
//! - each command settles exactly once;
//! - what the app sees is what is.

use std::collections::{BTreeMap, BTreeSet};

use chatwire::chat::{
    Changes, Chat, CommandId, Config, FinishedMessage, MessageSource, NewMessage, OpenRequest,
    Output, RequestId, RequestKind, ResponseHead, SendMessage, Status, StreamKind, ToolResult,
    TransportFailure,
};
use chatwire::error::{Error, ErrorKind};
use chatwire::json::{RawJson, Text};
use serde_json::Value;

use super::log::{Finished, Opened, Seen, Shown};
use super::utf16::parse;
use super::view::View;

/// Milliseconds from a requested frame to its paint.
const FRAME: f64 = 16.0;

/// Called for what an app has callbacks for, and may give commands.
pub(crate) type Callback = Box<dyn FnMut(&mut Host, &Seen)>;

pub(crate) struct Host {
    pub(crate) chat: Chat,
    pub(crate) view: View,
    pub(crate) log: Vec<Seen>,
    /// Milliseconds.
    pub(crate) now: f64,
    pub(crate) callback: Option<Callback>,
    shown: Shown,
    changes: Changes,
    /// The last request, open or not.
    request: RequestId,
    /// The last request whose answer has come.
    answered: RequestId,
    is_connected: bool,
    /// The response that has not finished.
    unfinished: Option<RequestId>,
    /// Whether it has begun: of a resume that found no stream, no end needs to be told.
    has_begun: bool,
    frame_at: Option<f64>,
    wake_at: Option<f64>,
    /// The lost request, and when to make it again.
    reconnect: Option<(RequestId, f64)>,
    unsettled: BTreeSet<CommandId>,
    settled: BTreeMap<CommandId, Option<ErrorKind>>,
    /// Ids are `user-1`, `response-1` and so on.
    users: u32,
    responses: u32,
    drains: bool,
    is_smooth: bool,
}

impl Host {
    pub(crate) fn new(config: Config) -> Self {
        let is_smooth = config.smooth;
        let chat = Chat::new(config);
        Self {
            shown: shown(&chat),
            chat,
            view: View::default(),
            log: Vec::new(),
            now: 1000.0,
            callback: None,
            changes: Changes::default(),
            request: 0,
            answered: 0,
            is_connected: false,
            unfinished: None,
            has_begun: false,
            frame_at: None,
            wake_at: None,
            reconnect: None,
            unsettled: BTreeSet::new(),
            settled: BTreeMap::new(),
            users: 0,
            responses: 0,
            drains: false,
            is_smooth,
        }
    }

    // Commands

    /// Gives a command that settles later.
    pub(crate) fn command(&mut self, run: impl FnOnce(&mut Chat, f64) -> CommandId) -> CommandId {
        let command = run(&mut self.chat, self.now);
        assert!(self.unsettled.insert(command), "two commands have one id");
        self.after_command();
        command
    }

    /// Sends a message of the user with this text.
    pub(crate) fn send(&mut self, text: &str) -> CommandId {
        let json = self.user_message(text);
        self.send_json(&json, None)
    }

    /// Replaces a message of the user.
    pub(crate) fn edit(&mut self, replaced: &str, text: &str) -> CommandId {
        let json = self.user_message(text);
        self.send_json(&json, Some(replaced))
    }

    /// Sends a message with this JSON text.
    pub(crate) fn send_json(&mut self, json: &str, replaces: Option<&str>) -> CommandId {
        let slot = self.view.supply(json);
        let message = Some(NewMessage::parse(json, slot).unwrap());
        let replaces = replaces.map(Text::from_utf8);
        self.command(|chat, now| {
            chat.send_message(now, SendMessage { message, replaces, options: 0 })
        })
    }

    /// Submits what is there.
    pub(crate) fn submit(&mut self) -> CommandId {
        self.command(|chat, now| chat.send_message(now, SendMessage::default()))
    }

    pub(crate) fn regenerate(&mut self, message_id: Option<&str>) -> CommandId {
        let message_id = message_id.map(Text::from_utf8);
        self.command(|chat, now| chat.regenerate(now, message_id, 0))
    }

    pub(crate) fn resume(&mut self) -> CommandId {
        self.command(|chat, now| chat.resume_stream(now, 0))
    }

    pub(crate) fn stop(&mut self) -> CommandId {
        self.command(|chat, now| chat.stop(now, None))
    }

    pub(crate) fn detach(&mut self) -> CommandId {
        self.command(|chat, now| chat.detach(now))
    }

    pub(crate) fn add_output(&mut self, tool_call_id: &str, output: &str) -> CommandId {
        let result = ToolResult::Output(RawJson::parse(output).unwrap());
        self.command(|chat, now| {
            chat.add_tool_result(now, &Text::from_utf8(tool_call_id), &result, 0)
        })
    }

    pub(crate) fn add_error(&mut self, tool_call_id: &str, text: &str) -> CommandId {
        let result = ToolResult::Error(Text::from_utf8(text));
        self.command(|chat, now| {
            chat.add_tool_result(now, &Text::from_utf8(tool_call_id), &result, 0)
        })
    }

    pub(crate) fn approve(&mut self, approval_id: &str, approved: bool) -> CommandId {
        self.command(|chat, now| {
            chat.add_approval_response(now, &Text::from_utf8(approval_id), approved, None, 0)
        })
    }

    /// Gives a command that has its effect at once.
    pub(crate) fn change<T>(&mut self, run: impl FnOnce(&mut Chat, f64) -> T) -> T {
        let result = run(&mut self.chat, self.now);
        self.after_command();
        result
    }

    /// Sets the list to the view's messages with these keys and then the app's own.
    pub(crate) fn set_messages(&mut self, keys: &[u32], new: &[&str]) {
        let mut sources: Vec<_> = keys.iter().map(|key| MessageSource::Key(*key)).collect();
        for json in new {
            let slot = self.view.supply(json);
            sources.push(MessageSource::New(NewMessage::parse(json, slot).unwrap()));
        }
        self.change(|chat, now| chat.set_messages(now, sources));
    }

    pub(crate) fn clear_error(&mut self) {
        self.change(|chat, _| chat.clear_error());
    }

    pub(crate) fn dispose(&mut self) {
        self.change(|chat, _| chat.dispose());
    }

    fn user_message(&mut self, text: &str) -> String {
        self.users += 1;
        let text = Value::from(text);
        format!(
            r#"{{"id":"user-{}","role":"user","parts":[{{"type":"text","text":{text}}}]}}"#,
            self.users
        )
    }

    // The transport

    /// The head of an answer that is a UI message stream.
    pub(crate) fn answer(&mut self) {
        assert!(self.answer_with(&ui_stream_head(), StreamKind::EventStream));
    }

    pub(crate) fn answer_with(&mut self, head: &ResponseHead, stream: StreamKind) -> bool {
        self.answered = self.request;
        let is_stream = self.chat.handle_head(self.request, head.clone(), stream);
        self.has_begun |= is_stream;
        self.drain();
        is_stream
    }

    /// Bytes of the body, in one read.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        self.chat.handle_bytes(self.now, self.request, bytes);
        self.drain();
    }

    /// Chunks as events, all in one read.
    pub(crate) fn chunks(&mut self, chunks: &[&str]) {
        let body: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
        self.bytes(body.as_bytes());
    }

    /// The app's own transport opened a stream of chunks.
    pub(crate) fn chunk_stream(&mut self) {
        self.answered = self.request;
        self.has_begun = true;
        self.chat.handle_chunk_stream(self.request);
        self.drain();
    }

    /// Chunks of the app's own transport that were ready together.
    pub(crate) fn chunk_objects(&mut self, chunks: &[&str]) {
        self.chat.handle_chunks(self.now, self.request, &chunks.join("\n"));
        self.drain();
    }

    /// The end marker and the end of the body.
    pub(crate) fn done(&mut self) {
        self.chunks(&["[DONE]"]);
        self.end();
    }

    /// The end of the body.
    pub(crate) fn end(&mut self) {
        self.is_connected = false;
        self.chat.handle_end(self.now, self.request);
        self.drain();
    }

    pub(crate) fn fail(&mut self, failure: TransportFailure) {
        self.is_connected = false;
        self.chat.handle_failure(self.now, self.request, failure);
        self.drain();
    }

    pub(crate) fn disconnect(&mut self) {
        self.fail(TransportFailure::Connection("network error".to_owned()));
    }

    pub(crate) fn failure_body(&mut self, body: &str) {
        self.is_connected = false;
        self.chat.handle_failure_body(self.now, self.request, body);
        self.drain();
    }

    pub(crate) fn nothing_to_resume(&mut self) {
        self.is_connected = false;
        self.chat.handle_nothing_to_resume(self.request);
        self.drain();
    }

    /// A whole response with these chunks.
    pub(crate) fn respond(&mut self, chunks: &[&str]) {
        self.answer();
        self.chunks(chunks);
        self.done();
    }

    /// Answers the check that is open.
    pub(crate) fn check(&mut self, is_accepted: bool) {
        self.chat.handle_check(self.now, self.request, is_accepted);
        self.drain();
    }

    pub(crate) fn decide(&mut self, decision: u32, send: bool) {
        self.chat.handle_decision(decision, send);
        self.drain();
    }

    // Time

    /// Lets time pass; frames and timers that fall due are served in their order.
    pub(crate) fn advance(&mut self, milliseconds: f64) {
        let until = self.now + milliseconds;
        loop {
            let frame = self.frame_at.unwrap_or(f64::INFINITY);
            let wake = self.wake_at.unwrap_or(f64::INFINITY);
            let reconnect = self.reconnect.map_or(f64::INFINITY, |(_, at)| at);
            let due = frame.min(wake).min(reconnect);
            if due > until {
                break;
            }
            self.now = self.now.max(due);
            if due == frame {
                self.frame_at = None;
                self.chat.handle_frame(self.now);
            } else if due == wake {
                self.wake_at = None;
                self.chat.handle_time(self.now);
            } else if let Some((request, _)) = self.reconnect.take() {
                self.chat.handle_reconnect(self.now, request);
            }
            self.drain();
        }
        self.now = until;
    }

    // Outputs

    fn after_command(&mut self) {
        if self.drains {
            self.publish();
        } else {
            self.drain();
        }
    }

    /// Takes every output and does what it asks.
    pub(crate) fn drain(&mut self) {
        assert!(!self.drains, "a transport event inside a callback");
        self.drains = true;
        while let Some(output) = self.chat.poll_output() {
            self.perform(output);
        }
        self.drains = false;
        assert_eq!(self.shown, shown(&self.chat), "what the app sees is not what is");
    }

    fn perform(&mut self, output: Output) {
        match output {
            Output::Publish => self.publish(),
            Output::RequestFrame => {
                assert!(self.frame_at.is_none(), "a frame is requested twice");
                self.frame_at = Some(self.now + FRAME);
                self.log.push(Seen::FrameRequested);
            }
            Output::WakeAt(time) => {
                assert!(self.wake_at.is_none(), "to be woken is requested twice");
                self.wake_at = Some(time);
                self.log.push(Seen::WakeRequested(time));
            }
            Output::Reconnect { request, after } => {
                assert_eq!(request, self.request, "an old request is made again");
                self.is_connected = false;
                self.reconnect = Some((request, self.now + after));
                self.log.push(Seen::ReconnectRequested(after));
            }
            Output::OpenRequest(open) => self.open(open),
            Output::AbortRequest(request) => {
                assert_eq!(request, self.request, "an old request is aborted");
                self.is_connected = false;
                self.reconnect = None;
                self.log.push(Seen::Aborted(request));
            }
            Output::ToolCall(chunk) => self.call_back(Seen::ToolCall(parse(&chunk))),
            Output::Data(chunk) => self.call_back(Seen::Data(parse(&chunk))),
            Output::Finish(finish) => {
                self.unfinished.take().expect("a response finished that was not under way");
                let message = match finish.message {
                    FinishedMessage::Listed(key) => self.view.message(key).expect("not shown"),
                    FinishedMessage::Unlisted(json) => parse(&json),
                };
                self.call_back(Seen::Finished(Finished {
                    outcome: finish.outcome,
                    reason: finish.reason.map(|reason| reason.to_string_lossy()),
                    finish_reason: finish.finish_reason,
                    usage: finish.usage,
                    message,
                }));
            }
            Output::Error(error) => self.call_back(Seen::Failed(error)),
            Output::Warning(warning) => self.call_back(Seen::Warned(warning.code)),
            Output::AutoSend(report) => self.log.push(Seen::AutoSend(report.send, report.rule)),
            Output::Check(check) => self.log.push(Seen::Checked(check)),
            Output::Decide(decision) => self.call_back(Seen::Asked(decision)),
            Output::Nudge(decision) => {
                let json = self.user_message("Please answer.");
                let slot = self.view.supply(&json);
                let message = NewMessage::parse(&json, slot).unwrap();
                self.chat.handle_nudge(decision, Some(message));
            }
            Output::Settle { command, error } => {
                assert!(self.unsettled.remove(&command), "a command settled twice");
                let error = error.map(|error| error.kind);
                self.settled.insert(command, error);
                self.log.push(Seen::Settled(command, error));
            }
        }
    }

    fn open(&mut self, open: OpenRequest) {
        let OpenRequest { request, kind, options } = open;
        self.forget_unbegun();
        let is_resume = matches!(kind, RequestKind::Resume { .. });
        assert!(self.unfinished.is_none() || is_resume, "two responses are under way");
        assert!(!self.is_connected, "two requests are open");
        assert!(request > self.request, "a request's id is used again");
        self.request = request;
        self.is_connected = true;
        if self.unfinished.is_none() {
            self.unfinished = Some(request);
            self.has_begun = !is_resume;
        }
        self.responses += 1;
        let id = format!("response-{}", self.responses);
        self.chat.set_response_id(request, Text::from_utf8(&id));
        let messages = self.chat.export_messages();
        self.log.push(Seen::Opened(Opened { request, kind, options, messages }));
    }

    fn forget_unbegun(&mut self) {
        if !self.has_begun && !self.is_connected && !self.is_reconnecting() {
            self.unfinished = None;
        }
    }

    fn call_back(&mut self, seen: Seen) {
        self.log.push(seen.clone());
        if let Some(mut callback) = self.callback.take() {
            callback(self, &seen);
            self.callback.get_or_insert(callback);
        }
    }

    fn publish(&mut self) {
        self.chat.take_changes(&mut self.changes);
        self.view.apply(&self.changes);
        self.shown = shown(&self.chat);
        self.log.push(Seen::Published(self.shown));
        let export = self.chat.export_messages();
        let mut expected = parse(&export);
        if self.is_smooth {
            hold_back(&mut expected, &self.view.messages());
        }
        assert_eq!(self.view.messages(), expected, "the view is not the export {export}");

        if !self.is_smooth {
            self.chat.take_changes(&mut self.changes);
            assert_eq!(self.changes.ops, [0u32; 0], "a flush with nothing changed is not empty");
        }
    }

    // What happened

    /// The last request that was made.
    pub(crate) fn opened(&self) -> &Opened {
        self.all(|seen| if let Seen::Opened(opened) = seen { Some(opened) } else { None })
            .next_back()
            .expect("no request was made")
    }

    /// Whether the answer to the last request has come.
    pub(crate) fn has_answered(&self) -> bool {
        self.answered == self.request
    }

    /// Whether a response has begun that has not finished.
    pub(crate) fn is_under_way(&self) -> bool {
        self.unfinished.is_some()
    }

    /// How many requests were made.
    pub(crate) fn request_count(&self) -> usize {
        self.log.iter().filter(|seen| matches!(seen, Seen::Opened(_))).count()
    }

    /// The last response that finished.
    pub(crate) fn finished(&self) -> &Finished {
        self.all(|seen| if let Seen::Finished(finished) = seen { Some(finished) } else { None })
            .next_back()
            .expect("no response finished")
    }

    /// The codes of all warnings.
    pub(crate) fn warnings(&self) -> Vec<&'static str> {
        self.all(|seen| if let Seen::Warned(code) = seen { Some(*code) } else { None }).collect()
    }

    /// All errors that were reported.
    pub(crate) fn errors(&self) -> Vec<&Error> {
        self.all(|seen| if let Seen::Failed(error) = seen { Some(error) } else { None }).collect()
    }

    /// The last question whether to continue.
    pub(crate) fn asked(&self) -> u32 {
        self.all(|seen| if let Seen::Asked(decision) = seen { Some(*decision) } else { None })
            .next_back()
            .expect("no question was put")
    }

    /// How many questions whether to continue were put.
    pub(crate) fn question_count(&self) -> usize {
        self.log.iter().filter(|seen| matches!(seen, Seen::Asked(_))).count()
    }

    /// The statuses that the app saw, without repeats.
    pub(crate) fn statuses(&self) -> Vec<Status> {
        let mut statuses: Vec<_> = self
            .all(|seen| if let Seen::Published(shown) = seen { Some(shown.status) } else { None })
            .collect();
        statuses.dedup();
        statuses
    }

    /// How a command settled: `None` when it has not, else its error.
    pub(crate) fn settled(&self, command: CommandId) -> Option<Option<ErrorKind>> {
        self.settled.get(&command).copied()
    }

    fn all<'a, T>(
        &'a self,
        pick: impl Fn(&'a Seen) -> Option<T> + 'a,
    ) -> impl DoubleEndedIterator<Item = T> + 'a {
        self.log.iter().filter_map(pick)
    }

    /// The messages as values.
    pub(crate) fn messages(&self) -> Value {
        parse(&self.chat.export_messages())
    }

    /// The last message as a value.
    pub(crate) fn last_message(&self) -> Value {
        let messages = self.messages();
        messages.as_array().and_then(|list| list.last()).expect("no message").clone()
    }

    /// The ids of the list, in order.
    pub(crate) fn ids(&self) -> Vec<String> {
        self.chat.messages().iter().map(|message| message.id().to_string_lossy()).collect()
    }

    /// The last request, open or not.
    pub(crate) fn request(&self) -> RequestId {
        self.request
    }

    /// The last request whose answer has come.
    pub(crate) fn answered(&self) -> RequestId {
        self.answered
    }

    pub(crate) fn is_connected(&self) -> bool {
        self.is_connected
    }

    /// Whether a lost connection is to be made again.
    pub(crate) fn is_reconnecting(&self) -> bool {
        self.reconnect.is_some_and(|(request, _)| request == self.request)
            && self.unfinished.is_some()
    }

    /// Whether commands have not settled.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.unsettled.is_empty()
    }

    /// Nothing is under way and nobody waits.
    pub(crate) fn assert_at_rest(&self) {
        assert!(matches!(self.chat.status(), Status::Ready | Status::Error));
        assert!(self.unfinished.is_none() || !self.has_begun, "a response never finished");
        assert!(!self.is_connected, "a request stayed open");
        assert!(self.unsettled.is_empty(), "commands never settled: {:?}", self.unsettled);
    }
}

fn shown(chat: &Chat) -> Shown {
    Shown {
        status: chat.status(),
        error: chat.error().map(|error| error.kind),
        outcome: chat.outcome(),
        is_queue_paused: chat.is_queue_paused(),
        connection: chat.connection(),
    }
}

/// The head of an answer that is a UI message stream.
pub(crate) fn ui_stream_head() -> ResponseHead {
    ResponseHead {
        status: 200,
        content_type: "text/event-stream".to_owned(),
        is_ui_stream: true,
        url: "https://example.com/api/chat".to_owned(),
    }
}

/// Takes what is not shown from texts that are still being written.
fn hold_back(messages: &mut Value, shown: &Value) {
    for (at, message) in messages.as_array_mut().into_iter().flatten().enumerate() {
        for (index, part) in message["parts"].as_array_mut().into_iter().flatten().enumerate() {
            let shown = &shown[at]["parts"][index]["text"];
            let begin = shown.as_str().unwrap_or_default();
            let is_begin = part["text"].as_str().is_some_and(|text| text.starts_with(begin));
            if part["state"] == "streaming" && is_begin {
                part["text"] = shown.clone();
            }
        }
    }
}
