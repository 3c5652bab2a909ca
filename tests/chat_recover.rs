//! Going on after an answer that was cut short, is empty or was lost.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{
    AutoSendLimits, AutoSendRule, Config, Outcome, Recovery, RequestKind, Status,
};
use chatwire::json::Text;
use support::host::Host;
use support::log::Seen;

const START: &str = r#"{"type":"start","messageId":"answer"}"#;
const STEP: &str = r#"{"type":"start-step"}"#;
const OPEN: &str = r#"{"type":"text-start","id":"t"}"#;
const TEXT: &str = r#"{"type":"text-delta","id":"t","delta":"Half"}"#;
const CLOSE: &str = r#"{"type":"text-end","id":"t"}"#;
const STOP: &str = r#"{"type":"finish","finishReason":"stop"}"#;
const LENGTH: &str = r#"{"type":"finish","finishReason":"length"}"#;

fn host(recovery: Recovery) -> Host {
    let mut host = Host::new(Config {
        auto_send: Some(AutoSendRule::ToolCallsComplete),
        report_auto_send: true,
        recovery,
        ..Config::default()
    });
    host.send("Hi");
    host
}

fn told(host: &Host) -> Vec<(bool, &'static str)> {
    let told = host.log.iter().filter_map(|seen| match seen {
        Seen::AutoSend(send, rule) => Some((*send, *rule)),
        _ => None,
    });
    told.collect()
}

fn texts(host: &Host) -> Vec<String> {
    let parts = host.last_message()["parts"].clone();
    let texts = parts.as_array().unwrap().iter().filter_map(|part| part["text"].as_str());
    texts.map(str::to_owned).collect()
}

#[test]
fn an_answer_that_reached_its_length_is_continued_as_often_as_the_app_says() {
    let mut host = host(Recovery { continue_on_length: 2, ..Recovery::default() });
    for requests in [2, 3, 3] {
        host.respond(&[START, STEP, OPEN, TEXT, CLOSE, LENGTH]);
        assert_eq!(host.request_count(), requests);
    }
    assert_eq!(
        host.opened().kind,
        RequestKind::Submit { message_id: Some(Text::from_utf8("answer")) }
    );
    assert_eq!(host.ids(), ["user-1", "answer"]);
    assert_eq!(texts(&host), ["Half", "Half", "Half"]);
    assert_eq!(host.chat.status(), Status::Ready);
    assert_eq!(
        told(&host),
        [(true, "continue-on-length"), (true, "continue-on-length"), (false, "nothing-new")]
    );
    // A person's message gives it back.
    host.send("More");
    host.respond(&[STEP, OPEN, TEXT, CLOSE, LENGTH]);
    assert_eq!(host.request_count(), 5);
}

#[test]
fn an_answer_of_its_full_length_is_not_continued() {
    let mut host = host(Recovery { continue_on_length: 2, ..Recovery::default() });
    host.respond(&[START, STEP, OPEN, TEXT, CLOSE, STOP]);
    assert_eq!(host.request_count(), 1);
}

#[test]
fn an_empty_answer_is_nudged() {
    let mut host = host(Recovery { nudge_on_empty: 1, ..Recovery::default() });
    let blank = r#"{"type":"text-delta","id":"t","delta":" \n"}"#;
    host.respond(&[START, STEP, OPEN, blank, CLOSE, STOP]);
    assert_eq!(host.request_count(), 2);
    assert_eq!(host.opened().kind, RequestKind::Submit { message_id: None });
    assert_eq!(host.ids(), ["user-1", "answer", "user-2"]);
    // Also when not even a message was made; but not again.
    host.respond(&[STOP]);
    assert_eq!(host.request_count(), 2);
    assert_eq!(told(&host), [(true, "nudge-on-empty"), (false, "nothing-new")]);
}

#[test]
fn what_a_model_refuses_and_what_has_any_content_is_not_nudged() {
    let source = r#"{"type":"source-url","sourceId":"s","url":"https://example.com"}"#;
    let tool = r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#;
    let filtered = r#"{"type":"finish","finishReason":"content-filter"}"#;
    for chunks in [vec![STEP, filtered], vec![STEP, source, STOP], vec![STEP, tool, STOP]] {
        let mut host = host(Recovery { nudge_on_empty: 9, ..Recovery::default() });
        host.respond(&chunks);
        assert_eq!(host.request_count(), 1, "{chunks:?}");
    }
}

#[test]
fn the_steps_of_an_answer_count_across_a_nudge() {
    let mut host = Host::new(Config {
        auto_send: Some(AutoSendRule::ToolCallsComplete),
        auto_send_limits: AutoSendLimits { max_steps: Some(2), ..AutoSendLimits::default() },
        report_auto_send: true,
        recovery: Recovery { nudge_on_empty: 9, ..Recovery::default() },
        ..Config::default()
    });
    host.send("Hi");
    // A part of each is shown, so that it counts.
    let thought = r#"{"type":"reasoning-start","id":"r"}"#;
    host.respond(&[STEP, thought, STOP]);
    host.respond(&[STEP, thought, STOP]);
    assert_eq!(host.request_count(), 2);
    assert_eq!(
        told(&host),
        [(true, "nudge-on-empty"), (false, "max-steps"), (false, "nothing-new")]
    );
}

#[test]
fn a_cut_stream_is_asked_for_again_and_what_it_brought_goes() {
    let mut host = host(Recovery { retry_stream: 1, ..Recovery::default() });
    host.answer();
    host.chunks(&[START, STEP, OPEN, TEXT]);
    host.end();
    assert_eq!(host.request_count(), 2);
    assert_eq!(host.opened().kind, RequestKind::Submit { message_id: None });
    assert!(!host.opened().messages.contains("Half"), "{}", host.opened().messages);
    assert_eq!(host.finished().outcome, Outcome::Truncated);
    assert_eq!(host.errors().len(), 0, "what is tried again is no error yet");
    assert_eq!(host.chat.status(), Status::Submitted);
    assert!(!host.chat.is_queue_paused());
    host.respond(&[START, STEP, OPEN, TEXT, CLOSE, STOP]);
    assert_eq!(host.ids(), ["user-1", "answer"]);
    assert_eq!(texts(&host), ["Half"]);
    assert_eq!(host.chat.outcome(), Some(Outcome::Complete));
}

#[test]
fn nothing_is_lost_when_the_second_try_brings_nothing() {
    let mut host = host(Recovery { retry_stream: 1, ..Recovery::default() });
    host.answer();
    host.chunks(&[START, STEP, OPEN, TEXT]);
    host.disconnect();
    host.disconnect();
    assert_eq!(host.request_count(), 2);
    assert_eq!(host.ids(), ["user-1", "answer"]);
    assert_eq!(texts(&host), ["Half"]);
    assert_eq!(host.last_message()["parts"][1]["state"], "done");
    assert_eq!(host.chat.status(), Status::Error);
    assert_eq!(host.errors().len(), 1);
}

#[test]
fn a_cut_continuation_is_asked_for_again_from_where_it_began() {
    let mut host = host(Recovery { retry_stream: 1, ..Recovery::default() });
    let call = r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#;
    host.respond(&[START, STEP, call, STOP]);
    host.add_output("c", "2");
    assert_eq!(host.request_count(), 2);
    host.answer();
    host.chunks(&[STEP, OPEN, TEXT]);
    host.end();
    assert_eq!(host.request_count(), 3);
    assert!(!host.opened().messages.contains("Half"));
    assert!(host.opened().messages.contains(r#""output":2"#));
    host.respond(&[STEP, OPEN, TEXT, CLOSE, STOP]);
    assert_eq!(texts(&host), ["Half"]);
    assert_eq!(host.ids(), ["user-1", "answer"]);
}

#[test]
fn a_lost_second_try_of_a_continuation_puts_back_what_the_first_brought() {
    let mut host = host(Recovery { retry_stream: 1, ..Recovery::default() });
    let call = r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#;
    host.respond(&[START, STEP, call, STOP]);
    host.add_output("c", "2");
    host.answer();
    host.chunks(&[STEP, OPEN, TEXT]);
    host.end();
    host.disconnect();
    assert_eq!(texts(&host), ["Half"]);
    assert_eq!(host.ids(), ["user-1", "answer"]);
}

#[test]
fn nothing_goes_on_after_a_stop_a_denial_or_an_answer_of_the_page() {
    let all = Recovery { continue_on_length: 9, nudge_on_empty: 9, retry_stream: 9 };
    let mut stopped = host(all);
    stopped.answer();
    stopped.chunks(&[START, STEP]);
    stopped.stop();
    assert_eq!(stopped.request_count(), 1);

    let mut denied = host(all);
    let denial = [
        r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#,
        r#"{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}"#,
    ];
    denied.respond(&[START, STEP, denial[0], denial[1], STOP]);
    denied.approve("a", false);
    denied.submit();
    denied.respond(&[LENGTH]);
    assert_eq!(denied.request_count(), 2);

    let mut answered = host(all);
    answered.answer();
    answered.chunks(&[START, STEP, denial[0]]);
    answered.add_output("c", "1");
    answered.end();
    assert_eq!(answered.request_count(), 1, "the tool would run again");
}

#[test]
fn a_stop_ends_the_question_for_a_nudge() {
    let mut host = host(Recovery { nudge_on_empty: 1, ..Recovery::default() });
    // The host of the tests answers at once: ask the machine itself.
    host.answer();
    host.chunks(&[STOP]);
    host.done();
    assert_eq!(host.request_count(), 2);
    host.stop();
    assert_eq!(host.chat.outcome(), Some(Outcome::Stopped));
    assert_eq!(host.chat.status(), Status::Ready);
}

#[test]
fn a_continued_message_takes_the_tokens_of_all_its_responses() {
    let mut host = Host::new(Config {
        auto_send: Some(AutoSendRule::ToolCallsComplete),
        auto_send_limits: AutoSendLimits { max_tokens: Some(100), ..AutoSendLimits::default() },
        ..Config::default()
    });
    host.send("Hi");
    for (id, requests) in [("a", 2), ("b", 2)] {
        let call = format!(
            r#"{{"type":"tool-input-available","toolCallId":"{id}","toolName":"x","input":1}}"#
        );
        let finish =
            r#"{"type":"finish","messageMetadata":{"usage":{"inputTokens":1,"totalTokens":60}}}"#;
        host.respond(&[STEP, &call, finish]);
        assert_eq!(host.finished().usage.as_deref(), Some(r#"{"inputTokens":1,"totalTokens":60}"#));
        host.add_output(id, "1");
        assert_eq!(host.request_count(), requests, "after {id}");
    }
}
