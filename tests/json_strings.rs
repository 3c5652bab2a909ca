//! JSON strings: decoded as JavaScript does, surrogates included, and written as it does.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::json::{JsonStr, RawJson, Text, check, quote, write_json_text, write_string};
use proptest::collection::vec;
use proptest::prelude::*;

/// The UTF-16 units of WTF-8 bytes.
fn units_of(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::new();
    let mut rest = bytes.iter().map(|&byte| u32::from(byte)).peekable();
    while let Some(first) = rest.next() {
        let (length, bits) = match first {
            0..0x80 => (0, first),
            0xc2..0xe0 => (1, first & 0x1f),
            0xe0..0xf0 => (2, first & 0x0f),
            0xf0..0xf5 => (3, first & 0x07),
            _ => panic!("{first:x} begins no character"),
        };
        let code = (0..length).fold(bits, |code, _| {
            let byte = rest.next_if(|byte| byte & 0xc0 == 0x80).unwrap();
            code << 6 | byte & 0x3f
        });
        match code {
            0..0x10000 => units.push(u16::try_from(code).unwrap()),
            _ => units.extend(char::from_u32(code).unwrap().encode_utf16(&mut [0; 2]).iter()),
        }
    }
    units
}

/// A text of UTF-16 units, which is well-formed only if they are.
fn text_of(units: &[u16]) -> Text {
    let mut text = Text::new();
    units.iter().for_each(|&unit| text.push_unit(unit));
    text
}

fn token(content: &str) -> JsonStr<'_> {
    JsonStr::from_content(content)
}

fn written(bytes: &[u8]) -> String {
    let mut out = b"before ".to_vec();
    write_string(&mut out, bytes);
    String::from_utf8(out).unwrap().strip_prefix("before ").unwrap().to_owned()
}

#[test]
fn tokens_are_decoded() {
    for (raw, decoded) in [
        ("", ""),
        ("plain ä€😀", "plain ä€😀"),
        (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r"\u0041\u00e9\u20AC\uFFFF", "Aé€\u{ffff}"),
        (r"\u0000\u001f\u007f", "\0\u{1f}\u{7f}"),
        (r"\uD83D\uDE00", "😀"),
        (r"\uDBFF\udfff", "\u{10ffff}"),
        (r"a\\u0041", "a\\u0041"),
        (r"\\\\n", "\\\\n"),
        (r"ä\nö", "ä\nö"),
    ] {
        let text = token(raw).to_text();
        assert_eq!(text.as_str(), Some(decoded), "{raw}");
        assert_eq!(text, Text::from_utf8(decoded), "{raw}");
        assert_eq!(token(raw).to_utf8_lossy(), decoded, "{raw}");
        assert!(token(raw).eq_str(decoded), "{raw}");
        assert_eq!(token(raw).is_plain(), raw == decoded, "{raw}");
        assert_eq!(token(raw).raw(), raw);
    }
}

#[test]
fn tokens_are_compared_by_what_they_mean() {
    for (raw, other) in [
        ("a", "b"),
        ("a", "ab"),
        ("ab", "a"),
        ("a", ""),
        ("", "a"),
        (r"\u0041", "B"),
        (r"\u0041", r"\u0041"),
        (r"\n", r"\n"),
        (r"\n", "n"),
        (r"\\", r"\\"),
        (r"\ud83d", "\u{fffd}"),
        (r"\ud83d\ude00", "😁"),
    ] {
        assert!(!token(raw).eq_str(other), "{raw} {other}");
    }
}

#[test]
fn only_a_raw_string_has_a_token() {
    for (raw, content) in [
        ("\"\"", Some("")),
        ("\"a\\\"\"", Some("a\\\"")),
        ("\"", None),
        ("", None),
        ("1", None),
        ("null", None),
        ("[\"a\"]", None),
        ("{\"a\":\"b\"}", None),
    ] {
        assert_eq!(JsonStr::from_raw_value(raw).map(JsonStr::raw), content, "{raw}");
    }
}

#[rustfmt::skip] // one case per line
const LONE_SURROGATES: &[(&str, &[u16], &str)] = &[
    // as it is spelled, its units, as it is spelled again
    (r"\ud83d", &[0xd83d], r#""\ud83d""#),
    (r"\uDE00", &[0xde00], r#""\ude00""#),
    (r"a\ud83db", &[0x61, 0xd83d, 0x62], r#""a\ud83db""#),
    (r"\ud83d\n", &[0xd83d, 0x0a], r#""\ud83d\n""#),
    (r"\ud83d\ud83d\ude00", &[0xd83d, 0xd83d, 0xde00], r#""\ud83d😀""#),
    (r"\ude00\ud83d", &[0xde00, 0xd83d], r#""\ude00\ud83d""#),
    (r"\ud83d\ude00\ude00", &[0xd83d, 0xde00, 0xde00], r#""😀\ude00""#),
    (r"\ud800\udbff\udc00\udfff", &[0xd800, 0xdbff, 0xdc00, 0xdfff], "\"\\ud800\u{10fc00}\\udfff\""),
    (r"\ud7ff\ue000", &[0xd7ff, 0xe000], "\"\u{d7ff}\u{e000}\""),
];

#[test]
fn lone_surrogates_are_kept() {
    for &(raw, units, again) in LONE_SURROGATES {
        let text = token(raw).to_text();
        assert_eq!(units_of(text.as_bytes()), units, "{raw}");
        assert_eq!(written(text.as_bytes()), again, "{raw}");
        assert_eq!(RawJson::string(&text).as_str(), again, "{raw}");
        assert_eq!(token(raw).to_utf8_lossy(), String::from_utf16_lossy(units), "{raw}");
        let is_well_formed = String::from_utf16(units).is_ok();
        assert_eq!(text.as_str().is_some(), is_well_formed, "{raw}");
        assert_eq!(text.has_surrogates(), !is_well_formed, "{raw}");
    }
}

#[test]
fn a_pair_that_two_tokens_spell_is_joined() {
    let mut text = Text::new();
    token(r"a\ud83d").append_to(&mut text);
    assert!(text.ends_with_high_surrogate());
    assert_eq!(text.as_str(), None);
    token("").append_to(&mut text);
    assert!(text.ends_with_high_surrogate());
    token(r"\ude00b").append_to(&mut text);
    assert_eq!(text.as_str(), Some("a😀b"));
    assert!(!text.ends_with_high_surrogate());

    // What comes between keeps the two apart.
    let mut text = Text::new();
    token(r"\ud83d").append_to(&mut text);
    token("x").append_to(&mut text);
    token(r"\ude00").append_to(&mut text);
    assert_eq!(units_of(text.as_bytes()), [0xd83d, 0x78, 0xde00]);
}

#[test]
fn strings_are_written_as_json_stringify_writes_them() {
    for (text, expected) in [
        ("", r#""""#),
        ("a\"b\\c/d", r#""a\"b\\c/d""#),
        ("\u{8}\t\n\u{c}\r", r#""\b\t\n\f\r""#),
        ("\0\u{1}\u{b}\u{1f}", r#""\u0000\u0001\u000b\u001f""#),
        ("\u{7f}\u{2028}\u{feff}<é😀", "\"\u{7f}\u{2028}\u{feff}<é😀\""),
        // Hangul begins with the byte that surrogates begin with, too.
        ("퀀\u{d7ff}한", "\"퀀\u{d7ff}한\""),
    ] {
        assert_eq!(quote(text), expected);
        assert_eq!(written(text.as_bytes()), expected);
    }
}

#[test]
fn json_in_wtf8_is_written_in_utf8() {
    let mut json = b"{\"\xed\x95\x9c\":\"".to_vec();
    json.extend_from_slice(text_of(&[0xd83d, 0x61, 0xdfff]).as_bytes());
    json.extend_from_slice("😀\"}".as_bytes());
    let mut out = b"[".to_vec();
    write_json_text(&mut out, &json);
    assert_eq!(String::from_utf8(out).unwrap(), r#"[{"한":"\ud83da\udfff😀"}"#);
}

/// Units of all kinds, surrogates often, in pairs and alone.
fn units() -> impl Strategy<Value = Vec<u16>> {
    let unit = prop_oneof![
        4 => 0x20_u16..0x7f,
        1 => 0_u16..0x20,
        2 => 0x80_u16..0xd800,
        1 => 0xe000_u16..=0xffff,
        2 => 0xd800_u16..0xdc00,
        2 => 0xdc00_u16..0xe000,
        1 => Just(u16::from(b'"')),
        1 => Just(u16::from(b'\\')),
    ];
    vec(unit, 0..24)
}

/// A spelling of the units: as they are, by a short escape or by number, as `choices` say.
fn spell(units: &[u16], choices: &[u8]) -> String {
    let mut content = String::new();
    let mut at = 0;
    while let Some(&unit) = units.get(at) {
        let choice = choices[at % choices.len()];
        let pair = units.get(at..at + 2).and_then(|pair| String::from_utf16(pair).ok());
        let short = match char::from_u32(u32::from(unit)) {
            Some('\n') => Some("\\n"),
            Some('\t') => Some("\\t"),
            Some('\r') => Some("\\r"),
            Some('\u{8}') => Some("\\b"),
            Some('\u{c}') => Some("\\f"),
            Some('"') => Some("\\\""),
            Some('\\') => Some("\\\\"),
            Some('/') => Some("\\/"),
            _ => None,
        };
        let is_surrogate = (0xd800..0xe000).contains(&unit);
        let must_be_escaped = unit < 0x20 || unit == 0x22 || unit == 0x5c;
        match (choice % 3, short, pair) {
            (0, Some(short), _) => content.push_str(short),
            (1, _, Some(pair)) if is_surrogate => {
                content.push_str(&pair);
                at += 1;
            }
            (1, _, _) if !is_surrogate && !must_be_escaped => {
                content.push(char::from_u32(u32::from(unit)).unwrap());
            }
            (2, _, _) => content.push_str(&format!("\\u{unit:04X}")),
            _ => content.push_str(&format!("\\u{unit:04x}")),
        }
        at += 1;
    }
    content
}

proptest! {
    #[test]
    fn every_spelling_is_decoded(units in units(), choices in vec(any::<u8>(), 1..24)) {
        let content = spell(&units, &choices);
        let quoted = format!("\"{content}\"");
        prop_assert_eq!(check(&quoted), Ok(()));
        let text = JsonStr::from_raw_value(&quoted).unwrap().to_text();
        prop_assert_eq!(units_of(text.as_bytes()), units.clone());
        prop_assert_eq!(&text, &text_of(&units));
        prop_assert_eq!(Text::utf16_len(text.as_bytes()), units.len());
        prop_assert_eq!(text.to_string_lossy(), String::from_utf16_lossy(&units));
        prop_assert_eq!(token(&content).to_utf8_lossy(), String::from_utf16_lossy(&units));
        let utf8 = String::from_utf16(&units).ok();
        prop_assert_eq!(text.as_str(), utf8.as_deref());
        prop_assert_eq!(text.has_surrogates(), utf8.is_none());
        if let Some(utf8) = utf8 {
            prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), utf8.clone());
            prop_assert!(token(&content).eq_str(&utf8));
            let other = utf8 + "x";
            prop_assert!(!token(&content).eq_str(&other));
        }
        prop_assert!(!token(&content).eq_str(&content) || token(&content).is_plain());
    }

    /// Texts that are put together of any pieces are the same text.
    #[test]
    fn how_a_text_is_split_changes_nothing(units in units(), cuts in vec(0_usize..24, 0..6)) {
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(units.len())).collect();
        cuts.extend([0, units.len()]);
        cuts.sort_unstable();
        let mut by_text = Text::new();
        let mut by_token = Text::new();
        for pair in cuts.windows(2) {
            let piece = &units[pair[0]..pair[1]];
            by_text.push_text(&text_of(piece));
            token(&spell(piece, &[0, 1])).append_to(&mut by_token);
        }
        prop_assert_eq!(&by_text, &text_of(&units));
        prop_assert_eq!(units_of(by_text.as_bytes()), units.clone());
        prop_assert_eq!(&by_token, &by_text);
        prop_assert_eq!(by_text.has_surrogates(), String::from_utf16(&units).is_err());
    }

    #[test]
    fn what_is_written_is_read_again(units in units()) {
        let text = text_of(&units);
        let literal = written(text.as_bytes());
        prop_assert_eq!(check(&literal), Ok(()));
        prop_assert_eq!(JsonStr::from_raw_value(&literal).unwrap().to_text(), text.clone());
        let raw = RawJson::string(&text);
        prop_assert_eq!(raw.as_str(), literal.as_str());
        if let Ok(utf8) = String::from_utf16(&units) {
            prop_assert_eq!(serde_json::to_string(&utf8).unwrap(), literal.as_str());
            prop_assert_eq!(quote(&utf8), literal);
        }
    }

    #[test]
    fn surrogates_are_all_that_json_text_changes(units in units()) {
        let text = text_of(&units);
        let mut out = Vec::new();
        write_json_text(&mut out, text.as_bytes());
        let expected: String = char::decode_utf16(units)
            .map(|unit| match unit {
                Ok(character) => character.to_string(),
                Err(lone) => format!("\\u{:04x}", lone.unpaired_surrogate()),
            })
            .collect();
        prop_assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
