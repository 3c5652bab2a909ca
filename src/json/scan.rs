//! Checks JSON in one pass, without recursion and without building anything.

use crate::limits;
use crate::swar::find_string_special;

use super::string::JsonStr;

/// Why a text is not the JSON that is due.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct JsonError {
    /// What is wrong.
    pub kind: JsonErrorKind,
    /// Where, in bytes from the start of the text.
    pub offset: usize,
}

/// See [`JsonError`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// The text is not JSON.
    Syntax,
    /// The text ends inside a value.
    UnexpectedEnd,
    /// Nested deeper than [`limits::MAX_JSON_DEPTH`].
    TooDeep,
    /// A key `__proto__`, or `constructor` of an object with a key `prototype`: merged into a
    /// JavaScript object it could change what all objects inherit.
    ForbiddenKey,
}

impl std::fmt::Display for JsonError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self.kind {
            JsonErrorKind::Syntax => "the text is not valid JSON",
            JsonErrorKind::UnexpectedEnd => "the JSON text ends too early",
            JsonErrorKind::TooDeep => "the JSON text is nested too deep",
            JsonErrorKind::ForbiddenKey => "the JSON text has a forbidden key",
        })
    }
}

impl std::error::Error for JsonError {}

/// What kind of value a raw text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)] // the kinds of JSON
pub enum JsonKind {
    Null,
    Bool,
    Number,
    String,
    Array,
    Object,
}

/// The kind of a value, by its first byte; `None` when it cannot begin one.
#[must_use]
pub fn kind(raw: &str) -> Option<JsonKind> {
    Some(match raw.as_bytes().first()? {
        b'n' => JsonKind::Null,
        b't' | b'f' => JsonKind::Bool,
        b'-' | b'0'..=b'9' => JsonKind::Number,
        b'"' => JsonKind::String,
        b'[' => JsonKind::Array,
        b'{' => JsonKind::Object,
        _ => return None,
    })
}

/// Checks that a text is one JSON value.
///
/// # Errors
/// See [`JsonErrorKind`].
pub fn check(text: &str) -> Result<(), JsonError> {
    let end = scan_value(text, 0)?;
    let end = skip_whitespace(text.as_bytes(), end);
    if end == text.len() { Ok(()) } else { Err(syntax(end)) }
}

/// Checks the value that begins at `start`, after whitespace, and returns where it ends.
///
/// # Errors
/// See [`JsonErrorKind`].
pub fn scan_value(text: &str, start: usize) -> Result<usize, JsonError> {
    scan_member(text, start, false)
}

/// As [`scan_value`], of a value whose key is (or is not) `constructor`.
pub(super) fn scan_member(
    text: &str,
    start: usize,
    after_constructor: bool,
) -> Result<usize, JsonError> {
    let bytes = text.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let mut at = skip_whitespace(bytes, start);
    loop {
        // A value is due at `at`.
        at = match byte(bytes, at)? {
            b'{' => {
                open_container(&mut open, Open::OBJECT, after_constructor, at)?;
                at = skip_whitespace(bytes, at + 1);
                if byte(bytes, at)? == b'}' {
                    open.pop();
                    at + 1
                } else {
                    at = scan_key(text, at, &mut open)?;
                    continue;
                }
            }
            b'[' => {
                open_container(&mut open, Open::ARRAY, after_constructor, at)?;
                at = skip_whitespace(bytes, at + 1);
                if byte(bytes, at)? != b']' {
                    continue;
                }
                open.pop();
                at + 1
            }
            b'"' => scan_string(bytes, at)?,
            b't' => scan_word(bytes, at, b"true")?,
            b'f' => scan_word(bytes, at, b"false")?,
            b'n' => scan_word(bytes, at, b"null")?,
            _ => scan_number(bytes, at)?,
        };
        // A value ended at `at`.
        loop {
            let Some(container) = open.last() else { return Ok(at) };
            let is_object = container.is_object;
            at = skip_whitespace(bytes, at);
            match byte(bytes, at)? {
                b',' => {
                    at = skip_whitespace(bytes, at + 1);
                    if is_object {
                        at = scan_key(text, at, &mut open)?;
                    }
                    break;
                }
                b'}' if is_object => at += 1,
                b']' if !is_object => at += 1,
                _ => return Err(syntax(at)),
            }
            open.pop();
        }
    }
}

/// An open container.
struct Open {
    is_object: bool,
    /// The object is the value of a key `constructor`.
    is_constructor: bool,
    /// The key that was read last is `constructor`.
    after_constructor: bool,
}

impl Open {
    const ARRAY: Self = Self { is_object: false, is_constructor: false, after_constructor: false };
    const OBJECT: Self = Self { is_object: true, ..Self::ARRAY };
}

fn open_container(
    open: &mut Vec<Open>,
    mut container: Open,
    root_after_constructor: bool,
    at: usize,
) -> Result<(), JsonError> {
    if open.len() >= limits::MAX_JSON_DEPTH {
        return Err(JsonError { kind: JsonErrorKind::TooDeep, offset: at });
    }
    let after_constructor =
        open.last().map_or(root_after_constructor, |parent| parent.after_constructor);
    container.is_constructor = container.is_object && after_constructor;
    open.push(container);
    Ok(())
}

/// Reads a key and its colon; returns where the value is due.
fn scan_key(text: &str, at: usize, open: &mut [Open]) -> Result<usize, JsonError> {
    let bytes = text.as_bytes();
    if byte(bytes, at)? != b'"' {
        return Err(syntax(at));
    }
    let end = scan_string(bytes, at)?;
    if let Some(object) = open.last_mut() {
        let key = JsonStr::from_content(text.get(at + 1..end - 1).unwrap_or_default());
        object.after_constructor = key.eq_str("constructor");
        if key.eq_str("__proto__") || (object.is_constructor && key.eq_str("prototype")) {
            return Err(JsonError { kind: JsonErrorKind::ForbiddenKey, offset: at });
        }
    }
    let colon = skip_whitespace(bytes, end);
    if byte(bytes, colon)? != b':' {
        return Err(syntax(colon));
    }
    Ok(skip_whitespace(bytes, colon + 1))
}

/// Reads a string; returns where it ends, past the quote.
pub(super) fn scan_string(bytes: &[u8], start: usize) -> Result<usize, JsonError> {
    let mut at = start + 1;
    loop {
        at = find_string_special(bytes, at);
        match byte(bytes, at)? {
            b'"' => return Ok(at + 1),
            b'\\' => match byte(bytes, at + 1)? {
                b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => at += 2,
                b'u' => {
                    for digit in at + 2..at + 6 {
                        if !byte(bytes, digit)?.is_ascii_hexdigit() {
                            return Err(syntax(digit));
                        }
                    }
                    at += 6;
                }
                _ => return Err(syntax(at + 1)),
            },
            _ => return Err(syntax(at)),
        }
    }
}

fn scan_word(bytes: &[u8], start: usize, word: &[u8]) -> Result<usize, JsonError> {
    for (index, &expected) in word.iter().enumerate() {
        if byte(bytes, start + index)? != expected {
            return Err(syntax(start + index));
        }
    }
    Ok(start + word.len())
}

fn scan_number(bytes: &[u8], start: usize) -> Result<usize, JsonError> {
    let digits = |mut at: usize| -> Result<usize, JsonError> {
        if !byte(bytes, at)?.is_ascii_digit() {
            return Err(syntax(at));
        }
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        Ok(at)
    };
    let mut at = start;
    if byte(bytes, at)? == b'-' {
        at += 1;
    }
    at = if byte(bytes, at)? == b'0' { at + 1 } else { digits(at)? };
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = digits(at)?;
    }
    Ok(at)
}

/// How deep a checked text is nested, in containers.
pub(super) fn depth(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut deepest, mut at) = (0_usize, 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at = scan_string(bytes, at).unwrap_or(bytes.len());
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
        at += 1;
    }
    deepest
}

pub(super) fn skip_whitespace(bytes: &[u8], mut at: usize) -> usize {
    while matches!(bytes.get(at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
        at += 1;
    }
    at
}

pub(super) fn byte(bytes: &[u8], at: usize) -> Result<u8, JsonError> {
    bytes
        .get(at)
        .copied()
        .ok_or(JsonError { kind: JsonErrorKind::UnexpectedEnd, offset: bytes.len() })
}

pub(super) fn syntax(offset: usize) -> JsonError {
    JsonError { kind: JsonErrorKind::Syntax, offset }
}
