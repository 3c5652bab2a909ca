//! Reads the message of one response from its chunks, without a chat around it (AI SDK
//! `readUIMessageStream`).

use crate::json::Text;
use crate::message::{Message, MessageKey, Role};

use super::chunk::{Chunk, ChunkError, Decoded};
use super::fold::{Effect, Fold, FoldError, Target};
use super::schema::{ChunkKind, Key};

/// What a chunk did to the message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Progress {
    /// Nothing: there is no newer state to show.
    None,
    /// The message has a new state.
    Written,
    /// The server reports an error; the stream may go on.
    Error(Text),
    /// The server has aborted the response. What was open is closed; nothing more counts.
    Aborted,
}

/// Why the stream cannot be read any further. The message stays as it was.
#[derive(Clone, Debug)]
pub enum ReadError {
    /// The text is no chunk.
    Chunk(ChunkError),
    /// The chunk does not fit the message.
    Fold(FoldError),
}

/// A message that is read from the chunks of its response.
#[derive(Debug)]
pub struct MessageReader {
    message: Message,
    fold: Fold,
    /// How many parts the message had that the response continues, until it has named its own.
    continues_from: Option<usize>,
    /// That message, when the response turned out to have its own.
    earlier: Option<Message>,
    finished: bool,
}

impl MessageReader {
    const KEY: MessageKey = 1;

    /// Reads a response to, or a continuation of, the last message: an assistant's message is
    /// continued, any other one only lends its id until the response has one.
    #[must_use]
    pub fn new(last: Option<Message>) -> Self {
        match last {
            Some(mut message) if message.role() == Role::Assistant => {
                message.set_key(Self::KEY);
                let (fold, parts) = (Fold::new(&message), message.parts().len());
                Self { message, fold, continues_from: Some(parts), earlier: None, finished: false }
            }
            last => {
                let id = last.map(|message| message.id().clone()).unwrap_or_default();
                let message = Message::assistant(Self::KEY, id);
                let fold = Fold::new(&message);
                Self { message, fold, continues_from: None, earlier: None, finished: false }
            }
        }
    }

    /// The message as far as it was read. Its key changes when it turns out to be another one than
    /// the message that it continued.
    #[must_use]
    pub fn message(&self) -> &Message {
        &self.message
    }

    /// The message, when nothing more is to be read.
    #[must_use]
    pub fn into_message(self) -> Message {
        self.message
    }

    /// Whether `finish` has come.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.finished
    }

    /// The message, for marking it as published.
    pub fn message_mut(&mut self) -> &mut Message {
        &mut self.message
    }

    /// Applies the JSON text of one chunk. A chunk of unknown type does nothing.
    ///
    /// # Errors
    /// See [`ReadError`].
    pub fn read(&mut self, chunk: &str) -> Result<Progress, ReadError> {
        let Decoded::Chunk(chunk) = Chunk::decode(chunk).map_err(ReadError::Chunk)? else {
            return Ok(Progress::None);
        };
        let names_message = chunk.kind() == ChunkKind::Start && chunk.raw(Key::MessageId).is_some();
        if names_message {
            self.name_message(chunk.text(Key::MessageId));
        }
        let mut target = Target { message: &mut self.message, earlier: self.earlier.as_mut() };
        let effect = self.fold.apply(&chunk, &mut target, &mut Vec::new());
        let effect = effect.map_err(ReadError::Fold)?;
        self.finished |= chunk.kind() == ChunkKind::Finish;
        Ok(match effect {
            Effect::None | Effect::TransientData if !names_message => Progress::None,
            Effect::Error(text) => Progress::Error(text),
            Effect::Abort(_) => {
                Fold::close_open_parts(&mut self.message);
                Progress::Aborted
            }
            _ => Progress::Written,
        })
    }

    /// `start` names the message. A response that continues a message by another name has its own,
    /// with the parts that it has brought so far.
    fn name_message(&mut self, id: Text) {
        let continues_from = self.continues_from.take();
        match continues_from {
            Some(from) if *self.message.id() != id => {
                let mut message = Message::assistant(self.message.key() + 1, id);
                for part in self.message.split_parts(from) {
                    message.push_part(part);
                }
                self.fold.reindex(&message, from);
                self.earlier = Some(std::mem::replace(&mut self.message, message));
            }
            _ => self.message.set_id(id),
        }
    }
}
