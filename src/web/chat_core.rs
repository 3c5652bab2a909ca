//! The chat machine as a JavaScript class, in numbers and texts. `driver.js` is its only user.
//!
//! Ids cross as JSON strings, since JavaScript strings may hold lone surrogates.

use wasm_bindgen::prelude::*;

use crate::chat::{
    AutoSendRule, Changes, Chat, Config, MessageSource, NewMessage, Output, ResponseHead,
    SendMessage, Status, StreamKind, Throttle, ToolResult, TransportFailure, WhileBusy,
};
use crate::error::Error;
use crate::json::{JsonStr, RawJson, Text};

use super::ChatOptions;
use super::output;

/// One chat.
#[wasm_bindgen]
pub struct ChatCore {
    chat: Chat,
    changes: Changes,
    input: Vec<u8>,
    detail: String,
}

impl ChatCore {
    pub(super) fn new(options: &ChatOptions) -> Self {
        let defaults = Config::default();
        let config = Config {
            throttle: match options.throttle {
                0.0 => Throttle::EveryRead,
                interval if interval > 0.0 => Throttle::Interval(interval),
                _ => Throttle::Frame,
            },
            while_busy: match options.while_busy {
                1 => WhileBusy::Interrupt,
                2 => WhileBusy::Reject,
                _ => WhileBusy::Queue,
            },
            auto_send: match options.auto_send {
                1 => Some(AutoSendRule::ToolCallsComplete),
                2 => Some(AutoSendRule::ApprovalsAnswered),
                3 => Some(AutoSendRule::Host),
                _ => None,
            },
            max_event_bytes: match options.max_event_bytes {
                0 => defaults.max_event_bytes,
                bytes => bytes as usize,
            },
            ..defaults
        };
        Self {
            chat: Chat::new(config),
            changes: Changes::default(),
            input: Vec::new(),
            detail: String::new(),
        }
    }
}

/// The text of a JSON string; anything else counts as it stands.
fn text(json: &str) -> Text {
    JsonStr::from_raw_value(json).map_or_else(|| Text::from_utf8(json), JsonStr::to_text)
}

fn thrown(error: &Error) -> JsValue {
    JsValue::from_str(&output::error_json(error))
}

/// Commands. Those that return a number return the command that a `settle` output will name;
/// those that throw throw the JSON text of an error.
#[wasm_bindgen]
impl ChatCore {
    /// Replaces the list: `keys` has the key of each message that the view already shows, or 0
    /// for the next message of `json`, an array, whose objects have the numbers `slots`.
    #[wasm_bindgen(js_name = setMessages)]
    pub fn set_messages(
        &mut self,
        now: f64,
        keys: &[u32],
        json: &str,
        slots: &[u32],
    ) -> Result<(), JsValue> {
        let sources = sources(keys, json, slots).map_err(|error| thrown(&error))?;
        self.chat.set_messages(now, sources);
        Ok(())
    }

    /// Sends a message: its JSON text (none: submit again), the number of its object, the id of
    /// the message that it replaces, and the number of the app's options.
    #[wasm_bindgen(js_name = sendMessage)]
    pub fn send_message(
        &mut self,
        now: f64,
        json: Option<String>,
        slot: u32,
        replaces: Option<String>,
        options: u32,
    ) -> Result<u32, JsValue> {
        let message = match json {
            Some(json) => Some(NewMessage::parse(&json, slot).map_err(|error| thrown(&error))?),
            None => None,
        };
        let replaces = replaces.as_deref().map(text);
        Ok(self.chat.send_message(now, SendMessage { message, replaces, options }))
    }

    /// Asks for another answer.
    pub fn regenerate(&mut self, now: f64, message_id: Option<String>, options: u32) -> u32 {
        self.chat.regenerate(now, message_id.as_deref().map(text), options)
    }

    /// Attaches to a running response.
    pub fn resume(&mut self, now: f64, options: u32) -> u32 {
        self.chat.resume_stream(now, options)
    }

    /// Stops what is under way.
    pub fn stop(&mut self, now: f64, label: Option<String>) -> u32 {
        self.chat.stop(now, label.as_deref().map(text))
    }

    /// Leaves the state `error`.
    #[wasm_bindgen(js_name = clearError)]
    pub fn clear_error(&mut self) {
        self.chat.clear_error();
    }

    /// Gives the output of a tool call, as JSON text.
    #[wasm_bindgen(js_name = addToolOutput)]
    pub fn add_tool_output(
        &mut self,
        now: f64,
        tool_call_id: &str,
        output: &str,
        options: u32,
    ) -> Result<u32, JsValue> {
        let output = RawJson::parse(output).map_err(|error| thrown(&error.into()))?;
        Ok(self.chat.add_tool_result(
            now,
            &text(tool_call_id),
            &ToolResult::Output(output),
            options,
        ))
    }

    /// Gives the error of a tool call.
    #[wasm_bindgen(js_name = addToolError)]
    pub fn add_tool_error(
        &mut self,
        now: f64,
        tool_call_id: &str,
        error_text: &str,
        options: u32,
    ) -> u32 {
        let result = ToolResult::Error(text(error_text));
        self.chat.add_tool_result(now, &text(tool_call_id), &result, options)
    }

    /// Answers an approval.
    #[wasm_bindgen(js_name = addApprovalResponse)]
    pub fn add_approval_response(
        &mut self,
        now: f64,
        id: &str,
        approved: bool,
        reason: Option<String>,
        options: u32,
    ) -> u32 {
        let reason = reason.as_deref().map(text);
        self.chat.add_approval_response(now, &text(id), approved, reason.as_ref(), options)
    }

    /// Takes a message out of the queue.
    #[wasm_bindgen(js_name = removeQueued)]
    pub fn remove_queued(&mut self, id: &str) -> Result<(), JsValue> {
        self.chat.remove_queued(&text(id)).map_err(|error| thrown(&error))
    }

    /// Stops what is under way and sends this queued message.
    #[wasm_bindgen(js_name = sendQueuedNow)]
    pub fn send_queued_now(&mut self, id: &str) -> Result<(), JsValue> {
        self.chat.send_queued_now(&text(id)).map_err(|error| thrown(&error))
    }

    /// Lets a paused queue go on.
    #[wasm_bindgen(js_name = resumeQueue)]
    pub fn resume_queue(&mut self) {
        self.chat.resume_queue();
    }

    /// Stops everything for good.
    pub fn dispose(&mut self) {
        self.chat.dispose();
    }
}

/// Events of the transport and the clock.
#[wasm_bindgen]
impl ChatCore {
    /// The id of a new response's message.
    #[wasm_bindgen(js_name = setResponseId)]
    pub fn set_response_id(&mut self, request: u32, id: &str) {
        self.chat.set_response_id(request, text(id));
    }

    /// The head of an HTTP answer. True when the body is a stream to be fed.
    pub fn head(
        &mut self,
        request: u32,
        status: u16,
        content_type: String,
        is_ui_stream: bool,
        url: String,
        is_text: bool,
    ) -> bool {
        let stream = if is_text { StreamKind::Text } else { StreamKind::EventStream };
        let head = ResponseHead { status, content_type, is_ui_stream, url };
        self.chat.handle_head(request, head, stream)
    }

    /// The body of an answer that is no stream.
    #[wasm_bindgen(js_name = failureBody)]
    pub fn failure_body(&mut self, now: f64, request: u32, body: &str) {
        self.chat.handle_failure_body(now, request, body);
    }

    /// There is nothing to resume.
    #[wasm_bindgen(js_name = nothingToResume)]
    pub fn nothing_to_resume(&mut self, request: u32) {
        self.chat.handle_nothing_to_resume(request);
    }

    /// The app's transport opened a stream of chunks.
    #[wasm_bindgen(js_name = chunkStream)]
    pub fn chunk_stream(&mut self, request: u32) {
        self.chat.handle_chunk_stream(request);
    }

    /// Where the next `length` bytes are to be put.
    pub fn reserve(&mut self, length: usize) -> *mut u8 {
        if self.input.len() < length {
            self.input.resize(length, 0);
        }
        self.input.as_mut_ptr()
    }

    /// The first `length` bytes of the reserved buffer came.
    pub fn bytes(&mut self, now: f64, request: u32, length: usize) {
        let bytes = self.input.get(..length).unwrap_or_default();
        self.chat.handle_bytes(now, request, bytes);
    }

    /// The first `length` bytes of the reserved buffer are chunks, one JSON text a line.
    pub fn chunks(&mut self, now: f64, request: u32, length: usize) {
        let bytes = self.input.get(..length).unwrap_or_default();
        self.chat.handle_chunks(now, request, &String::from_utf8_lossy(bytes));
    }

    /// The stream has ended.
    pub fn end(&mut self, now: f64, request: u32) {
        self.chat.handle_end(now, request);
    }

    /// The transport failed: 0 = connection, 1 = aborted, 2 = no body, else anything.
    pub fn fail(&mut self, now: f64, request: u32, kind: u32, message: String) {
        let failure = match kind {
            0 => TransportFailure::Connection(message),
            1 => TransportFailure::Aborted,
            2 => TransportFailure::EmptyBody,
            _ => TransportFailure::Other(message),
        };
        self.chat.handle_failure(now, request, failure);
    }

    /// A frame, or the time that a `wakeAt` output named.
    pub fn frame(&mut self, now: f64) {
        self.chat.handle_frame(now);
    }

    /// The host's answer to a `decide` output.
    pub fn decide(&mut self, decision: u32, send: bool) {
        self.chat.handle_decision(decision, send);
    }
}

/// Outputs and state.
#[wasm_bindgen]
impl ChatCore {
    /// The code of the next output, 0 for none; see `driver.js`.
    pub fn poll(&mut self) -> u32 {
        let Some(next) = self.chat.poll_output() else {
            return 0;
        };
        if next == Output::Publish {
            self.chat.take_changes(&mut self.changes);
        } else {
            self.detail = output::detail_json(&next);
        }
        output::code(&next)
    }

    /// What the last polled output says, as JSON text.
    #[must_use]
    pub fn detail(&mut self) -> String {
        std::mem::take(&mut self.detail)
    }

    /// Takes the changes outside an output, for a command given inside a callback.
    #[wasm_bindgen(js_name = takeChanges)]
    pub fn take_changes(&mut self) {
        self.chat.take_changes(&mut self.changes);
    }

    /// Where the operations of the last changes are.
    #[wasm_bindgen(js_name = opsPointer)]
    #[must_use]
    pub fn ops_pointer(&self) -> *const u32 {
        self.changes.ops.as_ptr()
    }

    /// How many numbers they are.
    #[wasm_bindgen(js_name = opsLength)]
    #[must_use]
    pub fn ops_length(&self) -> usize {
        self.changes.ops.len()
    }

    /// Where the texts of the last changes are.
    #[wasm_bindgen(js_name = arenaPointer)]
    #[must_use]
    pub fn arena_pointer(&self) -> *const u8 {
        self.changes.arena.as_ptr()
    }

    /// How many bytes they are.
    #[wasm_bindgen(js_name = arenaLength)]
    #[must_use]
    pub fn arena_length(&self) -> usize {
        self.changes.arena.len()
    }

    /// Whether the texts hold lone surrogates.
    #[wasm_bindgen(js_name = hasSurrogates)]
    #[must_use]
    pub fn has_surrogates(&self) -> bool {
        self.changes.has_surrogates
    }

    /// 0 = ready, 1 = submitted, 2 = streaming, 3 = error; 4 more when the queue is paused.
    #[must_use]
    pub fn status(&self) -> u32 {
        let status = match self.chat.status() {
            Status::Ready => 0,
            Status::Submitted => 1,
            Status::Streaming => 2,
            Status::Error => 3,
        };
        status + if self.chat.is_queue_paused() { 4 } else { 0 }
    }

    /// The outcome's word, empty when there is none.
    #[must_use]
    pub fn outcome(&self) -> String {
        self.chat.outcome().map(|outcome| outcome.as_str().to_owned()).unwrap_or_default()
    }

    /// The error's JSON text, when the status is `error`.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.chat.error().map(output::error_json)
    }

    /// All messages as exact JSON text.
    #[wasm_bindgen(js_name = exportMessages)]
    #[must_use]
    pub fn export_messages(&self) -> String {
        self.chat.export_messages()
    }

    /// One message as exact JSON text.
    #[wasm_bindgen(js_name = exportMessage)]
    #[must_use]
    pub fn export_message(&self, key: u32) -> Option<String> {
        self.chat.export_message(key)
    }
}

fn sources(keys: &[u32], json: &str, slots: &[u32]) -> Result<Vec<MessageSource>, Error> {
    let mut reader = crate::json::ArrayReader::new(json)?;
    let mut slots = slots.iter();
    let mut sources = Vec::with_capacity(keys.len());
    for &key in keys {
        if key != 0 {
            sources.push(MessageSource::Key(key));
        } else if let (Some(message), Some(&slot)) = (reader.next()?, slots.next()) {
            sources.push(MessageSource::New(NewMessage::parse(message, slot)?));
        }
    }
    Ok(sources)
}
