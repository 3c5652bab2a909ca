//! What bounds the requests that a chat makes by itself, and what it tells of its decisions.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{AutoSendLimits, AutoSendRule, Config};
use support::host::Host;
use support::log::Seen;

const STEP: &str = r#"{"type":"start-step"}"#;
const FINISH: &str = r#"{"type":"finish"}"#;

/// A chat whose tool is called in every answer.
fn host(limits: AutoSendLimits) -> Host {
    let mut host = Host::new(Config {
        auto_send: Some(AutoSendRule::ToolCallsComplete),
        auto_send_limits: limits,
        report_auto_send: true,
        ..Config::default()
    });
    host.send("Hi");
    host
}

/// The server calls the tool again, which took so many tokens, and the page answers.
fn round(host: &mut Host, id: &str, total_tokens: u32) {
    let call = format!(
        r#"{{"type":"tool-input-available","toolCallId":"{id}","toolName":"x","input":1}}"#
    );
    let finish = format!(
        r#"{{"type":"finish","messageMetadata":{{"totalUsage":{{"totalTokens":{total_tokens}}}}}}}"#
    );
    host.respond(&[STEP, &call, &finish]);
    host.add_output(id, "1");
}

/// What was told, in order, since the last call.
fn told(host: &mut Host) -> Vec<(bool, &'static str)> {
    let told = host.log.iter().filter_map(|seen| match seen {
        Seen::AutoSend(send, rule) => Some((*send, *rule)),
        _ => None,
    });
    let told = told.collect();
    host.log.retain(|seen| !matches!(seen, Seen::AutoSend(..)));
    told
}

#[test]
fn a_number_of_steps_bounds_it_until_the_person_sends_again() {
    let mut host = host(AutoSendLimits { max_steps: Some(3), ..AutoSendLimits::default() });
    for (id, requests) in [("a", 2), ("b", 3), ("c", 3)] {
        round(&mut host, id, 0);
        assert_eq!(host.request_count(), requests, "after {id}");
    }
    assert_eq!(told(&mut host).last(), Some(&(false, "max-steps")));
    host.send("Go on");
    round(&mut host, "d", 0);
    assert_eq!(host.request_count(), 5);
    assert_eq!(told(&mut host).last(), Some(&(true, "tool-calls-complete")));
}

#[test]
fn tokens_bound_it_where_the_server_tells_them() {
    let mut host = host(AutoSendLimits { max_tokens: Some(1000), ..AutoSendLimits::default() });
    round(&mut host, "a", 999);
    assert_eq!(host.request_count(), 2);
    round(&mut host, "b", 1000);
    assert_eq!(host.request_count(), 2);
    assert_eq!(told(&mut host).last(), Some(&(false, "token-ceiling")));
}

#[test]
fn every_decision_is_told_with_its_rule() {
    let mut host = host(AutoSendLimits::default());
    host.respond(&[STEP, FINISH]);
    assert_eq!(told(&mut host), [(false, "nothing-new")]);

    host.send("Two tools");
    let call = |id| {
        format!(r#"{{"type":"tool-input-available","toolCallId":"{id}","toolName":"x","input":1}}"#)
    };
    host.respond(&[STEP, &call("a"), &call("b"), FINISH]);
    assert_eq!(told(&mut host), [(false, "nothing-new")]);
    host.add_output("a", "1");
    assert_eq!(told(&mut host), [(false, "tool-calls-complete")]);
    host.add_output("b", "1");
    assert_eq!(told(&mut host), [(true, "tool-calls-complete")]);
    host.stop();
    assert_eq!(told(&mut host), [(false, "not-complete")]);

    host.send("Interrupt me");
    host.respond(&[STEP, r#"{"type":"finish","finishReason":"interrupted"}"#]);
    assert_eq!(told(&mut host), [(false, "not-complete")]);
}

#[test]
fn the_ceiling_of_all_chats_is_told_too() {
    let mut host = host(AutoSendLimits::default());
    for count in 0..26 {
        round(&mut host, &format!("call-{count}"), 0);
    }
    assert_eq!(told(&mut host).last(), Some(&(false, "auto-send-limit")));
    assert_eq!(host.warnings(), ["auto_send_limit"]);
    assert_eq!(host.request_count(), 26);
}

#[test]
fn nothing_is_told_to_a_host_that_does_not_ask() {
    let mut host =
        Host::new(Config { auto_send: Some(AutoSendRule::ToolCallsComplete), ..Config::default() });
    host.send("Hi");
    round(&mut host, "a", 0);
    assert_eq!((host.request_count(), told(&mut host)), (2, vec![]));
}
