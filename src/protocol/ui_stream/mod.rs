//! The AI SDK's UI message stream: JSON chunks, one per server-sent event, of version 6 and 7
//! producers, and how they fold into an assistant message.

mod chunk;
mod fold;
mod index;
mod message_reader;
mod metadata;
mod repeated_delta;
mod schema;
mod texts;
mod tool_calls;

pub use chunk::{Chunk, ChunkError, Decoded};
pub use fold::{Effect, Fold, FoldError, FoldWarning, Target};
pub use message_reader::{MessageReader, Progress, ReadError};
pub use metadata::merge as merge_metadata;
pub use repeated_delta::{RepeatedDelta, RepeatedDeltas};
pub use schema::{ChunkKind, Key};

/// The event data that says the stream has ended. It is no chunk.
pub const DONE: &str = "[DONE]";
