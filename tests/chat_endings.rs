//! How a response ends: nothing is told as success that was not.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{Config, Outcome, ResponseHead, Status, StreamKind, TransportFailure};
use chatwire::error::ErrorKind;
use serde_json::json;
use support::host::{Host, ui_stream_head};
use support::log::Seen;

const TEXT: &[&str] = &[
    r#"{"type":"start-step"}"#,
    r#"{"type":"text-start","id":"t"}"#,
    r#"{"type":"text-delta","id":"t","delta":"text"}"#,
    r#"{"type":"text-end","id":"t"}"#,
    r#"{"type":"finish-step"}"#,
];
const OPEN_TEXT: &[&str] =
    &[r#"{"type":"text-start","id":"t"}"#, r#"{"type":"text-delta","id":"t","delta":"te"}"#];
const OPEN_INPUT: &[&str] = &[r#"{"type":"tool-input-start","toolCallId":"c","toolName":"x"}"#];
const FINISH: &str = r#"{"type":"finish"}"#;
const DONE: &str = "[DONE]";

/// How the transport comes to its end.
#[derive(Clone, Copy, Debug)]
enum End {
    Clean,
    Lost,
    Aborted,
    Threw,
}

impl End {
    fn happen(self, host: &mut Host) {
        match self {
            Self::Clean => host.end(),
            Self::Lost => host.disconnect(),
            Self::Aborted => host.fail(TransportFailure::Aborted),
            Self::Threw => host.fail(TransportFailure::Other("boom".to_owned())),
        }
    }
}

fn sent() -> Host {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host
}

/// The end of a response whose body is these chunks.
fn ended(chunks: &[&str], last: &[&str], end: End) -> Host {
    let mut host = sent();
    host.answer();
    host.chunks(chunks);
    host.chunks(last);
    end.happen(&mut host);
    host.assert_at_rest();
    host
}

#[test]
fn a_response_is_complete_only_after_finish_or_the_end_marker() {
    use Outcome::{Aborted, Complete, Disconnect, Error, Truncated};
    let table: &[(&[&str], &[&str], End, Outcome)] = &[
        (TEXT, &[FINISH, DONE], End::Clean, Complete),
        (TEXT, &[FINISH], End::Clean, Complete),
        (TEXT, &[DONE], End::Clean, Complete),
        (&[], &[DONE], End::Clean, Complete),
        (OPEN_TEXT, &[DONE], End::Clean, Complete),
        (TEXT, &[], End::Clean, Truncated),
        (OPEN_TEXT, &[], End::Clean, Truncated),
        (OPEN_INPUT, &[], End::Clean, Truncated),
        (&[], &[], End::Clean, Truncated),
        (TEXT, &[FINISH], End::Lost, Complete),
        (TEXT, &[DONE], End::Lost, Complete),
        (TEXT, &[], End::Lost, Disconnect),
        (OPEN_TEXT, &[], End::Lost, Disconnect),
        (&[], &[], End::Lost, Disconnect),
        (TEXT, &[FINISH], End::Threw, Complete),
        (TEXT, &[], End::Threw, Error),
        (TEXT, &[FINISH], End::Aborted, Complete),
        (TEXT, &[], End::Aborted, Aborted),
    ];
    for (chunks, last, end, expected) in table {
        let host = ended(chunks, last, *end);
        let case = format!("{chunks:?} {last:?} {end:?}");
        assert_eq!(host.finished().outcome, *expected, "{case}");
        assert_eq!(host.chat.outcome(), Some(*expected), "{case}");
        let fails = expected.is_error();
        let status = if fails { Status::Error } else { Status::Ready };
        assert_eq!(host.chat.status(), status, "{case}");
        assert_eq!(host.errors().len(), usize::from(fails), "{case}");
    }
}

#[test]
fn every_cut_of_a_stream_is_told_from_its_end() {
    let mut body = String::new();
    for chunk in [TEXT, &[FINISH, DONE]].concat() {
        body.push_str(&format!("data: {chunk}\n\n"));
    }
    let finish = "\"finish\"}\n\n";
    let complete_from = body.find(finish).unwrap() + finish.len();
    for cut in 0..=body.len() {
        let mut host = sent();
        host.answer();
        host.bytes(&body.as_bytes()[..cut]);
        host.disconnect();
        let expected = if cut >= complete_from { Outcome::Complete } else { Outcome::Disconnect };
        assert_eq!(host.finished().outcome, expected, "cut at {cut}");
    }
}

#[test]
fn what_is_open_is_closed_unless_the_response_failed() {
    for (last, end, state) in [
        (None, End::Clean, "done"),
        (None, End::Lost, "done"),
        (Some(r#"{"type":"abort","reason":"r"}"#), End::Clean, "done"),
        (Some(r#"{"type":"error","errorText":"e"}"#), End::Clean, "streaming"),
        (Some(DONE), End::Clean, "streaming"),
    ] {
        let mut host = sent();
        host.answer();
        host.chunks(OPEN_TEXT);
        host.chunks(last.as_slice());
        end.happen(&mut host);
        let part = &host.last_message()["parts"][0];
        assert_eq!(part["state"], json!(state), "{last:?} {end:?}");
    }
}

#[test]
fn the_flags_of_the_ai_sdk_follow_from_the_outcome() {
    for (outcome, is_abort, is_disconnect, is_error) in [
        (Outcome::Complete, false, false, false),
        (Outcome::Stopped, true, false, false),
        (Outcome::Aborted, true, false, false),
        (Outcome::Truncated, false, true, true),
        (Outcome::Disconnect, false, true, true),
        (Outcome::Error, false, false, true),
        (Outcome::Interrupted, false, false, false),
    ] {
        let flags = (outcome.is_abort(), outcome.is_disconnect(), outcome.is_error());
        assert_eq!(flags, (is_abort, is_disconnect, is_error), "{outcome:?}");
    }
}

#[test]
fn abort_and_finish_carry_their_reasons() {
    let host = ended(TEXT, &[r#"{"type":"abort","reason":"quota"}"#], End::Clean);
    assert_eq!(host.finished().reason.as_deref(), Some("quota"));
    let host = ended(TEXT, &[r#"{"type":"finish","finishReason":"length"}"#], End::Clean);
    assert_eq!(host.finished().finish_reason.as_deref(), Some("length"));
}

/// Neither a stream of the app's own transport nor an answer without the header of the protocol
/// can be held to an end marker.
#[test]
fn a_stream_that_has_no_end_marker_by_its_nature_may_end_without() {
    let client_call =
        r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#;
    let server_call = r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1,"providerExecuted":true}"#;
    let output = r#"{"type":"tool-output-available","toolCallId":"c","output":1}"#;
    let table: &[(&[&str], Outcome)] = &[
        (TEXT, Outcome::Complete),
        (&[client_call], Outcome::Complete),
        (&[], Outcome::Truncated),
        (&[r#"{"type":"start","messageId":"m"}"#], Outcome::Truncated),
        (OPEN_TEXT, Outcome::Truncated),
        (OPEN_INPUT, Outcome::Truncated),
        (&TEXT[..4], Outcome::Truncated),
        (&[server_call], Outcome::Truncated),
        (&[client_call, output], Outcome::Truncated),
        (&[client_call, output, TEXT[1], TEXT[2], TEXT[3]], Outcome::Complete),
    ];
    for (chunks, expected) in table {
        let mut events = sent();
        let head = ResponseHead { is_ui_stream: false, ..ui_stream_head() };
        assert!(events.answer_with(&head, StreamKind::EventStream));
        events.chunks(chunks);
        events.end();

        let mut objects = sent();
        objects.chunk_stream();
        objects.chunk_objects(chunks);
        objects.end();

        for host in [events, objects] {
            assert_eq!(host.finished().outcome, *expected, "{chunks:?}");
            let warns = *expected == Outcome::Complete;
            assert_eq!(host.warnings(), vec!["missing_end"; usize::from(warns)], "{chunks:?}");
            host.assert_at_rest();
        }
    }
}

#[test]
fn a_lost_stream_of_objects_is_no_success() {
    let mut host = sent();
    host.chunk_stream();
    host.chunk_objects(TEXT);
    host.disconnect();
    assert_eq!(host.finished().outcome, Outcome::Disconnect);
}

#[test]
fn errors_are_typed() {
    for (failure, kind, name) in [
        (
            TransportFailure::Connection("Failed to fetch".to_owned()),
            ErrorKind::ConnectionFailed,
            "",
        ),
        (TransportFailure::TimedOut("40 ms".to_owned()), ErrorKind::TimedOut, ""),
        (TransportFailure::EmptyBody, ErrorKind::EmptyResponse, "AI_EmptyResponseBodyError"),
        (TransportFailure::Other("boom".to_owned()), ErrorKind::TransportFailed, ""),
    ] {
        let mut host = sent();
        host.fail(failure);
        let error = host.chat.error().unwrap();
        assert_eq!((error.kind, error.kind.peer_name()), (kind, name));
        assert_eq!(host.errors(), [error]);
        assert_eq!(host.ids(), ["user-1"], "the message of the user stays");
    }
}

#[test]
fn a_response_that_showed_nothing_finishes_with_an_empty_message() {
    let mut host = sent();
    host.disconnect();
    let expected = json!({"id": "response-1", "role": "assistant", "parts": []});
    assert_eq!(host.finished().message, expected);
    assert_eq!(host.ids(), ["user-1"]);
}

/// The messages first, then the error, the callback, and the command last.
#[test]
fn the_end_is_told_in_order() {
    let mut host = sent();
    host.answer();
    host.chunks(OPEN_TEXT);
    host.log.clear();
    host.disconnect();
    let told: Vec<&str> = host
        .log
        .iter()
        .map(|seen| match seen {
            Seen::Published(shown) => shown.status.as_str(),
            Seen::Failed(_) => "failed",
            Seen::Finished(_) => "finished",
            Seen::Settled(..) => "settled",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(told, ["error", "failed", "finished", "settled"]);
}
