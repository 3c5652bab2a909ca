//! chatwire: the client side of an AI chat as a state machine.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

pub mod chat;
pub mod error;
pub mod json;
pub mod limits;
pub mod message;
pub mod protocol;
pub mod sse;
#[cfg(target_arch = "wasm32")]
pub mod web;
