//! A connection that is lost is made again: after a while, or as soon as that makes sense.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/reconnect.js":
    an_answer_goes_on = anAnswerGoesOn,
    in_vain = inVain,
    offline = offline,
    back_in_sight = backInSight,
    nobody_waits_for_longer_than_the_chat = nobodyWaitsForLongerThanTheChat,
    nothing_left = nothingLeft,
}
