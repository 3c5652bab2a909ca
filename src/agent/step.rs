//! A step of a response, folded into the draft that the server stores.

use crate::json::ArrayReader;
use crate::message::{Message, Role};
use crate::protocol::ui_stream::{MessageReader, Progress};

use super::{AgentError, ChunkFault};

/// What [`apply_step`] gives.
#[derive(Clone, Debug)]
pub struct AppliedStep {
    /// The draft with the step.
    pub message: Message,
    /// The response is complete: its `finish` has come.
    pub finished: bool,
}

/// Folds the chunks of a step, the JSON text of an array, into the draft of the answer, as a client
/// does: what the server stores after each step is what its clients show. Without a draft, a new
/// message is begun; its id is that of `start`, or empty.
///
/// An `abort` closes what is open. It and an `error` end a response without finishing it: what comes
/// after is not looked at. Chunks of unknown type are passed over.
///
/// # Errors
/// The draft is no assistant's, a chunk is none or does not fit, or a `start` names another message while the draft has parts.
pub fn apply_step(draft: Option<Message>, chunks: &str) -> Result<AppliedStep, AgentError> {
    if draft.as_ref().is_some_and(|draft| draft.role() != Role::Assistant) {
        return Err(AgentError::NotAnAnswer);
    }
    let has_parts = |draft: &&Message| !draft.parts().is_empty();
    let kept = draft.as_ref().filter(has_parts).map(|draft| draft.id().clone());
    let mut reader = MessageReader::new(draft);
    let mut chunks = ArrayReader::new(chunks).map_err(|_| malformed(0))?;
    for index in 0.. {
        let Some(chunk) = chunks.next().map_err(|_| malformed(index))? else { break };
        let progress = reader
            .read(chunk)
            .map_err(|error| AgentError::InvalidChunk { index, kind: error.into() })?;
        if kept.as_ref().is_some_and(|id| reader.message().id() != id) {
            return Err(AgentError::OtherMessage { index });
        }
        if matches!(progress, Progress::Aborted | Progress::Error(_)) {
            break;
        }
    }
    let finished = reader.is_finished();
    Ok(AppliedStep { message: reader.into_message(), finished })
}

fn malformed(index: usize) -> AgentError {
    AgentError::InvalidChunk { index, kind: ChunkFault::Malformed }
}
