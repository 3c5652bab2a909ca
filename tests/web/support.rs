//! What the browser tests share: the crate's bindings for the scripts in this folder, which hold
//! the tests since what they test is JavaScript objects.

use wasm_bindgen::prelude::*;

use chatwire::web::start_chat;

// Named so that the files travel with the scripts that import them.
#[wasm_bindgen(module = "/tests/web/check.js")]
extern "C" {
    #[wasm_bindgen(js_name = assert)]
    fn _check();
}
#[wasm_bindgen(module = "/tests/web/page.js")]
extern "C" {
    #[wasm_bindgen(js_name = inPage)]
    fn _page();
}
#[wasm_bindgen(module = "/tests/web/random.js")]
extern "C" {
    #[wasm_bindgen(js_name = seeded)]
    fn _random();
}
#[wasm_bindgen(module = "/tests/web/host.js")]
extern "C" {
    #[wasm_bindgen(js_name = TestChat)]
    fn _host();
}
#[wasm_bindgen(module = "/tests/web/time.js")]
extern "C" {
    #[wasm_bindgen(js_name = TestTime)]
    fn _time();
}

/// `StartChat` of host.js: starts a chat on the bindings.
pub(crate) fn start_chat_function() -> JsValue {
    let start = |host, throttle, while_busy, auto_send, max_event_bytes, resume| {
        JsValue::from(start_chat(host, throttle, while_busy, auto_send, max_event_bytes, resume))
    };
    Closure::<dyn Fn(JsValue, f64, u32, u32, u32, bool) -> JsValue>::new(start).into_js_value()
}

/// Makes a test of each function of a script.
#[macro_export]
macro_rules! script_tests {
    ($script:literal: $($test:ident = $function:ident,)*) => {
        mod script {
            use wasm_bindgen::prelude::*;

            #[wasm_bindgen(module = $script)]
            extern "C" {
                $(
                    #[wasm_bindgen(catch, js_name = $function)]
                    pub(super) async fn $test(start: &JsValue) -> Result<JsValue, JsValue>;
                )*
            }
        }

        $(
            #[wasm_bindgen_test::wasm_bindgen_test]
            async fn $test() -> Result<(), wasm_bindgen::JsValue> {
                script::$test(&support::start_chat_function()).await.map(drop)
            }
        )*
    };
}
