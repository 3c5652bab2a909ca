//! Starting a chat, and the snippets that travel with it.

use wasm_bindgen::prelude::*;

use super::ChatCore;
use crate::chat::{AutoSendRule, Config, Throttle, WhileBusy};

// Named so that the files travel with the module: driver.js and its own imports need them.
#[wasm_bindgen(module = "/src/web/pump.js")]
extern "C" {
    #[wasm_bindgen(js_name = pump)]
    fn _pump();
}
#[wasm_bindgen(module = "/src/web/core-link.js")]
extern "C" {
    #[wasm_bindgen(js_name = quoted)]
    fn _core_link();
}
#[wasm_bindgen(module = "/src/web/host.js")]
extern "C" {
    #[wasm_bindgen(js_name = Callbacks)]
    fn _host();
}
#[wasm_bindgen(module = "/src/web/requests.js")]
extern "C" {
    #[wasm_bindgen(js_name = Requests)]
    fn _requests();
}
#[wasm_bindgen(module = "/src/web/schedule.js")]
extern "C" {
    #[wasm_bindgen(js_name = Schedule)]
    fn _schedule();
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
///
/// - `throttle`: milliseconds between publications; 0 = once per read, NaN = once per frame.
/// - `while_busy`: 0 = queue, 1 = interrupt, 2 = reject.
/// - `auto_send`: 0 = never, 1 = tool calls complete, 2 = approvals answered, 3 = ask the host.
/// - `max_event_bytes`: longest event of a stream in bytes; 0 = the default, 64 MiB.
/// - `flags`, added up: 1 = a lost connection is made again, 2 = the app has schemas for data parts,
///   4 = the app has a schema for metadata, 8 = text is shown word by word,
///   16 = the host wants to hear whether and why the chat continues by itself, 32 = a request that is
///   answered by 409 takes up what is running, 64 = tool calls that a stop left stay unfinished.
#[wasm_bindgen(js_name = startChat)]
#[must_use]
pub fn start_chat(
    host: JsValue,
    throttle: f64,
    while_busy: u32,
    auto_send: u32,
    max_event_bytes: u32,
    flags: u32,
) -> Driver {
    let defaults = Config::default();
    let config = Config {
        throttle: match throttle {
            0.0 => Throttle::EveryRead,
            interval if interval > 0.0 => Throttle::Interval(interval),
            _ => Throttle::Frame,
        },
        while_busy: match while_busy {
            1 => WhileBusy::Interrupt,
            2 => WhileBusy::Reject,
            _ => WhileBusy::Queue,
        },
        auto_send: match auto_send {
            1 => Some(AutoSendRule::ToolCallsComplete),
            2 => Some(AutoSendRule::ApprovalsAnswered),
            3 => Some(AutoSendRule::Host),
            _ => None,
        },
        max_event_bytes: match max_event_bytes {
            0 => defaults.max_event_bytes,
            bytes => bytes as usize,
        },
        resume: flags & 1 != 0,
        check_data: flags & 2 != 0,
        check_metadata: flags & 4 != 0,
        smooth: flags & 8 != 0,
        report_auto_send: flags & 16 != 0,
        attach_on_conflict: flags & 32 != 0,
        keep_unfinished_tools: flags & 64 != 0,
        ..defaults
    };
    Driver::new(ChatCore::new(config), wasm_bindgen::memory(), host)
}

/// Traps, so that tests can see what a trap does. Debug builds only.
#[cfg(debug_assertions)]
#[wasm_bindgen(js_name = trapForTest)]
pub fn trap_for_test() {
    std::arch::wasm32::unreachable()
}
