//! The bindings to JavaScript. The only place with JS types, clocks and network.
//!
//! Rust holds the truth and hands out compact lists of changes; the snippets beside this file
//! apply them to plain objects (`view.js`), run callbacks (`driver.js`), requests (`requests.js`)
//! and timers (`schedule.js`), and read bodies (`pump.js`). Bytes cross into wasm once per read,
//! into one buffer.

#![allow(missing_debug_implementations)] // wasm-bindgen classes

#[cfg(feature = "agent")]
mod agent;
#[cfg(feature = "core")]
mod chat_core;
#[cfg(feature = "core")]
mod event_reader;
#[cfg(feature = "markdown")]
mod markdown;
#[cfg(feature = "core")]
mod output;
#[cfg(feature = "core")]
mod start;
#[cfg(feature = "core")]
mod tell;
#[cfg(feature = "core")]
mod tools;

#[cfg(feature = "agent")]
pub use self::agent::{
    apply_step, merge_client_tool_responses, prune_context, repair_tool_input, review_patch,
};
#[cfg(feature = "markdown")]
pub use self::markdown::MarkdownCore;
#[cfg(all(feature = "core", debug_assertions))]
pub use self::start::trap_for_test;
#[cfg(feature = "core")]
pub use self::{
    chat_core::ChatCore,
    event_reader::EventReader,
    start::{Driver, start_chat},
    tools::{MessageReaderCore, complete_json, read_message, validate_messages},
};
