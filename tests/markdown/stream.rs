//! Random texts in random pieces.

use super::random::Random;
use super::tree::{Reader, tree_of};
use proptest::prelude::*;

const PIECES: &[&str] = &[
    "a",
    "b c",
    "*",
    "**",
    "_",
    "`",
    "```",
    "~~",
    "~~~",
    "[",
    "]",
    "(",
    ")",
    "[a]",
    "[a]: /u",
    "![",
    "](u",
    "<",
    ">",
    "<div>",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "<pre>",
    "</pre>",
    "# ",
    "===",
    "---",
    "- ",
    "+ ",
    "1. ",
    "2) ",
    "> ",
    "| ",
    "|---|",
    "| a | b |",
    "\\",
    "&amp;",
    "\n",
    "\n\n",
    "\n",
    "\n    ",
    "\n  ",
    "\t",
    " ",
    "\r",
    "\r\n",
    "\0",
    "é",
    "😀",
    "\"",
    ":",
    "http://a.b",
    "[x] ",
    "[ ] ",
    "!",
];

fn random_text(random: &mut Random) -> String {
    let length = 1 + random.below(24);
    (0..length).map(|_| *random.pick(PIECES)).collect()
}

#[test]
fn a_random_text_is_the_same_tree_however_it_is_cut() {
    for seed in 0..1500 {
        let mut random = Random::new(seed);
        let text = random_text(&mut random);
        let whole = tree_of(&text);
        let mut reader = Reader::new();
        let mut start = 0;
        for (end, _) in text.char_indices().skip(1) {
            if random.once_in(3) {
                reader.push(&text[start..end]);
                start = end;
                let so_far = Reader::read([&text[..end]]).tree;
                assert_eq!(reader.tree, so_far, "seed {seed}: {:?}", &text[..end]);
            }
        }
        reader.push(&text[start..]);
        assert_eq!(reader.finished(), whole, "seed {seed}: {text:?}");
    }
}

#[test]
fn long_lines_and_paragraphs_are_the_same_tree_however_they_are_cut() {
    for seed in 0..20 {
        let mut random = Random::new(seed);
        let text: String = (0..40)
            .map(|_| {
                let times = if random.once_in(2) { 1 + random.below(3000) } else { 1 };
                random.pick(PIECES).repeat(times)
            })
            .collect();
        let mut reader = Reader::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let most = 1 + random.below(3000);
            let (piece, after) = rest.split_at(rest.ceil_char_boundary(most));
            reader.push(piece);
            rest = after;
        }
        assert_eq!(reader.finished(), tree_of(&text), "seed {seed}");
    }
}

#[test]
fn nothing_comes_after_the_end() {
    let mut reader = Reader::read(["*a"]);
    reader.finish();
    assert_eq!(reader.push("*").to_string(), "[]");
    assert_eq!(reader.tree, tree_of("*a"));
}

proptest! {
    #[test]
    fn any_text_is_the_same_tree_at_any_split(text in "\\PC{0,60}|[\\x00-\\x7f]{0,60}", at in 0usize..60) {
        let at = text.floor_char_boundary(at);
        let split = Reader::read([&text[..at], &text[at..]]).finished();
        prop_assert_eq!(split, tree_of(&text));
    }
}
