//! What a patch would do, for the person who approves it.
#![cfg(all(feature = "agent", not(target_arch = "wasm32")))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::agent::{AgentError, ReviewedPatch, review_patch};
use chatwire::json::{Operation, Patched, RawJson};
use proptest::prelude::*;
use serde_json::{Value, json};

const DOCUMENT: &str =
    r#"{"name":"Ada","skills":["Rust","C"],"n":1.0,"work":[{"at":"A"},{"at":"B"}],"a/b":{"~":1}}"#;

fn review(input: &str) -> ReviewedPatch {
    review_patch(DOCUMENT, input, None).unwrap()
}

fn texts(review: &ReviewedPatch) -> Vec<&str> {
    review.rows.iter().map(|row| row.text.as_str()).collect()
}

fn code(input: &str) -> &'static str {
    review_patch(DOCUMENT, input, None).unwrap_err().code()
}

/// Applies the inverse and gives the document again.
fn undone(review: &ReviewedPatch) -> Value {
    let mut patched = Patched::new(review.preview.clone());
    for operation in &review.inverse {
        patched.apply(operation).unwrap();
    }
    serde_json::from_str(&patched.tree().to_json()).unwrap()
}

#[test]
fn every_operation_has_its_row() {
    for (operation, text, changed) in [
        (r#"{"op":"add","path":"/born","value":1815}"#, "added /born: 1815", "/born"),
        (
            r#"{"op":"add","path":"/skills/-","value":"Go"}"#,
            r#"added /skills/2: "Go""#,
            "/skills/2",
        ),
        (
            r#"{"op":"add","path":"/skills/0","value":"Go"}"#,
            r#"added /skills/0: "Go""#,
            "/skills/0",
        ),
        (
            r#"{"op":"add","path":"/name","value":"Eve"}"#,
            r#"changed /name from "Ada" to "Eve""#,
            "/name",
        ),
        (
            r#"{"op":"replace","path":"/name","value":"Eve"}"#,
            r#"changed /name from "Ada" to "Eve""#,
            "/name",
        ),
        (r#"{"op":"replace","path":"/n","value":1}"#, "left /n as it is: 1", ""),
        (
            r#"{"op":"remove","path":"/skills/1"}"#,
            r#"removed /skills/1, which was "C""#,
            "/skills/1",
        ),
        (
            r#"{"op":"move","from":"/work/1","path":"/work/0"}"#,
            r#"moved /work/1 to /work/0: {"at":"B"}"#,
            "/work/1 /work/0",
        ),
        (
            r#"{"op":"move","from":"/n","path":"/name"}"#,
            r#"moved /n to /name: 1.0, in place of "Ada""#,
            "/n /name",
        ),
        (
            r#"{"op":"copy","from":"/name","path":"/alias"}"#,
            r#"copied /name to /alias: "Ada""#,
            "/alias",
        ),
        (r#"{"op":"test","path":"/n","value":1}"#, "checked that /n is 1.0", ""),
        (
            r#"{"op":"replace","path":"/a~1b/~0","value":2}"#,
            "changed /a~1b/~0 from 1 to 2",
            "/a~1b/~0",
        ),
        (r#"{"op":"replace","path":"","value":[]}"#, "", ""),
    ] {
        let reviewed = review(&format!("[{operation}]"));
        assert!(reviewed.complete && reviewed.rows[0].fault.is_none(), "{operation}");
        if !text.is_empty() {
            assert_eq!(texts(&reviewed), [text]);
            let paths: Vec<_> =
                reviewed.changed_paths.iter().map(|path| path.to_string_lossy()).collect();
            assert_eq!(paths.join(" "), changed, "{operation}");
        }
        assert_eq!(
            undone(&reviewed),
            serde_json::from_str::<Value>(DOCUMENT).unwrap(),
            "{operation}"
        );
    }
}

#[test]
fn what_is_not_touched_keeps_its_spelling() {
    let reviewed = review(r#"[{"op":"replace","path":"/work/1/at","value":1e21}]"#);
    assert_eq!(
        reviewed.preview.as_str(),
        r#"{"name":"Ada","skills":["Rust","C"],"n":1.0,"work":[{"at":"A"},{"at":1e21}],"a/b":{"~":1}}"#
    );
}

#[test]
fn the_patch_is_found_by_its_shape() {
    let operation = r#"{"op":"remove","path":"/n"}"#;
    for input in [
        format!("[{operation}]"),
        format!(r#"{{"operations":[{operation}]}}"#),
        format!(r#" {{ "why" : ["it is", "old"] , "patch" : [ {operation} ] , "id" : 7 }} "#),
    ] {
        let reviewed = review(&input);
        assert_eq!((reviewed.rows.len(), reviewed.complete), (1, true), "{input}");
    }
    for input in ["[]", r#"{"operations":[]}"#] {
        assert_eq!(review(input).rows.len(), 0);
    }
    for (input, expected) in [
        ("7", "invalid_patch"),
        (r#"{"operations":["x"]}"#, "invalid_patch"),
        ("[1,]", "invalid_patch"),
        ("nonsense", "invalid_patch"),
        (r#"[{"op":"remove","path":"/n"} 1"#, "invalid_patch"),
        (r#"[{"op":"add","path":"/n","value":{"__proto__":1}}]"#, "forbidden_key"),
        (&format!("[{}]", vec![operation; 2001].join(",")), "limit_exceeded"),
    ] {
        assert_eq!(code(input), expected, "{input:.60}");
    }
    let no_document = review_patch("{", "[]", None).unwrap_err();
    assert_eq!(no_document.code(), "invalid_document");
    assert!(matches!(no_document, AgentError::InvalidDocument(_)));
}

#[test]
fn a_fault_ends_what_is_applied() {
    for (operation, fault, words) in [
        (
            r#"{"op":"delete","path":"/n"}"#,
            "unknown_op",
            "cannot delete /n: this is no operation of a JSON Patch",
        ),
        (r#"{"op":"remove","path":"n"}"#, "invalid_path", "cannot remove n: this is no path"),
        (r#"{"op":"remove","path":"/a~2"}"#, "invalid_path", "cannot remove /a~2: this is no path"),
        (r#"{"op":"move","path":"/n"}"#, "invalid_path", "cannot move /n: this is no path"),
        (r#"{"op":"add","path":"/m"}"#, "missing_value", "cannot add /m: it has no value"),
        (
            r#"{"op":"replace","path":"/m","value":1}"#,
            "missing_path",
            "cannot replace /m: there is nothing",
        ),
        (
            r#"{"op":"remove","path":"/skills/2"}"#,
            "missing_path",
            "cannot remove /skills/2: there is nothing",
        ),
        (
            r#"{"op":"add","path":"/skills/9","value":1}"#,
            "invalid_index",
            "cannot add /skills/9: the array has no such place",
        ),
        (
            r#"{"op":"add","path":"/skills/01","value":1}"#,
            "invalid_index",
            "cannot add /skills/01: the array has no such place",
        ),
        (
            r#"{"op":"add","path":"/name/x","value":1}"#,
            "missing_path",
            "cannot add /name/x: there is nothing",
        ),
        (
            r#"{"op":"test","path":"/n","value":2}"#,
            "test_failed",
            "cannot test /n: the value is another one",
        ),
        (
            r#"{"op":"move","from":"/work","path":"/work/0"}"#,
            "into_itself",
            "cannot move /work/0: a value cannot be moved into itself",
        ),
        (
            r#"{"op":"remove","path":""}"#,
            "removes_root",
            "cannot remove the document: the document itself cannot be removed",
        ),
        (
            r#"{"op":"add","path":"/__proto__/x","value":1}"#,
            "forbidden_key",
            "cannot add /__proto__/x: the path has a key that is not allowed",
        ),
        (
            r#"{"op":"add","path":"/constructor/prototype","value":1}"#,
            "forbidden_key",
            "cannot add /constructor/prototype: the path has a key that is not allowed",
        ),
    ] {
        let first = r#"{"op":"add","path":"/first","value":1}"#;
        let last = r#"{"op":"add","path":"/last","value":1}"#;
        let reviewed = review(&format!("[{first},{operation},{last}]"));
        let faults: Vec<_> =
            reviewed.rows.iter().map(|row| row.fault.map_or("", |fault| fault.code())).collect();
        assert_eq!(faults, ["", fault, "not_reached"], "{operation}");
        assert_eq!(texts(&reviewed)[1], words);
        assert!(reviewed.preview.as_str().contains("first"));
        assert!(!reviewed.preview.as_str().contains("last"));
        assert_eq!(undone(&reviewed), serde_json::from_str::<Value>(DOCUMENT).unwrap());
    }
}

#[test]
fn a_document_that_copies_itself_is_bounded() {
    let copies: Vec<_> = (0..100)
        .map(|index| format!(r#"{{"op":"copy","from":"","path":"/copy{index}"}}"#))
        .collect();
    let reviewed = review(&format!("[{}]", copies.join(",")));
    let fault = reviewed.rows.iter().find_map(|row| row.fault).unwrap();
    assert_eq!(fault.code(), "limit_exceeded");
    assert!(reviewed.preview.as_str().len() < 64 << 20);
}

#[test]
fn what_cannot_be_seen_is_spelled_out() {
    let reviewed = review("[{\"op\":\"add\",\"path\":\"/x\u{202e}y\",\"value\":\"a\u{200b}b\"}]");
    assert_eq!(texts(&reviewed), [r#"added /x\u202ey: "a\u200bb""#]);
    let long = review(&format!(r#"[{{"op":"add","path":"/x","value":"{}"}}]"#, "é".repeat(100)));
    assert_eq!(texts(&long)[0].chars().count(), "added /x: ".len() + 81);
}

fn conflicts(document: &str, base: &str, input: &str) -> Vec<String> {
    let reviewed = review_patch(document, input, Some(base)).unwrap();
    reviewed
        .conflicts
        .iter()
        .map(|conflict| format!("{} {}", conflict.kind.as_str(), conflict.path.to_string_lossy()))
        .collect()
}

#[test]
fn what_others_changed_meanwhile_is_a_conflict_where_the_patch_touches_it() {
    let base = r#"{"name":"Ada","title":"Dr","list":[{"id":1,"t":"a"},{"id":2,"t":"b"}]}"#;
    let patch = |path: &str| format!(r#"[{{"op":"replace","path":"{path}","value":"new"}}]"#);
    let renamed = base.replace("Ada", "Eve");
    for (document, input, expected) in [
        (base, patch("/name"), vec![]),
        (&renamed, patch("/name"), vec!["changed /name"]),
        (&renamed, patch("/title"), vec![]),
        // what holds it, and what it holds
        (&renamed, patch(""), vec!["changed "]),
        (&base.replace(r#""t":"b""#, r#""t":"c""#), patch("/list/1"), vec!["changed /list/1"]),
        (&base.replace(r#""t":"b""#, r#""t":"c""#), patch("/list/1/id"), vec![]),
        (&base.replace(r#""t":"b""#, r#""t":"c""#), patch("/list/0/t"), vec![]),
        // indices that mean something else
        (&base.replace(r#"{"id":1,"t":"a"},"#, ""), patch("/list/0/t"), vec!["drift /list"]),
        (
            r#"{"name":"Ada","title":"Dr","list":[{"id":2,"t":"b"},{"id":1,"t":"a"}]}"#,
            patch("/list/0/t"),
            vec!["drift /list"],
        ),
        (
            &base.replace("]}", r#",{"id":3}]}"#),
            r#"[{"op":"add","path":"/list/-","value":1}]"#.to_owned(),
            vec!["drift /list"],
        ),
        (base, r#"[{"op":"add","path":"/list/-","value":1}]"#.to_owned(), vec![]),
        // a member that somebody else has added, or taken away
        (
            &base.replace("{\"name\"", "{\"new\":1,\"name\""),
            r#"[{"op":"add","path":"/new","value":2}]"#.to_owned(),
            vec!["changed /new"],
        ),
        (
            r#"{"name":"Ada","list":[]}"#,
            r#"[{"op":"move","from":"/title","path":"/name"}]"#.to_owned(),
            vec!["changed /title"],
        ),
        // operations that build on each other
        (
            base,
            r#"[{"op":"remove","path":"/list/0"},{"op":"replace","path":"/list/0/t","value":"x"}]"#
                .to_owned(),
            vec![],
        ),
    ] {
        assert_eq!(conflicts(document, base, &input), expected, "{document} {input}");
    }
    let one = review_patch(&renamed, &patch("/name"), Some(base)).unwrap();
    let conflict = &one.conflicts[0];
    assert_eq!(conflict.base.as_ref().unwrap().as_str(), "\"Ada\"");
    assert_eq!(conflict.current.as_ref().unwrap().as_str(), "\"Eve\"");
}

#[test]
fn a_growing_input_shows_what_is_complete() {
    let input = r#"{"operations":[{"op":"add","path":"/a","value":[1,{"b":"}]"}]},{"op":"remove","path":"/n"}],"why":"x"}"#;
    let whole = review(input);
    for cut in 0..input.len() {
        let reviewed = review(&input[..cut]);
        assert!(!reviewed.complete, "{cut}");
        let rows = reviewed.rows.len();
        assert_eq!(texts(&reviewed), texts(&whole)[..rows]);
        let ends = [input.find(",{\"op\":\"remove").unwrap(), input.find("],\"why").unwrap()];
        assert_eq!(rows, ends.iter().filter(|end| cut >= **end).count(), "{}", &input[..cut]);
    }
    assert_eq!((whole.rows.len(), whole.complete), (2, true));
}

fn any_document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        (0..3).prop_map(|n| json!(n)),
        prop::sample::select(&["a", "b"][..]).prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(
                prop::sample::select(&["a", "b", "c", "~/"][..]).prop_map(str::to_owned),
                inner,
                0..4,
            )
            .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn any_path() -> impl Strategy<Value = String> {
    let step = prop::sample::select(&["a", "b", "c", "~0~1", "0", "1", "2", "-"][..]);
    prop::collection::vec(step, 0..4)
        .prop_map(|steps| steps.iter().map(|step| format!("/{step}")).collect())
}

fn any_operation() -> impl Strategy<Value = Value> {
    let op = prop::sample::select(&["add", "add", "remove", "replace", "move", "copy", "test"][..]);
    (op, any_path(), any_path(), any_document()).prop_map(|(op, path, from, value)| match op {
        "remove" => json!({ "op": op, "path": path }),
        "move" | "copy" => json!({ "op": op, "path": path, "from": from }),
        _ => json!({ "op": op, "path": path, "value": value }),
    })
}

/// What the reference crate makes of it; it takes whole patches back, ours are applied one by one.
fn reference(document: &Value, operation: &Value) -> Option<Value> {
    let operations: json_patch::Patch = serde_json::from_value(json!([operation])).ok()?;
    let mut document = document.clone();
    json_patch::patch(&mut document, &operations).ok()?;
    Some(document)
}

/// Where the crate is not what RFC 6902 asks: it takes out the document itself, and moves a value
/// into itself.
fn is_exempt(operation: &Value) -> bool {
    let (path, from) = (operation["path"].as_str().unwrap(), operation["from"].as_str());
    let into_itself =
        from.is_some_and(|from| path.starts_with(&format!("{from}/")) || from == path);
    operation["op"] == "remove" && path.is_empty()
        || operation["op"] == "move" && (into_itself || from == Some("") || path.is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn operations_do_what_the_reference_does(document in any_document(), operation in any_operation()) {
        prop_assume!(!is_exempt(&operation));
        let mut patched = Patched::new(RawJson::parse(&document.to_string()).unwrap());
        let ours = Operation::parse(&operation.to_string())
            .and_then(|operation| patched.apply(&operation))
            .ok()
            .map(|_| serde_json::from_str::<Value>(&patched.tree().to_json()).unwrap());
        prop_assert_eq!(ours, reference(&document, &operation), "{} {}", document, operation);
    }

    #[test]
    fn the_inverse_gives_the_document_again(
        document in any_document(),
        operations in prop::collection::vec(any_operation(), 0..6),
    ) {
        let input = json!(operations).to_string();
        let reviewed = review_patch(&document.to_string(), &input, None).unwrap();
        prop_assert_eq!(undone(&reviewed), document);
        let own_base = review_patch(reviewed.preview.as_str(), &input, Some(reviewed.preview.as_str())).unwrap();
        prop_assert!(own_base.conflicts.is_empty(), "a document has no conflict with itself");
    }

    #[test]
    fn any_text_is_reviewed_or_refused(
        input in r#"([\[\]{}",:/-]|"op"|"add"|"path"|"/a"|"value"|1| ){0,20}"#,
        document in any_document(),
    ) {
        let _ = review_patch(&document.to_string(), &input, None);
    }
}
