//! Text that grew, as such: where it goes, in UTF-16 units, and that it adds up to what is shown.
#![cfg(target_arch = "wasm32")]

#[path = "web/support.rs"]
mod support;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

script_tests! { "/tests/web/deltas.js":
    offsets_count_utf16 = offsetsCountUtf16,
    surrogate_pairs_may_be_split = surrogatePairsMayBeSplit,
    surrogate_pairs_may_be_split_in_inputs = surrogatePairsMayBeSplitInInputs,
    reads_may_be_cut_anywhere = readsMayBeCutAnywhere,
    byte_order_marks_are_text = byteOrderMarksAreText,
    a_reset_begins_at_zero = aResetBeginsAtZero,
    deltas_come_only_when_wanted = deltasComeOnlyWhenWanted,
    deltas_add_up_to_the_texts = deltasAddUpToTheTexts,
}
