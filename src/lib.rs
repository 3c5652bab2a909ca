//! chatwire: the client side of an AI chat as a state machine.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::panic))]

pub mod json;
pub mod limits;
pub mod sse;
