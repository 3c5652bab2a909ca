//! What did not change is the same object, what changed is not, and what was handed out stays.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/identity.js":
    unchanged_messages_and_parts_stay = unchangedMessagesAndPartsStay,
    growing_input_keeps_what_is_closed = growingInputKeepsWhatIsClosed,
    input_text_without_a_value_changes_nothing = inputTextWithoutAValueChangesNothing,
    repeated_keys_may_change_nothing = repeatedKeysMayChangeNothing,
    a_number_after_a_repeated_key = aNumberAfterARepeatedKey,
    a_step_that_begins_anew_keeps_what_is_equal = aStepThatBeginsAnewKeepsWhatIsEqual,
    final_input_is_the_streamed_one = finalInputIsTheStreamedOne,
    final_input_keeps_what_is_equal = finalInputKeepsWhatIsEqual,
    replaced_values_keep_what_is_equal = replacedValuesKeepWhatIsEqual,
    similar_is_not_equal = similarIsNotEqual,
    replay_of_the_same_is_the_same = replayOfTheSameIsTheSame,
    replay_of_an_unfinished_answer = replayOfAnUnfinishedAnswer,
    snapshot_stays_until_something_changes = snapshotStaysUntilSomethingChanges,
    published_values_never_change_thawed = publishedValuesNeverChangeThawed,
    published_values_never_change_frozen = publishedValuesNeverChangeFrozen,
    random_streams_are_shown_as_they_are = randomStreamsAreShownAsTheyAre,
    equal_is_the_same_after_any_flush = equalIsTheSameAfterAnyFlush,
}
