//! What the machine asks of its host, and what it tells.

use super::AutoSendReport;
use crate::error::Error;
use crate::json::Text;
use crate::message::MessageKey;

/// Names a request inside one chat. Events that name an old one are ignored.
pub type RequestId = u32;

/// Names a command of the app inside one chat; its promise settles by [`Output::Settle`].
pub type CommandId = u32;

/// The next thing for the host to do. The order in which outputs come is the contract.
#[derive(Clone, PartialEq, Debug)]
pub enum Output {
    /// Open a request. Call [`Chat::set_response_id`](super::Chat::set_response_id) first.
    OpenRequest(OpenRequest),
    /// Close the request's connection; nothing more of it is wanted.
    AbortRequest(RequestId),
    /// Call [`Chat::handle_frame`](super::Chat::handle_frame) before the next paint, or after
    /// 100 ms when none comes.
    RequestFrame,
    /// Call [`Chat::handle_time`](super::Chat::handle_time) at this time (milliseconds of the
    /// host's clock) or later.
    WakeAt(f64),
    /// The connection of this request is lost. Call
    /// [`Chat::handle_reconnect`](super::Chat::handle_reconnect) after about this time
    /// (milliseconds; the host adds jitter), or earlier when the device comes back online.
    Reconnect {
        /// The request that was lost.
        request: RequestId,
        /// How long to wait.
        after: f64,
    },
    /// What the app sees has changed: take it by [`Chat::take_changes`](super::Chat::take_changes)
    /// and tell the subscribers.
    Publish,
    /// A tool call is complete that this client may run: the chunk's JSON text.
    ToolCall(String),
    /// A data part came: the chunk's JSON text.
    Data(String),
    /// Ask the app's schema whether a value may be taken, and answer by
    /// [`Chat::handle_check`](super::Chat::handle_check).
    Check(ValueCheck),
    /// The chat continued by itself, or did not: for the app, where it wants to hear of it.
    AutoSend(AutoSendReport),
    /// A response has ended.
    Finish(Finish),
    /// Something failed; the app's error callback wants it.
    Error(Error),
    /// Something was put right or skipped.
    Warning(Warning),
    /// Ask the app's predicate whether to continue, and answer by
    /// [`Chat::handle_decision`](super::Chat::handle_decision).
    Decide(u32),
    /// Give a message that asks for an answer again, by
    /// [`Chat::handle_nudge`](super::Chat::handle_nudge).
    Nudge(u32),
    /// A command's promise settles.
    Settle {
        /// The command.
        command: CommandId,
        /// Why it failed.
        error: Option<Error>,
    },
}

/// A request that the host is to make.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenRequest {
    /// Its id.
    pub request: RequestId,
    /// What it is for.
    pub kind: RequestKind,
    /// The app's options of the command that led to it (host's number, 0 for none).
    pub options: u32,
}

/// What a request is for (AI SDK `trigger`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RequestKind {
    /// `submit-message`
    Submit {
        /// The message that is answered or continued, when it is named.
        message_id: Option<Text>,
    },
    /// `regenerate-message`
    Regenerate {
        /// The message that the app named.
        message_id: Option<Text>,
    },
    /// Attach to a response that is already under way.
    Resume {
        /// The id of the last event that came, for `Last-Event-ID`; empty when there is none.
        last_event_id: String,
    },
}

/// A value of a response that the app has a schema for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ValueCheck {
    /// The response's request.
    pub request: RequestId,
    /// The `type` of the data part; `None` for the message's metadata.
    pub data_type: Option<String>,
    /// The value's JSON text. Of metadata, what the message's will be.
    pub value: String,
}

/// How a response ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The server said that the response is complete.
    Complete,
    /// The app stopped it.
    Stopped,
    /// The server aborted it.
    Aborted,
    /// The stream ended before the response did.
    Truncated,
    /// The connection failed before the response ended.
    Disconnect,
    /// The server or the transport reported an error, or the stream is not to be understood.
    Error,
    /// The server ended the response with the finish reason `interrupted`.
    Interrupted,
}

impl Outcome {
    /// The outcome's word in the JavaScript API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Stopped => "stopped",
            Self::Aborted => "aborted",
            Self::Truncated => "truncated",
            Self::Disconnect => "disconnect",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
        }
    }

    /// The AI SDK's `isAbort`.
    #[must_use]
    pub fn is_abort(self) -> bool {
        matches!(self, Self::Stopped | Self::Aborted)
    }

    /// The AI SDK's `isDisconnect`.
    #[must_use]
    pub fn is_disconnect(self) -> bool {
        matches!(self, Self::Disconnect | Self::Truncated)
    }

    /// The AI SDK's `isError`.
    #[must_use]
    pub fn is_error(self) -> bool {
        matches!(self, Self::Error | Self::Disconnect | Self::Truncated)
    }
}

/// The end of a response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finish {
    /// How it ended.
    pub outcome: Outcome,
    /// Why, when the server or the app said so.
    pub reason: Option<Text>,
    /// The reason in the `finish` chunk.
    pub finish_reason: Option<String>,
    /// What the response took, as the server says in the metadata that it sent: the JSON text of
    /// `totalUsage`, else of `usage` (AI SDK `LanguageModelUsage`).
    pub usage: Option<String>,
    /// The response's message.
    pub message: FinishedMessage,
}

/// The message of a finished response.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum FinishedMessage {
    /// It is in the list under this key.
    Listed(MessageKey),
    /// Nothing of it was ever shown: its JSON text.
    Unlisted(String),
}

/// A warning: a stable code and a sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Warning {
    /// For programs.
    pub code: &'static str,
    /// For people.
    pub message: String,
}
