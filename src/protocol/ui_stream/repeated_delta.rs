//! Recognises a delta that is spelled as one before it, up to the delta itself.
//!
//! Long texts and tool inputs come as thousands of such events; those of parts that are written at
//! the same time take turns. Comparing the bytes around the delta takes the place of reading and
//! checking the whole chunk, and of whole events where several stand in one piece.

use crate::json::JsonStr;
use crate::message::{FieldName, Message, Part, ToolState};
use crate::swar::{find_string_special, starts_with};

use super::chunk::Chunk;
use super::schema::{ChunkKind, Key};
use super::tool_calls::append_input;

/// What stands before the data of an event, and behind it, as most servers write it.
const EVENT_START: &[u8] = b"data: ";
const EVENT_END: &[u8] = b"\n\n";

/// How many spellings are remembered: parts that are written at the same time are few.
const SPELLINGS: usize = 4;

/// The spellings of the last deltas, with nothing between them that could have closed a part.
#[derive(Default, Debug)]
pub struct RepeatedDeltas(Vec<RepeatedDelta>);

impl RepeatedDeltas {
    /// Remembers one more spelling; the oldest one makes room.
    pub fn remember(&mut self, spelling: RepeatedDelta) {
        if self.0.len() >= SPELLINGS {
            self.0.remove(0);
        }
        self.0.push(spelling);
    }

    /// Something else than a delta came.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Applies a delta that is spelled as one of the last. False when it is not.
    pub fn apply(&self, data: &str, message: &mut Message) -> bool {
        self.0.iter().any(|spelling| {
            spelling.delta(data).is_some_and(|delta| spelling.append(delta, message))
        })
    }

    /// Applies all events at the begin of `bytes` that are spelled as one of the last deltas.
    pub fn apply_run(&self, bytes: &[u8], message: &mut Message) -> Run {
        let mut taken = Run::default();
        loop {
            let rest = bytes.get(taken.bytes..).unwrap_or_default();
            let applied = self.0.iter().find_map(|spelling| {
                let (content, run) = spelling.run(rest);
                (run.events > 0 && spelling.append(JsonStr::from_content(&content), message))
                    .then_some(run)
            });
            match applied {
                Some(run) => {
                    taken.bytes += run.bytes;
                    taken.events += run.events;
                }
                None => return taken,
            }
        }
    }
}

/// Events that were taken from the begin of a piece.
#[derive(Clone, Copy, Default, Debug)]
pub struct Run {
    /// How many bytes they have.
    pub bytes: usize,
    /// How many they are.
    pub events: u32,
}

/// The spelling of a delta.
#[derive(Debug)]
pub struct RepeatedDelta {
    /// The event up to the delta, from [`EVENT_START`] on.
    before: Box<[u8]>,
    /// The event behind the delta, from its closing quote to [`EVENT_END`].
    after: Box<[u8]>,
    kind: ChunkKind,
    /// The part that it went to.
    part: usize,
}

impl RepeatedDelta {
    /// Remembers how a chunk is spelled whose delta went to `part`. Only deltas that carry nothing
    /// else can repeat.
    #[must_use]
    pub fn new(data: &str, chunk: &Chunk<'_>, part: usize) -> Option<Self> {
        let key = match chunk.kind() {
            ChunkKind::TextDelta | ChunkKind::ReasoningDelta => Key::Delta,
            ChunkKind::ToolInputDelta => Key::InputTextDelta,
            _ => return None,
        };
        if chunk.raw(Key::ProviderMetadata).is_some() {
            return None;
        }
        let delta = chunk.str(key)?.raw();
        let start = (delta.as_ptr() as usize).checked_sub(data.as_ptr() as usize)?;
        let before = [EVENT_START, data.get(..start)?.as_bytes()].concat();
        let after = [data.get(start + delta.len()..)?.as_bytes(), EVENT_END].concat();
        Some(Self { before: before.into(), after: after.into(), kind: chunk.kind(), part })
    }

    /// The delta of an event with this data that is spelled the same.
    fn delta<'a>(&self, data: &'a str) -> Option<JsonStr<'a>> {
        let before = self.before.get(EVENT_START.len()..)?;
        let after = self.after.get(..self.after.len() - EVENT_END.len())?;
        let length = data.len().checked_sub(before.len() + after.len())?;
        let delta = data.get(before.len()..before.len() + length)?;
        let is_same = data.as_bytes().starts_with(before) && data.as_bytes().ends_with(after);
        (is_same && content_length(delta.as_bytes()) == Some(length))
            .then(|| JsonStr::from_content(delta))
    }

    /// The deltas of all events at the begin of `bytes` that are spelled the same, as the content
    /// of one string.
    fn run(&self, bytes: &[u8]) -> (String, Run) {
        let mut content = String::new();
        let mut run = Run::default();
        while let Some(delta) = self.next(bytes.get(run.bytes..).unwrap_or_default()) {
            content.push_str(delta);
            run.bytes += self.before.len() + delta.len() + self.after.len();
            run.events += 1;
        }
        (content, run)
    }

    fn next<'a>(&self, bytes: &'a [u8]) -> Option<&'a str> {
        if !starts_with(bytes, &self.before) {
            return None;
        }
        let rest = bytes.get(self.before.len()..)?;
        let (delta, after) = rest.split_at_checked(content_length(rest)?)?;
        if !starts_with(after, &self.after) {
            return None;
        }
        std::str::from_utf8(delta).ok()
    }

    /// Appends to the part, unless it takes no more.
    fn append(&self, delta: JsonStr<'_>, message: &mut Message) -> bool {
        let is_input = self.kind == ChunkKind::ToolInputDelta;
        let state = message.parts().get(self.part).and_then(Part::tool_state);
        // The app may have answered the call while its input came.
        if is_input && state != Some(ToolState::InputStreaming) {
            return false;
        }
        let Some(part) = message.edit_part(self.part) else { return false };
        if is_input {
            append_input(part, delta);
        } else {
            part.fields.append(FieldName::Text, delta);
        }
        true
    }
}

/// How long the content of a JSON string is that `bytes` begin with: up to the closing quote, or to
/// the end. `None` when it is none.
fn content_length(bytes: &[u8]) -> Option<usize> {
    let mut at = find_string_special(bytes, 0);
    loop {
        let escape = match bytes.get(at) {
            None | Some(b'"') => return Some(at),
            Some(b'\\') => bytes.get(at + 1)?,
            Some(_) => return None,
        };
        let length = match escape {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' if bytes.get(at + 2..at + 6)?.iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return None,
        };
        at = find_string_special(bytes, at + length);
    }
}
