//! What the browser tests share: the crate's bindings for the scripts in this folder, which hold
//! the tests since what they test is JavaScript objects.

use wasm_bindgen::prelude::*;

use chatwire::web::start_chat;

#[wasm_bindgen(module = "/tests/web/run.js")]
extern "C" {
    /// Runs the function `name` of a script with what starts a chat on the bindings.
    #[wasm_bindgen(catch, js_name = runTest)]
    pub(crate) async fn run_test(
        script: &str,
        name: &str,
        start: &JsValue,
    ) -> Result<JsValue, JsValue>;
}

/// `StartChat` of host.js: starts a chat on the bindings.
pub(crate) fn start_chat_function() -> JsValue {
    let start = |host, throttle, while_busy, auto_send, max_event_bytes, flags| {
        JsValue::from(start_chat(host, throttle, while_busy, auto_send, max_event_bytes, flags))
    };
    Closure::<dyn Fn(JsValue, f64, u32, u32, u32, u32) -> JsValue>::new(start).into_js_value()
}

/// Makes a test of each function of a script.
#[macro_export]
macro_rules! script_tests {
    ($script:literal: $($test:ident = $function:ident,)*) => {
        $(
            #[wasm_bindgen_test::wasm_bindgen_test]
            async fn $test() -> Result<(), wasm_bindgen::JsValue> {
                let start = support::start_chat_function();
                support::run_test($script, stringify!($function), &start).await.map(drop)
            }
        )*
    };
}
