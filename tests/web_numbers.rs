//! The numbers that cross between Rust and JavaScript are the same on both sides.
#![cfg(target_arch = "wasm32")]

use std::collections::{BTreeMap, BTreeSet};

use chatwire::chat::OTHER_FIELD;
use chatwire::message::FieldName;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

const CHANGES_RS: &str = include_str!("../src/chat/changes.rs");
const PARTIAL_RS: &str = include_str!("../src/json/partial.rs");
const OUTPUT_RS: &str = include_str!("../src/web/output.rs");
const TELL_RS: &str = include_str!("../src/web/tell.rs");
const VIEW_JS: &str = include_str!("../src/web/view.js");
const INPUT_CURSOR_JS: &str = include_str!("../src/web/input-cursor.js");
const DRIVER_JS: &str = include_str!("../src/web/driver.js");
const REQUESTS_JS: &str = include_str!("../src/web/requests.js");

type Numbers = BTreeMap<String, u32>;

/// What stands between the first `from` and the next `to` behind it.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let start = text.find(from).map_or(text.len(), |at| at + from.len());
    let rest = text.get(start..).unwrap_or_default();
    rest.get(..rest.find(to).unwrap_or(0)).unwrap_or_default()
}

/// `AppendText` as `APPEND_TEXT`.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !out.is_empty() {
            out.push('_');
        }
        out.push(letter.to_ascii_uppercase());
    }
    out
}

/// The lines `const NAME = NUMBER;` of a script.
fn script_constants(script: &str) -> Numbers {
    let constant = |line: &str| {
        let (name, number) = line.strip_prefix("const ")?.strip_suffix(';')?.split_once(" = ")?;
        Some((name.to_owned(), number.parse().ok()?))
    };
    script.lines().filter_map(constant).collect()
}

/// The lines `Name = NUMBER,` of an enum.
fn variants(source: &str, name: &str) -> Numbers {
    let variant = |line: &str| {
        let (name, number) = line.trim().strip_suffix(',')?.split_once(" = ")?;
        Some((screaming(name), number.parse().ok()?))
    };
    between(source, name, "\n}").lines().filter_map(variant).collect()
}

/// The arms `… Path::Name… => NUMBER,` of a function.
fn arms(source: &str, function: &str) -> Numbers {
    let arm = |line: &str| {
        let (pattern, number) = line.trim().strip_suffix(',')?.split_once(" => ")?;
        let name = pattern.rsplit("::").next()?;
        let name = name.split(|letter: char| !letter.is_alphanumeric()).next()?;
        Some((screaming(name), number.parse().ok()?))
    };
    between(source, function, "\n}").lines().filter_map(arm).collect()
}

/// The texts of a list in a script, by their place.
fn script_list(script: &str, name: &str) -> Vec<String> {
    between(script, name, "]")
        .split(',')
        .map(|item| item.trim().trim_matches('"').to_owned())
        .filter(|item| !item.is_empty())
        .collect()
}

#[wasm_bindgen_test]
fn change_operations() {
    let expected = variants(CHANGES_RS, "pub enum ChangeOp {");
    assert_eq!(expected.len(), 11, "{expected:?}");
    let mut script = script_constants(VIEW_JS);
    assert_eq!(script.remove("OTHER_FIELD"), None, "it is written in hexadecimal");
    assert_eq!(script, expected);
    assert!(VIEW_JS.contains(&format!("const OTHER_FIELD = {OTHER_FIELD:#x};")));
}

#[wasm_bindgen_test]
fn fields() {
    let script = script_list(VIEW_JS, "FIELD_NAMES = [");
    let expected: Vec<_> = FieldName::ALL.iter().map(|name| name.as_str()).collect();
    assert_eq!(script, expected);
    for (number, name) in FieldName::ALL.iter().enumerate() {
        assert_eq!(*name as usize, number, "{name:?}");
    }
}

#[wasm_bindgen_test]
fn operations_of_growing_inputs() {
    let constant = |line: &str| {
        let (name, number) = line.trim().strip_prefix("pub const ")?.split_once(": u32 = ")?;
        Some((name.to_owned(), number.strip_suffix(';')?.parse().ok()?))
    };
    let expected: Numbers =
        between(PARTIAL_RS, "pub mod op {", "\n}").lines().filter_map(constant).collect();
    assert_eq!(expected.len(), 12, "{expected:?}");
    assert_eq!(script_constants(INPUT_CURSOR_JS), expected);
    assert!(expected.values().all(|&code| code < 16), "a code has four bits");
}

#[wasm_bindgen_test]
fn outputs() {
    let expected = arms(OUTPUT_RS, "fn number(");
    assert!(expected.len() >= 12, "{expected:?}");
    let outputs = between(DRIVER_JS, "// The numbers of outputs", "const STATUSES");
    assert_eq!(script_constants(outputs), expected);
}

/// Each list of words in driver.js is indexed by the numbers of a function in output.rs.
#[wasm_bindgen_test]
fn words_by_number() {
    for (function, list) in [
        ("fn status_number(", "const STATUSES = /** @type {const} */ (["),
        ("fn outcome_number(", "const OUTCOMES = /** @type {const} */ (["),
        ("fn connection_number(", "const CONNECTIONS = /** @type {const} */ (["),
    ] {
        let words = script_list(DRIVER_JS, list);
        let numbers = arms(OUTPUT_RS, function);
        assert!(numbers.len() >= 4, "{function} {numbers:?}");
        assert_eq!(words.len(), numbers.len(), "{list} {words:?} {numbers:?}");
        for (name, number) in numbers {
            let word = words.get(number as usize).map(String::as_str);
            let expected = if name == "NONE" { "undefined" } else { &name.to_lowercase() };
            assert_eq!(word, Some(expected), "{function}");
        }
    }
}

/// What a paused queue adds to the status.
#[wasm_bindgen_test]
fn queue_pause() {
    let constants = script_constants(DRIVER_JS);
    let paused = constants.get("QUEUE_PAUSED").copied();
    assert!(
        OUTPUT_RS.contains(&format!("if chat.is_queue_paused() {{ {} }}", paused.unwrap_or(0)))
    );
    assert!(paused.is_some_and(|bit| bit > 3), "the bits of the status are taken");
}

#[wasm_bindgen_test]
fn failures_of_transports() {
    let constants = script_constants(between(REQUESTS_JS, "// Failures of a transport", "/**"));
    let failure = between(TELL_RS, "fn failure(", "\n}");
    for (name, arm) in [
        ("CONNECTION", "0 => TransportFailure::Connection"),
        ("ABORTED", "1 => TransportFailure::Aborted"),
        ("NO_BODY", "2 => TransportFailure::EmptyBody"),
        ("TIMED_OUT", "4 => TransportFailure::TimedOut"),
        ("OTHER", "_ => TransportFailure::Other"),
    ] {
        assert!(failure.contains(arm), "{arm}");
        let number = arm.split(' ').next().and_then(|number| number.parse().ok());
        assert_eq!(constants.get(name).copied(), Some(number.unwrap_or(3)), "{name}");
    }
}

/// The actions that a script tells.
fn told(script: &'static str) -> impl Iterator<Item = &'static str> {
    script
        .match_indices("do: \"")
        .map(|(at, start)| between(script.get(at..).unwrap_or_default(), start, "\""))
}

/// Actions that the scripts tell are those that tell.rs knows.
#[wasm_bindgen_test]
fn actions() {
    let told: BTreeSet<_> = told(DRIVER_JS).chain(told(REQUESTS_JS)).collect();
    let known: BTreeSet<_> = between(TELL_RS, "match members.action {", "_ =>")
        .lines()
        .filter_map(|line| line.trim().strip_prefix('"')?.split_once("\" =>"))
        .map(|(action, _)| action)
        .collect();
    assert!(told.len() >= 15, "{told:?}");
    assert_eq!(told, known);
}
