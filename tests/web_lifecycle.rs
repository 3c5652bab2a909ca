//! The end of a chat, at any time.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/lifecycle.js":
    dispose_while_streaming = disposeWhileStreaming,
    free_while_streaming = freeWhileStreaming,
    commands_after_the_end = commandsAfterTheEnd,
    chats_are_apart = chatsAreApart,
    ignored_rejections_are_not_reported = ignoredRejectionsAreNotReported,
    memory_may_grow = memoryMayGrow,
}
