//! Recognises a delta that is spelled as the one before it, up to the delta itself.
//!
//! Long texts and tool inputs come as thousands of such events. Comparing the bytes around the
//! delta takes the place of reading and checking the whole chunk.

use crate::json::JsonStr;
use crate::swar::find_string_special;

use super::chunk::Chunk;
use super::schema::{ChunkKind, Key};

/// The spelling of the last delta.
#[derive(Debug)]
pub struct RepeatedDelta {
    before: Box<str>,
    after: Box<str>,
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
        let before = data.get(..start)?.into();
        let after = data.get(start + delta.len()..)?.into();
        Some(Self { before, after, kind: chunk.kind(), part })
    }

    /// The delta of an event that is spelled the same.
    #[must_use]
    pub fn delta<'a>(&self, data: &'a str) -> Option<JsonStr<'a>> {
        let delta = data.strip_prefix(&*self.before)?.strip_suffix(&*self.after)?;
        let bytes = delta.as_bytes();
        // A quote or control character would make this another chunk, or none; an escape is valid
        // or not, which the general path finds out.
        if find_string_special(bytes, 0) < bytes.len() && !is_string_content(bytes) {
            return None;
        }
        Some(JsonStr::from_content(delta))
    }

    /// What kind of delta it is.
    #[must_use]
    pub fn kind(&self) -> ChunkKind {
        self.kind
    }

    /// The part that the delta goes to.
    #[must_use]
    pub fn part(&self) -> usize {
        self.part
    }
}

/// Whether bytes with special ones among them are the content of one JSON string.
fn is_string_content(bytes: &[u8]) -> bool {
    let mut at = find_string_special(bytes, 0);
    while let Some(byte) = bytes.get(at) {
        let length = match (byte, bytes.get(at + 1)) {
            (b'\\', Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => 2,
            (b'\\', Some(b'u')) => {
                let digits = bytes.get(at + 2..at + 6).unwrap_or_default();
                if digits.len() < 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return false;
                }
                6
            }
            _ => return false,
        };
        at = find_string_special(bytes, at + length);
    }
    true
}
