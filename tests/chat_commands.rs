//! What each command does in each situation.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{
    AutoSendRule, CommandId, Config, Outcome, RequestKind, Status, StreamKind, TransportFailure,
};
use chatwire::error::ErrorKind;
use chatwire::json::Text;
use serde_json::json;
use support::host::{Host, ui_stream_head};
use support::log::Seen;

/// A text, a tool call that waits for this client, and one that waits for an approval.
const CONTENT: &[&str] = &[
    r#"{"type":"start"}"#,
    r#"{"type":"text-start","id":"t"}"#,
    r#"{"type":"text-delta","id":"t","delta":"Hello"}"#,
    r#"{"type":"tool-input-available","toolCallId":"call","toolName":"x","input":{}}"#,
    r#"{"type":"tool-input-available","toolCallId":"paid","toolName":"pay","input":{}}"#,
    r#"{"type":"tool-approval-request","approvalId":"approval","toolCallId":"paid"}"#,
];

const FINISH: &str = r#"{"type":"finish"}"#;

/// A host whose chat is in a situation, and everything seen before is forgotten.
fn host_in(situation: &str) -> Host {
    let auto_send = (situation == "deciding").then_some(AutoSendRule::Host);
    let mut host = Host::new(Config { auto_send, ..Config::default() });
    if situation != "empty" {
        host.send("Hi");
    }
    if !matches!(situation, "empty" | "submitted" | "disposed") {
        host.answer();
        host.chunks(CONTENT);
    }
    match situation {
        "ready" => host.chunks(&[FINISH]),
        "error" => host.chunks(&[r#"{"type":"error","errorText":"Overloaded"}"#]),
        "deciding" => {
            host.chunks(&[FINISH]);
            host.end();
            host.add_output("call", "1");
        }
        "disposed" => host.dispose(),
        _ => {}
    }
    if situation == "ready" {
        host.end();
    }
    host.log.clear();
    host
}

/// Gives a command and tells what came of it: the status, whether a request was aborted or
/// opened, and how the command settled.
fn run(situation: &str, command: &str) -> String {
    let mut host = host_in(situation);
    let keys: Vec<u32> = host.view.keys().to_vec();
    let unknown = Text::from_utf8("nobody");
    let code = |result: Result<(), chatwire::error::Error>| match result {
        Ok(()) => "done",
        Err(error) => error.kind.code(),
    };
    let settles = match command {
        "send" => Ok(host.send("More")),
        "submit" => Ok(host.submit()),
        "edit" => Ok(host.edit("user-1", "Other")),
        "regenerate" => Ok(host.regenerate(None)),
        "resume" => Ok(host.resume()),
        "stop" => Ok(host.stop()),
        "add output" => Ok(host.add_output("call", "1")),
        "add error" => Ok(host.add_error("call", "no")),
        "approve" => Ok(host.approve("approval", true)),
        "clear error" => Err({
            host.clear_error();
            "done"
        }),
        "keep messages" => Err({
            host.set_messages(&keys, &[]);
            "done"
        }),
        "clear messages" => Err({
            host.set_messages(&[], &[]);
            "done"
        }),
        "resume queue" => Err({
            host.change(|chat, _| chat.resume_queue());
            "done"
        }),
        "remove queued" => Err(code(host.change(|chat, _| chat.remove_queued(&unknown)))),
        "send queued" => Err(code(host.change(|chat, _| chat.send_queued_now(&unknown)))),
        "dispose" => Err({
            host.dispose();
            "done"
        }),
        other => panic!("no command is called {other}"),
    };
    let settles = match settles {
        Err(code) => code,
        Ok(command) => match host.settled(command) {
            None => "waits",
            Some(None) => "done",
            Some(Some(error)) => error.code(),
        },
    };
    let saw = |wanted: fn(&Seen) -> bool| host.log.iter().any(wanted);
    let mut words = vec![host.chat.status().as_str()];
    words.extend(saw(|seen| matches!(seen, Seen::Aborted(_))).then_some("aborts"));
    words.extend(saw(|seen| matches!(seen, Seen::Opened(_))).then_some("opens"));
    words.push(settles);
    words.join(" ")
}

/// For each command, what it does in each situation.
#[rustfmt::skip]
const TABLE: &[(&str, [(&str, &str); 7])] = &[
    ("send", [
        ("empty", "submitted opens waits"),
        ("ready", "submitted opens waits"),
        ("submitted", "submitted waits"),
        ("streaming", "streaming waits"),
        ("error", "submitted opens waits"),
        ("deciding", "ready waits"),
        ("disposed", "ready disposed"),
    ]),
    ("submit", [
        ("empty", "submitted opens waits"),
        ("ready", "submitted opens waits"),
        ("submitted", "submitted busy"),
        ("streaming", "streaming busy"),
        ("error", "submitted opens waits"),
        ("deciding", "ready busy"),
        ("disposed", "ready disposed"),
    ]),
    ("edit", [
        ("empty", "ready invalid_argument"),
        ("ready", "submitted opens waits"),
        ("submitted", "submitted aborts opens waits"),
        ("streaming", "submitted aborts opens waits"),
        ("error", "submitted opens waits"),
        ("deciding", "submitted opens waits"),
        ("disposed", "ready disposed"),
    ]),
    ("regenerate", [
        ("empty", "ready invalid_argument"),
        ("ready", "submitted opens waits"),
        ("submitted", "submitted aborts opens waits"),
        ("streaming", "submitted aborts opens waits"),
        ("error", "submitted opens waits"),
        ("deciding", "submitted opens waits"),
        ("disposed", "ready disposed"),
    ]),
    ("resume", [
        ("empty", "ready opens waits"),
        ("ready", "ready opens waits"),
        ("submitted", "submitted done"),
        ("streaming", "streaming done"),
        ("error", "error opens waits"),
        ("deciding", "ready done"),
        ("disposed", "ready disposed"),
    ]),
    ("stop", [
        ("empty", "ready done"),
        ("ready", "ready done"),
        ("submitted", "ready aborts done"),
        ("streaming", "ready aborts done"),
        ("error", "error done"),
        ("deciding", "ready done"),
        ("disposed", "ready done"),
    ]),
    ("clear error", [
        ("empty", "ready done"),
        ("ready", "ready done"),
        ("submitted", "submitted done"),
        ("streaming", "streaming done"),
        ("error", "ready done"),
        ("deciding", "ready done"),
        ("disposed", "ready done"),
    ]),
    ("keep messages", [
        ("empty", "ready done"),
        ("ready", "ready done"),
        ("submitted", "submitted done"),
        ("streaming", "streaming done"),
        ("error", "error done"),
        ("deciding", "ready done"),
        ("disposed", "ready done"),
    ]),
    ("clear messages", [
        ("empty", "ready done"),
        ("ready", "ready done"),
        ("submitted", "ready aborts done"),
        ("streaming", "ready aborts done"),
        ("error", "error done"),
        ("deciding", "ready done"),
        ("disposed", "ready done"),
    ]),
    ("add output", [
        ("empty", "ready unknown_tool_call"),
        ("ready", "ready done"),
        ("submitted", "submitted unknown_tool_call"),
        ("streaming", "streaming done"),
        ("error", "error done"),
        ("deciding", "ready done"),
        ("disposed", "ready disposed"),
    ]),
    ("add error", [
        ("empty", "ready unknown_tool_call"),
        ("ready", "ready done"),
        ("submitted", "submitted unknown_tool_call"),
        ("streaming", "streaming done"),
        ("error", "error done"),
        ("deciding", "ready conflicting_answer"),
        ("disposed", "ready disposed"),
    ]),
    ("approve", [
        ("empty", "ready unknown_approval"),
        ("ready", "ready done"),
        ("submitted", "submitted unknown_approval"),
        ("streaming", "streaming done"),
        ("error", "error done"),
        ("deciding", "ready done"),
        ("disposed", "ready disposed"),
    ]),
    ("resume queue", [
        ("empty", "ready done"),
        ("ready", "ready done"),
        ("submitted", "submitted done"),
        ("streaming", "streaming done"),
        ("error", "error done"),
        ("deciding", "ready done"),
        ("disposed", "ready done"),
    ]),
    ("remove queued", [
        ("empty", "ready invalid_argument"),
        ("ready", "ready invalid_argument"),
        ("submitted", "submitted invalid_argument"),
        ("streaming", "streaming invalid_argument"),
        ("error", "error invalid_argument"),
        ("deciding", "ready invalid_argument"),
        ("disposed", "ready invalid_argument"),
    ]),
    ("send queued", [
        ("empty", "ready invalid_argument"),
        ("ready", "ready invalid_argument"),
        ("submitted", "submitted invalid_argument"),
        ("streaming", "streaming invalid_argument"),
        ("error", "error invalid_argument"),
        ("deciding", "ready invalid_argument"),
        ("disposed", "ready invalid_argument"),
    ]),
    ("dispose", [
        ("empty", "ready done"),
        ("ready", "ready done"),
        ("submitted", "ready aborts done"),
        ("streaming", "ready aborts done"),
        ("error", "error done"),
        ("deciding", "ready done"),
        ("disposed", "ready done"),
    ]),
];

#[test]
fn every_command_in_every_situation() {
    let mut wrong = Vec::new();
    for (command, situations) in TABLE {
        for (situation, expected) in situations {
            let actual = run(situation, command);
            if actual != *expected {
                wrong.push(format!("{command} when {situation}: {actual}, not {expected}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_message_is_shown_at_once_and_its_answer_follows() {
    let mut host = Host::new(Config::default());
    let send = host.send("Hi");
    assert_eq!(host.view.messages()[0]["parts"][0]["text"], json!("Hi"));
    assert_eq!(host.opened().kind, RequestKind::Submit { message_id: None });
    assert_eq!(host.opened().messages, host.chat.export_messages());
    host.answer();
    host.chunks(&[r#"{"type":"start","messageId":"answer"}"#]);
    assert_eq!(host.chat.status(), Status::Submitted, "a start is no content");
    assert_eq!(host.ids(), ["user-1", "answer"]);
    host.chunks(CONTENT);
    assert_eq!(host.chat.status(), Status::Streaming);
    assert_eq!(host.settled(send), None);
    host.done();
    assert_eq!(host.settled(send), Some(None));
    assert_eq!(host.statuses(), [Status::Submitted, Status::Streaming, Status::Ready]);
    assert_eq!(host.finished().message, host.last_message());
    host.assert_at_rest();
}

#[test]
fn a_message_keeps_its_key_when_the_stream_names_it_late() {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host.answer();
    host.chunks(&[TEXT]);
    let keys = host.view.keys().to_vec();
    host.chunks(&[r#"{"type":"start","messageId":"late"}"#, TEXT]);
    host.advance(16.0);
    assert_eq!((host.ids(), host.view.keys()), (vec!["user-1".into(), "late".into()], &keys[..]));
    host.done();
    host.regenerate(Some("late"));
    assert_eq!(host.ids(), ["user-1"]);
}

#[test]
fn an_edit_replaces_the_message_and_drops_what_follows() {
    let mut host = host_in("ready");
    host.send("Second");
    host.respond(&[TEXT, FINISH]);
    assert_eq!(host.ids(), ["user-1", "response-1", "user-2", "response-2"]);
    host.edit("user-1", "First, again");
    let edited = RequestKind::Submit { message_id: Some(Text::from_utf8("user-1")) };
    assert_eq!(host.opened().kind, edited);
    assert_eq!(host.ids(), ["user-3"]);
    host.respond(&[TEXT, FINISH]);
    assert_eq!(host.ids(), ["user-3", "response-3"]);
    let refused = host.edit("response-3", "No");
    assert_eq!(host.settled(refused), Some(Some(ErrorKind::InvalidArgument)));
    assert_eq!(host.ids(), ["user-3", "response-3"]);
}

const TEXT: &str = r#"{"type":"text-delta","id":"t","delta":"text"}"#;

#[test]
fn regenerate_answers_the_named_message_again() {
    let mut host = host_in("ready");
    host.send("Second");
    host.respond(&[TEXT, FINISH]);
    host.regenerate(None);
    assert_eq!(host.opened().kind, RequestKind::Regenerate { message_id: None });
    assert_eq!(host.ids(), ["user-1", "response-1", "user-2"]);
    host.respond(&[TEXT, FINISH]);
    assert_eq!(host.ids(), ["user-1", "response-1", "user-2", "response-3"]);
    host.regenerate(Some("user-1"));
    assert_eq!(host.ids(), ["user-1"], "a user message stays and is answered again");
    host.respond(&[TEXT, FINISH]);
    host.regenerate(Some("response-4"));
    let named = RequestKind::Regenerate { message_id: Some(Text::from_utf8("response-4")) };
    assert_eq!(host.opened().kind, named);
    assert_eq!(host.ids(), ["user-1"], "an assistant message goes");
    host.respond(&[TEXT, FINISH]);
    let unknown = host.regenerate(Some("nobody"));
    assert_eq!(host.settled(unknown), Some(Some(ErrorKind::InvalidArgument)));
    host.assert_at_rest();
}

/// What replaces a running response tells of its end first, with the message that it had.
#[test]
fn a_response_that_is_replaced_finishes_as_stopped_with_its_message() {
    for replace in [
        (|host: &mut Host| host.regenerate(None)) as fn(&mut Host) -> CommandId,
        |host| host.edit("user-1", "Other"),
        |host| {
            host.set_messages(&[], &[]);
            host.send("Afresh")
        },
    ] {
        let mut host = host_in("streaming");
        let command = replace(&mut host);
        assert_eq!(host.settled(command), None);
        assert_eq!(host.finished().outcome, Outcome::Stopped);
        assert_eq!(host.finished().message["parts"][0]["text"], json!("Hello"));
        assert_eq!(host.finished().message["parts"][0]["state"], json!("done"));
    }
}

#[test]
fn stop_closes_what_is_open_and_keeps_what_came() {
    let mut host = host_in("streaming");
    let input = r#"{"type":"tool-input-start","toolCallId":"open","toolName":"x"}"#;
    let delta = r#"{"type":"tool-input-delta","toolCallId":"open","inputTextDelta":"{\"a\":1"}"#;
    host.chunks(&[input, delta]);
    let label = Text::from_utf8("user");
    let stop = host.command(|chat, now| chat.stop(now, Some(label)));
    assert_eq!(host.settled(stop), Some(None));
    assert_eq!((host.chat.status(), host.chat.outcome()), (Status::Ready, Some(Outcome::Stopped)));
    assert_eq!(host.finished().reason.as_deref(), Some("user"));
    let parts = &host.last_message()["parts"];
    assert_eq!(parts[0]["state"], json!("done"), "text is closed");
    assert_eq!(parts[1]["state"], json!("input-available"));
    assert_eq!(parts[3]["state"], json!("input-streaming"), "the outcome explains it");
    host.assert_at_rest();
}

#[test]
fn the_request_after_a_stop_reports_open_tool_calls_as_stopped() {
    let mut host = host_in("streaming");
    host.stop();
    host.send("Go on");
    let sent: serde_json::Value = serde_json::from_str(&host.opened().messages).unwrap();
    let part = &sent[1]["parts"][1];
    assert_eq!(part["state"], json!("output-error"));
    assert_eq!(part["errorText"], json!("stopped by the user"));
    assert_eq!(sent[1]["parts"][2]["state"], json!("approval-requested"), "a person's to answer");
}

#[test]
fn events_of_an_old_request_change_nothing() {
    for next in [false, true] {
        let mut host = host_in("streaming");
        let old = host.request();
        host.stop();
        if next {
            host.send("Next");
        }
        let before = (host.chat.export_messages(), host.log.len());
        let body = format!("data: {TEXT}\n\ndata: {FINISH}\n\n");
        host.change(|chat, now| {
            assert!(!chat.handle_head(old, ui_stream_head(), StreamKind::EventStream));
            chat.set_response_id(old, Text::from_utf8("old"));
            chat.handle_bytes(now, old, body.as_bytes());
            chat.handle_chunks(now, old, TEXT);
            chat.handle_failure_body(now, old, "late");
            chat.handle_nothing_to_resume(old);
            chat.handle_reconnect(now, old);
            chat.handle_failure(now, old, TransportFailure::Connection("late".to_owned()));
            chat.handle_end(now, old);
        });
        assert_eq!((host.chat.export_messages(), host.log.len()), before);
        if next {
            host.respond(&[TEXT, FINISH]);
        }
        host.assert_at_rest();
    }
}

#[test]
fn the_app_may_rewrite_the_list_while_a_response_comes() {
    let mut host = host_in("streaming");
    let (user, response) = (host.view.keys()[0], host.view.keys()[1]);
    let system = r#"{"id":"system","role":"system","parts":[]}"#;
    host.set_messages(&[response], &[system]);
    assert_eq!(host.ids(), ["response-1", "system"], "its message is kept: it goes on");
    host.chunks(&[r#"{"type":"text-delta","id":"t","delta":", world"}"#]);
    assert_eq!(host.messages()[0]["parts"][0]["text"], json!("Hello, world"));

    let copy = r#"{"id":"response-1","role":"assistant","parts":[]}"#;
    host.set_messages(&[], &[copy]);
    host.chunks(&[r#"{"type":"text-delta","id":"t","delta":"!"}"#]);
    assert_eq!(host.messages()[0]["parts"][0]["text"], json!("Hello, world!"), "the id is known");

    host.set_messages(&[user], &[]);
    assert_eq!(host.ids(), [""; 0], "a message that was dropped cannot come back by its key");
    assert_eq!(host.finished().outcome, Outcome::Stopped);
    host.chunks(&[r#"{"type":"text-delta","id":"t","delta":"ghost"}"#]);
    assert_eq!(host.ids(), [""; 0]);
    host.assert_at_rest();
}

#[test]
fn a_sent_message_with_a_known_id_replaces_the_older_one() {
    let mut host = host_in("ready");
    host.send_json(r#"{"id":"user-1","role":"user","parts":[{"type":"text","text":"2"}]}"#, None);
    assert_eq!(host.ids(), ["response-1", "user-1"]);
    assert_eq!(host.warnings(), ["duplicate_message_id"]);
}

#[test]
fn clear_error_leaves_only_the_error_behind() {
    let mut host = host_in("error");
    assert_eq!(host.chat.error().unwrap().kind, ErrorKind::ServerError);
    let messages = host.messages();
    host.clear_error();
    assert_eq!(host.chat.error(), None);
    assert_eq!((host.chat.status(), host.messages()), (Status::Ready, messages));
}

#[test]
fn dispose_ends_everything_once() {
    let mut host = host_in("streaming");
    let queued = host.send("Later");
    host.dispose();
    assert_eq!(host.settled(queued), Some(None));
    assert_eq!(host.finished().outcome, Outcome::Stopped);
    host.dispose();
    let late = host.send("Too late");
    assert_eq!(host.settled(late), Some(Some(ErrorKind::Disposed)));
    host.assert_at_rest();
}
