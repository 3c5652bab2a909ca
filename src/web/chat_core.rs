//! The chat machine as a JavaScript class. `driver.js` is its only user.
//!
//! Few functions, since each costs code on both sides: what happens once per read or per flush has
//! one of its own, everything else goes through [`ChatCore::tell`] as JSON text.

use wasm_bindgen::prelude::*;

use crate::chat::{Changes, Chat, Config, Output};

use super::output;
use super::tell::{self, Reply};

/// One chat.
#[wasm_bindgen]
pub struct ChatCore {
    chat: Chat,
    changes: Changes,
    input: Vec<u8>,
    detail: String,
    /// What the driver reads straight from memory; see [`ChatCore::state`].
    state: Box<[usize; 8]>,
}

impl ChatCore {
    pub(super) fn new(config: Config) -> Self {
        Self {
            chat: Chat::new(config),
            changes: Changes::default(),
            input: Vec::new(),
            detail: String::new(),
            state: Box::default(),
        }
    }

    fn write_state(&mut self) {
        *self.state = [
            self.changes.ops.as_ptr() as usize,
            self.changes.ops.len(),
            self.changes.arena.as_ptr() as usize,
            self.changes.arena.len(),
            usize::from(self.changes.has_surrogates),
            output::status_number(&self.chat),
            output::outcome_number(self.chat.outcome()),
            output::connection_number(&self.chat),
        ];
    }
}

#[wasm_bindgen]
impl ChatCore {
    /// Where eight numbers are that [`poll`](Self::poll) and [`take_changes`](Self::take_changes)
    /// bring up to date: place and length of the operations, place and length of the arena, whether
    /// the arena holds lone surrogates, the status, the outcome, the connection (numbered as in
    /// `driver.js`).
    #[must_use]
    pub fn state(&self) -> *const usize {
        self.state.as_ptr()
    }

    /// A command of the app or an event of the transport: a JSON object whose `do` says which; see
    /// `tell.rs`. Returns the number of the command that a settle output will name, or for the head
    /// of an answer 1 when its body is a stream.
    ///
    /// Throws the JSON text of an error.
    pub fn tell(&mut self, now: f64, json: &str) -> Result<u32, JsValue> {
        match tell::tell(&mut self.chat, now, json) {
            Ok(Reply(number)) => Ok(number),
            Err(error) => Err(JsValue::from_str(&output::error_json(&error))),
        }
    }

    /// Where the next `length` bytes are to be put.
    pub fn reserve(&mut self, length: usize) -> *mut u8 {
        if self.input.len() < length {
            self.input.resize(length, 0);
        }
        self.input.as_mut_ptr()
    }

    /// The first `length` bytes of the reserved buffer came: bytes of a body, or chunks of the
    /// app's own transport, one JSON text a line. Returns how many events were applied since the last
    /// call.
    pub fn feed(&mut self, now: f64, request: u32, length: usize, are_chunks: bool) -> u32 {
        let bytes = self.input.get(..length).unwrap_or_default();
        if are_chunks {
            self.chat.handle_chunks(now, request, &String::from_utf8_lossy(bytes));
        } else {
            self.chat.handle_bytes(now, request, bytes);
        }
        self.chat.take_event_count()
    }

    /// A frame, or the time that a wake output named.
    pub fn frame(&mut self, now: f64) {
        self.chat.handle_frame(now);
    }

    /// The number of the next output, 0 for none; see `driver.js`.
    pub fn poll(&mut self) -> u32 {
        let Some(next) = self.chat.poll_output() else { return 0 };
        if next == Output::Publish {
            self.take_changes();
        } else {
            self.detail = output::detail_json(&next);
        }
        output::number(&next)
    }

    /// What the last polled output says, as JSON text.
    #[must_use]
    pub fn detail(&mut self) -> String {
        std::mem::take(&mut self.detail)
    }

    /// Takes the changes outside an output, for a command given inside a callback.
    #[wasm_bindgen(js_name = takeChanges)]
    pub fn take_changes(&mut self) {
        self.chat.take_changes(&mut self.changes);
        self.write_state();
    }

    /// The error's JSON text, when the status is `error`.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.chat.error().map(output::error_json)
    }

    /// The message with this key as exact JSON text; 0 stands for the array of all.
    #[must_use]
    pub fn export(&self, key: u32) -> Option<String> {
        if key == 0 { Some(self.chat.export_messages()) } else { self.chat.export_message(key) }
    }
}
