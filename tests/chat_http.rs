//! Answers that are no stream, and the text stream protocol.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{Config, Outcome, ResponseHead, StreamKind};
use chatwire::error::ErrorKind;
use serde_json::json;
use support::host::{Host, ui_stream_head};

fn sent() -> Host {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host
}

fn head(status: u16, content_type: &str) -> ResponseHead {
    ResponseHead {
        status,
        content_type: content_type.to_owned(),
        is_ui_stream: false,
        ..ui_stream_head()
    }
}

#[test]
fn a_failure_says_what_the_server_said_when_it_is_short() {
    let long = "x".repeat(501);
    for (content_type, body, message) in [
        ("text/plain", "Overloaded", "Overloaded"),
        ("text/plain; charset=utf-8", "", "HTTP 503 from /api/chat"),
        ("text/plain", long.as_str(), "HTTP 503 from /api/chat"),
        ("text/html", "<h1>Bad gateway</h1>", "HTTP 503 from /api/chat"),
        ("application/json", r#"{"message":"m\u0041"}"#, "mA"),
        ("application/json", r#"{"error":"e"}"#, "e"),
        ("application/json", r#"{"error":{"message":"deep"}}"#, "deep"),
        ("application/json", r#"{"error":{"code":1}}"#, "HTTP 503 from /api/chat"),
        ("application/json", r#"{"error""#, "HTTP 503 from /api/chat"),
        ("application/json", "[1]", "HTTP 503 from /api/chat"),
    ] {
        let mut host = sent();
        assert!(!host.answer_with(&head(503, content_type), StreamKind::EventStream));
        host.failure_body(body);
        let error = host.chat.error().unwrap();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::HttpError, message));
        let response = error.response.as_ref().unwrap();
        assert_eq!((response.status, response.body.as_str()), (503, body), "kept whole");
        assert_eq!(response.url, "https://example.com/api/chat");
        assert_eq!(host.finished().outcome, Outcome::Error);
        assert_eq!(host.ids(), ["user-1"]);
        host.assert_at_rest();
    }
}

#[test]
fn some_failures_may_be_retried() {
    for (status, is_retryable) in [
        (400, false),
        (401, false),
        (404, false),
        (408, true),
        (409, true),
        (429, true),
        (500, true),
        (503, true),
    ] {
        let mut host = sent();
        assert!(!host.answer_with(&head(status, ""), StreamKind::EventStream));
        host.failure_body("");
        let response = host.chat.error().unwrap().response.as_ref().unwrap();
        assert_eq!(response.is_retryable(), is_retryable, "{status}");
    }
}

/// The AI SDK treats these as an empty success.
#[test]
fn a_page_or_a_document_is_no_stream() {
    let mut host = sent();
    assert!(!host.answer_with(&head(200, "text/html; charset=utf-8"), StreamKind::EventStream));
    host.failure_body("<!doctype html>");
    assert_eq!(host.chat.error().unwrap().kind, ErrorKind::UnexpectedResponse);
    host.assert_at_rest();

    for reads in [&["{\"error\":1}"][..], &["", " \n", "  [1]", "more"]] {
        let mut host = sent();
        assert!(host.answer_with(&head(200, "application/json"), StreamKind::EventStream));
        for read in reads {
            host.bytes(read.as_bytes());
        }
        let error = host.chat.error().unwrap();
        assert_eq!(error.kind, ErrorKind::UnexpectedResponse);
        assert!(error.response.as_ref().unwrap().body.starts_with(['{', ' ']));
        assert!(!host.is_connected());
        host.assert_at_rest();
    }
}

#[test]
fn a_stream_under_another_content_type_is_a_stream() {
    for content_type in ["", "text/plain", "application/json", "application/octet-stream"] {
        let mut host = sent();
        assert!(host.answer_with(&head(200, content_type), StreamKind::EventStream));
        host.chunks(&[r#"{"type":"text-delta","id":"t","delta":"x"}"#, r#"{"type":"finish"}"#]);
        host.end();
        assert_eq!(host.finished().outcome, Outcome::Complete, "{content_type}");
    }
}

fn text_answer() -> Host {
    let mut host = sent();
    assert!(host.answer_with(&head(200, "text/plain"), StreamKind::Text));
    host
}

#[test]
fn plain_text_becomes_one_text_part_however_it_is_cut() {
    let body = "{\"not\": \"parsed\"}\n\ndata: ä€😀 \\u0041";
    for size in [1, 2, 3, 5, body.len()] {
        let mut host = text_answer();
        for piece in body.as_bytes().chunks(size) {
            host.bytes(piece);
        }
        let open = &host.last_message()["parts"][1];
        assert_eq!(open["state"], json!("streaming"));
        host.end();
        let expected = json!([
            {"type": "step-start"},
            {"type": "text", "text": body, "state": "done"},
        ]);
        assert_eq!(host.finished().message["parts"], support::utf16::parse(&expected.to_string()));
        assert_eq!(host.finished().outcome, Outcome::Complete);
        assert_eq!(host.warnings(), [""; 0]);
        host.assert_at_rest();
    }
}

#[test]
fn plain_text_with_broken_characters_is_replaced_as_a_decoder_does() {
    let mut host = text_answer();
    host.bytes(b"a\xff");
    host.bytes(b"b\xe2\x82");
    host.end();
    let text = &host.finished().message["parts"][1]["text"];
    assert_eq!(*text, json!("a\u{fffd}b\u{fffd}"));
}

#[test]
fn plain_text_that_is_cut_off_is_no_success() {
    let mut host = text_answer();
    host.bytes(b"half");
    host.disconnect();
    assert_eq!(host.finished().outcome, Outcome::Disconnect);
    assert_eq!(host.finished().message["parts"][1]["state"], json!("done"));
    host.assert_at_rest();
}

#[test]
fn an_empty_text_is_a_complete_answer() {
    let mut host = text_answer();
    host.end();
    assert_eq!(host.finished().outcome, Outcome::Complete);
    assert_eq!(host.finished().message["parts"][1]["text"], json!(""));
}
