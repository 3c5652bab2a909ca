//! Finds the parts of a message by what the stream calls them.

use std::collections::BTreeMap;

use crate::json::Text;

/// What a stream calls a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Name<'a> {
    /// The id of a text part. Only the stream knows it.
    Text(&'a Text),
    /// The id of a reasoning part, in this stream.
    Reasoning(&'a Text),
    ToolCall(&'a Text),
    Approval(&'a Text),
    /// The type and id of a data part.
    Data(&'a Text, &'a Text),
}

const TEXT: u8 = 0;
const REASONING: u8 = 1;

impl Name<'_> {
    /// One kind of key for all, so that one map serves: a second one would cost as much code again.
    fn key(self) -> Vec<u8> {
        let (space, first, second) = match self {
            Self::Text(id) => (TEXT, id, None),
            Self::Reasoning(id) => (REASONING, id, None),
            Self::ToolCall(id) => (2, id, None),
            Self::Approval(id) => (3, id, None),
            Self::Data(name, id) => (4, name, Some(id)),
        };
        let mut key = vec![space];
        key.extend_from_slice(first.as_bytes());
        if let Some(second) = second {
            key.push(0xff); // in no WTF-8
            key.extend_from_slice(second.as_bytes());
        }
        key
    }
}

/// The index of a part in its message, by name. Nothing is removed by itself: whether a text is
/// still open, its part says.
#[derive(Debug, Default)]
pub(super) struct Index(BTreeMap<Vec<u8>, usize>);

impl Index {
    pub(super) fn get(&self, name: Name<'_>) -> Option<usize> {
        self.0.get(&name.key()).copied()
    }

    pub(super) fn insert(&mut self, name: Name<'_>, at: usize) {
        self.0.insert(name.key(), at);
    }

    /// Inserts unless the name is known.
    pub(super) fn insert_first(&mut self, name: Name<'_>, at: usize) {
        if self.get(name).is_none() {
            self.insert(name, at);
        }
    }

    pub(super) fn clear(&mut self) {
        self.0 = BTreeMap::new();
    }

    /// Keeps only the names of texts and reasoning, whose parts have moved to the front.
    pub(super) fn shift_open_texts(&mut self, by: usize) {
        let old = std::mem::take(&mut self.0);
        for (key, at) in &old {
            if let (Some(&(TEXT | REASONING)), Some(at)) = (key.first(), at.checked_sub(by)) {
                self.0.insert(key.clone(), at);
            }
        }
    }
}
