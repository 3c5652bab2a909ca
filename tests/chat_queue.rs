//! What happens to a message that is sent while the chat is busy.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{AutoSendRule, Config, Outcome, Status, WhileBusy};
use chatwire::error::ErrorKind;
use chatwire::json::Text;
use serde_json::Value;
use support::host::Host;
use support::log::Seen;

const TEXT: &str = r#"{"type":"text-delta","id":"t","delta":"text"}"#;
const FINISH: &str = r#"{"type":"finish"}"#;

fn streaming(while_busy: WhileBusy) -> Host {
    let mut host = Host::new(Config { while_busy, ..Config::default() });
    host.send("First");
    host.answer();
    host.chunks(&[TEXT]);
    host
}

fn queued_ids(host: &Host) -> Vec<&str> {
    host.view.queued().iter().map(|message| message["id"].as_str().unwrap()).collect()
}

fn finish(host: &mut Host) {
    host.chunks(&[FINISH]);
    host.done();
}

fn remove(host: &mut Host, id: &str) {
    host.change(|chat, _| chat.remove_queued(&Text::from_utf8(id))).unwrap();
}

fn send_now(host: &mut Host, id: &str) {
    host.change(|chat, _| chat.send_queued_now(&Text::from_utf8(id))).unwrap();
}

#[test]
fn queued_messages_wait_visibly_and_go_one_by_one() {
    let mut host = streaming(WhileBusy::Queue);
    let second = host.send("Second");
    let third = host.send("Third");
    assert_eq!(queued_ids(&host), ["user-2", "user-3"]);
    assert_eq!(host.ids(), ["user-1", "response-1"], "they are not in the list yet");
    finish(&mut host);
    assert_eq!(queued_ids(&host), ["user-3"]);
    assert_eq!(host.ids(), ["user-1", "response-1", "user-2"]);
    assert_eq!((host.settled(second), host.chat.status()), (None, Status::Submitted));
    host.respond(&[TEXT, FINISH]);
    assert_eq!((host.settled(second), host.settled(third)), (Some(None), None));
    host.respond(&[TEXT, FINISH]);
    assert_eq!(host.settled(third), Some(None));
    let ids = ["user-1", "response-1", "user-2", "response-2", "user-3", "response-3"];
    assert_eq!(host.ids(), ids);
    assert_eq!(host.request_count(), 3);
    host.assert_at_rest();
}

#[test]
fn a_queued_message_keeps_the_options_of_its_command() {
    let mut host = streaming(WhileBusy::Queue);
    let json = r#"{"id":"q","role":"user","parts":[]}"#;
    let slot = host.view.supply(json);
    let message = Some(chatwire::chat::NewMessage::parse(json, slot).unwrap());
    host.command(|chat, now| {
        let send = chatwire::chat::SendMessage { message, replaces: None, options: 9 };
        chat.send_message(now, send)
    });
    finish(&mut host);
    assert_eq!(host.opened().options, 9);
}

#[test]
fn reject_refuses_and_interrupt_stops() {
    let mut host = streaming(WhileBusy::Reject);
    let refused = host.send("Second");
    assert_eq!(host.settled(refused), Some(Some(ErrorKind::Busy)));
    assert_eq!(host.ids(), ["user-1", "response-1"]);
    finish(&mut host);
    host.assert_at_rest();

    let mut host = streaming(WhileBusy::Interrupt);
    let second = host.send("Second");
    assert_eq!(host.finished().outcome, Outcome::Stopped);
    assert_eq!(host.ids(), ["user-1", "response-1", "user-2"]);
    assert_eq!((host.settled(second), host.chat.status()), (None, Status::Submitted));
    host.respond(&[TEXT, FINISH]);
    assert_eq!(host.settled(second), Some(None));
    assert!(!host.chat.is_queue_paused());
    host.assert_at_rest();
}

#[test]
fn stop_error_and_abort_pause_the_queue() {
    for end in [
        (|host: &mut Host| {
            host.stop();
        }) as fn(&mut Host),
        |host| host.chunks(&[r#"{"type":"error","errorText":"e"}"#]),
        |host| host.chunks(&[r#"{"type":"abort"}"#]),
        Host::end,
        Host::disconnect,
    ] {
        let mut host = streaming(WhileBusy::Queue);
        let second = host.send("Second");
        end(&mut host);
        assert!(host.chat.is_queue_paused());
        assert_eq!((queued_ids(&host), host.request_count()), (vec!["user-2"], 1));

        host.change(|chat, _| chat.resume_queue());
        assert_eq!((queued_ids(&host), host.request_count()), (vec![], 2));
        assert!(!host.chat.is_queue_paused());
        host.respond(&[TEXT, FINISH]);
        assert_eq!(host.settled(second), Some(None));
        host.assert_at_rest();
    }
}

#[test]
fn the_next_send_lets_a_paused_queue_go_on_in_order() {
    let mut host = streaming(WhileBusy::Queue);
    host.send("Second");
    host.stop();
    host.send("Third");
    assert_eq!(queued_ids(&host), ["user-3"], "the one that waited longer goes first");
    assert_eq!(host.ids(), ["user-1", "response-1", "user-2"]);
    host.respond(&[TEXT, FINISH]);
    host.respond(&[TEXT, FINISH]);
    assert_eq!(host.ids().last().unwrap(), "response-3");
    host.assert_at_rest();
}

#[test]
fn a_removed_message_settles_and_is_never_sent() {
    let mut host = streaming(WhileBusy::Queue);
    let second = host.send("Second");
    host.send("Third");
    remove(&mut host, "user-2");
    assert_eq!((host.settled(second), queued_ids(&host)), (Some(None), vec!["user-3"]));
    finish(&mut host);
    assert_eq!(host.ids(), ["user-1", "response-1", "user-3"]);
    let again = host.change(|chat, _| chat.remove_queued(&Text::from_utf8("user-2")));
    assert_eq!(again.unwrap_err().kind, ErrorKind::InvalidArgument);
}

#[test]
fn send_now_stops_the_response_and_keeps_the_others_waiting() {
    let mut host = streaming(WhileBusy::Queue);
    host.send("Second");
    host.send("Third");
    send_now(&mut host, "user-3");
    assert_eq!(host.finished().outcome, Outcome::Stopped);
    assert_eq!(host.ids(), ["user-1", "response-1", "user-3"]);
    assert_eq!(queued_ids(&host), ["user-2"]);
    host.respond(&[TEXT, FINISH]);
    assert_eq!(host.ids(), ["user-1", "response-1", "user-3", "response-2", "user-2"]);
    host.respond(&[TEXT, FINISH]);
    host.assert_at_rest();
}

#[test]
fn edit_and_regenerate_leave_the_queue_waiting() {
    for replace in [(|host: &mut Host| host.regenerate(None)) as fn(&mut Host) -> u32, |host| {
        host.edit("user-1", "Other")
    }] {
        let mut host = streaming(WhileBusy::Queue);
        let second = host.send("Second");
        let command = replace(&mut host);
        assert_eq!(queued_ids(&host), ["user-2"]);
        host.respond(&[TEXT, FINISH]);
        assert_eq!((host.settled(command), host.settled(second)), (Some(None), None));
        host.respond(&[TEXT, FINISH]);
        assert_eq!(host.settled(second), Some(None));
        host.assert_at_rest();
    }
}

#[test]
fn a_message_waits_while_it_is_open_whether_the_chat_continues_by_itself() {
    let config = Config { auto_send: Some(AutoSendRule::Host), ..Config::default() };
    let mut host = Host::new(config);
    host.send("First");
    let call = r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#;
    host.respond(&[call, FINISH]);
    host.add_output("c", "2");
    host.send("Second");
    assert_eq!((queued_ids(&host), host.request_count()), (vec!["user-2"], 1));
    host.decide(host.asked(), false);
    assert_eq!((queued_ids(&host), host.request_count()), (vec![], 2));
    host.respond(&[TEXT, FINISH]);
    host.assert_at_rest();
}

#[test]
fn waiting_for_the_person_is_not_busy() {
    let mut host = Host::new(Config::default());
    host.send("First");
    host.respond(&[
        r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#,
        r#"{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}"#,
        FINISH,
    ]);
    host.send("Second");
    assert_eq!(host.request_count(), 2);
    let sent: Value = serde_json::from_str(&host.opened().messages).unwrap();
    assert_eq!(sent[1]["parts"][0]["state"], "approval-requested", "it stays pending");
}

#[test]
fn a_queue_change_is_published() {
    let mut host = streaming(WhileBusy::Queue);
    host.advance(16.0);
    let published =
        |host: &Host| host.log.iter().filter(|seen| matches!(seen, Seen::Published(_))).count();
    let before = published(&host);
    host.send("Second");
    remove(&mut host, "user-2");
    assert_eq!(published(&host), before + 2);
    assert!(queued_ids(&host).is_empty());
}
