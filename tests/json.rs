//! JSON texts: which are accepted, where the others are at fault, and how they are walked.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::json::{
    ArrayReader, JsonError, JsonErrorKind, JsonKind, ObjectReader, RawJson, check, kind,
    same_value, scan_value,
};
use chatwire::limits::MAX_JSON_DEPTH;
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

use JsonErrorKind::{ForbiddenKey, Syntax, TooDeep, UnexpectedEnd};

const ACCEPTED: &[&str] = &[
    "null",
    "true",
    "false",
    " \t\r\n1 \t\r\n",
    "0",
    "-0",
    "0.5",
    "-12.50",
    "1e9",
    "1E+9",
    "1.5e-300",
    "0e0",
    "99999999999999999999999999999999",
    "1e999999999999999999999",
    r#""""#,
    r#""\"\\\/\b\f\n\r\t\u00e9\uD83D\ude00""#,
    r#""\ud800 alone""#,
    "\"\u{7f}\u{2028}ä€😀\"",
    "[]",
    "[ ]",
    "{}",
    "{ }",
    "[[],{},[{}]]",
    r#"{"":0}"#,
    r#"{"a":1,"a":2}"#,
    r#" { "a" : [ 1 , "b" , { "c" : null } ] , "d" : { } } "#,
    r#"{"constructor":1,"prototype":{}}"#,
    r#"{"constructor":null}"#,
    r#"{"constructor":{}}"#,
    r#"{"constructor":[{"prototype":1}]}"#,
    r#"{"constructor":{"a":{"prototype":1}}}"#,
    r#"{"constructor":1,"a":{"prototype":1}}"#,
    r#"{"proto":1,"__proto":1,"__proto___":1,"__prot0__":1,"__PROTO__":1}"#,
    r#"{"\\_proto__":1}"#,
    r#"["__proto__","constructor",{"a":"prototype"}]"#,
];

#[rustfmt::skip] // one case per line
const REFUSED: &[(&str, JsonErrorKind, usize)] = &[
    ("", UnexpectedEnd, 0),
    ("  ", UnexpectedEnd, 2),
    ("\u{feff}1", Syntax, 0),
    ("\u{a0}1", Syntax, 0),
    ("\u{c}1", Syntax, 0),
    ("1 2", Syntax, 2),
    ("nul", UnexpectedEnd, 3),
    ("nulL", Syntax, 3),
    ("nullx", Syntax, 4),
    ("True", Syntax, 0),
    ("NaN", Syntax, 0),
    ("+1", Syntax, 0),
    ("-", UnexpectedEnd, 1),
    ("-a", Syntax, 1),
    ("01", Syntax, 1),
    ("-01", Syntax, 2),
    (".5", Syntax, 0),
    ("1.", UnexpectedEnd, 2),
    ("1.e5", Syntax, 2),
    ("1e", UnexpectedEnd, 2),
    ("1e+", UnexpectedEnd, 3),
    ("1e5.5", Syntax, 3),
    ("0x10", Syntax, 1),
    ("\"", UnexpectedEnd, 1),
    ("\"a", UnexpectedEnd, 2),
    ("\"\\", UnexpectedEnd, 2),
    ("\"\\\"", UnexpectedEnd, 3),
    ("\"\\u00", UnexpectedEnd, 5),
    ("\"\\x41\"", Syntax, 2),
    ("\"\\u00g0\"", Syntax, 5),
    ("\"\\u+123\"", Syntax, 3),
    ("\"\\U0041\"", Syntax, 2),
    ("\"a\tb\"", Syntax, 2),
    ("\"0123456789\nb\"", Syntax, 11),
    ("\"a\0\"", Syntax, 2),
    ("\"a\u{1f}\"", Syntax, 2),
    ("'a'", Syntax, 0),
    ("[", UnexpectedEnd, 1),
    ("[1", UnexpectedEnd, 2),
    ("[1,", UnexpectedEnd, 3),
    ("[1,]", Syntax, 3),
    ("[,1]", Syntax, 1),
    ("[1 2]", Syntax, 3),
    ("[1}", Syntax, 2),
    ("[1]]", Syntax, 3),
    ("]", Syntax, 0),
    ("{", UnexpectedEnd, 1),
    ("{\"a\"", UnexpectedEnd, 4),
    ("{\"a\":", UnexpectedEnd, 5),
    ("{\"a\":1", UnexpectedEnd, 6),
    ("{\"a\":1,", UnexpectedEnd, 7),
    ("{\"a\":1,}", Syntax, 7),
    ("{,\"a\":1}", Syntax, 1),
    ("{\"a\" 1}", Syntax, 5),
    ("{\"a\",1}", Syntax, 4),
    ("{\"a\":}", Syntax, 5),
    ("{\"a\":1 \"b\":2}", Syntax, 7),
    ("{a:1}", Syntax, 1),
    ("{1:1}", Syntax, 1),
    ("{\"a\":1]", Syntax, 6),
    ("{\"a\":1}}", Syntax, 7),
    ("[1] // no", Syntax, 4),
    (r#"{"__proto__":1}"#, ForbiddenKey, 1),
    (r#"{"a":1, "__proto__" : null}"#, ForbiddenKey, 8),
    (r#"{"\u005f_proto__":1}"#, ForbiddenKey, 1),
    (r#"{"__pro\u0074o__":1}"#, ForbiddenKey, 1),
    (r#"[[{"a":{"__proto__":{}}}]]"#, ForbiddenKey, 8),
    (r#"{"constructor":{"prototype":1}}"#, ForbiddenKey, 16),
    (r#"{"constructor":{"a":[{}],"prototype":1}}"#, ForbiddenKey, 25),
    (r#"{"\u0063onstructor":{"prototyp\u0065":1}}"#, ForbiddenKey, 21),
    (r#"[1,{"a":{"constructor":{"prototype":1}}}]"#, ForbiddenKey, 24),
    (r#"{"constructor":{"constructor":1,"prototype":1}}"#, ForbiddenKey, 32),
    (r#"{"constructor":{"constructor":{"prototype":1}}}"#, ForbiddenKey, 31),
];

#[test]
fn well_formed_texts_are_accepted() {
    for text in ACCEPTED {
        assert_eq!(check(text), Ok(()), "{text}");
        assert_eq!(RawJson::parse(text).unwrap().as_str(), text.trim(), "{text}");
        assert_eq!(walk(text), Ok(()), "{text}");
    }
}

#[test]
fn faults_are_told_apart_and_located() {
    for &(text, kind, offset) in REFUSED {
        let error = Err(JsonError { kind, offset });
        assert_eq!(check(text), error, "{text}");
        assert_eq!(RawJson::parse(text).map(drop), error, "{text}");
        assert_eq!(walk(text), error, "{text}");
    }
}

/// Reads a whole text by the readers, as far as it is a container.
fn walk(text: &str) -> Result<(), JsonError> {
    match text.trim_start().as_bytes().first() {
        Some(b'{') => members(text).map(drop),
        Some(b'[') => elements(text).map(drop),
        _ => check(text),
    }
}

fn members(text: &str) -> Result<Vec<(String, &str)>, JsonError> {
    let mut reader = ObjectReader::new(text)?;
    read_all(|| Ok(reader.next()?.map(|(key, value)| (key.to_utf8_lossy(), value))))
}

fn elements(text: &str) -> Result<Vec<&str>, JsonError> {
    let mut reader = ArrayReader::new(text)?;
    read_all(|| reader.next())
}

/// Everything that a reader gives. Its end and its errors are final.
fn read_all<T>(
    mut next: impl FnMut() -> Result<Option<T>, JsonError>,
) -> Result<Vec<T>, JsonError> {
    let mut all = Vec::new();
    loop {
        match next() {
            Ok(Some(item)) => all.push(item),
            Ok(None) => {
                assert!(matches!(next(), Ok(None)));
                return Ok(all);
            }
            Err(error) => {
                assert_eq!(next().err(), Some(error));
                return Err(error);
            }
        }
    }
}

#[test]
fn nothing_is_read_behind_the_end() {
    let error = Err(JsonError { kind: UnexpectedEnd, offset: 1 });
    assert_eq!(scan_value("1", 1), error);
    assert_eq!(scan_value("1", usize::MAX - 100), error);
}

#[test]
fn readers_give_values_as_they_are_spelled() {
    let text = " { \"a\\u0062\" : [ 1 , {} ] ,\n\"\": \"x\\n\", \"a\":1.0,\"a\":1e0 } ";
    let expected = [("ab", "[ 1 , {} ]"), ("", "\"x\\n\""), ("a", "1.0"), ("a", "1e0")];
    let expected: Vec<_> =
        expected.iter().map(|&(key, value)| (String::from(key), value)).collect();
    assert_eq!(members(text), Ok(expected));
    assert_eq!(elements(" [ 1 ,\t[ 2 ] , \"]\" ] "), Ok(vec!["1", "[ 2 ]", "\"]\""]));
    assert_eq!(members("{}"), Ok(vec![]));
    assert_eq!(elements("[]"), Ok(vec![]));
}

#[test]
fn readers_refuse_what_is_not_their_container() {
    let syntax = |offset| Some(JsonError { kind: Syntax, offset });
    assert_eq!(ObjectReader::new(" []").err(), syntax(1));
    assert_eq!(ArrayReader::new("{}").err(), syntax(0));
    assert_eq!(ObjectReader::new("1").err(), syntax(0));
}

#[test]
fn the_first_byte_tells_the_kind() {
    for (text, expected) in [
        ("null", Some(JsonKind::Null)),
        ("true", Some(JsonKind::Bool)),
        ("false", Some(JsonKind::Bool)),
        ("-1", Some(JsonKind::Number)),
        ("07", Some(JsonKind::Number)),
        ("\"\"", Some(JsonKind::String)),
        ("[]", Some(JsonKind::Array)),
        ("{}", Some(JsonKind::Object)),
        ("", None),
        (" 1", None),
        ("undefined", None),
    ] {
        assert_eq!(kind(text), expected, "{text}");
    }
}

#[test]
fn a_raw_value_keeps_its_spelling() {
    let text = "{ \"b\":1.0, \"a\" : 9007199254740993,\"a\":1e21 , \"\\u0041\":\"\\/\" }";
    let raw = RawJson::parse(&format!("\n {text}\t")).unwrap();
    assert_eq!(raw.as_str(), text);
}

/// A chunk of nesting: `open` this many times, a value, then `close` as often.
fn nested(open: &str, close: &str, depth: usize) -> String {
    [open.repeat(depth).as_str(), "1", &close.repeat(depth)].concat()
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[ ", " ]")] {
        assert_eq!(check(&nested(open, close, MAX_JSON_DEPTH)), Ok(()), "{open}");
        let error = Err(JsonError { kind: TooDeep, offset: open.len() * MAX_JSON_DEPTH });
        assert_eq!(check(&nested(open, close, MAX_JSON_DEPTH + 1)), error, "{open}");
        assert_eq!(check(&open.repeat(1_000_000)), error, "{open}");
    }
    // Containers side by side are not nested.
    assert_eq!(check(&format!("[{}[]]", "[[]],".repeat(100_000))), Ok(()));
    // Values that a reader gives out may be as deep as texts.
    let deepest = nested("[", "]", MAX_JSON_DEPTH);
    assert_eq!(members(&format!("{{\"a\":{deepest}}}")).unwrap()[0].1, deepest);
    assert_eq!(walk(&"[".repeat(1_000_000)).unwrap_err().kind, TooDeep);
    assert_eq!(walk(&"{\"\":".repeat(1_000_000)).unwrap_err().kind, TooDeep);
}

#[test]
fn long_texts_are_read() {
    let letters = "a".repeat(50_000_000);
    assert_eq!(check(&format!("\"{letters}\"")), Ok(()));
    let end = 1 + letters.len();
    let unended = format!("\"{letters}");
    assert_eq!(check(&unended), Err(JsonError { kind: UnexpectedEnd, offset: end }));
    let object = format!("{{\"{letters}\":1}}");
    assert_eq!(members(&object).unwrap()[0].1, "1");
    assert_eq!(check(&format!("1{}", "0".repeat(1_000_000))), Ok(()));
    let wide = format!("{{{}\"\":0}}", "\"key\":[],".repeat(200_000));
    assert_eq!(members(&wide).unwrap().len(), 200_001);
}

#[test]
fn every_cut_of_a_container_ends_too_early() {
    for text in ACCEPTED.iter().map(|text| text.trim()).filter(|text| text.starts_with(['{', '[']))
    {
        for at in (0..text.len()).filter(|&at| text.is_char_boundary(at)) {
            let error = Err(JsonError { kind: UnexpectedEnd, offset: at });
            assert_eq!(check(&text[..at]), error, "{}", &text[..at]);
            assert_eq!(walk(&text[..at]), error, "{}", &text[..at]);
        }
    }
}

/// JSON in random spellings, with space at random places.
fn json_text() -> impl Strategy<Value = String> {
    let space = "[ \n\r\t]{0,2}";
    let number = r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,3})?([eE][+-]?[0-9]{1,2})?";
    let string = || r#""([a-z €😀/]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}){0,6}""#;
    let word = prop_oneof![Just("null"), Just("true"), Just("false")].prop_map(String::from);
    let leaf = prop_oneof![word, number, string()];
    let value = leaf.prop_recursive(5, 40, 4, move |inner| {
        let element = (space, inner.clone(), space);
        let member = (space, string(), space, space, inner, space);
        prop_oneof![
            (vec(element, 0..4), space).prop_map(|(elements, end)| {
                let elements: Vec<_> =
                    elements.into_iter().map(|(a, value, b)| a + &value + &b).collect();
                if elements.is_empty() {
                    format!("[{end}]")
                } else {
                    format!("[{}]", elements.join(","))
                }
            }),
            (vec(member, 0..4), space).prop_map(|(members, end)| {
                let members: Vec<_> = members
                    .into_iter()
                    .map(|(a, key, b, c, value, d)| format!("{a}{key}{b}:{c}{value}{d}"))
                    .collect();
                if members.is_empty() {
                    format!("{{{end}}}")
                } else {
                    format!("{{{}}}", members.join(","))
                }
            }),
        ]
    });
    (space, value, space).prop_map(|(a, value, b)| a + &value + &b)
}

/// What serde_json thinks of a text. It refuses lone surrogates, which `JSON.parse` and this crate
/// accept, so it is shown other escapes in their place.
fn oracle(text: &str) -> Option<Value> {
    serde_json::from_str(&text.replace("\\ud", "\\u0").replace("\\uD", "\\u0")).ok()
}

fn insert(text: &str, at: usize, piece: &str, replaced: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    let at = at % (characters.len() + 1);
    let end = (at + replaced).min(characters.len());
    characters[..at]
        .iter()
        .copied()
        .chain(piece.chars())
        .chain(characters[end..].iter().copied())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn generated_json_is_accepted(text in json_text()) {
        prop_assert!(oracle(&text).is_some(), "the generator is wrong: {}", text);
        prop_assert_eq!(check(&text), Ok(()));
        prop_assert_eq!(walk(&text), Ok(()));
    }

    /// One edit makes most texts wrong, and leaves some right.
    #[test]
    fn edited_json_is_accepted_as_serde_json_does(
        text in json_text(),
        at in any::<usize>(),
        piece in prop_oneof![
            r#"[\[\]{},:"\\0-9eE.+\-u \n]"#.boxed(),
            "\\PC{0,1}".boxed(),
            "[\u{0}-\u{1f}]".boxed(),
        ],
        replaced in 0_usize..3,
    ) {
        let text = insert(&text, at, &piece, replaced);
        prop_assert_eq!(check(&text).is_ok(), oracle(&text).is_some(), "{}", text);
        prop_assert_eq!(walk(&text), check(&text), "{}", text);
    }

    #[test]
    fn token_soup_is_accepted_as_serde_json_does(
        tokens in vec(prop_oneof![
            Just("["), Just("]"), Just("{"), Just("}"), Just(","), Just(":"), Just("\"a\""),
            Just("\"a\":"), Just("0"), Just("-"), Just("1.5"), Just("e3"), Just("true"),
            Just("null"), Just(" "), Just("\""), Just("\\"), Just("\\u00e9"),
        ], 0..8),
    ) {
        let text = tokens.concat();
        prop_assert_eq!(check(&text).is_ok(), oracle(&text).is_some(), "{}", text);
        prop_assert_eq!(walk(&text), check(&text), "{}", text);
    }

    #[test]
    fn any_text_is_survived(text in "\\PC*", start in 0_usize..40) {
        prop_assert_eq!(check(&text).is_ok(), oracle(&text).is_some());
        if let Ok(end) = scan_value(&text, start) {
            prop_assert!(end <= text.len());
        }
    }

    #[test]
    fn a_value_ends_where_something_else_begins(
        before in "[a-z\" ]{0,5}",
        value in json_text(),
        after in "[,}\\]:a\"{]{1}.{0,3}",
    ) {
        let text = [before.as_str(), &value, &after].concat();
        let end = before.len() + value.trim_end().len();
        prop_assert_eq!(scan_value(&text, before.len()), Ok(end));
    }

    /// Wherever it stands and however it is spelled.
    #[test]
    fn a_forbidden_key_is_found(
        around in vec(prop_oneof![
            Just(("[", "]")), Just(("[1, ", "]")), Just(("{\"a\":", "}")),
            Just(("{\"b\":{}, \"a\" : ", ",\"c\":[]}")), Just(("{\"constructor\":", "}")),
        ], 0..6),
        escaped in vec(any::<bool>(), 9),
        of_constructor in any::<bool>(),
        earlier in prop_oneof![Just(""), Just("\"a\":[1],"), Just("\"constructor\":2,")],
    ) {
        let name = if of_constructor { "prototype" } else { "__proto__" };
        let key: String = name
            .chars()
            .zip(escaped)
            .map(|(c, escape)| if escape { format!("\\u{:04x}", c as u32) } else { c.into() })
            .collect();
        let mut text: String = around.iter().map(|(open, _)| *open).collect();
        text += if of_constructor { "{\"constructor\":{" } else { "{" };
        text += earlier;
        let offset = text.len();
        text += &format!("\"{key}\": 1}}");
        text += if of_constructor { "}" } else { "" };
        around.iter().rev().for_each(|(_, close)| text += close);
        let error = Err(JsonError { kind: ForbiddenKey, offset });
        prop_assert_eq!(check(&text), error);
        prop_assert_eq!(walk(&text), error);
    }

    #[test]
    fn readers_give_what_serde_json_holds(text in json_text()) {
        match oracle(&text).unwrap() {
            Value::Array(values) => {
                let read: Vec<_> =
                    elements(&text).unwrap().into_iter().map(|raw| oracle(raw).unwrap()).collect();
                prop_assert_eq!(read, values);
            }
            Value::Object(values) if !text.contains("\\ud") && !text.contains("\\uD") => {
                let read = members(&text).unwrap().into_iter();
                let read: serde_json::Map<_, _> =
                    read.map(|(key, raw)| (key, oracle(raw).unwrap())).collect();
                prop_assert_eq!(read, values);
            }
            _ => {}
        }
    }

    /// One edit makes most values others, and leaves some the same.
    #[test]
    fn edited_values_are_compared_as_serde_json_does(
        text in json_text(),
        at in any::<usize>(),
        piece in "[0-9a .]",
        replaced in 0_usize..2,
    ) {
        let edited = insert(&text, at, &piece, replaced);
        prop_assume!(without_surrogates(&text));
        if let (Some(left), Some(right)) = (oracle(&text), oracle(&edited)) {
            let (text, edited) = (text.trim(), edited.trim());
            prop_assert_eq!(same_value(text, edited), is_same(&left, &right), "{}", edited);
            prop_assert_eq!(same_value(edited, text), is_same(&left, &right), "{}", edited);
        }
    }

    #[test]
    fn another_spelling_is_the_same_and_another_value_is_not(text in json_text()) {
        prop_assume!(without_surrogates(&text));
        let text = text.trim();
        let respelled = respell(&oracle(text).unwrap());
        let array = format!("[{text}]");
        let longer = format!("[{respelled},{text}]");
        let object = format!("{{\"a\":{text}}}");
        let renamed = format!("{{\"b\":{respelled}}}");
        let doubled = format!("{{ \"a\":0,\"a\": {respelled} }}");
        prop_assert!(same_value(text, &respelled), "{}", respelled);
        prop_assert!(same_value(&respelled, text), "{}", respelled);
        prop_assert!(!same_value(text, &array));
        prop_assert!(!same_value(&array, &longer));
        prop_assert!(!same_value(&object, &renamed));
        prop_assert!(same_value(&object, &doubled));
    }
}

fn without_surrogates(text: &str) -> bool {
    !text.contains("\\ud") && !text.contains("\\uD")
}

fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, a)| right.get(key).is_some_and(|b| is_same(a, b)))
        }
        _ => left == right,
    }
}

/// Another spelling of a value: members in reverse order, every character escaped, numbers moved
/// by an exponent.
fn respell(value: &Value) -> String {
    let escaped = |text: &str| {
        let units: String = text.encode_utf16().map(|unit| format!("\\u{unit:04X}")).collect();
        format!("\"{units}\"")
    };
    match value {
        Value::String(text) => escaped(text),
        Value::Number(number) => {
            let text = number.to_string();
            match (text.contains(['e', 'E']), text.contains('.')) {
                (true, _) => text,
                (false, true) => format!("{text}00E+0"),
                (false, false) => format!("{text}.0e-0"),
            }
        }
        Value::Array(values) => {
            format!("[ {}]", values.iter().map(respell).collect::<Vec<_>>().join(" ,"))
        }
        Value::Object(members) => {
            let member =
                |(key, value): (&String, &Value)| format!("{} :{}", escaped(key), respell(value));
            format!("{{{} }}", members.iter().rev().map(member).collect::<Vec<_>>().join(","))
        }
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}
