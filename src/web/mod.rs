//! The bindings to JavaScript. The only place with JS types, clocks and network.
//!
//! Rust holds the truth and hands out compact lists of changes; the snippets beside this file
//! apply them to plain objects (`view.js`), run requests, timers and callbacks (`driver.js`) and
//! read bodies (`pump.js`). Bytes cross into wasm once per read, into one buffer.

#![allow(missing_debug_implementations)] // wasm-bindgen classes

mod chat_core;
mod output;

pub use chat_core::ChatCore;

use wasm_bindgen::prelude::*;

// Named so that the files travel with the module: driver.js imports them.
#[wasm_bindgen(module = "/src/web/pump.js")]
extern "C" {
    #[wasm_bindgen(js_name = pump)]
    fn _pump();
}
#[wasm_bindgen(module = "/src/web/view.js")]
extern "C" {
    #[wasm_bindgen(js_name = reuse)]
    fn _view();
}
#[wasm_bindgen(module = "/src/web/input-cursor.js")]
extern "C" {
    #[wasm_bindgen(js_name = InputCursor)]
    fn _input_cursor();
}

#[wasm_bindgen(module = "/src/web/driver.js")]
extern "C" {
    /// Runs one chat: see `driver.js`.
    pub type Driver;

    #[wasm_bindgen(constructor)]
    fn new(core: ChatCore, memory: JsValue, host: JsValue) -> Driver;
}

/// Starts a chat. `host` is what the API layer provides: callbacks, ids, requests, errors
/// (`Host` in `driver.js`).
#[wasm_bindgen(js_name = startChat)]
#[must_use]
pub fn start_chat(host: JsValue, options: &ChatOptions) -> Driver {
    Driver::new(ChatCore::new(options), wasm_bindgen::memory(), host)
}

/// Options of a chat, as numbers.
#[wasm_bindgen]
#[derive(Clone, Copy, Default)]
pub struct ChatOptions {
    /// Milliseconds between publications; 0 = once per read, NaN = once per frame.
    pub throttle: f64,
    /// 0 = queue, 1 = interrupt, 2 = reject.
    #[wasm_bindgen(js_name = whileBusy)]
    pub while_busy: u32,
    /// 0 = never, 1 = tool calls complete, 2 = approvals answered, 3 = ask the host.
    #[wasm_bindgen(js_name = autoSend)]
    pub auto_send: u32,
    /// Longest event of a stream in bytes; 0 = the default.
    #[wasm_bindgen(js_name = maxEventBytes)]
    pub max_event_bytes: u32,
}

#[wasm_bindgen]
impl ChatOptions {
    /// All options at their defaults: a frame, queue, never, 64 MiB.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self { throttle: f64::NAN, ..Self::default() }
    }
}

/// Traps, so that tests can see what a trap does. Debug builds only.
#[cfg(debug_assertions)]
#[wasm_bindgen(js_name = trapForTest)]
pub fn trap_for_test() {
    std::arch::wasm32::unreachable()
}
