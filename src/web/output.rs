//! Outputs and errors as JSON text for the driver.

use crate::chat::{Chat, Connection, FinishedMessage, Outcome, Output, RequestKind, Status};
use crate::error::Error;
use crate::json::{self, Text};

/// The number of an output; `driver.js` has the same list.
pub(super) fn number(output: &Output) -> u32 {
    match output {
        Output::Publish => 1,
        Output::RequestFrame => 2,
        Output::WakeAt(_) => 3,
        Output::OpenRequest(_) => 4,
        Output::AbortRequest(_) => 5,
        Output::ToolCall(_) => 6,
        Output::Data(_) => 7,
        Output::Finish(_) => 8,
        Output::Error(_) => 9,
        Output::Warning(_) => 10,
        Output::Decide(_) => 11,
        Output::Settle { .. } => 12,
        Output::Reconnect { .. } => 13,
        Output::Check(_) => 14,
        Output::AutoSend(_) => 15,
        Output::Nudge(_) => 16,
    }
}

/// 0 = ready, 1 = submitted, 2 = streaming, 3 = error; 4 more when the queue is paused.
pub(super) fn status_number(chat: &Chat) -> usize {
    let status = match chat.status() {
        Status::Ready => 0,
        Status::Submitted => 1,
        Status::Streaming => 2,
        Status::Error => 3,
    };
    status + if chat.is_queue_paused() { 4 } else { 0 }
}

/// 0 = idle, 1 = open, 2 = reconnecting, 3 = offline.
pub(super) fn connection_number(chat: &Chat) -> usize {
    match chat.connection() {
        Connection::Idle => 0,
        Connection::Open => 1,
        Connection::Reconnecting => 2,
        Connection::Offline => 3,
    }
}

/// The number of an outcome, 0 for none; `driver.js` has the same list.
pub(super) fn outcome_number(outcome: Option<Outcome>) -> usize {
    match outcome {
        None => 0,
        Some(Outcome::Complete) => 1,
        Some(Outcome::Stopped) => 2,
        Some(Outcome::Aborted) => 3,
        Some(Outcome::Truncated) => 4,
        Some(Outcome::Disconnect) => 5,
        Some(Outcome::Error) => 6,
        Some(Outcome::Interrupted) => 7,
    }
}

/// What an output says.
pub(super) fn detail_json(output: &Output) -> String {
    let mut object = JsonObject::new();
    match output {
        Output::Publish | Output::RequestFrame => {}
        Output::ToolCall(chunk) | Output::Data(chunk) => return chunk.clone(),
        Output::WakeAt(time) => object.raw("time", &integer(time.max(0.0) as u64)),
        Output::OpenRequest(open) => {
            object.raw("request", &integer(u64::from(open.request)));
            object.raw("options", &integer(u64::from(open.options)));
            let (trigger, message_id) = match &open.kind {
                RequestKind::Submit { message_id } => ("submit-message", message_id.as_ref()),
                RequestKind::Regenerate { message_id } => {
                    ("regenerate-message", message_id.as_ref())
                }
                RequestKind::Resume { last_event_id } => {
                    if !last_event_id.is_empty() {
                        object.string("lastEventId", last_event_id);
                    }
                    ("resume-stream", None)
                }
            };
            object.string("trigger", trigger);
            object.text("messageId", message_id);
        }
        Output::Reconnect { request, after } => {
            object.raw("request", &integer(u64::from(*request)));
            object.raw("after", &integer(*after as u64));
        }
        Output::Check(check) => {
            object.raw("request", &integer(u64::from(check.request)));
            if let Some(data_type) = &check.data_type {
                object.string("type", data_type);
            }
            object.raw("value", &check.value);
        }
        Output::AbortRequest(request) => object.raw("request", &integer(u64::from(*request))),
        Output::Finish(finish) => {
            object.string("outcome", finish.outcome.as_str());
            object.text("reason", finish.reason.as_ref());
            if let Some(reason) = &finish.finish_reason {
                object.string("finishReason", reason);
            }
            if let Some(usage) = &finish.usage {
                object.raw("usage", usage);
            }
            object.flag("isAbort", finish.outcome.is_abort());
            object.flag("isDisconnect", finish.outcome.is_disconnect());
            object.flag("isError", finish.outcome.is_error());
            match &finish.message {
                FinishedMessage::Listed(key) => object.raw("key", &integer(u64::from(*key))),
                FinishedMessage::Unlisted(message) => object.raw("message", message),
            }
        }
        Output::Error(error) => return error_json(error),
        Output::Warning(warning) => {
            object.string("code", warning.code);
            object.string("message", &warning.message);
        }
        Output::AutoSend(report) => {
            object.flag("send", report.send);
            object.string("rule", report.rule);
            object.string("reason", report.reason);
        }
        Output::Decide(decision) | Output::Nudge(decision) => {
            object.raw("decision", &integer(u64::from(*decision)))
        }
        Output::Settle { command, error } => {
            object.raw("command", &integer(u64::from(*command)));
            if let Some(error) = error {
                object.raw("error", &error_json(error));
            }
        }
    }
    object.finish()
}

/// An error as the driver hands it to the API layer.
pub(super) fn error_json(error: &Error) -> String {
    let mut object = JsonObject::new();
    object.string("code", error.kind.code());
    object.string("message", &error.message);
    if !error.kind.peer_name().is_empty() {
        object.string("name", error.kind.peer_name());
    }
    if let Some(offset) = error.offset {
        object.raw("offset", &integer(offset as u64));
    }
    if let Some(response) = &error.response {
        object.raw("statusCode", &integer(u64::from(response.status)));
        object.string("url", &response.url);
        object.string("responseBody", &response.body);
        object.flag("isRetryable", response.is_retryable());
    }
    object.finish()
}

/// Decimal digits, without the formatting machinery of the standard library.
pub(super) fn integer(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.push(b'0' + (number % 10) as u8);
        number /= 10;
        if number == 0 {
            break;
        }
    }
    digits.iter().rev().map(|&digit| char::from(digit)).collect()
}

pub(super) struct JsonObject(Vec<u8>);

impl JsonObject {
    pub(super) fn new() -> Self {
        Self(vec![b'{'])
    }

    fn key(&mut self, key: &str) {
        if self.0.len() > 1 {
            self.0.push(b',');
        }
        json::write_string(&mut self.0, key.as_bytes());
        self.0.push(b':');
    }

    pub(super) fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.0.extend_from_slice(json.as_bytes());
    }

    pub(super) fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        json::write_string(&mut self.0, value.as_bytes());
    }

    pub(super) fn text(&mut self, key: &str, value: Option<&Text>) {
        if let Some(value) = value {
            self.key(key);
            json::write_string(&mut self.0, value.as_bytes());
        }
    }

    #[cfg(feature = "agent")]
    pub(super) fn optional(&mut self, key: &str, value: Option<&json::RawJson>) {
        if let Some(value) = value {
            self.raw(key, value.as_str());
        }
    }

    pub(super) fn flag(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    pub(super) fn finish(mut self) -> String {
        self.0.push(b'}');
        String::from_utf8_lossy(&self.0).into_owned()
    }
}
