//! What is wrong with the input of a function of this module.

use std::fmt;

use crate::json::{JsonError, JsonErrorKind};
use crate::protocol::ui_stream::{ChunkError, FoldError, ReadError};

/// Why nothing was done. Each has a stable code; the text for people names where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum AgentError {
    /// A text that is to be a message, or an array of messages, is none.
    InvalidMessage(JsonErrorKind),
    /// The draft is not the message of an assistant.
    NotAnAnswer,
    /// A chunk is none, or does not fit the draft; `index` counts the chunks from 0.
    InvalidChunk {
        /// Which chunk.
        index: usize,
        /// Why.
        kind: ChunkFault,
    },
    /// A text that is to be a document is not JSON.
    InvalidDocument(JsonErrorKind),
    /// A tool's input is not JSON, or has no operations of a patch.
    InvalidPatch(Option<JsonErrorKind>),
    /// A patch has more operations than [`limits::MAX_OPERATIONS`](crate::limits::MAX_OPERATIONS).
    TooManyOperations,
    /// A chunk `start` names another message than the draft, which has parts already.
    OtherMessage {
        /// Which chunk.
        index: usize,
    },
}

/// What is wrong with a chunk.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ChunkFault {
    /// It is not JSON, or no chunk of the protocol.
    Malformed,
    /// It names a tool call or an approval that the draft does not have.
    OutOfOrder,
    /// The draft would have more parts than [`limits::MAX_PARTS`](crate::limits::MAX_PARTS).
    TooManyParts,
}

impl AgentError {
    /// The stable code, for programs; the ones of the chat's errors where the fault is the same.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::InvalidMessage(kind) => json_code(*kind, "invalid_message"),
            Self::InvalidDocument(kind) => json_code(*kind, "invalid_document"),
            Self::InvalidPatch(kind) => {
                kind.map_or("invalid_patch", |kind| json_code(kind, "invalid_patch"))
            }
            Self::TooManyOperations => "limit_exceeded",
            Self::NotAnAnswer => "invalid_message",
            Self::InvalidChunk { kind, .. } => match kind {
                ChunkFault::Malformed => "invalid_chunk",
                ChunkFault::OutOfOrder => "stream_order",
                ChunkFault::TooManyParts => "limit_exceeded",
            },
            Self::OtherMessage { .. } => "message_mismatch",
        }
    }
}

fn json_code(kind: JsonErrorKind, otherwise: &'static str) -> &'static str {
    match kind {
        JsonErrorKind::TooDeep => "limit_exceeded",
        JsonErrorKind::ForbiddenKey => "forbidden_key",
        _ => otherwise,
    }
}

impl fmt::Display for AgentError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidMessage(_) => {
                formatter.write_str("A message needs a string id and an array of parts with types.")
            }
            Self::InvalidDocument(_) => formatter.write_str("The document is not valid JSON."),
            Self::InvalidPatch(Some(_)) => formatter.write_str("The input is not valid JSON."),
            Self::InvalidPatch(None) => formatter.write_str(
                "The input has no JSON Patch: a list of operations, or an object with one.",
            ),
            Self::TooManyOperations => {
                formatter.write_str("The patch has more than 2,000 operations. Replace the whole.")
            }
            Self::NotAnAnswer => formatter.write_str("The draft must be an assistant's message."),
            Self::InvalidChunk { index, kind } => {
                let what = match kind {
                    ChunkFault::Malformed => "is no chunk of the UI message stream",
                    ChunkFault::OutOfOrder => "names a tool call that the draft does not have",
                    ChunkFault::TooManyParts => "is one part too many for a message",
                };
                write!(formatter, "The chunk at index {index} {what}.")
            }
            Self::OtherMessage { index } => write!(
                formatter,
                "The chunk at index {index} starts another message than the draft. Start a new draft.",
            ),
        }
    }
}

impl std::error::Error for AgentError {}

impl From<JsonError> for AgentError {
    fn from(error: JsonError) -> Self {
        Self::InvalidMessage(error.kind)
    }
}

impl From<ReadError> for ChunkFault {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Chunk(ChunkError::Json(_) | ChunkError::Invalid { .. }) => Self::Malformed,
            ReadError::Fold(FoldError::TooManyParts) => Self::TooManyParts,
            ReadError::Fold(_) => Self::OutOfOrder,
        }
    }
}
