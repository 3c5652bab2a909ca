//! Messages appear, shaped as the AI SDK's.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/messages.js":
    text_appears = textAppears,
    every_chunk_shows_what_the_ai_sdk_shows = everyChunkShowsWhatTheAiSdkShows,
    text_stream_is_one_part = textStreamIsOnePart,
    custom_transport_gives_chunk_objects = customTransportGivesChunkObjects,
    set_messages_shows_the_apps_objects = setMessagesShowsTheAppsObjects,
    regenerate_takes_the_answer_away = regenerateTakesTheAnswerAway,
    queued_messages_wait_in_sight = queuedMessagesWaitInSight,
    queued_messages_keep_their_options = queuedMessagesKeepTheirOptions,
    keys_outlive_ids = keysOutliveIds,
}
