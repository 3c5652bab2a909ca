//! Callbacks of the app, which may give commands from inside while the rest of the read waits.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{AutoSendRule, Config, Outcome, Status};
use chatwire::error::ErrorKind;
use serde_json::{Value, json};
use support::host::Host;
use support::log::Seen;
use support::utf16::parse;

const CALL: &str =
    r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":{"n":1.0}}"#;
const DATA: &str = r#"{"type":"data-d","id":"1","data":1,"extra":true}"#;
const TRANSIENT: &str = r#"{"type":"data-d","data":2,"transient":true}"#;
const TEXT: &str = r#"{"type":"text-delta","id":"t","delta":"text"}"#;
const FINISH: &str = r#"{"type":"finish"}"#;
const DONE: &str = "[DONE]";

fn sent(config: Config) -> Host {
    let mut host = Host::new(config);
    host.send("Hi");
    host
}

/// A host that does something at each callback of one kind.
fn with_callback(config: Config, mut act: impl FnMut(&mut Host, &Seen) + 'static) -> Host {
    let mut host = Host::new(config);
    host.callback = Some(Box::new(move |host, seen| act(host, seen)));
    host.send("Hi");
    host
}

#[test]
fn callbacks_get_the_chunks_as_they_came_without_waiting_for_a_frame() {
    let mut host = sent(Config::default());
    host.answer();
    host.chunks(&[CALL, DATA, TRANSIENT, TEXT]);
    let called: Vec<Value> = host
        .log
        .iter()
        .filter_map(|seen| match seen {
            Seen::ToolCall(chunk) | Seen::Data(chunk) => Some(chunk.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(called, [CALL, DATA, TRANSIENT].map(parse));
}

#[test]
fn a_tool_call_is_shown_before_it_is_told() {
    let mut host = with_callback(Config::default(), |host, seen| {
        if let Seen::ToolCall(_) = seen {
            let parts = host.view.messages()[1]["parts"].clone();
            let expected = json!({"type": "tool-x", "toolCallId": "c", "state": "input-available",
                "input": {"n": 1.0}});
            assert_eq!(parts, json!([expected]), "and nothing that comes behind it");
        }
    });
    host.respond(&[CALL, TEXT, FINISH]);
    assert!(host.log.iter().any(|seen| matches!(seen, Seen::ToolCall(_))));
}

#[test]
fn a_provider_tool_is_not_this_clients() {
    let mut host = sent(Config::default());
    host.respond(&[
        r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1,"providerExecuted":true}"#,
        FINISH,
    ]);
    assert!(!host.log.iter().any(|seen| matches!(seen, Seen::ToolCall(_))));
}

#[test]
fn callbacks_that_nobody_wants_are_not_made() {
    let config = Config { report_tool_calls: false, report_data: false, ..Config::default() };
    let mut host = sent(config);
    host.respond(&[CALL, DATA, TRANSIENT, FINISH]);
    let is_callback = |seen: &Seen| matches!(seen, Seen::ToolCall(_) | Seen::Data(_));
    assert!(!host.log.iter().any(is_callback));
    assert_eq!(host.last_message()["parts"].as_array().unwrap().len(), 2);
}

/// The AI SDK deadlocks when this is awaited.
#[test]
fn an_output_given_inside_the_callback_continues_the_chat() {
    let config = Config { auto_send: Some(AutoSendRule::ToolCallsComplete), ..Config::default() };
    let mut host = with_callback(config, |host, seen| {
        if let Seen::ToolCall(_) = seen {
            host.add_output("c", "\"done\"");
            assert_eq!(host.view.messages()[1]["parts"][1]["output"], json!("done"), "at once");
        }
    });
    host.respond(&[r#"{"type":"start-step"}"#, CALL, FINISH]);
    assert_eq!(host.request_count(), 2);
    host.respond(&[r#"{"type":"start-step"}"#, TEXT, FINISH]);
    host.assert_at_rest();
}

/// A host whose app gives the tool call's error from inside the callback.
fn failing_tool(config: Config) -> Host {
    let mut host = with_callback(config, |host, seen| {
        if let Seen::ToolCall(_) = seen {
            assert_eq!(host.chat.messages()[1].parts().len(), 1, "what is behind it waits");
            assert_eq!(host.chat.status(), Status::Streaming);
            host.add_error("c", "not now");
        }
    });
    host.answer();
    host
}

#[test]
fn what_stands_behind_a_callback_waits_for_it() {
    let mut host = failing_tool(Config::default());
    host.chunks(&[CALL, TEXT, FINISH, DONE]);
    let parts = &host.last_message()["parts"];
    assert_eq!(parts[0]["errorText"], json!("not now"));
    assert_eq!(parts[1]["text"], json!("text"));
    host.end();
    assert_eq!(host.finished().outcome, Outcome::Complete);
    host.assert_at_rest();
}

#[test]
fn the_end_behind_a_callback_waits_for_it() {
    let mut host = failing_tool(Config::default());
    host.bytes(format!("data: {CALL}").as_bytes());
    assert_eq!(host.ids(), ["user-1"], "the event has not ended");
    host.end();
    assert_eq!(host.last_message()["parts"][0]["errorText"], json!("not now"));
    assert_eq!(host.finished().outcome, Outcome::Truncated);
    host.assert_at_rest();
}

#[test]
fn a_fault_behind_a_callback_waits_for_it() {
    let mut host = failing_tool(Config { max_event_bytes: 200, ..Config::default() });
    host.bytes(format!("data: {CALL}\n\ndata: {}\n\n", "x".repeat(200)).as_bytes());
    assert_eq!(host.last_message()["parts"][0]["errorText"], json!("not now"));
    assert_eq!(host.chat.error().unwrap().kind, ErrorKind::LimitExceeded);
    host.assert_at_rest();
}

#[test]
fn a_stop_inside_a_callback_drops_what_stands_behind_it() {
    let mut host = with_callback(Config::default(), |host, seen| {
        if let Seen::Data(_) = seen {
            host.stop();
        }
    });
    host.answer();
    host.chunks(&[DATA, TEXT, CALL, FINISH, DONE]);
    assert_eq!(host.finished().outcome, Outcome::Stopped);
    assert_eq!(host.last_message()["parts"].as_array().unwrap().len(), 1);
    assert!(!host.log.iter().any(|seen| matches!(seen, Seen::ToolCall(_))));
    host.assert_at_rest();
}

#[test]
fn an_error_chunk_behind_a_callback_waits_for_it() {
    let mut host = failing_tool(Config::default());
    host.chunks(&[CALL, r#"{"type":"error","errorText":"late"}"#]);
    assert_eq!(host.last_message()["parts"][0]["errorText"], json!("not now"));
    assert_eq!(host.finished().outcome, Outcome::Error);
    host.assert_at_rest();
}

#[test]
fn a_message_sent_when_a_response_finishes_starts_the_next() {
    let mut rounds = 0;
    let mut host = with_callback(Config::default(), move |host, seen| {
        if let Seen::Finished(_) = seen
            && rounds < 3
        {
            rounds += 1;
            assert_eq!(host.chat.status(), Status::Ready);
            host.send("Again");
        }
    });
    while host.is_connected() {
        host.respond(&[TEXT, FINISH]);
    }
    assert_eq!(host.request_count(), 4);
    host.assert_at_rest();
}

#[test]
fn a_retry_when_a_response_fails_starts_the_next() {
    let mut host = with_callback(Config::default(), |host, seen| {
        if let Seen::Failed(_) = seen {
            host.regenerate(None);
        }
    });
    host.answer();
    host.chunks(&[TEXT]);
    host.disconnect();
    assert_eq!(host.request_count(), 2);
    host.respond(&[TEXT, FINISH]);
    assert_eq!(host.ids(), ["user-1", "response-2"]);
    let outcomes: Vec<_> = host
        .log
        .iter()
        .filter_map(|seen| match seen {
            Seen::Finished(finished) => Some(finished.outcome),
            _ => None,
        })
        .collect();
    assert_eq!(outcomes, [Outcome::Disconnect, Outcome::Complete], "each is told once");
    host.assert_at_rest();
}

#[test]
fn the_list_may_be_cleared_inside_any_callback() {
    let kinds: [fn(&Seen) -> bool; 4] = [
        |seen| matches!(seen, Seen::ToolCall(_)),
        |seen| matches!(seen, Seen::Data(_)),
        |seen| matches!(seen, Seen::Finished(_)),
        |seen| matches!(seen, Seen::Warned(_)),
    ];
    for is_wanted in kinds {
        let mut host = with_callback(Config::default(), move |host, seen| {
            if is_wanted(seen) {
                host.set_messages(&[], &[]);
            }
        });
        host.answer();
        host.chunks(&[r#"{"type":"hologram"}"#, TEXT, DATA, CALL, FINISH, DONE]);
        host.end();
        assert!(host.view.messages().as_array().unwrap().is_empty(), "no ghost");
        host.assert_at_rest();
    }
}
