//! How an unfinished tail shows.

use super::html;
use super::tree::{Reader, tree_of};

/// A text so far, and as it shows.
const SHOWN: &[(&str, &str)] = &[
    ("a **b", "<p>a <strong>b</strong></p>\n"),
    ("a **b*", "<p>a <strong>b</strong></p>\n"),
    ("a **b ", "<p>a <strong>b</strong></p>\n"),
    ("a **", "<p>a</p>\n"),
    ("a *b **c", "<p>a <em>b <strong>c</strong></em></p>\n"),
    ("a *b **c** d", "<p>a <em>b <strong>c</strong> d</em></p>\n"),
    ("a ***b", "<p>a <em><strong>b</strong></em></p>\n"),
    ("a _b", "<p>a <em>b</em></p>\n"),
    ("snake_case", "<p>snake_case</p>\n"),
    ("2 * 3", "<p>2 * 3</p>\n"),
    ("a ~~b", "<p>a <del>b</del></p>\n"),
    ("a `b", "<p>a <code>b</code></p>\n"),
    ("a `b*", "<p>a <code>b*</code></p>\n"),
    ("a ``b`", "<p>a <code>b</code></p>\n"),
    ("a `", "<p>a</p>\n"),
    ("*a `b", "<p><em>a <code>b</code></em></p>\n"),
    ("a \\", "<p>a</p>\n"),
    ("a \\*b", "<p>a *b</p>\n"),
    ("see [the", "<p>see the</p>\n"),
    ("see [the](htt", "<p>see the</p>\n"),
    ("see [*the", "<p>see <em>the</em></p>\n"),
    ("see [the](/a) *b", "<p>see <a href=\"/a\">the</a> <em>b</em></p>\n"),
    ("see [the][la", "<p>see the</p>\n"),
    ("**see [the](/a", "<p><strong>see the</strong></p>\n"),
    ("a ![b](htt", "<p>a</p>\n"),
    ("a ![b", "<p>a</p>\n"),
    ("array[0] of", "<p>array[0] of</p>\n"),
    ("# a **b", "<h1>a <strong>b</strong></h1>\n"),
    ("a\n--", "<p>a</p>\n"),
    ("a\n\n1", "<p>a</p>\n"),
    ("a\n\n1. b", "<p>a</p>\n<ol>\n<li>b</li>\n</ol>\n"),
    ("```js\na\n``", "<pre><code class=\"language-js\">a\n</code></pre>\n"),
    ("- a\n- *b", "<ul>\n<li>a</li>\n<li><em>b</em></li>\n</ul>\n"),
    ("[a]: /b", ""),
];

#[test]
fn what_is_open_is_closed() {
    let mut wrong = Vec::new();
    for (text, expected) in SHOWN {
        let shown = html::of_tree(&Reader::read([*text]).tree);
        if shown != *expected {
            wrong.push(format!("{text:?}\n  {shown:?}\n  {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_complete_shows_as_it_is_written() {
    for text in ["a **b", "a **", "a `b", "[the](htt", "a ![b", "42", "a\n\n- *"] {
        let mut reader = Reader::read([text]);
        reader.finish();
        assert_eq!(html::of_tree(&reader.tree), html::reference(text), "{text:?}");
        assert_eq!(reader.tree, tree_of(text));
    }
}

#[test]
fn a_cell_is_closed_by_itself() {
    let shown = html::of_tree(&Reader::read(["| a | b |\n|:-:|---|\n| *c* | **d"]).tree);
    assert!(shown.contains("<em>c</em>"), "{shown}");
    assert!(shown.contains("<strong>d</strong>"), "{shown}");
    assert!(shown.contains("text-align: center"), "{shown}");
}

#[test]
fn a_long_paragraph_goes_on_as_text_and_is_parsed_when_it_doubles() {
    let mut reader = Reader::new();
    reader.push(&"*word* ".repeat(700));
    let changes = reader.push("*one*").to_string();
    assert!(changes.starts_with("[[\"t\",[0,") && changes.ends_with("\"*one*\"]]"), "{changes}");
    reader.push(&" *word*".repeat(700));
    let nodes = reader.tree["children"][0]["children"].as_array().unwrap().len();
    assert!(nodes > 2 * 1100, "{nodes}");
    let whole = format!("{}*one*{}", "*word* ".repeat(700), " *word*".repeat(700));
    assert_eq!(reader.finished(), tree_of(&whole));
}
