//! The value that an unfinished JSON text spells so far.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::json::partial::op;
use chatwire::json::{OpSink, PartialJson, PartialState};
use chatwire::limits::MAX_JSON_DEPTH;
use chatwire::limits::MAX_NUMBER_BYTES;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// What a view makes of the operations.
#[derive(Clone, Default)]
struct Shown {
    root: Option<Value>,
    /// The steps to the open containers, outermost first; the root takes none.
    open: Vec<Option<Step>>,
    /// The step from the open container to the slot.
    slot: Option<Step>,
    /// Whether the slot has no value yet.
    is_vacant: bool,
}

#[derive(Clone)]
enum Step {
    Key(String),
    Index(usize),
}

impl Shown {
    fn new() -> Self {
        Self { is_vacant: true, ..Self::default() }
    }

    fn at<'a>(root: &'a mut Option<Value>, steps: impl Iterator<Item = &'a Step>) -> &'a mut Value {
        let mut value = root.get_or_insert(Value::Null);
        for step in steps {
            value = match (step, value) {
                (Step::Key(key), Value::Object(members)) => {
                    members.entry(key.as_str()).or_insert(Value::Null)
                }
                (Step::Index(index), Value::Array(items)) => &mut items[*index],
                (_, other) => panic!("no container at the open path but {other}"),
            };
        }
        value
    }

    fn slot(&mut self) -> &mut Value {
        let steps = self.open.iter().flatten().chain(&self.slot);
        Self::at(&mut self.root, steps)
    }

    fn open_container(&mut self) -> &mut Value {
        Self::at(&mut self.root, self.open.iter().flatten())
    }

    fn set(&mut self, value: Value) {
        assert!(self.is_vacant, "{value} over a value");
        *self.slot() = value;
        self.is_vacant = false;
    }

    fn open(&mut self, container: Value) {
        self.set(container);
        self.open.push(self.slot.take());
    }
}

impl OpSink for Shown {
    fn op(&mut self, code: u32, text: &[u8]) {
        let has_text = matches!(code, op::KEY | op::STRING | op::APPEND | op::NUMBER);
        assert!(has_text || text.is_empty());
        match code {
            op::CLEAR => self.root = None,
            op::KEY => {
                assert!(self.open_container().is_object());
                self.slot = Some(Step::Key(units(text)));
                self.is_vacant = true;
            }
            op::ITEM => {
                let items = self.open_container().as_array_mut().unwrap();
                items.push(Value::Null);
                self.slot = Some(Step::Index(items.len() - 1));
                self.is_vacant = true;
            }
            op::OPEN_OBJECT => self.open(json!({})),
            op::OPEN_ARRAY => self.open(json!([])),
            op::CLOSE => self.slot = self.open.pop().unwrap(),
            op::STRING => self.set(Value::String(units(text))),
            op::APPEND => {
                assert!(!text.is_empty(), "nothing to append");
                match self.slot() {
                    Value::String(string) => string.push_str(&units(text)),
                    other => panic!("append to {other}"),
                }
            }
            op::NUMBER => {
                if !self.is_vacant {
                    assert!(self.slot().is_number());
                }
                *self.slot() = serde_json::from_slice(text).unwrap();
                self.is_vacant = false;
            }
            op::TRUE => self.set(json!(true)),
            op::FALSE => self.set(json!(false)),
            op::NULL => self.set(Value::Null),
            _ => panic!("no operation has the code {code}"),
        }
    }
}

/// The operations in words: `key a`, `open {`, `string x`.
#[derive(Default)]
struct Log(Vec<String>);

impl OpSink for Log {
    fn op(&mut self, code: u32, text: &[u8]) {
        let name = match code {
            op::CLEAR => "clear",
            op::KEY => "key",
            op::ITEM => "item",
            op::OPEN_OBJECT => "{",
            op::OPEN_ARRAY => "[",
            op::CLOSE => "close",
            op::STRING => "string",
            op::APPEND => "append",
            op::NUMBER => "number",
            op::TRUE => "true",
            op::FALSE => "false",
            op::NULL => "null",
            _ => panic!("no operation has the code {code}"),
        };
        let text = text.utf8_chunks().fold(String::new(), |mut out, chunk| {
            out.push_str(chunk.valid());
            for byte in chunk.invalid() {
                out.push_str(&format!("<{byte:02x}>"));
            }
            out
        });
        let words = format!("{name} {text}");
        self.0.push(words.trim_end_matches(' ').to_owned());
    }
}

fn drained(partial: &mut PartialJson) -> String {
    let mut log = Log::default();
    partial.drain(&mut log);
    log.0.join(", ")
}

/// The WTF-8 text with each surrogate, paired or not, as a character of its own, because a
/// `String` cannot hold one.
fn units(mut wtf8: &[u8]) -> String {
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

fn surrogate(unit: u16) -> char {
    char::from_u32(0x10_0000 + u32::from(unit) - 0xd800).unwrap()
}

/// Parses JSON as WTF-8 that may spell lone surrogates; strings as [`units`] has them.
fn parse(json: &[u8]) -> Option<Value> {
    let json = units(json);
    let mut text = String::new();
    let mut rest = json.as_str();
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        text.push_str(before);
        let digits = escape.strip_prefix("\\u").and_then(|hex| hex.get(..4));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        if let Some(unit @ 0xd800..=0xdfff) = unit {
            text.push(surrogate(unit));
            rest = &escape[6..];
        } else {
            let len = escape.chars().take(2).map(char::len_utf8).sum();
            text.push_str(&escape[..len]);
            rest = &escape[len..];
        }
    }
    serde_json::from_str(&(text + rest)).ok()
}

/// The value with its numbers as JavaScript has them.
fn rounded(value: Value) -> Value {
    match value {
        // No case tells -0 from 0, which JSON.stringify writes alike.
        Value::Number(number) => (number.as_f64().unwrap() + 0.0).into(),
        Value::Array(items) => items.into_iter().map(rounded).collect(),
        Value::Object(members) => members
            .into_iter()
            .map(|(key, value)| (key, rounded(value)))
            .collect::<Map<_, _>>()
            .into(),
        other => other,
    }
}

fn pushed(text: &[u8]) -> PartialJson {
    let mut partial = PartialJson::new();
    partial.push(text);
    partial
}

/// The value of a text, checked to be the same one drained at once and repaired.
fn value_of(text: &[u8]) -> Option<Value> {
    let mut partial = pushed(text);
    let mut shown = Shown::new();
    partial.drain(&mut shown);
    let repaired = partial.repaired(text);
    let reparsed = repaired.as_ref().map(|json| {
        parse(json).unwrap_or_else(|| panic!("not JSON: {}", String::from_utf8_lossy(json)))
    });
    assert_eq!(shown.root, reparsed, "{}", String::from_utf8_lossy(text));
    assert_eq!(repaired.as_ref().map(|json| json.trim_ascii_start()), repaired.as_deref());
    shown.root
}

/// Follows a text byte by byte, draining after the bytes where `drains` says so (repeated), and
/// checks every prefix against a parser that reads it in one piece.
fn follow(text: &[u8], drains: &[bool]) -> (Option<Value>, PartialState) {
    let mut partial = PartialJson::new();
    let mut shown = Shown::new();
    let mut has_failed = false;
    for (index, byte) in text.iter().enumerate() {
        partial.push(&[*byte]);
        let prefix = &text[..=index];
        assert_eq!(partial.state(), pushed(prefix).state());
        assert_eq!(partial.repaired(prefix), pushed(prefix).repaired(prefix));
        let now_failed = partial.state() == PartialState::Failed;
        assert!(now_failed || !has_failed, "a failed text came back");
        has_failed = now_failed;

        let is_drained = drains[index % drains.len()];
        let (mut ahead, mut shown_ahead) = (partial.clone(), shown.clone());
        ahead.drain(&mut shown_ahead);
        assert_eq!(shown_ahead.root, value_of(prefix));
        assert_eq!(drained(&mut ahead), "", "nothing new");
        if is_drained {
            (partial, shown) = (ahead, shown_ahead);
        }
    }
    partial.drain(&mut shown);
    (shown.root, partial.state())
}

/// Where the value differs from the AI SDK's on purpose.
const DIFFERENCES: &[(&str, Option<&str>, &str)] = &[
    (r#"{"a":1e+5"#, Some(r#"{"a":100000}"#), "an exponent may have a plus sign"),
    (r#"{"a\":":1"#, Some(r#"{"a\":":1}"#), "an escaped quote does not end a key"),
    ("[1\u{1f600}", Some("[1]"), "a code point is one character, not two"),
];

#[test]
fn equals_the_ai_sdk() {
    let table = include_str!("fixtures/partial_json.txt");
    let mut differences = 0;
    let mut cases = 0;
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let [text, state, value] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("not three columns: {line}");
        };
        let text: String = serde_json::from_str(text).unwrap();
        let difference = DIFFERENCES.iter().find(|(input, ..)| *input == text);
        let expected = match difference {
            Some((_, ours, _)) => ours.and_then(|json| parse(json.as_bytes())),
            None if value == "undefined" => None,
            None => Some(parse(value.as_bytes()).unwrap()),
        };
        let actual = value_of(text.as_bytes());
        assert_eq!(actual.map(rounded), expected.map(rounded), "{line}");

        let is_nothing = text.trim_start().is_empty() || text == "-";
        let expected = match state {
            _ if difference.is_some() => PartialState::Partial,
            "successful-parse" => PartialState::Complete,
            "repaired-parse" => PartialState::Partial,
            "failed-parse" if is_nothing => PartialState::Empty,
            "failed-parse" => PartialState::Failed,
            other => panic!("unknown state {other}"),
        };
        assert_eq!(pushed(text.as_bytes()).state(), expected, "{line}");
        follow(text.as_bytes(), &[true]);
        differences += usize::from(difference.is_some());
        cases += 1;
    }
    assert_eq!(differences, DIFFERENCES.len(), "a difference has no case");
    assert!(cases > 250, "only {cases} cases");
}

#[test]
fn operations() {
    // Deltas and, after each, what is drained.
    let cases: &[&[(&str, &str)]] = &[
        &[("", ""), (" ", ""), ("nu", "null"), ("ll", ""), (" ", "")],
        &[("{\"a", "{"), ("b\":", ""), (" \"x", "key ab, string x"), ("y\"", "append y")],
        &[("[1", "[, item, number 1"), ("2", "number 12"), (".", ""), ("5,-", "number 12.5")],
        &[("[1,2", "[, item, number 1, item, number 2"), (",", ""), ("]", "")],
        &[("[12", "[, item, number 12"), ("]", "close"), (" x", "")],
        &[("[-", "["), ("0", "item, number -0"), ("e", ""), ("5]", "number -0e5, close")],
        &[
            ("[[]", "[, item, [, close"),
            (",{\"a\":[", "item, {, key a, ["),
            ("]}]", "close, close, close"),
        ],
        &[("\"", "string"), ("\"", "")],
        &[("\"a\\", "string a"), ("n", "append \n"), ("b", "append b"), ("c\"", "append c")],
        &[("\"\\u00e", "string"), ("9", "append é")],
        &[("\"\\ud83d\\ude00", "string 😀")],
        &[("\"\\ud83d", "string <ed><a0><bd>"), ("\\ude00", "append <ed><b8><80>")],
        &[("\"\\ud83d", "string <ed><a0><bd>"), ("x", "append x")],
        &[("{\"\\ud83d", "{"), ("\\ude00\":f", "key 😀, false")],
        &[("{\"a\":1,", "{, key a, number 1"), ("\"a\":[", "key a, [")],
        &[("{\"a\":t", "{, key a, true"), ("}", "clear"), ("1", ""), ("{", "")],
        &[("{\"a\":tx", ""), ("}", "")],
        &[("[1 ", "[, item, number 1"), ("2", "clear")],
    ];
    for case in cases {
        let mut partial = PartialJson::new();
        for (delta, expected) in *case {
            partial.push(delta.as_bytes());
            assert_eq!(drained(&mut partial), *expected, "{delta} in {case:?}");
            assert_eq!(drained(&mut partial), "", "nothing new");
        }
    }
}

#[test]
fn split_code_points() {
    let mut partial = pushed("\"é".as_bytes());
    partial.push(b"\xf0\x9f");
    assert_eq!(drained(&mut partial), "string é");
    partial.push(b"\x98");
    assert_eq!(drained(&mut partial), "");
    assert_eq!(partial.repaired(b"\"\xc3\xa9\xf0\x9f\x98").unwrap(), "\"é\"".as_bytes());
    partial.push(b"\x80\"");
    assert_eq!(drained(&mut partial), "append 😀");
    assert_eq!(partial.state(), PartialState::Complete);
}

#[test]
fn split_surrogate_pairs() {
    let text = "{\"😀\":\"😀";
    for key in [&["😀".as_bytes()][..], &[b"\xed\xa0\xbd", b"\xed\xb8\x80"]] {
        for pause in [false, true] {
            let mut partial = pushed(b"{\"");
            key.iter().for_each(|half| partial.push(half));
            partial.push(b"\":\"");
            let mut shown = Shown::new();
            for half in [b"\xed\xa0\xbd", b"\xed\xb8\x80"] {
                partial.push(half);
                if pause {
                    partial.drain(&mut shown);
                }
            }
            partial.drain(&mut shown);
            // Joined in the whole text, as a string joins them.
            let repaired = partial.repaired(text.as_bytes()).unwrap();
            assert_eq!(repaired, format!("{text}\"}}").as_bytes());
            assert_eq!(shown.root, parse(&repaired));
        }
    }
    // Operations that are drained together hold no split pair.
    let mut partial = pushed(b"\"\xed\xa0\xbd");
    partial.push(b"\xed");
    partial.push(b"\xb8\x80");
    assert_eq!(drained(&mut partial), "string 😀");
}

#[test]
fn rewind_builds_the_value_again() {
    let text = br#"{"a":[1,{"b":"x"#;
    let mut partial = pushed(text);
    let first = drained(&mut partial);
    partial.rewind(text);
    assert_eq!(drained(&mut partial), first);
    assert_eq!(drained(&mut partial), "");
    partial.push(b"y\"}]} ");
    assert_eq!(drained(&mut partial), "append y, close, close, close");
    assert_eq!(partial.state(), PartialState::Complete);
}

#[test]
fn limits() {
    let deep = |depth: usize| "[".repeat(depth);
    let mut partial = pushed(deep(MAX_JSON_DEPTH).as_bytes());
    assert_eq!(partial.state(), PartialState::Partial);
    partial.push("]".repeat(MAX_JSON_DEPTH).as_bytes());
    assert_eq!(partial.state(), PartialState::Complete);
    for text in [deep(MAX_JSON_DEPTH + 1), deep(1_000_000), "{\"a\":".repeat(1_000_000)] {
        assert_eq!(pushed(text.as_bytes()).state(), PartialState::Failed);
    }

    let number = |len: usize| format!("[{}]", "1".repeat(len));
    let longest = number(MAX_NUMBER_BYTES);
    assert_eq!(pushed(longest.as_bytes()).state(), PartialState::Complete);
    let longer = number(MAX_NUMBER_BYTES + 1);
    assert_eq!(pushed(longer.as_bytes()).state(), PartialState::Failed);
}

/// Counts, as a view's cost.
#[derive(Default)]
struct Cost {
    ops: usize,
    bytes: usize,
}

impl OpSink for Cost {
    fn op(&mut self, _code: u32, text: &[u8]) {
        self.ops += 1;
        self.bytes += text.len();
    }
}

#[test]
#[expect(clippy::disallowed_types, reason = "measures how long the parser takes")]
fn cost_is_linear() {
    const KNOWN: usize = 2_000_000;
    const DELTAS: usize = 100_000;
    const DELTA: usize = 12;
    let filled = |start: &str, body: &str| {
        start.to_owned() + &body.repeat((KNOWN + DELTAS * DELTA).div_ceil(body.len()))
    };
    let texts = [
        ("string", filled("{\"a\":\"", "Lorem ipsum ")),
        ("escapes", filled("\"", "\\n\\u00e9\\ud83d\\ude00")),
        ("array", filled("[", "1,")),
        ("objects", filled("[", "{\"a\":1,\"b\":\"x\"},")),
        ("members", filled("{", "\"a\":1,")),
        ("numbers", filled("[", &("1".repeat(MAX_NUMBER_BYTES) + ","))),
        ("key", filled("{\"", "long key ")),
        ("space", filled("[", "        ")),
        ("junk", filled("{", "junk")),
        ("tail", filled("{}", "tail")),
    ];
    for (name, text) in texts {
        let (known, grown) = text.as_bytes().split_at(KNOWN);
        let mut partial = PartialJson::new();
        let mut cost = Cost::default();
        let start = std::time::Instant::now();
        for piece in known.chunks(10_000) {
            partial.push(piece);
            partial.drain(&mut Cost::default());
            assert!(start.elapsed().as_secs() < 3, "{name}: too slow before the deltas");
        }
        for (index, delta) in grown.chunks(DELTA).enumerate() {
            partial.push(delta);
            partial.drain(&mut cost);
            // Touching what is known at every delta would be more than 200 GB.
            assert!(start.elapsed().as_secs() < 3, "{name}: too slow after {index} deltas");
        }
        assert_ne!(partial.state(), PartialState::Failed, "{name}");
        // Only an unfinished number is handed out more than once.
        let repeated = if name == "numbers" { MAX_NUMBER_BYTES / DELTA } else { 1 };
        assert!(cost.bytes <= repeated * grown.len(), "{name}: {} bytes", cost.bytes);
        assert!(cost.ops <= 2 * grown.len(), "{name}: {} operations", cost.ops);
    }
}

fn space() -> impl Strategy<Value = String> {
    "[ \t\r\n]{0,2}"
}

fn string() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-z{}\\[\\],: é€😀]",
        1 => r#"\\["\\/bfnrt]"#,
        1 => r"\\u00[0-7][0-9a-fA-F]",
        1 => r"\\ud8[0-9a-f]{2}",
        1 => r"\\uD[c-f]0[0-9A-F]",
    ];
    vec(piece, 0..6).prop_map(|pieces| format!("\"{}\"", pieces.concat()))
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just("\"a\"".to_owned()),
        1 => Just("\"constructor\"".to_owned()),
        3 => string(),
    ]
}

/// Documents with all that JSON allows: white space, escapes, duplicate keys.
fn document() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        Just("true".to_owned()),
        Just("false".to_owned()),
        Just("null".to_owned()),
        r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?",
        string(),
    ];
    let spaced = (space(), scalar, space()).prop_map(|(a, b, c)| a + &b + &c);
    spaced.prop_recursive(4, 40, 5, |inner| {
        let member = (space(), key(), space(), inner.clone());
        let member = member.prop_map(|(a, key, b, value)| format!("{a}{key}{b}:{value}"));
        let array = (space(), vec(inner, 0..5), space());
        let object = (space(), vec(member, 0..5), space());
        prop_oneof![
            array.prop_map(|(a, items, b)| format!("{a}[{}]{b}", or_space(&items))),
            object.prop_map(|(a, members, b)| format!("{a}{{{}}}{b}", or_space(&members))),
        ]
    })
}

fn or_space(pieces: &[String]) -> String {
    match pieces {
        [] => "\n".to_owned(),
        _ => pieces.join(","),
    }
}

/// Text that is JSON in parts.
fn nearly_json() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => r#"[\[\]{}:,"]"#,
        2 => r"-?[0-9.eE+]{1,3}",
        2 => "(true|false|null|t|fa|x)",
        2 => r#"[ \n]|\\|\\u[0-9a-g]{2,4}|é|😀"#,
        3 => r#""a?":?"#,
        1 => Just("\"__proto__\":".to_owned()),
        1 => Just("\"constructor\":{\"prototype\":".to_owned()),
    ];
    vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// Whether an object has a key that the AI SDK refuses.
fn has_forbidden_key(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(has_forbidden_key),
        Value::Object(members) => members.iter().any(|(key, value)| {
            key == "__proto__"
                || key == "constructor" && value.get("prototype").is_some()
                || has_forbidden_key(value)
        }),
        _ => false,
    }
}

proptest! {
    #[test]
    fn documents_at_every_prefix(text in document(), drains in vec(any::<bool>(), 1..40)) {
        let (value, state) = follow(text.as_bytes(), &drains);
        prop_assert_eq!(state, PartialState::Complete);
        prop_assert_eq!(value, parse(text.as_bytes()));
    }

    #[test]
    fn cut_documents_go_on_as_nonsense(
        text in document(),
        at in any::<prop::sample::Index>(),
        nonsense in nearly_json(),
        drains in vec(any::<bool>(), 1..40),
    ) {
        let mut bytes = text.into_bytes();
        bytes.truncate(at.index(bytes.len()));
        while std::str::from_utf8(&bytes).is_err() {
            bytes.pop();
        }
        bytes.extend_from_slice(nonsense.as_bytes());
        follow(&bytes, &drains);
    }

    #[test]
    fn complete_means_json(text in nearly_json()) {
        let parsed = parse(text.as_bytes());
        match pushed(text.as_bytes()).state() {
            PartialState::Complete => prop_assert!(parsed.is_some()),
            // A duplicate key may hide a forbidden one from the value.
            PartialState::Failed if text.contains("to") => {}
            _ => prop_assert!(parsed.as_ref().is_none_or(has_forbidden_key)),
        }
        if parsed.as_ref().is_some_and(has_forbidden_key) {
            prop_assert_eq!(value_of(text.as_bytes()), None);
        }
    }

    #[test]
    fn any_bytes_split_anywhere(
        pieces in vec(
            prop_oneof![
                vec(any::<u8>(), 0..6),
                nearly_json().prop_map(String::into_bytes),
                Just(b"\"\xed\xa0\xbd".to_vec()),
                Just(b"\xed\xb8".to_vec()),
            ],
            0..6,
        ),
    ) {
        let text = pieces.concat();
        let mut partial = PartialJson::new();
        for piece in &pieces {
            partial.push(piece);
            partial.drain(&mut Cost::default());
        }
        prop_assert_eq!(partial.state(), pushed(&text).state());
        prop_assert_eq!(partial.repaired(&text), pushed(&text).repaired(&text));
        partial.rewind(&text);
        prop_assert_eq!(drained(&mut partial), drained(&mut pushed(&text)));
    }
}
