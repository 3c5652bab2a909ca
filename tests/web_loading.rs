//! When the built package loads its WebAssembly, what it costs, and what becomes of it.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/loading.js":
    unused_chats_take_no_memory = unusedChatsTakeNoMemory,
    dropped_chats_give_their_memory_back = droppedChatsGiveTheirMemoryBack,
    a_released_chat_keeps_the_text = aReleasedChatKeepsTheText,
    a_released_chat_keeps_its_error = aReleasedChatKeepsItsError,
    automatic_requests_are_released_too = automaticRequestsAreReleasedToo,
    a_failed_start_is_tried_again = aFailedStartIsTriedAgain,
    init_loads_once = initLoadsOnce,
    entries_share_the_instance = entriesShareTheInstance,
    a_trap_ends_the_instance = aTrapEndsTheInstance,
    a_trap_in_a_command = aTrapInACommand,
    a_trap_may_come_again = aTrapMayComeAgain,
}
