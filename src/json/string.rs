//! String tokens: as they are spelled, decoded, and written.

use std::cmp::Ordering;

use super::scan::{JsonKind, kind};
use super::text::{Text, find_surrogate, unit_of};

/// A string token of a checked text: what stands between the quotes, still escaped.
#[derive(Clone, Copy, Debug)]
pub struct JsonStr<'a>(&'a str);

impl<'a> JsonStr<'a> {
    /// What stands between the quotes of a string that the caller has checked.
    #[must_use]
    pub fn from_content(content: &'a str) -> Self {
        Self(content)
    }

    /// The token of a raw value of a checked text; `None` when it is no string.
    #[must_use]
    pub fn from_raw_value(raw: &'a str) -> Option<Self> {
        if kind(raw) != Some(JsonKind::String) {
            return None;
        }
        raw.get(1..raw.len().checked_sub(1)?).map(Self)
    }

    /// The token as it is spelled, without quotes.
    #[must_use]
    pub fn raw(self) -> &'a str {
        self.0
    }

    /// Whether the token is spelled as it reads.
    #[must_use]
    pub fn is_plain(self) -> bool {
        !self.0.as_bytes().contains(&b'\\')
    }

    /// Whether the decoded token is this text.
    #[must_use]
    pub fn eq_str(self, text: &str) -> bool {
        // An escape is longer than what it stands for.
        match self.0.len().cmp(&text.len()) {
            Ordering::Less => false,
            Ordering::Equal => self.0 == text && self.is_plain(),
            Ordering::Greater => !self.is_plain() && self.to_text().as_str() == Some(text),
        }
    }

    /// Appends the decoded token.
    pub fn append_to(self, out: &mut Text) {
        let mut rest = self.0;
        while let Some(at) = rest.find('\\') {
            append_plain(out, rest.get(..at).unwrap_or_default());
            let escape = rest.as_bytes().get(at + 1).copied().unwrap_or(b'\\');
            let length = if escape == b'u' { 6 } else { 2 };
            match escape {
                b'n' => out.push_str("\n"),
                b't' => out.push_str("\t"),
                b'r' => out.push_str("\r"),
                b'b' => out.push_str("\u{8}"),
                b'f' => out.push_str("\u{c}"),
                b'u' => {
                    let digits = rest.get(at + 2..at + 6).unwrap_or_default();
                    out.push_unit(u16::from_str_radix(digits, 16).unwrap_or(0xfffd));
                }
                other => out.push_unit(u16::from(other)),
            }
            rest = rest.get(at + length..).unwrap_or_default();
        }
        append_plain(out, rest);
    }

    /// The decoded token.
    #[must_use]
    pub fn to_text(self) -> Text {
        let mut text = Text::new();
        self.append_to(&mut text);
        text
    }

    /// The decoded token, lone surrogates replaced by U+FFFD.
    #[must_use]
    pub fn to_utf8_lossy(self) -> String {
        if self.is_plain() { self.0.to_owned() } else { self.to_text().to_string_lossy() }
    }
}

fn append_plain(out: &mut Text, text: &str) {
    if !text.is_empty() {
        out.push_str(text);
    }
}

/// Appends WTF-8 as a JSON string, spelled as `JSON.stringify` spells it.
pub fn write_string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut rest = text;
    loop {
        let plain = rest
            .iter()
            .position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\' || byte == 0xed)
            .unwrap_or(rest.len());
        let (head, tail) = rest.split_at(plain);
        out.extend_from_slice(head);
        let skipped = match tail {
            [] => break,
            [0xed, second @ 0xa0..=0xbf, third, ..] => {
                write_unit_escape(out, unit_of([0xed, *second, *third]));
                3
            }
            [0xed, ..] => {
                out.push(0xed);
                1
            }
            [byte, ..] => {
                match byte {
                    b'"' => out.extend_from_slice(b"\\\""),
                    b'\\' => out.extend_from_slice(b"\\\\"),
                    b'\n' => out.extend_from_slice(b"\\n"),
                    b'\t' => out.extend_from_slice(b"\\t"),
                    b'\r' => out.extend_from_slice(b"\\r"),
                    0x08 => out.extend_from_slice(b"\\b"),
                    0x0c => out.extend_from_slice(b"\\f"),
                    _ => write_unit_escape(out, u16::from(*byte)),
                }
                1
            }
        };
        rest = tail.get(skipped..).unwrap_or_default();
    }
    out.push(b'"');
}

/// Appends JSON text in WTF-8; a lone surrogate, which UTF-8 cannot hold, is spelled as an escape.
pub fn write_json_text(out: &mut Vec<u8>, json: &[u8]) {
    let mut rest = json;
    while let Some(at) = find_surrogate(rest) {
        let (head, tail) = rest.split_at(at);
        out.extend_from_slice(head);
        let Some((&surrogate, after)) = tail.split_first_chunk() else { return };
        write_unit_escape(out, unit_of(surrogate));
        rest = after;
    }
    out.extend_from_slice(rest);
}

fn write_unit_escape(out: &mut Vec<u8>, unit: u16) {
    out.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        let digit = (unit >> shift & 0xf) as u8;
        out.push(if digit < 10 { b'0' + digit } else { b'a' + digit - 10 });
    }
}

/// A text as a JSON string.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(&mut out, text.as_bytes());
    debug_assert!(find_surrogate(&out).is_none());
    String::from_utf8_lossy(&out).into_owned()
}
