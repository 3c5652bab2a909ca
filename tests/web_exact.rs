//! What was received goes back byte for byte, whatever JavaScript would make of it.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/exact.js":
    objects_keep_their_text = objectsKeepTheirText,
    messages_keep_their_text = messagesKeepTheirText,
    requests_send_what_was_received = requestsSendWhatWasReceived,
    copies_keep_the_text_of_what_is_the_same = copiesKeepTheTextOfWhatIsTheSame,
    answers_leave_the_rest_alone = answersLeaveTheRestAlone,
    cut_inputs_keep_their_text = cutInputsKeepTheirText,
    ids_may_be_any_string = idsMayBeAnyString,
}
