//! Taking a response up again: after a lost connection and after a reload, from servers that
//! replay, go on, or know nothing.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{
    Config, Connection, Outcome, RequestKind, ResponseHead, Status, StreamKind, WhileBusy,
};
use chatwire::error::ErrorKind;
use chatwire::limits;
use serde_json::Value;
use support::host::{Host, ui_stream_head};
use support::log::Seen;

/// Two steps with every kind of part that can be cut: reasoning, a tool call whose input streams,
/// data, text.
const CHUNKS: &[&str] = &[
    r#"{"type":"start","messageId":"m1","messageMetadata":{"model":"x"}}"#,
    r#"{"type":"start-step"}"#,
    r#"{"type":"reasoning-start","id":"r"}"#,
    r#"{"type":"reasoning-delta","id":"r","delta":"Hm. "}"#,
    r#"{"type":"reasoning-end","id":"r"}"#,
    r#"{"type":"tool-input-start","toolCallId":"c","toolName":"weather"}"#,
    r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{\"city\":"}"#,
    r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"\"Bern\"}"}"#,
    r#"{"type":"tool-input-available","toolCallId":"c","toolName":"weather","input":{"city":"Bern"}}"#,
    r#"{"type":"data-progress","id":"p","data":{"done":1}}"#,
    r#"{"type":"tool-output-available","toolCallId":"c","output":{"sun":true}}"#,
    r#"{"type":"finish-step"}"#,
    r#"{"type":"start-step"}"#,
    r#"{"type":"text-start","id":"t"}"#,
    r#"{"type":"text-delta","id":"t","delta":"It is "}"#,
    r#"{"type":"text-delta","id":"t","delta":"sunny "}"#,
    r#"{"type":"text-delta","id":"t","delta":"in Bern."}"#,
    r#"{"type":"text-end","id":"t"}"#,
    r#"{"type":"finish-step"}"#,
];

const FINISH: &[&str] = &[r#"{"type":"finish","finishReason":"stop"}"#, "[DONE]"];

fn resuming() -> Host {
    Host::new(Config { resume: true, ..Config::default() })
}

/// A host whose connection broke after this many chunks, and the reconnection is due.
fn cut_after(count: usize) -> Host {
    let mut host = resuming();
    host.send("Hi");
    host.answer();
    host.chunks(&CHUNKS[..count]);
    host.disconnect();
    assert_eq!(host.chat.connection(), Connection::Reconnecting);
    host.advance(limits::RECONNECT_DELAY);
    assert!(matches!(host.opened().kind, RequestKind::Resume { .. }));
    host
}

fn finish(host: &mut Host) {
    host.chunks(FINISH);
    host.end();
}

/// The assistant's message of the uncut response, and the callbacks on the way.
fn uncut() -> (Value, usize, usize) {
    let mut host = resuming();
    host.send("Hi");
    host.answer();
    host.chunks(CHUNKS);
    finish(&mut host);
    outcome_of(&host)
}

fn outcome_of(host: &Host) -> (Value, usize, usize) {
    assert_eq!(host.finished().outcome, Outcome::Complete);
    assert_eq!(host.chat.connection(), Connection::Idle);
    assert_eq!(host.chat.messages().len(), 2);
    let count = |wanted: fn(&Seen) -> bool| host.log.iter().filter(|seen| wanted(seen)).count();
    (
        host.finished().message.clone(),
        count(|seen| matches!(seen, Seen::ToolCall(_))),
        count(|seen| matches!(seen, Seen::Data(_))),
    )
}

#[test]
fn a_replay_gives_the_uncut_message_wherever_it_was_cut() {
    for cut in 1..=CHUNKS.len() {
        let mut host = cut_after(cut);
        host.answer();
        host.chunks(CHUNKS);
        finish(&mut host);
        assert_eq!(outcome_of(&host), uncut(), "cut after {cut}");
    }
}

#[test]
fn a_continuation_gives_the_uncut_message_wherever_it_was_cut() {
    for cut in 1..=CHUNKS.len() {
        let mut host = cut_after(cut);
        host.answer();
        host.chunks(&CHUNKS[cut..]);
        finish(&mut host);
        assert_eq!(outcome_of(&host), uncut(), "cut after {cut}");
        assert_eq!(host.warnings(), [""; 0], "cut after {cut}");
    }
}

#[test]
fn a_response_that_is_cut_again_and_again_still_ends_whole() {
    for cut in 1..CHUNKS.len() {
        let mut host = cut_after(cut);
        for _ in 0..20 {
            // Each replay comes a little further than what is shown, and breaks.
            host.answer();
            host.chunks(&CHUNKS[..=cut]);
            host.disconnect();
            host.advance(limits::MAX_RECONNECT_DELAY);
        }
        host.answer();
        host.chunks(CHUNKS);
        finish(&mut host);
        assert_eq!(outcome_of(&host).0, uncut().0, "cut after {cut}");
    }
}

#[test]
fn nothing_shrinks_while_a_replay_catches_up() {
    for cut in 1..=CHUNKS.len() {
        let mut host = cut_after(cut);
        host.answer();
        let mut length = host.chat.export_messages().len();
        for chunk in CHUNKS {
            host.chunks(&[chunk]);
            host.advance(20.0);
            let parts = host.chat.messages()[1].parts();
            let now: usize = parts
                .iter()
                .map(|part| part.text_length(chatwire::message::FieldName::Text))
                .sum::<usize>()
                + parts.len();
            let export = host.chat.export_messages().len();
            assert!(now > 0 || cut == 1, "cut after {cut}: the message became empty");
            // A finished tool input loses its raw text, no more than that.
            assert!(export + 64 > length, "cut after {cut}: {export} < {length}");
            length = export;
        }
    }
}

#[test]
fn a_cursor_is_sent_when_the_server_numbers_its_events() {
    let mut host = resuming();
    host.send("Hi");
    host.answer();
    for (number, chunk) in CHUNKS.iter().enumerate().take(15) {
        host.bytes(format!("id: e{number}\ndata: {chunk}\n\n").as_bytes());
    }
    host.disconnect();
    host.advance(limits::RECONNECT_DELAY);
    let last_event_id = "e14".to_owned();
    assert_eq!(host.opened().kind, RequestKind::Resume { last_event_id });
    host.answer();
    host.chunks(&CHUNKS[15..]);
    finish(&mut host);
    assert_eq!(outcome_of(&host).0, uncut().0);
}

#[test]
fn the_status_stays_streaming_and_waits_double() {
    let mut host = cut_after(16);
    let mut waits = vec![limits::RECONNECT_DELAY];
    for _ in 1..limits::MAX_RECONNECTS {
        assert_eq!(host.chat.status(), Status::Streaming);
        host.log.clear();
        host.disconnect();
        let asked = host.log.iter().find_map(|seen| match seen {
            Seen::ReconnectRequested(after) => Some(*after),
            _ => None,
        });
        waits.push(asked.unwrap());
        host.advance(limits::MAX_RECONNECT_DELAY);
    }
    assert_eq!(waits, [500.0, 1000.0, 2000.0, 4000.0, 8000.0]);
    host.disconnect();
    assert_eq!(host.finished().outcome, Outcome::Disconnect);
    assert_eq!(host.chat.error().unwrap().kind, ErrorKind::ConnectionFailed);
    assert_eq!(host.chat.status(), Status::Error);
}

#[test]
fn a_server_that_cannot_resume_is_asked_once() {
    for status in [404, 405, 501] {
        let mut host = cut_after(16);
        let head = ResponseHead { status, ..ResponseHead::default() };
        assert!(!host.answer_with(&head, StreamKind::EventStream));
        host.failure_body("no");
        assert_eq!(host.finished().outcome, Outcome::Disconnect, "{status}");
        assert_eq!(host.chat.error().unwrap().kind, ErrorKind::ConnectionFailed, "{status}");

        host.send("Again");
        host.answer();
        host.chunks(&[r#"{"type":"text-start","id":"t"}"#]);
        host.disconnect();
        assert_eq!(host.finished().outcome, Outcome::Disconnect, "{status}");
        let requests = host.request_count();
        host.resume();
        assert_eq!(host.request_count(), requests, "{status}");
    }
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let mut host = cut_after(16);
    host.answer_with(
        &ResponseHead { status: 503, ..ResponseHead::default() },
        StreamKind::EventStream,
    );
    host.failure_body("later");
    assert_eq!(host.chat.status(), Status::Streaming);
    host.advance(limits::MAX_RECONNECT_DELAY);
    host.answer();
    host.chunks(CHUNKS);
    finish(&mut host);
    assert_eq!(outcome_of(&host), uncut());
}

#[test]
fn nothing_left_to_resume_ends_the_response_as_it_was_lost() {
    let mut host = cut_after(16);
    host.chat.handle_nothing_to_resume(host.opened().request);
    host.drain();
    assert_eq!(host.finished().outcome, Outcome::Disconnect);
    let parts = host.finished().message["parts"].clone();
    assert_eq!(parts.as_array().unwrap().last().unwrap()["state"], "done");
}

#[test]
fn a_clean_cut_is_taken_up_like_a_lost_connection() {
    let mut host = resuming();
    host.send("Hi");
    host.answer();
    host.chunks(&CHUNKS[..15]);
    host.end();
    assert_eq!(host.chat.connection(), Connection::Reconnecting);
    host.advance(limits::RECONNECT_DELAY);
    host.answer();
    host.chunks(CHUNKS);
    finish(&mut host);
    assert_eq!(outcome_of(&host), uncut());
}

#[test]
fn a_stream_that_ends_inside_an_event_is_cut_not_faulty() {
    let event = format!("data: {}", CHUNKS[15]);
    for at in 1..event.len() {
        let mut host = resuming();
        host.send("Hi");
        host.answer();
        host.chunks(&CHUNKS[..15]);
        host.bytes(&event.as_bytes()[..at]);
        host.end();
        assert_eq!(host.chat.connection(), Connection::Reconnecting, "ends after {at} bytes");
        host.advance(limits::RECONNECT_DELAY);
        host.answer();
        host.chunks(CHUNKS);
        finish(&mut host);
        assert_eq!(outcome_of(&host), uncut(), "ends after {at} bytes");
    }
}

#[test]
fn a_chat_that_does_not_resume_ends_at_once() {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host.answer();
    host.chunks(&CHUNKS[..15]);
    host.disconnect();
    assert_eq!(host.finished().outcome, Outcome::Disconnect);
    assert!(!host.log.iter().any(|seen| matches!(seen, Seen::ReconnectRequested(_))));
}

#[test]
fn a_stop_while_reconnecting_ends_it() {
    let mut host = cut_after(16);
    host.disconnect();
    host.stop();
    assert_eq!(host.finished().outcome, Outcome::Stopped);
    let requests = host.request_count();
    host.advance(60_000.0);
    assert_eq!(host.request_count(), requests);
    assert_eq!(host.chat.status(), Status::Ready);
}

#[test]
fn offline_waits_for_the_device() {
    let mut host = resuming();
    host.send("Hi");
    host.answer();
    host.chunks(&CHUNKS[..15]);
    host.disconnect();
    host.change(|chat, _| chat.handle_online(false));
    assert_eq!(host.chat.connection(), Connection::Offline);
    host.change(|chat, _| chat.handle_online(true));
    assert_eq!(host.chat.connection(), Connection::Reconnecting);
}

/// A chat that was saved in the middle of a response and loaded again.
fn reloaded(cut: usize) -> Host {
    let mut first = resuming();
    first.send("Hi");
    first.answer();
    first.chunks(&CHUNKS[..cut]);
    let saved: Vec<String> =
        first.chat.messages().iter().map(|message| message.to_json()).collect();
    let mut host = resuming();
    let saved: Vec<&str> = saved.iter().map(String::as_str).collect();
    host.set_messages(&[], &saved);
    host.resume();
    assert_eq!(
        host.chat.status(),
        Status::Ready,
        "a resume shows nothing before there is a stream"
    );
    host
}

#[test]
fn after_a_reload_a_replay_gives_the_uncut_message() {
    for cut in 1..=CHUNKS.len() {
        let mut host = reloaded(cut);
        host.answer();
        host.chunks(CHUNKS);
        finish(&mut host);
        assert_eq!(outcome_of(&host).0, uncut().0, "cut after {cut}");
    }
}

#[test]
fn after_a_reload_deltas_go_to_the_part_that_was_streaming() {
    // A cut inside each kind of part that streams.
    for cut in [3, 4, 6, 7, 14, 15, 16] {
        let mut host = reloaded(cut);
        host.answer();
        host.chunks(&CHUNKS[cut..]);
        finish(&mut host);
        assert_eq!(outcome_of(&host).0, uncut().0, "cut after {cut}");
    }
}

#[test]
fn a_finished_message_is_not_doubled_by_a_replay() {
    let mut host = reloaded(CHUNKS.len());
    host.answer();
    host.chunks(CHUNKS);
    finish(&mut host);
    assert_eq!(outcome_of(&host).0, uncut().0);
}

#[test]
fn a_resume_without_a_stream_leaves_the_chat_as_it_was() {
    let mut host = reloaded(CHUNKS.len());
    let before = host.chat.export_messages();
    host.nothing_to_resume();
    assert_eq!(host.chat.status(), Status::Ready);
    assert_eq!(host.chat.export_messages(), before);
    assert!(!host.log.iter().any(|seen| matches!(seen, Seen::Finished(_) | Seen::Failed(_))));
}

#[test]
fn a_second_resume_does_not_fight_the_first() {
    let mut host = reloaded(15);
    let requests = host.request_count();
    let second = host.resume();
    assert_eq!(host.request_count(), requests);
    assert!(host.log.contains(&Seen::Settled(second, None)));
}

#[test]
fn another_message_that_a_resume_brings_is_a_message_of_its_own() {
    let mut host = reloaded(CHUNKS.len());
    host.answer();
    host.chunks(&[r#"{"type":"start","messageId":"m2"}"#, r#"{"type":"text-start","id":"a"}"#]);
    finish(&mut host);
    assert_eq!(host.chat.messages().len(), 3);
    assert_eq!(host.finished().message["id"], "m2");
}

#[test]
fn a_continuation_keeps_the_parts_from_before_it() {
    let mut host = resuming();
    host.send("Hi");
    host.respond(CHUNKS);
    host.submit();
    host.answer();
    let more = [
        r#"{"type":"start","messageId":"m1"}"#,
        r#"{"type":"start-step"}"#,
        r#"{"type":"text-start","id":"u"}"#,
        r#"{"type":"text-delta","id":"u","delta":"More."}"#,
    ];
    host.chunks(&more);
    host.disconnect();
    host.advance(limits::RECONNECT_DELAY);
    host.answer();
    host.chunks(&more);
    host.chunks(&[r#"{"type":"text-end","id":"u"}"#]);
    finish(&mut host);
    let parts = host.finished().message["parts"].as_array().unwrap().len();
    assert_eq!(parts, uncut().0["parts"].as_array().unwrap().len() + 2);
}

#[test]
fn a_response_that_was_given_up_is_taken_up_by_a_later_resume() {
    let mut host = resuming();
    host.send("Hi");
    host.answer();
    for (number, chunk) in CHUNKS.iter().enumerate().take(15) {
        host.bytes(format!("id: e{number}\ndata: {chunk}\n\n").as_bytes());
    }
    for _ in 0..=limits::MAX_RECONNECTS {
        host.disconnect();
        host.advance(limits::MAX_RECONNECT_DELAY);
    }
    assert_eq!(host.chat.status(), Status::Error);
    host.resume();
    let last_event_id = "e14".to_owned();
    assert_eq!(host.opened().kind, RequestKind::Resume { last_event_id });
    host.answer();
    host.chunks(&CHUNKS[15..]);
    finish(&mut host);
    assert_eq!(outcome_of(&host).0, uncut().0);
}

#[test]
fn a_replay_is_shown_as_it_grows() {
    let mut host = cut_after(17);
    host.answer();
    host.chunks(&CHUNKS[..17]);
    let delta = r#"{"type":"text-delta","id":"t","delta":"very "}"#;
    for count in 1..=3 {
        host.chunks(&[delta]);
        host.advance(20.0);
        let text = host.chat.messages()[1].to_json();
        assert_eq!(text.matches("very ").count(), count, "{text}");
    }
}

/// Two calls of the client's own tools, whose inputs stream side by side.
const CALLS: &[&str] = &[
    r#"{"type":"start","messageId":"m1"}"#,
    r#"{"type":"start-step"}"#,
    r#"{"type":"tool-input-start","toolCallId":"c","toolName":"ask"}"#,
    r#"{"type":"tool-input-start","toolCallId":"d","toolName":"ask"}"#,
    r#"{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{}"}"#,
    r#"{"type":"tool-input-available","toolCallId":"c","toolName":"ask","input":{}}"#,
    r#"{"type":"tool-input-delta","toolCallId":"d","inputTextDelta":"{}"}"#,
    r#"{"type":"tool-input-available","toolCallId":"d","toolName":"ask","input":{}}"#,
    r#"{"type":"finish-step"}"#,
];

#[test]
fn a_replay_keeps_the_outputs_that_were_given_before_it() {
    for cut in 6..=CALLS.len() {
        let mut host = resuming();
        host.send("Hi");
        host.answer();
        host.chunks(&CALLS[..cut]);
        host.add_output("c", r#""yes""#);
        host.disconnect();
        host.advance(limits::RECONNECT_DELAY);
        host.answer();
        for chunk in CALLS {
            host.chunks(&[chunk]);
            let parts = &host.last_message()["parts"];
            assert_eq!(parts[1]["output"], "yes", "cut after {cut}, at {chunk}");
        }
        finish(&mut host);
        let parts = &host.finished().message["parts"];
        assert_eq!(parts[1]["state"], "output-available", "cut after {cut}");
        assert_eq!(parts[2]["state"], "input-available", "cut after {cut}");
        assert_eq!(host.warnings(), [""; 0], "cut after {cut}");
        assert_eq!(outcome_of(&host).1, 2, "cut after {cut}: each call is reported once");
    }
}

/// There is no response to end (AI SDK: no `onFinish`), but the error is told.
#[test]
fn a_resume_that_finds_no_stream_tells_an_error_and_no_end() {
    let mut host = Host::new(Config::default());
    host.resume();
    host.answer_with(&ResponseHead { status: 500, ..ui_stream_head() }, StreamKind::EventStream);
    host.failure_body("");
    assert_eq!(host.chat.status(), Status::Error);
    assert_eq!(host.errors().len(), 1);
    assert_eq!(host.chat.outcome(), None);
    assert!(!host.chat.is_queue_paused());
    assert!(!host.log.iter().any(|seen| matches!(seen, Seen::Finished(_))));
    host.send("Hi");
    host.answer();
    host.respond(&[r#"{"type":"finish"}"#]);
    assert_eq!(host.finished().outcome, Outcome::Complete);
}

#[test]
fn a_send_takes_the_place_of_a_resume_that_has_found_no_stream_yet() {
    let config = Config { resume: true, while_busy: WhileBusy::Interrupt, ..Config::default() };
    let mut host = Host::new(config);
    host.resume();
    host.disconnect();
    assert!(host.is_reconnecting());
    host.send("Hi");
    assert!(!host.is_reconnecting());
    host.answer();
    host.respond(&[r#"{"type":"finish"}"#]);
    assert_eq!(host.finished().outcome, Outcome::Complete);
    let ends = host.log.iter().filter(|seen| matches!(seen, Seen::Finished(_))).count();
    assert_eq!(ends, 1, "only of what has begun");
}
