//! What stands where something was taken out: one line, marked as omitted.

use crate::json::{self, RawJson, Text};
use crate::limits;
use crate::message::{FieldName, Part};

/// Stands for the reasoning of a message that has nothing else.
pub(super) fn of_reasoning() -> Part {
    text_part("[omitted: reasoning, used at the time]")
}

/// Stands for a tool call and its result.
pub(super) fn of_tool_call(part: &Part) -> Part {
    let name = quoted(part.tool_name());
    text_part(&["[omitted: tool ", &name, ", used at the time]"].concat())
}

/// Stands for an attachment.
pub(super) fn of_file(part: &Part) -> Part {
    let name = part.fields.text(FieldName::Filename);
    let what = quoted(name.or_else(|| part.fields.text(FieldName::MediaType)));
    text_part(&["[omitted: attachment ", &what, ", used at the time]"].concat())
}

/// The output of a call whose result is superseded.
pub(super) fn of_snapshot() -> RawJson {
    RawJson::from_validated("\"[omitted: superseded by a newer snapshot]\"")
}

fn text_part(text: &str) -> Part {
    let mut part = Part::new("text");
    part.fields.set_raw(FieldName::Text, &json::quote(text));
    part.fields.set_raw(FieldName::State, "\"done\"");
    part
}

/// A name from a message, short and without anything that could end the line or the quotes.
fn quoted(name: Option<Text>) -> String {
    let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
    let mut quoted = String::from("\"");
    quoted.extend(
        name.chars()
            .map(|character| match character {
                '"' | '[' | ']' | '\u{2028}' | '\u{2029}' => ' ',
                _ if character.is_control() => ' ',
                _ => character,
            })
            .take(limits::MAX_STUB_NAME),
    );
    quoted.push('"');
    quoted
}
