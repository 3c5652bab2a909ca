//! A run that goes on at the server: left alone, found running, or stopped with its tools.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{Config, Outcome, RequestKind, ResponseHead, Status, StreamKind};
use chatwire::error::ErrorKind;
use support::host::Host;

const START: &str = r#"{"type":"start","messageId":"answer"}"#;
const STEP: &str = r#"{"type":"start-step"}"#;
const OPEN: &str = r#"{"type":"text-start","id":"t"}"#;
const HALF: &str = r#"{"type":"text-delta","id":"t","delta":"Half"}"#;
const REST: &str = r#"{"type":"text-delta","id":"t","delta":" and half"}"#;
const CLOSE: &str = r#"{"type":"text-end","id":"t"}"#;
const FINISH: &str = r#"{"type":"finish","finishReason":"stop"}"#;
const CALL: &str = r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#;

fn resume() -> RequestKind {
    RequestKind::Resume { last_event_id: String::new() }
}

fn conflict(host: &mut Host) {
    let head = ResponseHead {
        status: 409,
        content_type: "application/json".to_owned(),
        is_ui_stream: false,
        url: "https://example.com/api/chat".to_owned(),
    };
    assert!(!host.answer_with(&head, StreamKind::EventStream));
    host.failure_body(r#"{"error":"A run is active."}"#);
}

fn attaching() -> Host {
    let mut host = Host::new(Config { attach_on_conflict: true, ..Config::default() });
    host.send("Hi");
    host
}

#[test]
fn a_running_response_is_an_error_of_its_own() {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    conflict(&mut host);
    assert_eq!(host.chat.status(), Status::Error);
    let error = host.errors()[0].clone();
    assert_eq!((error.kind, error.message.as_str()), (ErrorKind::RunActive, "A run is active."));
    assert_eq!(error.kind.code(), "run_active");
    assert_eq!(host.ids(), ["user-1"]);
}

#[test]
fn or_it_is_taken_up_in_the_place_of_the_own_one() {
    let mut host = attaching();
    conflict(&mut host);
    assert_eq!(host.opened().kind, resume());
    assert_eq!(host.chat.status(), Status::Submitted);
    host.respond(&[START, STEP, OPEN, HALF, CLOSE, FINISH]);
    assert_eq!(host.ids(), ["user-1", "answer"]);
    assert_eq!(host.chat.outcome(), Some(Outcome::Complete));
    assert_eq!(host.errors().len(), 0);
}

#[test]
fn when_nothing_runs_any_more_the_conflict_is_the_error() {
    let mut host = attaching();
    conflict(&mut host);
    host.nothing_to_resume();
    assert_eq!(host.errors()[0].kind, ErrorKind::RunActive);
    assert_eq!((host.chat.status(), host.request_count()), (Status::Error, 2));
    assert_eq!(host.ids(), ["user-1"]);
}

#[test]
fn a_server_that_cannot_resume_gives_the_conflict_too() {
    let mut host = attaching();
    conflict(&mut host);
    conflict(&mut host);
    assert_eq!(host.errors()[0].kind, ErrorKind::RunActive);
    assert_eq!((host.chat.status(), host.request_count()), (Status::Error, 2));
}

#[test]
fn the_end_of_a_run_that_was_taken_up_is_told_as_its_own() {
    let mut host = attaching();
    conflict(&mut host);
    host.answer();
    host.chunks(&[START, STEP, OPEN, HALF]);
    host.end();
    assert_eq!(host.chat.outcome(), Some(Outcome::Truncated));
    assert_eq!(host.errors()[0].kind, ErrorKind::Truncated);
}

#[test]
fn a_continuation_that_runs_already_is_taken_up_where_it_began() {
    let mut host = attaching();
    host.respond(&[START, STEP, CALL, FINISH]);
    host.add_output("c", "2");
    host.submit();
    conflict(&mut host);
    assert_eq!(host.opened().kind, resume());
    host.respond(&[START, STEP, OPEN, HALF, CLOSE, FINISH]);
    assert_eq!(host.ids(), ["user-1", "answer"]);
    let message = host.last_message();
    assert_eq!(message["parts"].as_array().unwrap().len(), 4, "{message}");
    assert_eq!(message["parts"][1]["output"], 2);
    assert_eq!(message["parts"][3]["text"], "Half");
}

#[test]
fn what_was_left_alone_is_no_error_and_stays_open() {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host.answer();
    host.chunks(&[START, STEP, OPEN, HALF]);
    let request = host.opened().request;
    let command = host.detach();
    assert_eq!(host.settled(command), Some(None));
    assert!(host.log.contains(&support::log::Seen::Aborted(request)));
    assert_eq!(host.chat.status(), Status::Ready);
    assert_eq!(host.chat.outcome(), Some(Outcome::Disconnect));
    assert_eq!(host.errors().len(), 0);
    assert_eq!(host.last_message()["parts"][1]["state"], "streaming");
}

#[test]
fn what_was_left_alone_is_taken_up_where_it_was_left() {
    for is_replay in [false, true] {
        let mut host = Host::new(Config::default());
        host.send("Hi");
        host.answer();
        host.chunks(&[START, STEP, OPEN, HALF]);
        host.detach();
        host.resume();
        let rest = [REST, CLOSE, FINISH];
        let replay = [START, STEP, OPEN, HALF, REST, CLOSE, FINISH];
        host.respond(if is_replay { &replay } else { &rest });
        assert_eq!(host.ids(), ["user-1", "answer"]);
        assert_eq!(host.last_message()["parts"][1]["text"], "Half and half");
        assert_eq!(host.last_message()["parts"].as_array().unwrap().len(), 2);
    }
}

#[test]
fn to_leave_a_chat_in_which_nothing_runs_changes_nothing() {
    let mut host = Host::new(Config::default());
    let command = host.detach();
    assert_eq!(host.settled(command), Some(None));
    assert_eq!((host.chat.status(), host.chat.outcome()), (Status::Ready, None));
}

#[test]
fn tools_that_a_stop_left_are_kept_when_the_app_says_so() {
    for keeps in [false, true] {
        let mut host = Host::new(Config { keep_unfinished_tools: keeps, ..Config::default() });
        host.send("Hi");
        host.answer();
        host.chunks(&[START, STEP, CALL]);
        host.stop();
        host.send("Go on");
        assert_eq!(host.opened().messages.contains("stopped by the user"), !keeps);
        assert_eq!(host.opened().messages.contains("input-available"), keeps);
    }
}
