//! What is measured: one response, from its bytes to the lists of changes for the view.
//!
//! `feed FILE` reads the body from a file first, so that only the core's work is counted.
//! measure.mjs tells valgrind to count inside [`respond`] alone.
#![allow(clippy::unwrap_used)] // fails as loudly as a test

use std::env;
use std::fs;

use chatwire::chat::{
    Changes, Chat, Config, NewMessage, Outcome, Output, ResponseHead, SendMessage, StreamKind,
    Throttle,
};
use chatwire::json::Text;

/// Bytes of a read of the network.
const READ: usize = 1500;

fn main() {
    let file = env::args().nth(1).expect("the file with the body");
    let body = fs::read(file).unwrap();
    let config = Config { throttle: Throttle::EveryRead, ..Config::default() };
    assert_eq!(respond(Chat::new(config), &body), Some(Outcome::Complete));
}

/// Sends a message, takes the whole answer read by read, and gives its outcome.
#[inline(never)]
fn respond(mut chat: Chat, body: &[u8]) -> Option<Outcome> {
    let user = r#"{"id":"user","role":"user","parts":[{"type":"text","text":"Hi"}]}"#;
    let message = Some(NewMessage::parse(user, 0).unwrap());
    chat.send_message(0.0, SendMessage { message, ..SendMessage::default() });
    let mut changes = Changes::default();
    let mut outcome = None;
    let mut drain = |chat: &mut Chat| {
        let mut opened = None;
        while let Some(output) = chat.poll_output() {
            match output {
                Output::OpenRequest(open) => opened = Some(open.request),
                Output::Publish => chat.take_changes(&mut changes),
                Output::Finish(finish) => outcome = Some(finish.outcome),
                _ => {}
            }
        }
        opened
    };
    let request = drain(&mut chat).unwrap();
    chat.set_response_id(request, Text::from_utf8("response"));
    let head = ResponseHead { status: 200, is_ui_stream: true, ..ResponseHead::default() };
    assert!(chat.handle_head(request, head, StreamKind::EventStream));
    for read in body.chunks(READ) {
        chat.handle_bytes(0.0, request, read);
        drain(&mut chat);
    }
    chat.handle_end(0.0, request);
    drain(&mut chat);
    outcome
}
