//! Rows of a review in words.

use crate::json::{PatchFault, RawJson, Text};
use crate::limits;

use super::{RowFault, RowKind};

pub(super) fn row(
    kind: RowKind,
    path: &Text,
    from: Option<&Text>,
    before: Option<&RawJson>,
    after: Option<&RawJson>,
) -> String {
    let path = place(path);
    let value = |value: Option<&RawJson>| value.map_or_else(String::new, |raw| shown(raw.as_str()));
    let (before, after) = (value(before), value(after));
    match kind {
        RowKind::Added => ["added ", &path, ": ", &after].concat(),
        RowKind::Removed => ["removed ", &path, ", which was ", &before].concat(),
        RowKind::Changed => ["changed ", &path, " from ", &before, " to ", &after].concat(),
        RowKind::Unchanged => ["left ", &path, " as it is: ", &after].concat(),
        RowKind::Tested => ["checked that ", &path, " is ", &after].concat(),
        RowKind::Moved | RowKind::Copied => {
            let verb = if kind == RowKind::Moved { "moved " } else { "copied " };
            let from = from.map_or_else(String::new, place);
            let replaced = if before.is_empty() {
                String::new()
            } else {
                [", in place of ", &before].concat()
            };
            [verb, &from, " to ", &path, ": ", &after, &replaced].concat()
        }
        RowKind::Unknown => path,
    }
}

pub(super) fn fault(op: &str, path: &Text, fault: RowFault) -> String {
    let why = match fault {
        RowFault::NotReached => "an operation before it cannot be applied",
        RowFault::Fault(PatchFault::UnknownOp) => "this is no operation of a JSON Patch",
        RowFault::Fault(PatchFault::InvalidPath) => "this is no path",
        RowFault::Fault(PatchFault::MissingValue) => "it has no value",
        RowFault::Fault(PatchFault::MissingPath) => "there is nothing",
        RowFault::Fault(PatchFault::InvalidIndex) => "the array has no such place",
        RowFault::Fault(PatchFault::TestFailed) => "the value is another one",
        RowFault::Fault(PatchFault::IntoItself) => "a value cannot be moved into itself",
        RowFault::Fault(PatchFault::ForbiddenKey) => "the path has a key that is not allowed",
        RowFault::Fault(PatchFault::RemovesRoot) => "the document itself cannot be removed",
        RowFault::Fault(PatchFault::LimitExceeded) => "the document would get too large",
    };
    ["cannot ", &shown(op), " ", &place(path), ": ", why].concat()
}

fn place(path: &Text) -> String {
    if path.is_empty() { "the document".to_owned() } else { shown(&path.to_string_lossy()) }
}

/// A text as it is safe to show, and not longer than a line.
fn shown(text: &str) -> String {
    let mut out = String::new();
    for (count, character) in text.chars().enumerate() {
        if count == limits::MAX_SHOWN_VALUE {
            out.push('…');
            break;
        }
        if is_invisible(character) {
            out.push_str("\\u");
            for shift in [12, 8, 4, 0] {
                let digit = u32::from(character) >> shift & 0xf;
                out.push(char::from_digit(digit, 16).unwrap_or('0'));
            }
        } else {
            out.push(character);
        }
    }
    out
}

/// Control characters, and those that turn the direction of a text or have no width.
fn is_invisible(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
