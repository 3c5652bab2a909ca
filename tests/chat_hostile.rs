//! Input that no honest server sends: a typed error or a warning, the messages so far intact.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{Config, NewMessage, Outcome, Status};
use chatwire::error::ErrorKind;
use chatwire::limits::{MAX_JSON_DEPTH, MAX_PARTS};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use support::chunks::chunk;
use support::host::Host;

const TEXT: &str = r#"{"type":"text-delta","id":"t","delta":"safe"}"#;
const FINISH: &str = r#"{"type":"finish"}"#;

/// A chat whose response has brought a text and is still open.
fn streaming() -> Host {
    streaming_with(Config::default())
}

fn streaming_with(config: Config) -> Host {
    let mut host = Host::new(config);
    host.send("Hi");
    host.answer();
    host.chunks(&[r#"{"type":"text-start","id":"t"}"#, TEXT]);
    host
}

/// What a chat makes of one chunk in the middle of a response: its error's code, else `fine`.
/// Either way the messages so far are intact, and the next response works.
fn outcome_of(chunk: &str) -> &'static str {
    let mut host = streaming();
    host.chunks(&[chunk]);
    assert_eq!(host.messages()[0]["id"], json!("user-1"));
    let code = host.chat.error().map(|error| error.kind.code());
    assert_eq!(host.chat.status(), if code.is_some() { Status::Error } else { Status::Streaming });
    assert_eq!(host.messages()[1]["parts"][0]["text"], json!("safe"), "{chunk:.200}");
    if code.is_some() {
        assert!(!host.is_connected(), "the request is aborted");
        host.submit();
        host.answer();
    }
    host.chunks(&[FINISH]);
    host.end();
    assert_eq!(host.finished().outcome, Outcome::Complete, "{chunk:.200}");
    host.assert_at_rest();
    code.unwrap_or("fine")
}

#[test]
fn what_is_no_chunk_is_a_typed_error() {
    for (data, code) in [
        ("", "invalid_json"),
        (" ", "invalid_json"),
        ("{", "invalid_json"),
        ("[DONE] ", "invalid_json"),
        ("{\"type\":\"finish\"}x", "invalid_json"),
        ("{\"type\":\"finish\",}", "invalid_json"),
        ("{'type':'finish'}", "invalid_json"),
        (r#"{"type":"text-delta","id":"t","delta":"\x"}"#, "invalid_json"),
        (r#"{"type":"data-x","data":01}"#, "invalid_json"),
        (r#"{"type":"data-x","data":NaN}"#, "invalid_json"),
        ("null", "invalid_chunk"),
        ("1", "invalid_chunk"),
        ("\"finish\"", "invalid_chunk"),
        ("[]", "invalid_chunk"),
        ("{}", "invalid_chunk"),
        (r#"{"type":5}"#, "invalid_chunk"),
        (r#"{"type":null}"#, "invalid_chunk"),
        (r#"{"type":["finish"]}"#, "invalid_chunk"),
        (r#"{"type":"unheard-of"}"#, "fine"),
        (r#"{"type":""}"#, "fine"),
    ] {
        assert_eq!(outcome_of(data), code, "{data}");
    }
}

#[test]
fn keys_that_could_change_a_prototype_are_refused_in_any_spelling() {
    for (value, code) in [
        (r#"{"__proto__":{}}"#, "forbidden_key"),
        (r#"{"a":[{"\u005f_proto__":1}]}"#, "forbidden_key"),
        (r#"{"constructor":{"prototype":{}}}"#, "forbidden_key"),
        (r#"{"con\u0073tructor":{"a":1,"prot\u006ftype":{}}}"#, "forbidden_key"),
        (r#"{"constructor":1,"prototype":2}"#, "fine"),
        (r#"["__proto__"]"#, "fine"),
    ] {
        for chunk in [
            format!(r#"{{"type":"data-x","data":{value}}}"#),
            format!(r#"{{"type":"finish-step","unknown":{value}}}"#),
            format!(r#"{{"type":"unheard-of","unknown":{value}}}"#),
        ] {
            assert_eq!(outcome_of(&chunk), code, "{chunk}");
        }
        let message = format!(r#"{{"id":"m","role":"user","parts":[],"x":{value}}}"#);
        let parsed = NewMessage::parse(&message, 0);
        assert_eq!(parsed.err().map_or("fine", |error| error.kind.code()), code);
    }
    assert_eq!(outcome_of(r#"{"type":"finish-step","__proto__":1}"#), "forbidden_key");
}

#[test]
fn a_growing_input_with_a_forbidden_key_has_no_value() {
    let mut host = streaming();
    host.chunks(&[
        r#"{"type":"tool-input-start","toolCallId":"c","toolName":"x"}"#,
        r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{\"a\":1"}"#,
    ]);
    host.advance(16.0);
    assert_eq!(host.last_message()["parts"][1]["input"], json!({"a": 1}));
    host.chunks(&[
        r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":",\"__proto__\":{\"b\":1}"}"#,
    ]);
    host.advance(16.0);
    assert_eq!(host.last_message()["parts"][1].get("input"), None);
    assert_eq!(host.chat.status(), Status::Streaming);
}

#[test]
fn a_million_brackets_are_too_deep_and_cost_no_stack() {
    const MILLION: usize = 1_000_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let whole = open.repeat(MILLION) + "1" + &close.repeat(MILLION);
        let half = open.repeat(MILLION);
        let data = format!(r#"{{"type":"data-x","data":{whole}}}"#);
        for event in [data.as_str(), half.as_str()] {
            assert_eq!(outcome_of(event), "limit_exceeded");
        }
        let message = format!(r#"{{"id":"m","role":"user","parts":[{{"type":"x","y":{whole}}}]}}"#);
        assert_eq!(NewMessage::parse(&message, 0).unwrap_err().kind, ErrorKind::LimitExceeded);

        let delta = Value::from(half).to_string();
        let mut host = streaming();
        host.chunks(&[
            r#"{"type":"tool-input-start","toolCallId":"c","toolName":"x"}"#,
            &format!(r#"{{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":{delta}}}"#),
        ]);
        host.advance(16.0);
        assert_eq!(host.last_message()["parts"][1].get("input"), None, "too deep for a value");
        assert_eq!(host.chat.status(), Status::Streaming);
    }
}

#[test]
fn nesting_up_to_the_limit_is_fine() {
    for (depth, code) in [(MAX_JSON_DEPTH, "fine"), (MAX_JSON_DEPTH + 1, "limit_exceeded")] {
        let value = "[".repeat(depth) + &"]".repeat(depth);
        let data = format!(r#"{{"type":"data-x","data":{value}}}"#);
        let mut host = Host::new(Config::default());
        host.send("Hi");
        host.answer();
        host.chat.handle_bytes(0.0, host.opened().request, format!("data: {data}\n\n").as_bytes());
        assert_eq!(host.chat.error().map_or("fine", |error| error.kind.code()), code, "{depth}");
    }
}

#[test]
fn metadata_is_merged_in_time_that_follows_its_size() {
    const KEYS: usize = 100_000;
    let members: Vec<String> = (0..KEYS).map(|key| format!(r#""k{key}":{key}"#)).collect();
    let chunk =
        format!(r#"{{"type":"message-metadata","messageMetadata":{{{}}}}}"#, members.join(","));
    let mut host = streaming();
    // Comparing each key with each would take hours.
    host.chunks(&[&chunk, &chunk]);
    host.done();
    assert_eq!(host.last_message()["metadata"].as_object().unwrap().len(), KEYS);
}

#[test]
fn invalid_utf8_is_replaced_as_a_decoder_does() {
    let mut host = streaming();
    host.bytes(
        b"data: {\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\" a\xff\xe2\x82b\xf0\"}\n\n",
    );
    assert_eq!(host.last_message()["parts"][0]["text"], json!("safe a\u{fffd}\u{fffd}b\u{fffd}"));
    host.bytes(b"data: {\"type\":\"fin\xffish\"}\n\n");
    assert_eq!(host.warnings(), ["unknown_chunk"]);
    host.bytes(b"data: {\xff\"type\":\"finish\"}\n\n");
    assert_eq!(host.chat.error().unwrap().kind, ErrorKind::InvalidJson);
}

#[test]
fn an_event_may_be_as_long_as_its_limit() {
    for (length, code) in [(1000, None), (1001, Some(ErrorKind::LimitExceeded))] {
        for piece in [1, 7, 5000] {
            let mut host = streaming_with(Config { max_event_bytes: 1000, ..Config::default() });
            let frame = r#"data: {"type":"text-delta","id":"t","delta":""}"#.len();
            let event = format!(
                "data: {{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"{}\"}}\n\n",
                "x".repeat(length - frame)
            );
            for bytes in event.as_bytes().chunks(piece) {
                host.bytes(bytes);
            }
            assert_eq!(host.chat.error().map(|error| error.kind), code, "{length} by {piece}");
            let text = host.last_message()["parts"][0]["text"].as_str().unwrap().to_owned();
            assert!(text.starts_with("safe"), "what came before stays");
        }
    }
}

#[test]
fn a_message_holds_as_many_parts_as_its_limit() {
    let part = r#"{"type":"custom","kind":"a.b"}"#;
    let body = format!("data: {part}\n\n").repeat(MAX_PARTS - 1);
    for (more, code) in [(0, None), (1, Some(ErrorKind::LimitExceeded))] {
        let mut host = streaming();
        let more = format!("data: {part}\n\n").repeat(more);
        host.bytes(format!("{body}{more}data: {TEXT}\n\ndata: {FINISH}\n\n").as_bytes());
        host.end();
        assert_eq!(host.chat.error().map(|error| error.kind), code);
        assert_eq!(host.chat.messages()[1].parts().len(), MAX_PARTS, "what fits stays");
        host.assert_at_rest();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// Whatever comes, the response ends, the chat can go on, and the user's message is there.
    #[test]
    fn noise_breaks_nothing(
        chunks in vec(chunk(), 0..12),
        flips in vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        noise in vec(any::<u8>(), 0..60),
        sizes in vec(1..40_usize, 1..5),
    ) {
        let mut body: Vec<u8> =
            chunks.iter().flat_map(|chunk| format!("data: {chunk}\n\n").into_bytes()).collect();
        for (at, byte) in flips {
            if !body.is_empty() {
                let at = at.index(body.len());
                body[at] = byte;
            }
        }
        body.extend(noise);
        let mut host = streaming();
        let mut sizes = sizes.iter().cycle();
        let mut rest = body.as_slice();
        while !rest.is_empty() {
            let (piece, tail) = rest.split_at(rest.len().min(*sizes.next().unwrap()));
            host.bytes(piece);
            rest = tail;
        }
        host.end();
        host.advance(1000.0);
        host.assert_at_rest();
        prop_assert_eq!(&host.ids()[0], "user-1");
        host.regenerate(Some("user-1"));
        host.respond(&[TEXT, FINISH]);
        prop_assert_eq!(host.finished().outcome, Outcome::Complete);
        host.assert_at_rest();
    }
}
