//! Steps of a response, folded into a draft.
#![cfg(all(feature = "agent", not(target_arch = "wasm32")))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::agent::{AgentError, apply_step};
use chatwire::message::Message;
use chatwire::protocol::ui_stream::MessageReader;
use serde_json::{Value, json};
use std::fs;

fn parse(message: &Value) -> Message {
    Message::parse(0, &message.to_string()).unwrap()
}

/// The draft with the step, and whether it is finished.
fn apply(draft: Option<Value>, chunks: &Value) -> Result<(Value, bool), AgentError> {
    let applied = apply_step(draft.as_ref().map(parse), &chunks.to_string())?;
    Ok((serde_json::from_str(&applied.message.to_json()).unwrap(), applied.finished))
}

fn code(draft: Option<Value>, chunks: &Value) -> (&'static str, String) {
    let error = apply(draft, chunks).unwrap_err();
    (error.code(), error.to_string())
}

fn text_step(id: &str, text: &str) -> Vec<Value> {
    vec![
        json!({ "type": "start-step" }),
        json!({ "type": "text-start", "id": id }),
        json!({ "type": "text-delta", "id": id, "delta": text }),
        json!({ "type": "text-end", "id": id }),
        json!({ "type": "finish-step" }),
    ]
}

#[test]
fn a_draft_grows_step_by_step() {
    let mut first = vec![json!({ "type": "start", "messageId": "m" })];
    first.extend(text_step("t", "One"));
    let (draft, finished) = apply(None, &json!(first)).unwrap();
    assert!(!finished);
    let mut second = vec![json!({ "type": "start", "messageId": "m" })];
    second.extend(text_step("t", "Two"));
    second.push(json!({ "type": "finish", "messageMetadata": { "total": 2 } }));
    let (message, finished) = apply(Some(draft), &json!(second)).unwrap();
    assert!(finished);
    assert_eq!(
        message,
        json!({ "id": "m", "metadata": { "total": 2 }, "role": "assistant", "parts": [
            { "type": "step-start" },
            { "type": "text", "text": "One", "state": "done" },
            { "type": "step-start" },
            { "type": "text", "text": "Two", "state": "done" },
        ] })
    );
}

#[test]
fn an_output_reaches_a_call_of_the_draft() {
    let draft = json!({ "id": "m", "role": "assistant", "parts": [
        { "type": "tool-x", "toolCallId": "c", "state": "input-available", "input": 1 }
    ] });
    let output = json!([{ "type": "tool-output-available", "toolCallId": "c", "output": 2 }]);
    let (message, finished) = apply(Some(draft.clone()), &output).unwrap();
    assert_eq!((&message["parts"][0]["output"], finished), (&json!(2), false));
    let unknown = json!([{ "type": "tool-output-available", "toolCallId": "d", "output": 2 }]);
    assert_eq!(
        code(Some(draft), &unknown),
        (
            "stream_order",
            "The chunk at index 0 names a tool call that the draft does not have.".into()
        )
    );
}

#[test]
fn only_finish_finishes() {
    let text = [
        json!({ "type": "text-start", "id": "t" }),
        json!({ "type": "text-delta", "id": "t", "delta": "Hi" }),
    ];
    let finish = json!({ "type": "finish" });
    for (end, state) in [
        (vec![], "streaming"),
        (vec![json!({ "type": "finish-step" })], "streaming"),
        (vec![json!({ "type": "abort" }), finish.clone()], "done"),
        (vec![json!({ "type": "error", "errorText": "no" }), finish.clone()], "streaming"),
        (vec![json!({ "type": "unheard-of" })], "streaming"),
    ] {
        let chunks: Vec<_> = text.iter().cloned().chain(end).collect();
        let (message, finished) = apply(None, &json!(chunks)).unwrap();
        assert_eq!((message["parts"][0]["state"].as_str().unwrap(), finished), (state, false));
    }
    assert!(apply(None, &json!([finish])).unwrap().1);
}

#[test]
fn another_message_never_takes_the_place_of_the_draft() {
    let start = json!([{ "type": "data-x", "data": 1 }, { "type": "start", "messageId": "other" }]);
    let draft =
        json!({ "id": "m", "role": "assistant", "parts": [{ "type": "text", "text": "Hi" }] });
    let (code, message) = code(Some(draft), &start);
    assert_eq!(code, "message_mismatch");
    assert!(message.contains("index 1"), "{message}");
    let empty = json!({ "id": "m", "role": "assistant", "parts": [] });
    assert_eq!(apply(Some(empty), &start).unwrap().0["id"], "other");
}

#[test]
fn a_draft_is_an_assistants() {
    let user = json!({ "id": "u", "role": "user", "parts": [] });
    assert_eq!(code(Some(user), &json!([])).0, "invalid_message");
}

#[test]
fn malformed_chunks_are_named() {
    for (chunks, index) in [
        ("", 0),
        ("{}", 0),
        ("[", 0),
        ("[1]", 0),
        (r#"[{"type":"start"},{"type":"text-start"}]"#, 1),
        (r#"[{"type":"start"},{"type":"text-start","#, 1),
        (r#"[{"type":"start"}] x"#, 1),
    ] {
        let error = apply_step(None, chunks).unwrap_err();
        assert_eq!(error.code(), "invalid_chunk", "{chunks}");
        assert!(error.to_string().contains(&format!("index {index} ")), "{chunks}: {error}");
    }
}

/// The events of a recorded stream that are chunks.
fn chunks_of(stream: &str) -> Vec<String> {
    let data = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| serde_json::from_str::<Value>(data).is_ok()).map(str::to_owned).collect()
}

#[test]
fn recorded_streams_fold_alike_in_one_step_and_in_several() {
    let mut compared = 0;
    for entry in fs::read_dir("tests/fixtures/streams").unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "sse") {
            continue;
        }
        let chunks = chunks_of(&String::from_utf8_lossy(&fs::read(&path).unwrap()));
        let whole = apply_step(None, &format!("[{}]", chunks.join(",")));
        let mut reader = MessageReader::new(None);
        let read = chunks.iter().try_for_each(|chunk| reader.read(chunk).map(drop));
        assert_eq!(whole.is_ok(), read.is_ok(), "{}", path.display());
        let Ok(whole) = whole else { continue };
        let mut draft = None;
        for step in chunks.split_inclusive(|chunk| chunk.contains("\"finish-step\"")) {
            let step = format!("[{}]", step.join(","));
            draft = Some(apply_step(draft, &step).unwrap().message);
        }
        let text = draft.map(|draft| draft.to_json());
        assert_eq!(
            text,
            (!chunks.is_empty()).then(|| whole.message.to_json()),
            "{}",
            path.display()
        );
        compared += 1;
    }
    assert!(compared > 50, "{compared}");
}
