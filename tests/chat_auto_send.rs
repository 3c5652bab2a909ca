//! When the chat continues by itself.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{AutoSendRule, Config, Outcome, RequestKind, Status};
use chatwire::json::Text;
use chatwire::limits::MAX_AUTOMATIC_REQUESTS;
use serde_json::json;
use support::host::Host;

const TEXT: &str = r#"{"type":"text-delta","id":"t","delta":"text"}"#;
const FINISH: &str = r#"{"type":"finish"}"#;

fn host(auto_send: AutoSendRule) -> Host {
    let mut host = Host::new(Config { auto_send: Some(auto_send), ..Config::default() });
    host.send("Hi");
    host
}

fn call(id: &str) -> String {
    format!(r#"{{"type":"tool-input-available","toolCallId":"{id}","toolName":"x","input":1}}"#)
}

fn approval(id: &str) -> String {
    format!(r#"{{"type":"tool-approval-request","approvalId":"for-{id}","toolCallId":"{id}"}}"#)
}

/// The chat waits for the outputs of these tool calls.
fn waiting_for(auto_send: AutoSendRule, ids: &[&str]) -> Host {
    let mut host = host(auto_send);
    let calls: Vec<String> = ids.iter().map(|id| call(id)).collect();
    let mut chunks: Vec<&str> = calls.iter().map(String::as_str).collect();
    chunks.insert(0, r#"{"type":"start-step"}"#);
    chunks.push(FINISH);
    host.respond(&chunks);
    host
}

#[test]
fn it_continues_when_all_tool_calls_have_results() {
    let mut host = waiting_for(AutoSendRule::ToolCallsComplete, &["a", "b"]);
    let first = host.add_output("a", "1");
    assert_eq!((host.settled(first), host.request_count()), (Some(None), 1), "one is missing");
    let second = host.add_error("b", "no");
    assert_eq!(host.request_count(), 2);
    assert_eq!((host.settled(second), host.chat.status()), (Some(None), Status::Submitted));
    let id = Some(Text::from_utf8("response-1"));
    assert_eq!(host.opened().kind, RequestKind::Submit { message_id: id });
    assert!(host.opened().messages.contains(r#""output":1"#));
    host.respond(&[r#"{"type":"start-step"}"#, TEXT, FINISH]);
    assert_eq!(host.ids(), ["user-1", "response-1"], "the answer goes on in its message");
    assert_eq!(host.request_count(), 2, "nothing is new");
    host.assert_at_rest();
}

#[test]
fn it_continues_when_all_approvals_are_answered() {
    let mut host = host(AutoSendRule::ApprovalsAnswered);
    host.respond(&[&call("a"), &approval("a"), &call("b"), &approval("b"), FINISH]);
    host.approve("for-a", true);
    assert_eq!(host.request_count(), 1);
    host.approve("for-b", false);
    assert_eq!(host.request_count(), 2);
    assert!(host.opened().messages.contains(r#""approved":false"#));
}

#[test]
fn a_command_settles_when_the_chain_that_it_began_has_ended() {
    let mut host =
        Host::new(Config { auto_send: Some(AutoSendRule::ToolCallsComplete), ..Config::default() });
    let send = host.send("Hi");
    host.answer();
    host.chunks(&[&call("a")]);
    let output = host.add_output("a", "1");
    assert_eq!(host.settled(output), Some(None), "the end of the response will see it");
    assert_eq!(host.request_count(), 1, "not before the response has ended");
    host.chunks(&[FINISH]);
    host.done();
    assert_eq!((host.settled(send), host.request_count()), (None, 2));
    host.respond(&[r#"{"type":"start-step"}"#, TEXT, FINISH]);
    assert_eq!(host.settled(send), Some(None));
    host.assert_at_rest();
}

/// The AI SDK would send such a response back for ever.
#[test]
fn results_of_the_server_alone_are_nothing_new() {
    let mut host = host(AutoSendRule::ToolCallsComplete);
    let output = r#"{"type":"tool-output-available","toolCallId":"a","output":1}"#;
    host.respond(&[&call("a"), output, FINISH]);
    assert_eq!(host.request_count(), 1);
    assert_eq!(host.question_count(), 0, "nobody is asked");
    host.assert_at_rest();
}

#[test]
fn a_repeated_answer_is_nothing_new() {
    let mut host = waiting_for(AutoSendRule::Host, &["a"]);
    host.add_output("a", "1");
    host.decide(host.asked(), false);
    host.add_output("a", "1.0");
    host.add_output("a", "2");
    assert_eq!(host.question_count(), 1);
}

#[test]
fn the_predicate_of_the_host_is_asked_once_per_new_fact() {
    let mut host = waiting_for(AutoSendRule::Host, &["a", "b"]);
    let first = host.add_output("a", "1");
    assert_eq!((host.question_count(), host.settled(first)), (1, None));
    host.decide(host.asked(), false);
    assert_eq!((host.request_count(), host.settled(first)), (1, Some(None)));
    host.add_output("b", "2");
    assert_eq!(host.question_count(), 2);
    let question = host.asked();
    host.decide(question, true);
    host.decide(question, true);
    assert_eq!(host.request_count(), 2, "a question has one answer");
    host.respond(&[TEXT, FINISH]);
    assert_eq!((host.question_count(), host.request_count()), (2, 2));
    host.assert_at_rest();
}

#[test]
fn an_answer_during_an_open_question_has_it_asked_again() {
    let mut host = waiting_for(AutoSendRule::Host, &["a", "b"]);
    let first = host.add_output("a", "1");
    let question = host.asked();
    let second = host.add_output("b", "2");
    assert_eq!((host.question_count(), host.settled(second)), (1, Some(None)));
    host.decide(question, false);
    assert_eq!((host.question_count(), host.settled(first)), (2, None));
    assert_ne!(host.asked(), question);
    host.decide(host.asked(), true);
    assert_eq!((host.request_count(), host.settled(first)), (2, Some(None)));
    assert!(host.opened().messages.contains(r#""output":2"#));
}

#[test]
fn stop_drops_an_open_question() {
    let mut host = waiting_for(AutoSendRule::Host, &["a"]);
    let output = host.add_output("a", "1");
    host.stop();
    assert_eq!(host.settled(output), Some(None));
    host.decide(host.asked(), true);
    assert_eq!(host.request_count(), 1);
    host.assert_at_rest();
}

#[test]
fn other_commands_drop_an_open_question_too() {
    for (command, requests) in [
        ((|host: &mut Host| host.regenerate(None)) as fn(&mut Host) -> u32, 2),
        (|host| host.edit("user-1", "Other"), 2),
    ] {
        let mut host = waiting_for(AutoSendRule::Host, &["a"]);
        let output = host.add_output("a", "1");
        command(&mut host);
        assert_eq!(host.settled(output), Some(None));
        host.decide(host.asked(), true);
        assert_eq!(host.request_count(), requests);
    }
}

#[test]
fn only_a_complete_response_continues() {
    for end in [
        (|host: &mut Host| host.chunks(&[r#"{"type":"abort"}"#])) as fn(&mut Host),
        |host| host.chunks(&[r#"{"type":"error","errorText":"e"}"#]),
        |host| {
            host.chunks(&[r#"{"type":"finish","finishReason":"interrupted"}"#]);
            host.done();
        },
        Host::end,
        Host::disconnect,
    ] {
        let mut host = host(AutoSendRule::ToolCallsComplete);
        host.answer();
        host.chunks(&[&call("a")]);
        host.add_output("a", "1");
        end(&mut host);
        assert_ne!(host.finished().outcome, Outcome::Complete);
        assert_eq!(host.request_count(), 1, "{:?}", host.finished().outcome);
        host.assert_at_rest();
    }
}

/// An interrupted response is continued by the person: what is answered later does not send it.
#[test]
fn an_answer_after_an_interrupt_waits_for_the_person() {
    let mut host = host(AutoSendRule::ToolCallsComplete);
    host.respond(&[&call("a"), r#"{"type":"finish","finishReason":"interrupted"}"#]);
    let output = host.add_output("a", "1");
    assert_eq!((host.settled(output), host.request_count()), (Some(None), 1));
    host.send("Go on");
    host.respond(&[&call("b"), FINISH]);
    host.add_output("b", "1");
    assert_eq!(host.request_count(), 3, "the message before was interrupted, not this one");
}

#[test]
fn an_answer_after_a_stop_is_new() {
    let mut host = host(AutoSendRule::ToolCallsComplete);
    host.answer();
    host.chunks(&[&call("a")]);
    host.stop();
    assert_eq!(host.request_count(), 1);
    host.add_output("a", "1");
    assert_eq!(host.request_count(), 2);
}

/// Servers refuse a history with open tool calls, whoever asked for the request.
#[test]
fn an_automatic_request_after_a_stop_reports_the_other_tool_calls_as_stopped() {
    let mut host = host(AutoSendRule::Host);
    host.answer();
    host.chunks(&[&call("a"), &call("b")]);
    host.stop();
    host.add_output("a", "1");
    host.decide(host.asked(), true);
    let sent: serde_json::Value = serde_json::from_str(&host.opened().messages).unwrap();
    assert_eq!(sent[1]["parts"][0]["output"], json!(1));
    assert_eq!(sent[1]["parts"][1]["errorText"], json!("stopped by the user"));
}

#[test]
fn there_is_a_ceiling_which_a_message_of_the_user_lifts() {
    let mut host = waiting_for(AutoSendRule::ToolCallsComplete, &["call-0"]);
    let mut round = 0;
    let mut answer = |host: &mut Host| {
        host.add_output(&format!("call-{round}"), "1");
        round += 1;
        if host.is_connected() {
            let next = call(&format!("call-{round}"));
            host.respond(&[r#"{"type":"start-step"}"#, &next, FINISH]);
        }
    };
    for _ in 0..MAX_AUTOMATIC_REQUESTS {
        answer(&mut host);
    }
    let ceiling = MAX_AUTOMATIC_REQUESTS as usize;
    assert_eq!((host.request_count(), host.warnings().len()), (1 + ceiling, 0));
    answer(&mut host);
    assert_eq!(host.request_count(), 1 + ceiling);
    assert_eq!(host.warnings(), ["auto_send_limit"]);
    host.assert_at_rest();

    host.send("Go on");
    host.respond(&[r#"{"type":"start-step"}"#, &call("more"), FINISH]);
    host.add_output("more", "1");
    assert_eq!(host.request_count(), 3 + ceiling);
}

#[test]
fn follow_ups_have_the_options_of_the_command_that_led_to_them() {
    let mut host = waiting_for(AutoSendRule::ToolCallsComplete, &["a"]);
    let id = Text::from_utf8("a");
    let output = chatwire::chat::ToolResult::Output(chatwire::json::RawJson::parse("1").unwrap());
    host.command(|chat, now| chat.add_tool_result(now, &id, &output, 5));
    assert_eq!(host.opened().options, 5);
}

#[test]
fn without_a_rule_nobody_is_asked() {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host.respond(&[&call("a"), FINISH]);
    let output = host.add_output("a", "1");
    assert_eq!(host.settled(output), Some(None));
    assert_eq!((host.question_count(), host.request_count()), (0, 1));
}
