//! A message read from its chunks alone.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

use chatwire::message::Message;
use chatwire::protocol::ui_stream::{FoldError, MessageReader, Progress, ReadError};
use serde_json::{Value, json};

/// Reads chunks, and gives what each did and the message at last.
fn read(reader: &mut MessageReader, chunks: &[Value]) -> (Vec<Progress>, Value) {
    let progress = chunks.iter().map(|chunk| reader.read(&chunk.to_string()).unwrap()).collect();
    (progress, serde_json::from_str(&reader.message().to_json()).unwrap())
}

fn reader(last: Option<Value>) -> MessageReader {
    MessageReader::new(last.map(|last| Message::parse(7, &last.to_string()).unwrap()))
}

use Progress::{Aborted, None as Nothing, Written};

#[test]
fn a_response_alone() {
    let chunks = [
        json!({ "type": "start", "messageId": "m", "messageMetadata": { "a": 1 } }),
        json!({ "type": "start-step" }),
        json!({ "type": "text-start", "id": "t" }),
        json!({ "type": "text-delta", "id": "t", "delta": "Hi" }),
        json!({ "type": "data-x", "data": 1, "transient": true }),
        json!({ "type": "data-x", "data": 2 }),
        json!({ "type": "something-new" }),
        json!({ "type": "text-end", "id": "t" }),
        json!({ "type": "finish-step" }),
        json!({ "type": "finish" }),
    ];
    let (progress, message) = read(&mut reader(None), &chunks);
    let expected =
        [Written, Nothing, Written, Written, Nothing, Written, Nothing, Written, Nothing, Nothing];
    assert_eq!(progress, expected);
    assert_eq!(
        message,
        json!({ "id": "m", "metadata": { "a": 1 }, "role": "assistant", "parts": [
            { "type": "step-start" },
            { "type": "text", "text": "Hi", "state": "done" },
            { "type": "data-x", "data": 2 }
        ] })
    );
}

#[test]
fn without_a_start_the_id_is_empty_or_that_of_the_message_answered() {
    let data = [json!({ "type": "data-x", "data": 1 })];
    assert_eq!(read(&mut reader(None), &data).1["id"], "");
    let user = json!({ "id": "u", "role": "user", "parts": [] });
    let (_, message) = read(&mut reader(Some(user)), &data);
    assert_eq!(message, json!({ "id": "u", "role": "assistant", "parts": [data[0]] }));
}

#[test]
fn a_late_start_names_what_is_there() {
    let chunks =
        [json!({ "type": "data-x", "data": 1 }), json!({ "type": "start", "messageId": "m" })];
    let (progress, message) = read(&mut reader(None), &chunks);
    assert_eq!(progress, [Written, Written]);
    assert_eq!(message, json!({ "id": "m", "role": "assistant", "parts": [chunks[0]] }));
}

fn asked() -> Value {
    json!({ "id": "a", "role": "assistant", "parts": [
        { "type": "tool-x", "toolCallId": "c", "state": "input-available", "input": 1 }
    ] })
}

#[test]
fn a_message_is_continued() {
    for start in [json!({ "type": "start" }), json!({ "type": "start", "messageId": "a" })] {
        let output = json!({ "type": "tool-output-available", "toolCallId": "c", "output": 2 });
        let (_, message) = read(&mut reader(Some(asked())), &[start, output]);
        assert_eq!(
            message,
            json!({ "id": "a", "role": "assistant", "parts": [
                { "type": "tool-x", "toolCallId": "c", "state": "output-available", "input": 1, "output": 2 }
            ] })
        );
    }
}

#[test]
fn a_continuation_by_another_name_has_its_own_message() {
    let chunks = [
        json!({ "type": "text-start", "id": "t" }),
        json!({ "type": "start", "messageId": "b" }),
        // The call is in the message before.
        json!({ "type": "tool-output-available", "toolCallId": "c", "output": 2 }),
        json!({ "type": "text-delta", "id": "t", "delta": "Hi" }),
    ];
    let mut reader = reader(Some(asked()));
    let before = reader.message().key();
    let (progress, message) = read(&mut reader, &chunks);
    assert_eq!(progress, [Written, Written, Written, Written]);
    let text = json!({ "type": "text", "text": "Hi", "state": "streaming" });
    assert_eq!(message, json!({ "id": "b", "role": "assistant", "parts": [text] }));
    assert_ne!(reader.message().key(), before);
    // Named once, it keeps its parts.
    let (_, message) = read(&mut reader, &[json!({ "type": "start", "messageId": "c" })]);
    assert_eq!(message, json!({ "id": "c", "role": "assistant", "parts": [text] }));
}

#[test]
fn an_error_is_told_and_an_abort_closes_what_is_open() {
    let chunks = [
        json!({ "type": "text-start", "id": "t" }),
        json!({ "type": "error", "errorText": "overloaded" }),
        json!({ "type": "text-delta", "id": "t", "delta": "Hi" }),
        json!({ "type": "abort" }),
    ];
    let (progress, message) = read(&mut reader(None), &chunks);
    let error = Progress::Error(chatwire::json::Text::from_utf8("overloaded"));
    assert_eq!(progress, [Written, error, Written, Aborted]);
    assert_eq!(message["parts"], json!([{ "type": "text", "text": "Hi", "state": "done" }]));
}

#[test]
fn what_cannot_be_read_changes_nothing() {
    let mut reader = reader(Some(asked()));
    for text in ["", "1", r#"{"type":1}"#, r#"{"type":"text-delta","id":"t"}"#] {
        assert!(matches!(reader.read(text), Err(ReadError::Chunk(_))), "{text}");
    }
    let unknown = r#"{"type":"tool-output-available","toolCallId":"d","output":1}"#;
    let error = reader.read(unknown).unwrap_err();
    assert!(matches!(error, ReadError::Fold(FoldError::UnknownToolCall(_))), "{error:?}");
    assert_eq!(serde_json::from_str::<Value>(&reader.message().to_json()).unwrap(), asked());
}
