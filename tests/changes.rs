//! The lists of changes: a view that follows nothing else shows what the export says, and a list
//! costs what changed.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{ChangeOp, Changes, Chat, Config, Throttle};
use chatwire::json::partial::op;
use chatwire::message::FieldName;
use proptest::collection::vec;
use proptest::prelude::*;
use support::chunks::{chunk, mutated_chunk};
use support::host::Host;

/// What happens after a chunk.
#[derive(Clone, Copy, Debug)]
enum After {
    /// The next chunk comes in the same read.
    Nothing,
    /// The read ends.
    Read,
    /// The read ends, and a frame is painted.
    Frame,
    /// The app stops the response; the next chunk begins another one that goes on with it.
    Stop,
}

fn steps() -> impl Strategy<Value = Vec<(String, After)>> {
    let chunk = prop_oneof![30 => chunk(), 1 => mutated_chunk()];
    let after = prop_oneof![
        8 => Just(After::Nothing),
        4 => Just(After::Read),
        8 => Just(After::Frame),
        1 => Just(After::Stop),
    ];
    vec((chunk, after), 1..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    /// The host compares its view with the export at every flush, and flushes again to see that
    /// nothing is left.
    #[test]
    fn a_view_that_follows_the_changes_shows_what_the_export_says(steps in steps()) {
        let mut host = Host::new(Config::default());
        host.send("Hi");
        let mut read = String::new();
        for (chunk, after) in steps {
            if !host.is_connected() {
                host.submit();
            }
            if host.answered() != host.opened().request {
                host.answer();
            }
            read.push_str(&format!("data: {chunk}\n\n"));
            if !matches!(after, After::Nothing) {
                host.bytes(std::mem::take(&mut read).as_bytes());
            }
            match after {
                After::Frame => host.advance(16.0),
                After::Stop => drop(host.stop()),
                After::Nothing | After::Read => {}
            }
        }
        host.bytes(read.as_bytes());
        if host.is_connected() {
            host.done();
        }
        host.advance(100.0);
        host.assert_at_rest();
    }
}

/// A chat whose response has brought these chunks, all published.
fn chat_with(chunks: &[&str]) -> Host {
    let mut host = Host::new(Config { throttle: Throttle::Frame, ..Config::default() });
    host.send("Hi");
    host.answer();
    host.chunks(chunks);
    host.advance(16.0);
    host
}

/// The operations and texts of the next flush after these chunks.
fn next_flush(host: &mut Host, chunks: &[&str]) -> (Vec<u32>, String) {
    host.chunks(chunks);
    let mut changes = Changes::default();
    host.chat.take_changes(&mut changes);
    (changes.ops, String::from_utf8(changes.arena).unwrap())
}

fn field(op: ChangeOp, name: FieldName) -> u32 {
    op as u32 | (name as u32) << 8
}

const TEXT_START: &str = r#"{"type":"text-start","id":"t"}"#;

fn text_delta(delta: &str) -> String {
    format!(r#"{{"type":"text-delta","id":"t","delta":"{delta}"}}"#)
}

#[test]
fn a_delta_costs_its_own_length_however_long_the_text_is() {
    let long = text_delta(&"long ".repeat(10_000));
    let mut host = chat_with(&[TEXT_START, &long]);
    let key = host.chat.messages()[1].key();
    let (ops, texts) = next_flush(&mut host, &[&text_delta("mo"), &text_delta("re 😀")]);
    assert_eq!(texts, "more 😀");
    let append = field(ChangeOp::AppendText, FieldName::Text);
    assert_eq!(
        ops,
        [ChangeOp::Message as u32, key, 0, ChangeOp::Part as u32, 0, append, 7],
        "lengths are in UTF-16 units"
    );
}

#[test]
fn a_tool_input_grows_along_its_open_path() {
    let items = "1,".repeat(5_000);
    let start = r#"{"type":"tool-input-start","toolCallId":"c","toolName":"x"}"#;
    let delta = |text: &str| {
        format!(r#"{{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{text}"}}"#)
    };
    let mut host = chat_with(&[start, &delta(&format!(r#"{{\"list\":[{items}"#))]);
    let key = host.chat.messages()[1].key();
    let (ops, texts) = next_flush(&mut host, &[&delta("23,4")]);
    assert_eq!(texts, "23423,4", "the numbers, and the raw text");
    let expected = [
        ChangeOp::Message as u32,
        key,
        0,
        ChangeOp::Part as u32,
        0,
        field(ChangeOp::Partial, FieldName::Input),
        4,
        op::ITEM,
        op::NUMBER | 2 << 4,
        op::ITEM,
        op::NUMBER | 1 << 4,
        field(ChangeOp::AppendText, FieldName::RawInput),
        4,
    ];
    assert_eq!(ops, expected);
}

#[test]
fn only_what_changed_is_sent() {
    let call = r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":[1.0]}"#;
    let output = r#"{"type":"tool-output-available","toolCallId":"c","output":{"a":1e3}}"#;
    let mut host = chat_with(&[TEXT_START, call, &text_delta("text")]);
    let key = host.chat.messages()[1].key();
    let (ops, texts) = next_flush(&mut host, &[output]);
    assert_eq!(texts, r#"output-available{"a":1e3}"#);
    let expected = [
        ChangeOp::Message as u32,
        key,
        0,
        ChangeOp::Part as u32,
        1,
        field(ChangeOp::SetText, FieldName::State),
        16,
        field(ChangeOp::SetJson, FieldName::Output),
        9,
    ];
    assert_eq!(ops, expected);
    let mut again = Changes::default();
    host.chat.take_changes(&mut again);
    assert!(again.ops.is_empty() && again.arena.is_empty(), "nothing is left");
}

#[test]
fn a_message_of_the_app_is_named_not_copied() {
    let mut chat = Chat::new(Config::default());
    let json = r#"{"id":"m","role":"assistant","parts":[{"type":"text","text":"long"}]}"#;
    let message = chatwire::chat::NewMessage::parse(json, 7).unwrap();
    chat.set_messages(0.0, vec![chatwire::chat::MessageSource::New(message)]);
    let mut changes = Changes::default();
    chat.take_changes(&mut changes);
    let key = chat.messages()[0].key();
    assert_eq!(
        changes.ops,
        [ChangeOp::Message as u32, key, 8, ChangeOp::List as u32, 1, key],
        "one more than the number of the app's object"
    );
    assert!(changes.arena.is_empty());
}

#[test]
fn half_a_surrogate_pair_is_flagged() {
    let mut host = chat_with(&[TEXT_START]);
    host.chunks(&[&text_delta(r"\ud83d")]);
    let mut changes = Changes::default();
    host.chat.take_changes(&mut changes);
    assert!(changes.has_surrogates);
    assert_eq!(changes.arena, b"\xed\xa0\xbd");
    host.chunks(&[&text_delta(r"\ude00.")]);
    host.chat.take_changes(&mut changes);
    assert!(changes.has_surrogates);
    assert_eq!(changes.arena, b"\xed\xb8\x80.");
    host.chunks(&[&text_delta("plain 😀")]);
    host.chat.take_changes(&mut changes);
    assert!(!changes.has_surrogates);
    assert!(host.chat.export_messages().contains("😀.plain 😀"));
}
