//! Strings as JavaScript has them, in a `String`: each surrogate, paired or not, is one character
//! of a private plane, so that a character is a UTF-16 unit and halves join by concatenation.

use serde_json::Value;

/// The units of WTF-8 bytes.
pub(crate) fn units(mut wtf8: &[u8]) -> String {
    let mut out = String::new();
    loop {
        let valid = match std::str::from_utf8(wtf8) {
            Ok(all) => all,
            Err(fault) => std::str::from_utf8(&wtf8[..fault.valid_up_to()]).unwrap(),
        };
        for character in valid.chars() {
            match character.encode_utf16(&mut [0; 2]) {
                [high, low] => out.extend([surrogate(*high), surrogate(*low)]),
                _ => out.push(character),
            }
        }
        match &wtf8[valid.len()..] {
            [] => return out,
            [0xed, a @ 0xa0..=0xbf, b @ 0x80..=0xbf, rest @ ..] => {
                out.push(surrogate(0xd000 | u16::from(a & 0x3f) << 6 | u16::from(b & 0x3f)));
                wtf8 = rest;
            }
            other => panic!("not WTF-8: {other:x?}"),
        }
    }
}

/// Parses JSON that may spell lone surrogates; strings come out as [`units`] has them.
pub(crate) fn parse(json: &str) -> Value {
    parse_units(&units(json.as_bytes()))
}

/// As [`parse`], of a text that [`units`] gave.
pub(crate) fn parse_units(json: &str) -> Value {
    let mut text = String::new();
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let digits = escape.strip_prefix("\\u").and_then(|hex| hex.get(..4));
        match digits.and_then(|digits| u16::from_str_radix(digits, 16).ok()) {
            Some(unit @ 0xd800..=0xdfff) => {
                text.push(surrogate(unit));
                rest = &escape[6..];
            }
            _ => {
                let length = escape.chars().take(2).map(char::len_utf8).sum();
                text.push_str(&escape[..length]);
                rest = &escape[length..];
            }
        }
    }
    text.push_str(rest);
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn surrogate(unit: u16) -> char {
    char::from_u32(0x10_0000 + u32::from(unit) - 0xd800).unwrap()
}
