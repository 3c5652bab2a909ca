//! What a host saw, in order.

use chatwire::chat::{CommandId, Connection, Outcome, RequestId, RequestKind, Status, ValueCheck};
use chatwire::error::{Error, ErrorKind};
use serde_json::Value;

/// One output of the machine, as the host understood it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Seen {
    Published(Shown),
    FrameRequested,
    WakeRequested(f64),
    /// Milliseconds.
    ReconnectRequested(f64),
    Opened(Opened),
    Aborted(RequestId),
    ToolCall(Value),
    Data(Value),
    Checked(ValueCheck),
    Finished(Finished),
    Failed(Error),
    Warned(&'static str),
    Asked(u32),
    /// Whether the chat continues by itself, and what decided.
    AutoSend(bool, &'static str),
    Settled(CommandId, Option<ErrorKind>),
}

/// What the app sees beside the messages.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Shown {
    pub(crate) status: Status,
    pub(crate) error: Option<ErrorKind>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) is_queue_paused: bool,
    pub(crate) connection: Connection,
}

/// A request that the host made.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Opened {
    pub(crate) request: RequestId,
    pub(crate) kind: RequestKind,
    pub(crate) options: u32,
    /// The messages of its body, their exact text.
    pub(crate) messages: String,
}

/// A response that ended.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Finished {
    pub(crate) outcome: Outcome,
    pub(crate) reason: Option<String>,
    pub(crate) finish_reason: Option<String>,
    pub(crate) usage: Option<String>,
    pub(crate) message: Value,
}
