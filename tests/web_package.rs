//! The built package in a page: its commands, what it tells, what its transports may do.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/package.js":
    commands_before_the_start_keep_their_order = commandsBeforeTheStartKeepTheirOrder,
    later_commands_act_on_earlier_ones = laterCommandsActOnEarlierOnes,
    commands_after_the_start_wait_their_turn = commandsAfterTheStartWaitTheirTurn,
    dispose_before_the_start = disposeBeforeTheStart,
    subscribers_hear_of_each_snapshot = subscribersHearOfEachSnapshot,
    a_burst_is_told_once_per_interval = aBurstIsToldOncePerInterval,
    requests_are_the_ai_sdks = requestsAreTheAiSdks,
    chunks_that_are_no_json = chunksThatAreNoJson,
    transports_of_the_app = transportsOfTheApp,
    dispose_ends_a_chat = disposeEndsAChat,
    faulty_listeners_harm_nobody = faultyListenersHarmNobody,
    keys_stay = keysStay,
}
