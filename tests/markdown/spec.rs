//! The examples of the `CommonMark` specification.

use super::html;
use super::tree::{Reader, tree_of};

/// Examples that pulldown-cmark renders in another way, and why.
const DIFFERENCES: &[(usize, &str)] = &[
    (175, "HTML in an item of a tight list shows like a paragraph of that item"),
    (596, "irc: is no allowed scheme"),
    (598, "a+b+c: is no allowed scheme"),
    (599, "made-up-scheme: is no allowed scheme"),
    (601, "localhost: is no allowed scheme"),
];

pub(crate) fn examples() -> Vec<String> {
    let spec = include_str!("../fixtures/commonmark/spec-0.31.2.txt");
    let start = format!("{} example\n", "`".repeat(32));
    let examples: Vec<_> = spec
        .split(&start)
        .skip(1)
        .map(|part| format!("{}\n", part.split_once("\n.\n").unwrap().0).replace('→', "\t"))
        .collect();
    assert_eq!(examples.len(), 652);
    examples
}

#[test]
fn a_whole_example_is_what_pulldown_cmark_makes_of_it() {
    let mut wrong = Vec::new();
    for (index, example) in examples().iter().enumerate() {
        let number = index + 1;
        let ours = html::of_tree(&tree_of(example));
        let theirs = html::reference(example);
        let differs = ours != theirs;
        if differs != DIFFERENCES.iter().any(|(known, _)| *known == number) {
            wrong.push(format!("{number}: {example:?}\n  {ours:?}\n  {theirs:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} examples:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn an_example_in_two_pieces_is_the_same_tree_at_every_split() {
    for (index, example) in examples().iter().enumerate() {
        let whole = tree_of(example);
        for (at, _) in example.char_indices() {
            let (first, second) = example.split_at(at);
            let split = Reader::read([first, second]).finished();
            assert_eq!(split, whole, "example {} split at {at}: {example:?}", index + 1);
        }
    }
}

#[test]
fn what_is_shown_while_an_example_grows_depends_on_the_text_so_far_only() {
    for (index, example) in examples().iter().enumerate() {
        let mut reader = Reader::new();
        for (at, character) in example.char_indices() {
            let end = at + character.len_utf8();
            reader.push(&example[at..end]);
            let whole = Reader::read([&example[..end]]).tree;
            assert_eq!(reader.tree, whole, "example {}: {:?}", index + 1, &example[..end]);
        }
        reader.finish();
        assert_eq!(reader.tree, tree_of(example), "example {}", index + 1);
    }
}
