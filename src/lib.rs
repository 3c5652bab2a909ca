//! chatwire: the client side of an AI chat as a state machine, native and in the browser.
//!
//! # Layers
//! Each imports only those below it; `tests/purity` holds them to it.
//!
//! | module | what it is |
//! |---|---|
//! | `web` | wasm32 only: bindings, the view as JavaScript objects, requests, timers |
//! | `agent` | with the feature `agent`: pure helpers for a server that keeps the same messages |
//! | [`chat`] | the state machine: commands and transport events in, outputs out |
//! | [`protocol`] | one folder per wire protocol: decodes its events, applies them to messages |
//! | [`message`] | messages and parts, kept as the JSON text they came as |
//! | [`sse`] | server-sent events from bytes that come in any pieces |
//! | `markdown` | feature `markdown`, imports none of the others: blocks of a text that grows |
//! | [`json`] | JSON as text: checked, walked, compared, followed while it grows |
//!
//! Nothing but `web` does I/O, reads a clock, draws a random number or knows a JavaScript type.
//!
//! # What holds throughout
//! - **How input is cut never changes what it gives.** Every parser keeps its state between pieces.
//! - **An event costs its own bytes.** Messages are not copied per event, text is not scanned again,
//!   and what changed reaches the view as a list of changes ([`chat::Changes`]).
//! - **What was received stays as it was spelled.** Tool inputs and outputs, data, metadata, approvals
//!   and fields that are not known are kept as text and sent back byte for byte.
//! - **Input is never a reason to panic.** It is decoded, skipped with a warning, or ends the response
//!   with a typed [`error::Error`]; what came before stays. [`limits`] bounds what is accepted.
//! - **Nothing counts as complete that was not.** See [`chat::Outcome`].
//!
//! # Driving a chat
//! The host tells the machine what happened, then does what [`chat::Chat::poll_output`] says until
//! it says nothing more. This host answers from a string:
//!
//! ```
//! use chatwire::chat::{Changes, Chat, Config, NewMessage, Outcome, Output, ResponseHead};
//! use chatwire::chat::{SendMessage, StreamKind};
//! use chatwire::json::Text;
//!
//! let body = concat!(
//!     "data: {\"type\":\"start\",\"messageId\":\"m2\"}\n\n",
//!     "data: {\"type\":\"text-start\",\"id\":\"1\"}\n\n",
//!     "data: {\"type\":\"text-delta\",\"id\":\"1\",\"delta\":\"Hello!\"}\n\n",
//!     "data: {\"type\":\"text-end\",\"id\":\"1\"}\n\n",
//!     "data: {\"type\":\"finish\"}\n\ndata: [DONE]\n\n",
//! );
//! let mut chat = Chat::new(Config::default());
//! let hi = r#"{"id":"m1","role":"user","parts":[{"type":"text","text":"Hi"}]}"#;
//! let message = NewMessage::parse(hi, 0)?;
//! chat.send_message(0.0, SendMessage { message: Some(message), ..SendMessage::default() });
//!
//! let mut changes = Changes::default();
//! let mut outcome = None;
//! while let Some(output) = chat.poll_output() {
//!     match output {
//!         Output::OpenRequest(open) => {
//!             chat.set_response_id(open.request, Text::from_utf8("provisional"));
//!             let head = ResponseHead { status: 200, ..ResponseHead::default() };
//!             assert!(chat.handle_head(open.request, head, StreamKind::EventStream));
//!             chat.handle_bytes(1.0, open.request, body.as_bytes());
//!             chat.handle_end(2.0, open.request);
//!         }
//!         Output::Publish => chat.take_changes(&mut changes),
//!         Output::Finish(finish) => outcome = Some(finish.outcome),
//!         _ => {}
//!     }
//! }
//! assert_eq!(outcome, Some(Outcome::Complete));
//! assert_eq!(
//!     chat.messages()[1].to_json(),
//!     r#"{"id":"m2","role":"assistant","parts":[{"type":"text","text":"Hello!","state":"done"}]}"#,
//! );
//! # Ok::<(), chatwire::error::Error>(())
//! ```
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

#[cfg(feature = "agent")]
pub mod agent;
pub mod chat;
pub mod error;
pub mod json;
pub mod limits;
#[cfg(feature = "markdown")]
pub mod markdown;
pub mod message;
pub mod protocol;
pub mod sse;
mod swar;
#[cfg(target_arch = "wasm32")]
pub mod web;
