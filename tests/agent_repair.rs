//! Inputs of tools as models write them.
#![cfg(all(feature = "agent", not(target_arch = "wasm32")))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::agent::{GiveUp, Repair, RepairOptions, Repaired, repair_tool_input};
use proptest::prelude::*;
use serde_json::{Value, json};

fn repair(text: &str, options: &RepairOptions) -> Result<Repaired, GiveUp> {
    repair_tool_input(text, options, &mut |_| Ok(()))
}

/// The repaired text and the codes of the repairs, or the code of the reason.
fn outcome(result: Result<Repaired, GiveUp>) -> Result<(String, String), &'static str> {
    let repaired = result.map_err(|reason| reason.code())?;
    let codes: Vec<_> = repaired.repairs.iter().map(|repair| repair.code()).collect();
    Ok((repaired.text, codes.join(" ")))
}

#[test]
fn json_is_repaired() {
    for (input, text, repairs) in [
        (r#"{"a": 1.0, "b": 1e21}"#, r#"{"a": 1.0, "b": 1e21}"#, ""),
        ("```json\n{\"a\":1}\n```", r#"{"a":1}"#, "prose"),
        ("Here it is: {\"a\":1} as asked.", r#"{"a":1}"#, "prose"),
        (r#"{"a":1}}"#, r#"{"a":1}"#, "prose"),
        ("{'a': 'it\\'s \"b\"'}", r#"{"a":"it's \"b\""}"#, "quotes escape"),
        ("{a: 1, $b-c: 2}", r#"{"a":1,"$b-c":2}"#, "quotes"),
        (r#"{"a":[1,2,],}"#, r#"{"a":[1,2]}"#, "comma"),
        ("{\"a\":1 \"b\":[1\n2 ] }", r#"{"a":1,"b":[1,2]}"#, "comma"),
        (r#"[{"a":1} {"b":2}]"#, r#"[{"a":1},{"b":2}]"#, "comma"),
        ("{\"a\": 1, // one\n \"b\": /* two */ 2}", r#"{"a":1,"b":2}"#, "comment"),
        ("[True, False, None, true]", "[true,false,null,true]", "literal"),
        ("[\"a\nb\tc\"]", r#"["a\nb\tc"]"#, "escape"),
        (r#"["\d+\.", "\u0041"]"#, r#"["\\d+\\.","\u0041"]"#, "escape"),
        (r#"{"a":[{"b":"c"}"#, r#"{"a":[{"b":"c"}]}"#, "closed"),
        (r#"{"a":[1,2}"#, r#"{"a":[1,2]}"#, "closed"),
        (
            "{'a': 9007199254740993, 'b': -0.0, \"b\": 1.50}",
            r#"{"a":9007199254740993,"b":-0.0,"b":1.50}"#,
            "quotes",
        ),
    ] {
        let repaired = outcome(repair(input, &RepairOptions::default()));
        assert_eq!(repaired, Ok((text.into(), repairs.into())), "{input}");
        assert_eq!(repair(text, &RepairOptions::default()).unwrap().text, text);
    }
}

#[test]
fn what_may_mean_several_things_is_given_up() {
    let deep = "[".repeat(600);
    for (input, code) in [
        ("", "truncated"),
        ("{", "truncated"),
        (r#"{"a"#, "truncated"),
        (r#"{"a":"#, "truncated"),
        (r#"{"a":"b"#, "truncated"),
        (r#"{"a":12"#, "truncated"),
        (r#"{"a":tr"#, "truncated"),
        (r#"{"a":1,"#, "truncated"),
        (r#"{"a":1 /* "#, "truncated"),
        (r#"["a\"#, "truncated"),
        ("no JSON at all ", "invalid_json"),
        (r#"{"a":1}{"b":2}"#, "invalid_json"),
        (r#"{"a":01}"#, "invalid_json"),
        (r#"{"a":NaN}"#, "invalid_json"),
        (r#"{"a";1}"#, "invalid_json"),
        (r#"["he said "1" twice"]"#, "invalid_json"),
        (r#"["\u00"]"#, "invalid_json"),
        ("[,]", "invalid_json"),
        (r#"{'__proto__': {}}"#, "forbidden_key"),
        (r#"{"__proto__": {}}"#, "forbidden_key"),
        (&deep, "limit_exceeded"),
    ] {
        assert_eq!(outcome(repair(input, &RepairOptions::default())), Err(code), "{input}");
    }
}

fn patch_options() -> RepairOptions {
    let shortcuts = [
        ("/work", "/sections/work/items"),
        ("/work/first", "/sections/work/items/0"),
        ("/name", "/name/full"),
    ];
    RepairOptions {
        path_prefixes: vec!["/data".into(), "/data/document".into()],
        shortcuts: shortcuts.map(|(short, full)| (short.into(), full.into())).into(),
    }
}

#[test]
fn paths_are_repaired() {
    for (path, repaired, repairs) in [
        ("/basics/name", "/basics/name", ""),
        ("/data/basics", "/basics", "path_prefix"),
        ("/data/document/basics", "/basics", "path_prefix"),
        ("/data", "", "path_prefix"),
        ("/database", "/database", ""),
        ("basics/name", "/basics/name", "path_prefix"),
        ("data/basics", "/basics", "path_prefix"),
        ("/work/0/title", "/sections/work/items/0/title", "path_shortcut"),
        ("/work/first/title", "/sections/work/items/0/title", "path_shortcut"),
        ("/data/work/-", "/sections/work/items/-", "path_prefix path_shortcut"),
        ("/name", "/name/full", "path_shortcut"),
        ("/name/full", "/name/full", ""),
        ("/a~1b/\"q\"", "/a~1b/\"q\"", ""),
        ("", "", ""),
    ] {
        let operation = |path: &str| json!({ "op": "move", "from": path, "path": path, "value": { "path": "/data/x" } });
        for wrap in [
            |operation: Value| operation,
            |operation: Value| json!([operation]),
            |operation: Value| json!({ "patch": [{ "op": "test", "path": "/a" }, operation], "path": "/data" }),
        ] {
            let result = outcome(repair(&wrap(operation(path)).to_string(), &patch_options()));
            assert_eq!(result, Ok((wrap(operation(repaired)).to_string(), repairs.into())));
        }
    }
}

#[test]
fn only_patches_that_the_app_knows_of_are_touched() {
    let input = r#"{"op":"remove", "path":"data/notes.txt"}"#;
    assert_eq!(repair(input, &RepairOptions::default()).unwrap().text, input);
    let input = r#"{ "path" : "/data/x", "list": [{"path":"/data/y"}, 1.0] }"#;
    assert_eq!(repair(input, &patch_options()).unwrap().text, input);
    // Spelling and space around the paths stay.
    let input = r#"[ {"op":"add", "path" : "\u002fdata/a", "value":1.0e2} ]"#;
    let output = r#"[ {"op":"add", "path" : "/a", "value":1.0e2} ]"#;
    assert_eq!(repair(input, &patch_options()).unwrap().text, output);
}

#[test]
fn the_validator_decides() {
    let validate = |text: &str| {
        let value: Value = serde_json::from_str(text).unwrap();
        if value["a"].is_number() { Ok(()) } else { Err(format!("no number in {text}")) }
    };
    let validated =
        |text: &str| repair_tool_input(text, &RepairOptions::default(), &mut { validate });
    assert!(validated("{a:1}").is_ok());
    let words = r#"no number in {"a":"x"}"#.to_owned();
    assert_eq!(validated("{a:'x'}"), Err(GiveUp::Invalid(words)));
    let wrapped = validated(r#""{\"a\":1,}""#).unwrap();
    assert_eq!(
        (wrapped.text.as_str(), wrapped.repairs.contains(&Repair::Unwrapped)),
        (r#"{"a":1}"#, true)
    );
    // A string that is welcome stays one.
    let string = r#""{\"a\":1}""#;
    assert_eq!(repair(string, &RepairOptions::default()).unwrap().text, string);
    assert_eq!(validated(r#""{\"a\":""#).unwrap_err().code(), "invalid_value");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,3}", inner), 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn valid_json_is_left_alone_and_a_cut_never_changes_a_value(value in any_json(), cut in any::<prop::sample::Index>()) {
        let text = value.to_string();
        prop_assert_eq!(outcome(repair(&text, &patch_options())), Ok((text.clone(), String::new())));
        let pretty = serde_json::to_string_pretty(&[&value]).unwrap();
        let commented = format!("Sure:\n```\n{}\n```", json!([value]));
        let read: Value = serde_json::from_str(&repair(&commented, &RepairOptions::default()).unwrap().text).unwrap();
        prop_assert_eq!(&read[0], &value);
        let ends: Vec<_> = pretty.char_indices().map(|(at, _)| at).collect();
        if let Ok(repaired) = repair(&pretty[..ends[cut.index(ends.len())]], &RepairOptions::default()) {
            let read: Value = serde_json::from_str(&repaired.text).unwrap();
            prop_assert!(is_beginning(&read, &json!([value])), "{} of {}", read, value);
        }
    }

    #[test]
    fn any_text_gives_json_or_a_reason(text in r#"([{}\[\]"':,/*\\a1 \n-]|true|None|\u00e9){0,30}"#) {
        match repair(&text, &patch_options()) {
            Ok(repaired) => {
                prop_assert!(serde_json::from_str::<Value>(&repaired.text).is_ok(), "{}", repaired.text);
            }
            Err(reason) => prop_assert!(["invalid_json", "truncated"].contains(&reason.code())),
        }
    }
}

/// Whether all that `cut` has is in `whole`, and lacks only what came last.
fn is_beginning(cut: &Value, whole: &Value) -> bool {
    match (cut, whole) {
        (Value::Array(cut), Value::Array(whole)) => {
            cut.len() <= whole.len()
                && cut.iter().zip(whole).all(|(cut, whole)| is_beginning(cut, whole))
        }
        (Value::Object(cut), Value::Object(whole)) => cut
            .iter()
            .all(|(key, value)| whole.get(key).is_some_and(|whole| is_beginning(value, whole))),
        _ => cut == whole,
    }
}
