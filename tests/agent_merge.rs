//! A client's answers, merged into the stored message.
#![cfg(all(feature = "agent", not(target_arch = "wasm32")))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::agent::{MergeOptions, Merged, RejectReason, merge_client_tool_responses};
use chatwire::json::Text;
use chatwire::message::Message;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn message(parts: &[Value]) -> Message {
    let text = json!({ "id": "m", "role": "assistant", "parts": parts }).to_string();
    Message::parse(0, &text).unwrap()
}

fn merge(stored: &[Value], incoming: &[Value], client_tools: Option<&[&str]>) -> Merged {
    let client_tools = client_tools.map(|names| names.iter().map(ToString::to_string).collect());
    merge_client_tool_responses(message(stored), &message(incoming), &MergeOptions { client_tools })
}

fn parts(merged: &Merged) -> Vec<Value> {
    let message: Value = serde_json::from_str(&merged.message.to_json()).unwrap();
    message["parts"].as_array().unwrap().clone()
}

fn names(ids: &[Text]) -> Vec<String> {
    ids.iter().map(Text::to_string_lossy).collect()
}

/// What became of the only answer: `merged`, `already`, `nothing` or the code of the reason.
fn verdict(merged: &Merged) -> &'static str {
    let lists = (merged.merged.len(), merged.already_resolved.len(), merged.rejected.as_slice());
    match lists {
        (1, 0, []) => "merged",
        (0, 1, []) => "already",
        (0, 0, []) => "nothing",
        (0, 0, [rejection]) => rejection.reason.code(),
        other => panic!("{other:?}"),
    }
}

/// A call of the tool `ask` with the id `c`.
fn call(state: &str, more: Value) -> Value {
    let mut call =
        json!({ "type": "tool-ask", "toolCallId": "c", "state": state, "input": { "q": 1 } });
    for (key, value) in more.as_object().unwrap() {
        call[key] = value.clone();
    }
    call
}

fn asked() -> Value {
    call("approval-requested", json!({ "approval": { "id": "a", "signature": "s" } }))
}

fn answered(state: &str, approved: bool) -> Value {
    call(state, json!({ "approval": { "id": "a", "signature": "s", "approved": approved } }))
}

#[test]
fn every_state_meets_every_answer() {
    let ready = call("input-available", json!({}));
    let output = call("output-available", json!({ "output": 7 }));
    let approved = answered("approval-responded", true);
    let denied = answered("approval-responded", false);
    let mut approved_output = answered("output-available", true);
    approved_output["output"] = json!(7);
    let server: &[&str] = &["other"];
    let client: &[&str] = &["ask"];
    for (stored, incoming, client_tools, expected) in [
        // outputs
        (&ready, &output, None, "merged"),
        (&ready, &output, Some(client), "merged"),
        (&ready, &output, Some(server), "not_a_client_tool"),
        (&ready, &call("output-error", json!({ "errorText": "no" })), None, "merged"),
        (&ready, &call("output-error", json!({ "errorText": 1 })), None, "invalid_answer"),
        (&ready, &call("output-available", json!({})), None, "merged"),
        (
            &ready,
            &call("output-available", json!({ "output": 7, "preliminary": true })),
            None,
            "nothing",
        ),
        (&output, &output, None, "already"),
        (&output, &call("output-available", json!({ "output": 7.0 })), None, "already"),
        (&output, &output, Some(server), "nothing"),
        (&output, &call("output-available", json!({ "output": 8 })), None, "conflicting_answer"),
        (&output, &call("output-error", json!({ "errorText": "no" })), None, "conflicting_answer"),
        (
            &output,
            &call("output-available", json!({ "output": 8 })),
            Some(server),
            "not_a_client_tool",
        ),
        (&call("input-streaming", json!({})), &output, None, "not_ready"),
        (
            &call("output-available", json!({ "output": 1, "preliminary": true })),
            &output,
            None,
            "not_ready",
        ),
        (
            &call("input-available", json!({ "providerExecuted": true })),
            &output,
            None,
            "not_a_client_tool",
        ),
        // approvals
        (&asked(), &approved, None, "merged"),
        (&asked(), &denied, None, "merged"),
        (&asked(), &answered("output-denied", false), None, "merged"),
        (&asked(), &answered("output-denied", true), None, "invalid_answer"),
        (&asked(), &asked(), None, "nothing"),
        (
            &asked(),
            &call("approval-responded", json!({ "approval": { "id": "a" } })),
            None,
            "invalid_answer",
        ),
        (
            &asked(),
            &call("approval-responded", json!({ "approval": { "id": "a", "approved": "true" } })),
            None,
            "invalid_answer",
        ),
        (
            &asked(),
            &call(
                "approval-responded",
                json!({ "approval": { "id": "a", "approved": true, "reason": 1 } }),
            ),
            None,
            "invalid_answer",
        ),
        (
            &asked(),
            &call("approval-responded", json!({ "approval": { "id": "b", "approved": true } })),
            None,
            "unknown_approval",
        ),
        (&ready, &approved, None, "unknown_approval"),
        (&approved, &approved, None, "already"),
        (&denied, &approved, None, "conflicting_answer"),
        (&approved, &denied, None, "conflicting_answer"),
        (&approved_output, &approved, None, "already"),
        (&approved_output, &denied, None, "conflicting_answer"),
        (&answered("output-denied", false), &denied, None, "already"),
        // an approval and an output at once
        (&asked(), &output, None, "awaits_approval"),
        (&asked(), &approved_output, None, "not_a_client_tool"),
        (&asked(), &approved_output, Some(client), "merged"),
        (&approved, &approved_output, None, "not_a_client_tool"),
        (&approved, &approved_output, Some(client), "merged"),
        (&denied, &output, Some(client), "conflicting_answer"),
    ] {
        let merged =
            merge(std::slice::from_ref(stored), std::slice::from_ref(incoming), client_tools);
        assert_eq!(verdict(&merged), expected, "{stored} {incoming} {client_tools:?}");
        if expected != "merged" {
            assert_eq!(parts(&merged), std::slice::from_ref(stored));
        }
    }
}

#[test]
fn an_altered_request_is_refused() {
    let mut stored = asked();
    stored["approval"]["inputSchemaInput"] = json!({ "q": "1" });
    let mut honest = stored.clone();
    honest["state"] = json!("approval-responded");
    honest["approval"]["approved"] = json!(true);
    let altered = |change: &dyn Fn(&mut Value)| {
        let mut answer = honest.clone();
        change(&mut answer);
        verdict(&merge(std::slice::from_ref(&stored), &[answer], None))
    };
    assert_eq!(altered(&|_| {}), "merged");
    assert_eq!(altered(&|answer| answer["toolCallId"] = json!("d")), "unknown_tool_call");
    for change in [
        &|answer: &mut Value| answer["input"] = json!({ "q": 2 }),
        &|answer: &mut Value| answer["type"] = json!("tool-pay"),
        &|answer: &mut Value| answer["approval"]["signature"] = json!("t"),
        &|answer: &mut Value| answer["approval"]["inputSchemaInput"] = json!({ "q": 1 }),
        &|answer: &mut Value| answer["approval"]["isAutomatic"] = json!(true),
    ] as [&dyn Fn(&mut Value); 5]
    {
        assert_eq!(altered(change), "request_altered");
    }
}

#[test]
fn the_stored_request_stays_byte_for_byte() {
    let request = concat!(
        r#"{"type":"tool-pay", "toolCallId":"c","state":"approval-requested","#,
        r#""input":{"b":1.0, "a":9007199254740993,"\u0041":1e21},"x-own":[ 1 ],"#,
        r#""approval":{"id":"a" ,"signature":"s","descriptor":{"z":1,"a":-0.0}}}"#,
    );
    let stored = format!(r#"{{"id":"m","role":"assistant","parts":[{request}]}}"#);
    let incoming = json!({ "id": "other", "role": "assistant", "metadata": { "forged": true }, "parts": [
        { "type": "text", "text": "forged" },
        { "type": "tool-pay", "toolCallId": "c", "state": "approval-responded", "title": "forged",
          "approval": { "id": "a", "approved": true, "reason": "fine" } }
    ] });
    let merged = merge_client_tool_responses(
        Message::parse(0, &stored).unwrap(),
        &Message::parse(0, &incoming.to_string()).unwrap(),
        &MergeOptions::default(),
    );
    assert_eq!(names(&merged.merged), ["c"]);
    let expected = stored
        .replace(r#""tool-pay", "#, r#""tool-pay","#)
        .replace(r#""approval-requested""#, r#""approval-responded""#)
        .replace(r#"{"id":"a" ,"#, r#"{"id":"a","#)
        .replace(r#""a":-0.0}}"#, r#""a":-0.0},"approved":true,"reason":"fine"}"#);
    assert_eq!(merged.message.to_json(), expected);
}

#[test]
fn several_answers_in_one_pass() {
    let with_id = |mut part: Value, id: &str| {
        part["toolCallId"] = json!(id);
        if part["approval"].is_object() {
            part["approval"]["id"] = json!(format!("approval-{id}"));
        }
        part
    };
    let ready = call("input-available", json!({}));
    let output = call("output-available", json!({ "output": "yes" }));
    let step = json!({ "type": "step-start" });
    let stored = [
        with_id(output.clone(), "earlier"),
        step.clone(),
        with_id(ready.clone(), "question"),
        with_id(asked(), "approved"),
        with_id(asked(), "denied"),
        with_id(asked(), "forged"),
        with_id(output.clone(), "repeated"),
        with_id(ready, "unanswered"),
    ];
    let mut forged = with_id(answered("approval-responded", true), "forged");
    forged["input"] = json!({ "q": 2 });
    let incoming = [
        with_id(output.clone(), "earlier"),
        step,
        with_id(output.clone(), "question"),
        with_id(call("output-available", json!({ "output": "no" })), "question"),
        with_id(answered("approval-responded", true), "approved"),
        with_id(answered("approval-responded", false), "denied"),
        forged,
        with_id(output.clone(), "repeated"),
        with_id(output, "unknown"),
    ];
    let merged = merge(&stored, &incoming, None);
    assert_eq!(names(&merged.merged), ["question", "approved", "denied"]);
    assert_eq!(names(&merged.already_resolved), ["repeated"]);
    let rejected: Vec<_> = merged
        .rejected
        .iter()
        .map(|rejection| (rejection.tool_call_id.to_string_lossy(), rejection.reason.code()))
        .collect();
    assert_eq!(
        rejected,
        [("forged".into(), "request_altered"), ("unknown".into(), "unknown_tool_call")]
    );
    let states: Vec<_> =
        parts(&merged).iter().filter_map(|part| Some(part["state"].as_str()?.to_owned())).collect();
    assert_eq!(
        states,
        [
            "output-available",
            "output-available",
            "approval-responded",
            "approval-responded",
            "approval-requested",
            "output-available",
            "input-available",
        ]
    );
    assert_eq!(parts(&merged)[2]["output"], "yes");
}

#[test]
fn of_two_calls_with_one_id_the_waiting_one_is_answered() {
    let stored =
        [call("output-available", json!({ "output": 1 })), call("input-available", json!({}))];
    let merged = merge(&stored, &[call("output-available", json!({ "output": 2 }))], None);
    assert_eq!(verdict(&merged), "merged");
    let outputs: Vec<_> = parts(&merged).iter().map(|part| part["output"].clone()).collect();
    assert_eq!(outputs, [1, 2]);
}

#[test]
fn reasons_have_codes_of_their_own() {
    let codes: BTreeSet<_> = RejectReason::ALL.iter().map(|reason| reason.code()).collect();
    assert_eq!(codes.len(), RejectReason::ALL.len());
}

fn any_part() -> impl Strategy<Value = Value> {
    const STATES: &[&str] = &[
        "input-streaming",
        "input-available",
        "approval-requested",
        "approval-responded",
        "output-available",
        "output-error",
        "output-denied",
        "unheard-of",
    ];
    let word = |words: &'static [&str]| prop::sample::select(words);
    let ids =
        (word(&["c1", "c2", "c3"]), word(&["tool-ask", "dynamic-tool", "text", "step-start"]));
    let approval = prop::option::of((word(&["a1", "a2"]), prop::option::of(any::<bool>()), 0..2));
    let values = (0..3, prop::option::of(0..3), prop::option::of(word(&["e1", "e2"])), approval);
    (word(STATES), ids, values).prop_map(|(state, (id, kind), (input, output, error, approval))| {
        let mut part = json!({ "type": kind, "toolCallId": id, "state": state, "input": input });
        if let Some(output) = output {
            part["output"] = json!(output);
        }
        if let Some(error) = error {
            part["errorText"] = json!(error);
        }
        // A call that waits for nobody's approval has none.
        if let Some((id, approved, signature)) = approval.filter(|_| state != "input-available") {
            part["approval"] = json!({ "id": id, "signature": signature });
            if let Some(approved) = approved {
                part["approval"]["approved"] = json!(approved);
            }
        }
        part
    })
}

/// What the client may never change.
fn request(part: &Value) -> Value {
    let mut request = part.clone();
    let fields = request.as_object_mut().unwrap();
    for key in ["state", "output", "errorText", "preliminary"] {
        fields.remove(key);
    }
    if let Some(Value::Object(approval)) = fields.get_mut("approval") {
        approval.remove("approved");
        approval.remove("reason");
    }
    request
}

proptest! {
    #[test]
    fn no_answer_alters_a_request_and_a_repeat_changes_nothing(
        stored in prop::collection::vec(any_part(), 0..5),
        incoming in prop::collection::vec(any_part(), 0..5),
    ) {
        let merged = merge(&stored, &incoming, None);
        let after = parts(&merged);
        prop_assert_eq!(
            stored.iter().map(request).collect::<Vec<_>>(),
            after.iter().map(request).collect::<Vec<_>>()
        );
        let changed: BTreeSet<_> = stored
            .iter()
            .zip(&after)
            .filter(|(before, after)| before != after)
            .map(|(before, _)| before["toolCallId"].as_str().unwrap().to_owned())
            .collect();
        prop_assert_eq!(&changed, &names(&merged.merged).into_iter().collect());
        let mut listed = names(&merged.merged);
        listed.extend(names(&merged.already_resolved));
        listed.extend(merged.rejected.iter().map(|rejection| rejection.tool_call_id.to_string_lossy()));
        prop_assert_eq!(listed.len(), listed.iter().collect::<BTreeSet<_>>().len());
        let again = merge(&after, &incoming, None);
        prop_assert!(again.merged.iter().all(|id| {
            // of two calls with one id the second takes the next answer
            stored.iter().filter(|part| part["toolCallId"] == id.to_string_lossy()).count() > 1
        }), "{:?}", again.merged);
    }
}
