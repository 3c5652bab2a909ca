//! When changes become visible: with frames, with a timer, at once.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/frames.js":
    one_flush_per_frame = oneFlushPerFrame,
    a_timer_stands_in_for_a_frame = aTimerStandsInForAFrame,
    hidden_pages_use_the_timer_alone = hiddenPagesUseTheTimerAlone,
    where_there_is_no_screen_a_timer_is_the_frame = whereThereIsNoScreenATimerIsTheFrame,
    what_matters_does_not_wait = whatMattersDoesNotWait,
    a_throttle_has_two_edges = aThrottleHasTwoEdges,
    a_throttle_of_zero_shows_each_read = aThrottleOfZeroShowsEachRead,
    words_come_at_an_even_pace = wordsComeAtAnEvenPace,
    real_frames_show_everything = realFramesShowEverything,
}
