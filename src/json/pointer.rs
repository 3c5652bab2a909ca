//! JSON Pointer (RFC 6901).

use crate::limits;

use super::text::Text;

/// A path into a JSON value: the names and indices that lead there, decoded.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pointer(Vec<Text>);

impl Pointer {
    /// A pointer from its spelling: empty for the whole value, else each step after a slash, with
    /// `~1` for a slash and `~0` for a tilde. `None` for anything else, and for more than
    /// [`limits::MAX_JSON_DEPTH`] steps.
    #[must_use]
    pub fn parse(spelling: &Text) -> Option<Self> {
        let bytes = spelling.as_bytes();
        if bytes.is_empty() {
            return Some(Self::default());
        }
        let steps = bytes.strip_prefix(b"/")?.split(|&byte| byte == b'/');
        let steps: Option<Vec<Text>> = steps.map(decode).collect();
        steps.filter(|steps| steps.len() <= limits::MAX_JSON_DEPTH).map(Self)
    }

    /// The steps.
    #[must_use]
    pub fn steps(&self) -> &[Text] {
        &self.0
    }

    /// The pointer to what holds this one's value, and the last step; `None` for the whole value.
    #[must_use]
    pub fn split_last(&self) -> Option<(&[Text], &Text)> {
        self.0.split_last().map(|(last, parents)| (parents, last))
    }

    /// The same with another last step.
    #[must_use]
    pub fn with_last(&self, last: Text) -> Self {
        let mut steps = self.0.clone();
        steps.pop();
        steps.push(last);
        Self(steps)
    }

    /// The pointer with these steps.
    #[must_use]
    pub fn of(steps: &[Text]) -> Self {
        Self(steps.to_vec())
    }

    /// Whether the other pointer leads into this one's value, or is the same.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        other.0.starts_with(&self.0)
    }

    /// The spelling.
    #[must_use]
    pub fn spelling(&self) -> Text {
        let mut text = Text::new();
        for step in &self.0 {
            text.push_str("/");
            let bytes = step.as_bytes();
            if bytes.iter().any(|byte| matches!(byte, b'~' | b'/')) {
                text.push_text(&encode(step));
            } else {
                text.push_text(step);
            }
        }
        text
    }
}

/// The index that a step is of an array: digits without a leading zero.
#[must_use]
pub fn array_index(step: &Text) -> Option<usize> {
    let bytes = step.as_bytes();
    let is_index = !bytes.is_empty()
        && bytes.iter().all(u8::is_ascii_digit)
        && (bytes.len() == 1 || bytes.first() != Some(&b'0'));
    if is_index { step.as_str()?.parse().ok() } else { None }
}

/// A step of an array.
#[must_use]
pub fn index_step(index: usize) -> Text {
    Text::from_utf8(&index.to_string())
}

fn decode(step: &[u8]) -> Option<Text> {
    let mut text = Text::new();
    let mut pieces = step.split(|&byte| byte == b'~');
    push(&mut text, pieces.next().unwrap_or_default());
    for piece in pieces {
        let (escape, rest) = piece.split_first()?;
        text.push_str(match escape {
            b'0' => "~",
            b'1' => "/",
            _ => return None,
        });
        push(&mut text, rest);
    }
    Some(text)
}

fn encode(step: &Text) -> Text {
    let mut text = Text::new();
    let mut rest = step.as_bytes();
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'~' | b'/')) {
        push(&mut text, rest.get(..at).unwrap_or_default());
        text.push_str(if rest.get(at) == Some(&b'~') { "~0" } else { "~1" });
        rest = rest.get(at + 1..).unwrap_or_default();
    }
    push(&mut text, rest);
    text
}

/// Appends a piece of a text that was cut at ASCII characters.
fn push(text: &mut Text, piece: &[u8]) {
    text.push_text(&Text::from_wtf8(piece));
}
