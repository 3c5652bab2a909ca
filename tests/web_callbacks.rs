//! What the app's callbacks see, what they may do, and what becomes of what they throw.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/callbacks.js":
    tool_calls_are_answered_inside_their_callback = toolCallsAreAnsweredInsideTheirCallback,
    asynchronous_callbacks_do_not_hold_up_the_stream = asynchronousCallbacksDoNotHoldUpTheStream,
    faults_of_callbacks_go_to_on_error = faultsOfCallbacksGoToOnError,
    finish_says_how_it_ended = finishSaysHowItEnded,
    finish_of_an_empty_answer = finishOfAnEmptyAnswer,
    data_is_told_in_its_place = dataIsToldInItsPlace,
    stop_inside_a_callback = stopInsideACallback,
    commands_inside_callbacks = commandsInsideCallbacks,
    commands_inside_subscribers = commandsInsideSubscribers,
    dispose_inside_a_callback = disposeInsideACallback,
    faults_of_generate_id = faultsOfGenerateId,
    the_predicate_decides = thePredicateDecides,
    faults_of_the_predicate = faultsOfThePredicate,
    an_open_question_can_be_overtaken = anOpenQuestionCanBeOvertaken,
    the_rule_for_tool_calls = theRuleForToolCalls,
}
