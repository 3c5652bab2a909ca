//! What a request is told, and what happens to one that is over.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/requests.js":
    requests_are_described = requestsAreDescribed,
    an_edit_replaces_what_follows = anEditReplacesWhatFollows,
    stop_aborts_and_ignores_what_comes_late = stopAbortsAndIgnoresWhatComesLate,
    bodies_are_cancelled = bodiesAreCancelled,
    streams_of_transports_are_cancelled = streamsOfTransportsAreCancelled,
    stop_before_the_answer = stopBeforeTheAnswer,
    requests_do_not_mix = requestsDoNotMix,
    nothing_to_resume_changes_nothing = nothingToResumeChangesNothing,
    responses_may_be_imitations = responsesMayBeImitations,
}
