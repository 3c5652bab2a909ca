//! Values that the app has schemas for are taken once its schema accepts them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{Config, Outcome, Status, Throttle, ValueCheck};
use chatwire::error::ErrorKind;
use serde_json::json;
use support::host::Host;
use support::log::Seen;
use support::utf16::parse;

const DATA: &str = r#"{"type":"data-weather","id":"1","data":{"degrees":1.50}}"#;
const TRANSIENT: &str = r#"{"type":"data-weather","data":2,"transient":true}"#;
const OPEN: &str = r#"{"type":"text-start","id":"t"}"#;
const TEXT: &str = r#"{"type":"text-delta","id":"t","delta":"text"}"#;
const FINISH: &str = r#"{"type":"finish","messageMetadata":{"tokens":7}}"#;

fn answered(config: Config) -> Host {
    let mut host = Host::new(Config { throttle: Throttle::EveryRead, ..config });
    host.send("Hi");
    host.answer();
    host
}

fn checks(host: &Host) -> Vec<(Option<&str>, &str)> {
    host.log
        .iter()
        .filter_map(|seen| match seen {
            Seen::Checked(ValueCheck { data_type, value, .. }) => {
                Some((data_type.as_deref(), value.as_str()))
            }
            _ => None,
        })
        .collect()
}

#[test]
fn nothing_behind_an_open_check_is_applied() {
    let mut host = answered(Config { check_data: true, ..Config::default() });
    host.chunks(&[OPEN, TEXT, DATA, TEXT]);
    host.chunks(&[TEXT, FINISH]);
    host.done();
    assert_eq!(checks(&host), [(Some("data-weather"), r#"{"degrees":1.50}"#)]);
    assert_eq!(host.last_message()["parts"].as_array().unwrap().len(), 1);
    assert_eq!(host.last_message()["parts"][0]["text"], "text");
    assert!(!host.log.iter().any(|seen| matches!(seen, Seen::Data(_))), "not told either");

    host.check(true);
    let parts = &host.last_message()["parts"];
    assert_eq!(parts[0]["text"], "texttexttext");
    assert_eq!(parts[1]["data"], parse(r#"{"degrees":1.50}"#));
    assert_eq!(host.finished().outcome, Outcome::Complete);
    host.assert_at_rest();
}

#[test]
fn each_value_is_checked_by_itself() {
    let mut host = answered(Config { check_data: true, ..Config::default() });
    host.chunks(&[DATA, TRANSIENT, DATA, FINISH]);
    host.done();
    for count in 1..=3 {
        assert_eq!(checks(&host).len(), count);
        assert_eq!(
            host.chat.status(),
            if count < 2 { Status::Submitted } else { Status::Streaming }
        );
        host.check(true);
    }
    assert_eq!(host.finished().outcome, Outcome::Complete);
    assert_eq!(host.last_message()["parts"].as_array().unwrap().len(), 1);
}

#[test]
fn a_value_that_is_refused_ends_the_response_and_is_not_in_it() {
    let mut host = answered(Config { check_data: true, ..Config::default() });
    host.chunks(&[OPEN, TEXT, DATA, TEXT, FINISH]);
    host.done();
    host.check(false);
    let error = host.chat.error().unwrap();
    assert_eq!(error.kind, ErrorKind::InvalidValue);
    assert_eq!(host.finished().outcome, Outcome::Error);
    let parts = &host.last_message()["parts"];
    assert_eq!(parts.as_array().unwrap().len(), 1);
    assert_eq!(parts[0]["text"], "text", "what came before stays, what came behind is not wanted");
    host.check(true);
    assert_eq!(host.last_message()["parts"].as_array().unwrap().len(), 1, "an answer too many");
    host.assert_at_rest();
}

#[test]
fn metadata_is_checked_as_it_will_be() {
    let mut host = answered(Config { check_metadata: true, ..Config::default() });
    host.chunks(&[r#"{"type":"start","messageId":"a","messageMetadata":{"model":"m"}}"#, DATA]);
    assert_eq!(host.messages().as_array().unwrap().len(), 1, "not even the message is shown");
    host.check(true);
    host.chunks(&[r#"{"type":"message-metadata","messageMetadata":{"tokens":1.0}}"#]);
    host.check(true);
    host.chunks(&[FINISH]);
    host.done();
    host.check(true);
    assert_eq!(
        checks(&host),
        [
            (None, r#"{"model":"m"}"#),
            (None, r#"{"model":"m","tokens":1.0}"#),
            (None, r#"{"model":"m","tokens":7}"#),
        ]
    );
    assert_eq!(host.last_message()["metadata"], json!({"model": "m", "tokens": 7}));
    assert_eq!(host.finished().outcome, Outcome::Complete);
}

#[test]
fn a_stop_does_not_wait_for_a_check() {
    let mut host = answered(Config { check_data: true, ..Config::default() });
    host.chunks(&[OPEN, TEXT, DATA, TEXT]);
    host.stop();
    assert_eq!(host.finished().outcome, Outcome::Stopped);
    assert_eq!(host.chat.status(), Status::Ready);
    host.check(true);
    assert_eq!(host.last_message()["parts"].as_array().unwrap().len(), 1);

    host.send("Again");
    host.answer();
    host.chunks(&[DATA]);
    host.check(true);
    assert_eq!(host.last_message()["parts"][0]["type"], "data-weather");
}

#[test]
fn the_end_of_the_stream_waits_too() {
    let mut host = answered(Config { check_data: true, ..Config::default() });
    host.chunks(&[DATA]);
    host.disconnect();
    assert_eq!(host.chat.outcome(), None);
    host.check(true);
    assert_eq!(host.finished().outcome, Outcome::Disconnect);
    assert_eq!(host.last_message()["parts"][0]["type"], "data-weather");
}

#[test]
fn without_schemas_nothing_is_asked() {
    let mut host = answered(Config::default());
    host.respond(&[DATA, FINISH]);
    assert_eq!(checks(&host), []);
    assert_eq!(host.finished().outcome, Outcome::Complete);
}
