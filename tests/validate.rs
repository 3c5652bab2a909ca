//! The check of messages against the AI SDK's `UIMessage`: every field of every part type and tool
//! state, every fault with its path, and what hostile text costs. That the AI SDK agrees is tested
//! beside it, in the package.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::json::ObjectReader;
use chatwire::limits::{MAX_ISSUES, MAX_JSON_DEPTH};
use chatwire::message::validate::{Issue, IssueCode, Report, validate_messages};
use proptest::prelude::*;
use serde_json::{Value, json};

/// Path and code of each fault, such as `[0].parts[1].text invalid_type`.
fn faults(messages: &Value) -> Vec<String> {
    listed(&validate_messages(&messages.to_string()))
}

fn listed(report: &Report) -> Vec<String> {
    report.issues.iter().map(|issue| format!("{} {}", path(issue), issue.code.as_str())).collect()
}

fn steps(issue: &Issue) -> Vec<Value> {
    serde_json::from_str(&issue.path).unwrap()
}

fn path(issue: &Issue) -> String {
    let step = |step: Value| match step {
        Value::String(key) => format!(".{key}"),
        index => format!("[{index}]"),
    };
    steps(issue).into_iter().map(step).collect()
}

/// The faults of a part, with paths from the part on.
fn faults_of_part(part: &Value) -> Vec<String> {
    let messages = json!([{ "id": "m", "role": "assistant", "parts": [part] }]);
    let prefix = "[0].parts[0]";
    faults(&messages).iter().map(|fault| fault.strip_prefix(prefix).unwrap().to_owned()).collect()
}

/// A part with every field that its type has: `field`, `(required)`.
const PARTS: &[(&str, &[(&str, bool)])] = &[
    (
        r#"{"type":"text","text":"a","state":"done","providerMetadata":{"p":{"a":1}},"citations":[
            {"source":{"type":"source","sourceType":"url","id":"1","url":"u","title":"t"},"startIndex":0},
            {"source":{"type":"source","sourceType":"document","id":"2","mediaType":"m","title":"t","filename":"f"},
             "endIndex":2,"citedText":"c"}]}"#,
        &[("text", true), ("state", false), ("providerMetadata", false), ("citations", false)],
    ),
    (
        r#"{"type":"reasoning","id":"r","text":"a","state":"streaming","providerMetadata":{}}"#,
        &[("id", false), ("text", true), ("state", false), ("providerMetadata", false)],
    ),
    (
        r#"{"type":"custom","kind":"a.b","providerMetadata":{}}"#,
        &[("kind", true), ("providerMetadata", false)],
    ),
    (
        r#"{"type":"source-url","sourceId":"s","url":"u","title":"t","providerMetadata":{}}"#,
        &[("sourceId", true), ("url", true), ("title", false), ("providerMetadata", false)],
    ),
    (
        r#"{"type":"source-document","sourceId":"s","mediaType":"m","title":"t","filename":"f","providerMetadata":{}}"#,
        &[
            ("sourceId", true),
            ("mediaType", true),
            ("title", true),
            ("filename", false),
            ("providerMetadata", false),
        ],
    ),
    (
        r#"{"type":"file","mediaType":"m","url":"u","filename":"f","providerReference":{"p":"1"},"providerMetadata":{}}"#,
        &[
            ("mediaType", true),
            ("url", true),
            ("filename", false),
            ("providerReference", false),
            ("providerMetadata", false),
        ],
    ),
    (
        r#"{"type":"reasoning-file","mediaType":"m","url":"u","providerMetadata":{}}"#,
        &[("mediaType", true), ("url", true), ("providerMetadata", false)],
    ),
    (
        r#"{"type":"steering-message","id":"s","parts":[{"type":"text","text":"a"},{"type":"file","mediaType":"m","url":"u"}]}"#,
        &[("id", true), ("parts", true)],
    ),
];

/// Each state with a tool call in it, the fields it asks for, and those that it forbids.
const STATES: &[(&str, &[&str], &[&str])] = &[
    (r#"{"state":"input-streaming"}"#, &[], &["output", "errorText", "approval"]),
    (r#"{"state":"input-available","input":1}"#, &["input"], &["output", "errorText", "approval"]),
    (
        r#"{"state":"approval-requested","input":1,"approval":{"id":"a"}}"#,
        &["input", "approval"],
        &["output", "errorText"],
    ),
    (
        r#"{"state":"approval-responded","input":1,"approval":{"id":"a","approved":false,"reason":"r"}}"#,
        &["input", "approval"],
        &["output", "errorText"],
    ),
    (
        r#"{"state":"output-available","input":1,"output":2,"approval":{"id":"a","approved":true}}"#,
        &["input", "output"],
        &["errorText"],
    ),
    (
        r#"{"state":"output-error","errorText":"e","approval":{"id":"a","approved":true}}"#,
        &["errorText"],
        &["output"],
    ),
    (
        r#"{"state":"output-denied","input":1,"approval":{"id":"a","approved":false}}"#,
        &["input", "approval"],
        &["output", "errorText"],
    ),
];

fn parse(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn with(part: &Value, field: &str, value: Value) -> Value {
    let mut part = part.clone();
    part[field] = value;
    part
}

fn without(part: &Value, field: &str) -> Value {
    let mut part = part.clone();
    part.as_object_mut().unwrap().remove(field);
    part
}

/// A static and a dynamic tool call in each state.
fn tool_calls() -> impl Iterator<Item = (Value, &'static [&'static str], &'static [&'static str])> {
    STATES.iter().flat_map(|(state, required, forbidden)| {
        let call = with(&parse(state), "toolCallId", json!("t"));
        let dynamic = with(&with(&call, "type", json!("dynamic-tool")), "toolName", json!("n"));
        [with(&call, "type", json!("tool-n")), dynamic].map(|call| (call, *required, *forbidden))
    })
}

#[test]
fn a_part_needs_its_required_fields_only_and_none_of_another_type() {
    for (text, fields) in PARTS {
        let part = parse(text);
        assert_eq!(faults_of_part(&part), [""; 0], "{text}");
        for (field, is_required) in *fields {
            let fault = format!(".{field} invalid_type");
            let expected = if *is_required { vec![fault.clone()] } else { vec![] };
            assert_eq!(faults_of_part(&without(&part, field)), expected, "{text} without {field}");
            // No field of these takes null or a boolean.
            for other in [Value::Null, json!(true)] {
                assert_eq!(faults_of_part(&with(&part, field, other)), [fault.as_str()]);
            }
        }
        let unknown = with(&with(&part, "new", json!({})), "preliminary", json!("x"));
        assert_eq!(faults_of_part(&unknown), [""; 0], "unknown fields are none of its business");
    }
}

#[test]
fn a_step_start_and_data_of_any_kind_are_parts() {
    assert_eq!(faults_of_part(&json!({ "type": "step-start", "x": 1 })), [""; 0]);
    for data in [json!(null), json!(0), json!([{}])] {
        assert_eq!(faults_of_part(&json!({ "type": "data-", "data": data })), [""; 0]);
    }
    assert_eq!(faults_of_part(&json!({ "type": "data-a" })), [".data invalid_type"]);
    let id = json!({ "type": "data-a", "data": 1, "id": 1 });
    assert_eq!(faults_of_part(&id), [".id invalid_type"]);
}

#[test]
fn the_state_of_a_tool_call_says_which_fields_it_has() {
    for (call, required, forbidden) in tool_calls() {
        assert_eq!(faults_of_part(&call), [""; 0], "{call}");
        for field in required {
            let expected = format!(".{field} invalid_type");
            assert_eq!(faults_of_part(&without(&call, field)), [expected], "{call}");
        }
        for field in forbidden {
            let expected = format!(".{field} unexpected_field");
            for value in [json!(null), json!("x"), json!({ "id": "a" })] {
                assert_eq!(
                    faults_of_part(&with(&call, field, value)),
                    [expected.as_str()],
                    "{call}"
                );
            }
        }
        for field in ["input", "output"] {
            if required.contains(&field) {
                assert_eq!(faults_of_part(&with(&call, field, Value::Null)), [""; 0], "{call}");
            }
        }
    }
}

#[test]
fn every_tool_call_has_an_id_and_may_say_more_of_itself() {
    for (call, ..) in tool_calls() {
        assert_eq!(faults_of_part(&without(&call, "toolCallId")), [".toolCallId invalid_type"]);
        for (field, right, wrong) in [
            ("title", json!("t"), json!(1)),
            ("providerExecuted", json!(false), json!("true")),
            ("toolMetadata", json!({ "a": [1] }), json!([])),
            ("callProviderMetadata", json!({ "p": { "a": null } }), json!("p")),
        ] {
            assert_eq!(faults_of_part(&with(&call, field, right)), [""; 0]);
            let expected = format!(".{field} invalid_type");
            for wrong in [wrong, Value::Null] {
                assert_eq!(faults_of_part(&with(&call, field, wrong)), [expected.as_str()]);
            }
        }
    }
}

#[test]
fn a_state_has_fields_that_others_do_not_look_at() {
    for (call, ..) in tool_calls() {
        let state = call["state"].as_str().unwrap();
        for (field, wrong, code, states) in [
            ("rawInput", json!(1), "invalid_type", &["input-streaming"][..]),
            ("inputEncoding", json!("xml"), "invalid_value", &["input-streaming"]),
            ("inputEncoding", json!(1), "invalid_type", &["input-streaming"]),
            ("preliminary", json!(1), "invalid_type", &["output-available"]),
            (
                "resultProviderMetadata",
                json!(1),
                "invalid_type",
                &["output-available", "output-error"],
            ),
        ] {
            let expected: &[String] =
                if states.contains(&state) { &[format!(".{field} {code}")] } else { &[] };
            assert_eq!(faults_of_part(&with(&call, field, wrong)), expected, "{call} {field}");
        }
    }
}

#[test]
fn a_dynamic_tool_call_has_a_name_and_is_dynamic_unless_it_says_false() {
    for (call, ..) in tool_calls().filter(|(call, ..)| call["type"] == "dynamic-tool") {
        assert_eq!(faults_of_part(&without(&call, "toolName")), [".toolName invalid_type"]);
        assert_eq!(faults_of_part(&with(&call, "dynamic", json!(false))), [""; 0]);
        for wrong in [json!(true), json!(null), json!("false")] {
            assert_eq!(faults_of_part(&with(&call, "dynamic", wrong)), [".dynamic invalid_value"]);
        }
    }
}

#[test]
fn an_approval_fits_the_state() {
    let faults_of = |state: &str, approval: Value| {
        let (call, ..) = tool_calls().find(|(call, ..)| call["state"] == state).unwrap();
        faults_of_part(&with(&call, "approval", approval))
    };
    let full = json!({ "id": "a", "descriptor": null, "requestReason": "r", "isAutomatic": true,
        "signature": "s", "inputSchemaInput": null, "new": 1 });
    assert_eq!(faults_of("approval-requested", full.clone()), [""; 0]);
    let answered = with(&full, "approved", json!(false));
    assert_eq!(
        faults_of("approval-requested", answered.clone()),
        [".approval.approved unexpected_field"]
    );
    assert_eq!(faults_of("approval-responded", answered.clone()), [""; 0]);
    assert_eq!(faults_of("output-denied", answered.clone()), [""; 0]);
    assert_eq!(
        faults_of("output-available", answered.clone()),
        [".approval.approved invalid_value"]
    );
    assert_eq!(faults_of("output-error", answered), [".approval.approved invalid_value"]);
    assert_eq!(
        faults_of("output-denied", with(&full, "approved", json!(true))),
        [".approval.approved invalid_value"]
    );
    assert_eq!(
        faults_of("output-error", json!({ "approved": "true", "reason": 1, "isAutomatic": 1 })),
        [
            ".approval.id invalid_type",
            ".approval.isAutomatic invalid_type",
            ".approval.approved invalid_value",
            ".approval.reason invalid_type"
        ]
    );
    assert_eq!(faults_of("output-available", Value::Null), [".approval invalid_type"]);
    assert_eq!(faults_of("approval-responded", json!("yes")), [".approval invalid_type"]);
}

#[test]
fn a_citation_refers_to_a_page_or_a_document() {
    let faults_of = |citation: Value| {
        faults_of_part(&json!({ "type": "text", "text": "", "citations": [citation] }))
    };
    let page = json!({ "type": "source", "sourceType": "url", "id": "1", "url": "u" });
    assert_eq!(faults_of(json!({ "source": page })), [""; 0]);
    assert_eq!(
        faults_of(
            json!({ "source": without(&page, "url"), "startIndex": -1, "endIndex": 0.5, "citedText": null })
        ),
        [
            ".citations[0].source.url invalid_type",
            ".citations[0].startIndex invalid_value",
            ".citations[0].endIndex invalid_value",
            ".citations[0].citedText invalid_type"
        ]
    );
    assert_eq!(
        faults_of(
            json!({ "source": with(&page, "sourceType", json!("document")), "startIndex": "0" })
        ),
        [
            ".citations[0].source.mediaType invalid_type",
            ".citations[0].source.title invalid_type",
            ".citations[0].startIndex invalid_type"
        ]
    );
    assert_eq!(
        faults_of(json!({ "source": with(&page, "sourceType", json!("book")) })),
        [".citations[0].source.sourceType invalid_value"]
    );
    assert_eq!(faults_of(json!({})), [".citations[0].source invalid_type"]);
    assert_eq!(faults_of(json!(1)), [".citations[0] invalid_type"]);
}

#[test]
fn a_steering_message_holds_texts_and_files() {
    let faults_of = |part: Value| {
        faults_of_part(&json!({ "type": "steering-message", "id": "s", "parts": [part] }))
    };
    // A text has no state there, so whatever is called so is none.
    assert_eq!(faults_of(json!({ "type": "text", "text": "a", "state": 1 })), [""; 0]);
    assert_eq!(faults_of(json!({ "type": "text" })), [".parts[0].text invalid_type"]);
    assert_eq!(
        faults_of(json!({ "type": "file", "url": "u", "providerReference": { "p": 1 } })),
        [".parts[0].mediaType invalid_type", ".parts[0].providerReference.p invalid_type"]
    );
    assert_eq!(
        faults_of(json!({ "type": "reasoning", "text": "" })),
        [".parts[0].type invalid_value"]
    );
    assert_eq!(
        faults_of_part(&json!({ "type": "steering-message", "id": "s", "parts": [] })),
        [""; 0]
    );
}

#[test]
fn messages_have_an_id_a_role_and_parts() {
    assert_eq!(faults(&json!([])), [" too_small"]);
    for other in [json!(null), json!({}), json!("x"), json!(1)] {
        assert_eq!(faults(&other), [" invalid_type"]);
    }
    assert_eq!(
        faults(&json!([null, 1, []])),
        ["[0] invalid_type", "[1] invalid_type", "[2] invalid_type"]
    );
    assert_eq!(
        faults(&json!([{}])),
        ["[0].id invalid_type", "[0].role invalid_type", "[0].parts invalid_type"]
    );
    assert_eq!(
        faults(&json!([{ "id": 1, "role": "tool", "parts": {} }])),
        ["[0].id invalid_type", "[0].role invalid_value", "[0].parts invalid_type"]
    );
    for (role, expected) in [
        ("assistant", &[][..]),
        ("user", &["[0].parts too_small"]),
        ("system", &["[0].parts too_small"]),
    ] {
        assert_eq!(faults(&json!([{ "id": "m", "role": role, "parts": [] }])), expected);
    }
    let metadata =
        json!([{ "id": "m", "role": "assistant", "metadata": null, "createdAt": 1, "parts": [] }]);
    assert_eq!(faults(&metadata), [""; 0]);
}

#[test]
fn a_part_has_a_type_that_is_known() {
    for part in [json!({}), json!({ "type": 1 })] {
        assert_eq!(faults_of_part(&part), [".type invalid_type"], "{part}");
    }
    for name in ["", "source", "Text", "tool", "data", "dynamic-tool-"] {
        assert_eq!(faults_of_part(&json!({ "type": name })), [".type invalid_value"], "{name}");
    }
    for part in [json!(null), json!("text"), json!([])] {
        assert_eq!(faults_of_part(&part), [" invalid_type"], "{part}");
    }
    // The begin of the type decides, as in the AI SDK: a part of its version 4 is a tool call.
    assert_eq!(
        faults_of_part(&json!({ "type": "tool-invocation", "toolInvocation": {} })),
        [".toolCallId invalid_type", ".state invalid_type"]
    );
}

#[test]
fn all_faults_are_found_in_the_order_of_the_parts() {
    let report = validate_messages(
        r#"[{"id":"a","role":"user","parts":[{"type":"text"},{"type":"file","url":"u","providerMetadata":{"a":1,"b\u0041":[]}}]},
            {"id":"b","role":"assistant","parts":[{"type":"tool-x","toolCallId":"t","state":"output-error","output":1}]}]"#,
    );
    assert_eq!(
        listed(&report),
        [
            "[0].parts[0].text invalid_type",
            "[0].parts[1].mediaType invalid_type",
            "[0].parts[1].providerMetadata.a invalid_type",
            "[0].parts[1].providerMetadata.bA invalid_type",
            "[1].parts[0].output unexpected_field",
            "[1].parts[0].errorText invalid_type"
        ]
    );
    assert_eq!(report.total, 6);
    assert!(!report.is_valid());
    assert_eq!(report.issues[0].expected, "string");
    assert_eq!(report.issues[4].expected, "never");
}

/// A member of an object, as it is spelled: serde_json takes no lone surrogates.
fn member<'a>(object: &'a str, name: &str) -> &'a str {
    let mut reader = ObjectReader::new(object).unwrap();
    loop {
        let (key, value) = reader.next().unwrap().unwrap();
        if key.eq_str(name) {
            return value;
        }
    }
}

#[test]
fn what_a_stream_makes_is_valid() {
    let mut checked = 0;
    for entry in std::fs::read_dir("tests/fixtures/streams").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let fixture = std::fs::read_to_string(&path).unwrap();
        let messages = member(member(&fixture, "expected"), "messages");
        // The fixtures' user says nothing.
        let mut faults = listed(&validate_messages(messages));
        faults.retain(|fault| !fault.ends_with(".parts too_small"));
        assert_eq!(faults, [""; 0], "{}", path.display());
        checked += usize::from(messages.contains("assistant"));
    }
    assert!(checked > 40, "only {checked} fixtures");
}

#[test]
fn of_equal_keys_the_last_one_counts_and_escapes_are_read() {
    let report = |part: &str| {
        listed(&validate_messages(&format!(r#"[{{"id":"m","role":"user","parts":[{part}]}}]"#)))
    };
    assert_eq!(report(r#"{"type":"text","text":1,"te\u0078t":"a"}"#), [""; 0]);
    assert_eq!(
        report(r#"{"type":"text","text":"a","text":1}"#),
        ["[0].parts[0].text invalid_type"]
    );
    assert_eq!(report(r#"{"type":"t\u0065xt","text":"\ud800"}"#), [""; 0]);
}

#[test]
fn what_is_no_json_is_a_fault_where_it_stands() {
    let report = |text: &str| listed(&validate_messages(text));
    assert_eq!(report(""), [" invalid_json"]);
    assert_eq!(report("nope"), [" invalid_json"]);
    assert_eq!(report("[1"), ["[0] invalid_type", "[1] invalid_json"]);
    let message = r#"{"id":"m","role":"assistant","parts":[]}"#;
    assert_eq!(report(&format!("[{message},{{\"id\":}}]")), ["[1] invalid_json"]);
    assert_eq!(report(&format!("[{message}] x")), ["[1] invalid_json"]);
    assert_eq!(report(&format!(" [ {message} ] ")), [""; 0]);
    for key in ["__proto__", r"__pr\u006fto__"] {
        assert_eq!(report(&format!(r#"[{message},{{"a":{{"{key}":1}}}}]"#)), ["[1] forbidden_key"]);
    }
    assert_eq!(report(r#"[{"constructor":{"prototype":1}}]"#), ["[0] forbidden_key"]);
    let deep = |levels: usize| {
        format!(
            r#"[{{"id":"m","role":"assistant","parts":[{{"type":"data-a","data":{}{}}}]}}]"#,
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    // The message, its parts and the part are three levels.
    assert_eq!(report(&deep(MAX_JSON_DEPTH - 3)), [""; 0]);
    assert_eq!(report(&deep(MAX_JSON_DEPTH - 2)), ["[0] limit_exceeded"]);
    assert_eq!(report(&"[".repeat(1_000_000)), ["[0] limit_exceeded"]);
}

#[test]
fn faults_are_listed_up_to_a_bound_and_all_counted() {
    let parts = vec![json!({ "type": "text" }); 50_000];
    let report = validate_messages(
        &json!([{ "id": "m", "role": "user", "parts": parts }, { "id": 1, "role": "user", "parts": 1 }])
            .to_string(),
    );
    assert_eq!(report.issues.len(), MAX_ISSUES);
    assert_eq!(report.total, 50_002);
    assert_eq!(report.issues.last().unwrap().path, r#"[0,"parts",99,"text"]"#);
}

#[test]
fn every_code_is_spelled_as_programs_know_it() {
    use IssueCode::{
        ForbiddenKey, InvalidJson, InvalidType, InvalidValue, LimitExceeded, TooSmall,
        UnexpectedField,
    };
    let codes = [
        (InvalidType, "invalid_type"),
        (InvalidValue, "invalid_value"),
        (TooSmall, "too_small"),
        (UnexpectedField, "unexpected_field"),
        (InvalidJson, "invalid_json"),
        (ForbiddenKey, "forbidden_key"),
        (LimitExceeded, "limit_exceeded"),
    ];
    for (code, name) in codes {
        assert_eq!(code.as_str(), name);
    }
}

/// Values made of the words that messages are made of, so that many are nearly right.
fn nearly_message() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "text",
        "user",
        "assistant",
        "tool-a",
        "dynamic-tool",
        "data-a",
        "file",
        "output-error",
        "output-denied",
        "input-streaming",
        "done",
        "",
        "steering-message",
    ]);
    let key = prop::sample::select(vec![
        "id",
        "role",
        "parts",
        "type",
        "text",
        "state",
        "approval",
        "approved",
        "citations",
        "source",
        "providerMetadata",
        "toolCallId",
        "input",
        "output",
        "data",
        "url",
        "mediaType",
        "errorText",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        word.prop_map(Value::from)
    ];
    leaf.prop_recursive(6, 60, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(key.clone(), inner, 0..10).prop_map(|members| {
                members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            })
        ]
    })
}

proptest! {
    /// A fault's path leads to a value, or to the member that is missing.
    #[test]
    fn every_path_leads_somewhere(messages in nearly_message()) {
        let report = validate_messages(&messages.to_string());
        prop_assert!(report.issues.len() <= report.total);
        for issue in &report.issues {
            let mut at = Some(&messages);
            let steps = steps(issue);
            for (index, step) in steps.iter().enumerate() {
                let value = at.unwrap();
                at = match step {
                    Value::String(key) => value.get(key),
                    step => value.get(usize::try_from(step.as_u64().unwrap()).unwrap()),
                };
                prop_assert!(at.is_some() || index == steps.len() - 1, "{issue:?}");
            }
            let is_missing = at.is_none();
            let may_be_missing = matches!(issue.code, IssueCode::InvalidType | IssueCode::InvalidValue);
            prop_assert!(!is_missing || may_be_missing, "{issue:?}");
        }
    }

    /// Text of any kind is answered.
    #[test]
    fn no_text_is_too_wild(text in "[\\[{\"a,:\\]}\\\\0-9 ]{0,40}|\\PC{0,40}") {
        prop_assert!(!validate_messages(&text).is_valid());
    }
}
