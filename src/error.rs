//! The one public error.

use crate::json::{JsonError, JsonErrorKind};
use crate::protocol::ui_stream::{ChunkError, FoldError};
use crate::sse::SseError;

/// What went wrong. Every kind has a stable code; see [`ErrorKind::code`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Text is not JSON where JSON is due.
    InvalidJson,
    /// JSON is no chunk of the protocol: a member is missing or has another type.
    InvalidChunk,
    /// A message given by the app is no message.
    InvalidMessage,
    /// A value of a response does not match the app's schema for it.
    InvalidValue,
    /// A chunk names something that the response does not have.
    StreamOrder,
    /// Input exceeds one of [`limits`](crate::limits).
    LimitExceeded,
    /// JSON has a key that could change a JavaScript prototype.
    ForbiddenKey,
    /// The server reported an error in its stream.
    ServerError,
    /// The server answered with a status outside 2xx.
    HttpError,
    /// The server answered that a response of this chat is running already (409).
    RunActive,
    /// The server answered 2xx with something that is no chat stream.
    UnexpectedResponse,
    /// The answer has no body.
    EmptyResponse,
    /// The stream ended before the response was complete.
    Truncated,
    /// The connection failed.
    ConnectionFailed,
    /// Nothing came for longer than the app allows.
    TimedOut,
    /// The app's transport or fetch threw.
    TransportFailed,
    /// A command was given while a response is under way and `whileBusy` is `reject`.
    Busy,
    /// A command names a message that the chat does not have, or that cannot take it.
    InvalidArgument,
    /// A command names a tool call that the chat does not have.
    UnknownToolCall,
    /// A command names an approval that the chat does not have.
    UnknownApproval,
    /// A tool call or approval already has another answer.
    AlreadyAnswered,
    /// The chat was disposed.
    Disposed,
}

impl ErrorKind {
    /// Every kind, for tests and documentation.
    pub const ALL: &[Self] = &[
        Self::InvalidJson,
        Self::InvalidChunk,
        Self::InvalidMessage,
        Self::InvalidValue,
        Self::StreamOrder,
        Self::LimitExceeded,
        Self::ForbiddenKey,
        Self::ServerError,
        Self::HttpError,
        Self::RunActive,
        Self::UnexpectedResponse,
        Self::EmptyResponse,
        Self::Truncated,
        Self::ConnectionFailed,
        Self::TimedOut,
        Self::TransportFailed,
        Self::Busy,
        Self::InvalidArgument,
        Self::UnknownToolCall,
        Self::UnknownApproval,
        Self::AlreadyAnswered,
        Self::Disposed,
    ];

    /// The stable code, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::InvalidJson => "invalid_json",
            Self::InvalidChunk => "invalid_chunk",
            Self::InvalidMessage => "invalid_message",
            Self::InvalidValue => "invalid_value",
            Self::StreamOrder => "stream_order",
            Self::LimitExceeded => "limit_exceeded",
            Self::ForbiddenKey => "forbidden_key",
            Self::ServerError => "stream_error",
            Self::HttpError => "http_error",
            Self::RunActive => "run_active",
            Self::UnexpectedResponse => "not_a_stream",
            Self::EmptyResponse => "empty_body",
            Self::Truncated => "truncated",
            Self::ConnectionFailed => "network_error",
            Self::TimedOut => "timed_out",
            Self::TransportFailed => "transport_failed",
            Self::Busy => "busy",
            Self::InvalidArgument => "invalid_argument",
            Self::UnknownToolCall => "unknown_tool_call",
            Self::UnknownApproval => "unknown_approval",
            Self::AlreadyAnswered => "conflicting_answer",
            Self::Disposed => "disposed",
        }
    }

    /// The `name` that the AI SDK's error for the same fault has, so that code which asks for it
    /// keeps working. `Error` where the AI SDK throws a plain one, empty where it has none.
    #[must_use]
    pub fn peer_name(self) -> &'static str {
        match self {
            Self::InvalidJson | Self::ForbiddenKey => "AI_JSONParseError",
            Self::InvalidChunk | Self::InvalidMessage | Self::InvalidValue => {
                "AI_TypeValidationError"
            }
            Self::StreamOrder => "AI_UIMessageStreamError",
            Self::ServerError => "Error",
            Self::HttpError | Self::RunActive => "AI_APICallError",
            Self::EmptyResponse => "AI_EmptyResponseBodyError",
            Self::InvalidArgument => "AI_InvalidArgumentError",
            Self::LimitExceeded
            | Self::UnexpectedResponse
            | Self::Truncated
            | Self::ConnectionFailed
            | Self::TimedOut
            | Self::TransportFailed
            | Self::Busy
            | Self::UnknownToolCall
            | Self::UnknownApproval
            | Self::AlreadyAnswered
            | Self::Disposed => "",
        }
    }
}

/// An error: what kind, and a message that names the remedy where there is one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// What went wrong.
    pub kind: ErrorKind,
    /// For people.
    pub message: String,
    /// Where in the text it is, in bytes.
    pub offset: Option<usize>,
    /// What the server answered, for errors of HTTP.
    pub response: Option<HttpFailure>,
}

/// The answer behind an HTTP error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpFailure {
    /// The status code.
    pub status: u16,
    /// The requested URL.
    pub url: String,
    /// The body as far as it was read.
    pub body: String,
}

impl HttpFailure {
    /// Whether the same request may succeed later: 408, 409, 429 and all of 5xx.
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(self.status, 408 | 409 | 429) || self.status >= 500
    }
}

impl Error {
    /// An error with a message.
    #[must_use]
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), offset: None, response: None }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<JsonError> for Error {
    fn from(error: JsonError) -> Self {
        let (kind, message) = match error.kind {
            JsonErrorKind::TooDeep => (
                ErrorKind::LimitExceeded,
                "JSON is nested too deep. The limit is limits::MAX_JSON_DEPTH (512) containers.",
            ),
            JsonErrorKind::ForbiddenKey => (
                ErrorKind::ForbiddenKey,
                "JSON has a forbidden key (__proto__ or constructor.prototype).",
            ),
            JsonErrorKind::UnexpectedEnd => {
                (ErrorKind::InvalidJson, "JSON parsing failed: the text ends too early.")
            }
            _ => (ErrorKind::InvalidJson, "JSON parsing failed: the text is not valid JSON."),
        };
        Self { offset: Some(error.offset), ..Self::new(kind, message) }
    }
}

impl From<SseError> for Error {
    fn from(error: SseError) -> Self {
        match error {
            SseError::EventTooLong { .. } => Self::new(
                ErrorKind::LimitExceeded,
                "An event of the stream is longer than maxEventBytes. Raise it if this is real.",
            ),
        }
    }
}

impl From<ChunkError> for Error {
    fn from(error: ChunkError) -> Self {
        match error {
            ChunkError::Json(error) => error.into(),
            ChunkError::Invalid { kind, key } => {
                let mut message = String::from("Type validation failed: ");
                match (kind, key) {
                    (Some(kind), Some(key)) => {
                        message.push_str("chunk ");
                        message.push_str(kind.as_str());
                        message.push_str(" has a missing or wrong member ");
                        message.push_str(key.as_str());
                        message.push('.');
                    }
                    _ => message.push_str("an event is no object with a string type."),
                }
                Self::new(ErrorKind::InvalidChunk, message)
            }
        }
    }
}

impl From<FoldError> for Error {
    fn from(error: FoldError) -> Self {
        match error {
            FoldError::UnknownToolCall(id) => Self::new(
                ErrorKind::StreamOrder,
                ["No tool invocation found for tool call ID \"", &id.to_string_lossy(), "\"."]
                    .concat(),
            ),
            FoldError::UnknownApproval(id) => Self::new(
                ErrorKind::StreamOrder,
                ["No tool invocation found for approval ID \"", &id.to_string_lossy(), "\"."]
                    .concat(),
            ),
            FoldError::TooManyParts => Self::new(
                ErrorKind::LimitExceeded,
                "The message has more parts than limits::MAX_PARTS (100,000).",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorKind;

    #[test]
    fn codes_are_distinct_and_spelled_alike() {
        let mut codes: Vec<_> = ErrorKind::ALL.iter().map(|kind| kind.code()).collect();
        assert!(
            codes
                .iter()
                .all(|code| { code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') })
        );
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ErrorKind::ALL.len());
    }
}
