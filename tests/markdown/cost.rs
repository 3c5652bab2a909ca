//! What 1 MB costs in small pieces: bytes looked at, each time counted.

use super::tree::Reader;
use chatwire::markdown::{Markdown, UrlPolicy};

const LENGTH: usize = 1_000_000;
const PIECE: usize = 50;

/// A text of `LENGTH` bytes: the start, then the line again and again.
fn repeated(start: &str, line: &str) -> String {
    let mut text = start.to_owned();
    while text.len() < LENGTH {
        text.push_str(line);
    }
    text.truncate(LENGTH);
    text
}

const SENTENCE: &str = "Some *words* of a [text](https://example.com) with `code` and **more**. ";

fn shapes() -> Vec<(&'static str, String)> {
    let paragraph = format!("{}\n\n# Heading\n\n", SENTENCE.repeat(4));
    vec![
        ("ordinary text", repeated("", &paragraph)),
        ("a fence", repeated("```js\n", "const a = \"b\"; // *c*\n")),
        ("a fence of one line", repeated("```\n", "abcdefgh ")),
        ("indented code", repeated("", "    const a = 1;\n")),
        ("a list", repeated("", &format!("- {SENTENCE}\n"))),
        ("a loose list", repeated("", &format!("1. {SENTENCE}\n\n   More.\n\n"))),
        ("a table", repeated("| a | b |\n|---|---|\n", &format!("| {SENTENCE} | 1 |\n"))),
        ("a table's row", repeated("| a |\n|---|\n| ", SENTENCE)),
        ("a paragraph of one line", repeated("", SENTENCE)),
        ("a paragraph of many lines", repeated("", &format!("{SENTENCE}\n"))),
        ("a paragraph in a list and a quote", repeated("- > ", &format!("{SENTENCE}\n  > "))),
        ("a heading", repeated("# ", SENTENCE)),
        ("HTML", repeated("<pre>\n", "<b>bold</b>\n")),
    ]
}

/// What nobody writes but who wants it to be slow.
fn hostile_shapes() -> Vec<(&'static str, String)> {
    vec![
        ("spaces", repeated("a\n", " ")),
        ("lines that may be HTML", repeated("", "a\n<divx\n")),
        ("lines that may be definitions", repeated("", "[a]: <b\n")),
        ("definitions", repeated("", "[a]: /b\n")),
        ("a definition without an end", repeated("[", "a\n")),
        ("an info string", repeated("```", "a b ")),
        ("markers", repeated("", "> - ")),
        ("rules", repeated("", "-")),
        ("brackets", repeated("", "[")),
        ("images", repeated("", "![[](")),
        ("backticks", repeated("", "` `` ``` ```` ")),
        ("openers", repeated("", "*a **b _c ~d ")),
        ("angles", repeated("", "<a <!-- <? ")),
    ]
}

#[test]
fn a_megabyte_in_small_pieces_costs_a_small_multiple_of_its_length() {
    for (shape, text) in shapes() {
        assert_flat(shape, &text);
    }
}

#[test]
fn so_does_a_hostile_one() {
    for (shape, text) in hostile_shapes() {
        assert_flat(shape, &text);
    }
}

fn assert_flat(shape: &str, text: &str) {
    let mut markdown = Markdown::new(UrlPolicy::default());
    let mut sent = 0;
    let mut half = 0;
    for (index, piece) in text.as_bytes().chunks(PIECE).enumerate() {
        markdown.push(std::str::from_utf8(piece).unwrap());
        sent += markdown.changes().len() as u64;
        if index == LENGTH / PIECE / 2 {
            half = markdown.bytes_parsed();
        }
    }
    markdown.finish();
    sent += markdown.changes().len() as u64;
    let (parsed, length) = (markdown.bytes_parsed(), LENGTH as u64);
    assert!(parsed < 20 * length, "{shape}: {parsed} bytes parsed");
    assert!(sent < 30 * length, "{shape}: {sent} bytes of changes");
    // What is parsed once per doubling makes the second half dearer, by a constant.
    assert!(parsed < 2 * half + 6 * length, "{shape}: {half} bytes parsed in the first half");
}

#[test]
fn text_of_a_fence_is_sent_once() {
    let mut reader = Reader::new();
    reader.push("1. a\n\n   ```js\n");
    assert_eq!(reader.push("   let").to_string(), r#"[["t",[0,0,1],"let"]]"#);
    assert_eq!(reader.push(" a").to_string(), r#"[["t",[0,0,1]," a"]]"#);
    assert_eq!(reader.push(" = 1;\n   b").to_string(), r#"[["t",[0,0,1]," = 1;\nb"]]"#);
}

#[test]
fn what_did_not_change_is_not_mentioned() {
    let mut reader = Reader::new();
    reader.push("# Title\n\nA *b*\n\n- c\n- d");
    let changes = reader.push("e");
    let node = r#"{"type":"paragraph","children":[{"type":"text","value":"de"}]}"#;
    assert_eq!(changes.to_string(), format!(r#"[["s",[2,1,0],{node}]]"#));
    assert_eq!(reader.push("\n").to_string(), "[]");
    let changes = reader.push("\n- f\n").to_string();
    assert!(
        changes.contains(r#"["f",[2],{"ordered":false,"start":null,"spread":true}]"#),
        "{changes}"
    );
    assert!(!changes.contains("\"de\""), "{changes}");
}

#[test]
fn a_finished_block_is_parsed_again_when_its_label_is_first_defined_and_only_then() {
    let mut reader = Reader::new();
    reader.push("See [a] and [b][A].\n\n- see [b]\n\nMore.\n\n");
    let changes = reader.push("[A]: /one\n\n");
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
    assert_eq!(changes[0][1], serde_json::json!([0]));
    assert_eq!(reader.push("[a]: /two\n\n").to_string(), "[]");
    let changes = reader.push("[b]: /three\n\n");
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
    assert_eq!(changes[0][1], serde_json::json!([1, 0, 0]));
}

#[test]
fn labels_that_are_defined_late_do_not_multiply_the_cost_of_their_block() {
    let labels = 2000;
    let uses: String = (0..labels).map(|label| format!("[{label}] ")).collect();
    let mut reader = Reader::read([uses.as_str(), "\n\n"]);
    let before = reader.markdown.bytes_parsed();
    for label in 0..labels {
        reader.push(&format!("[{label}]: /{label}\n\n"));
    }
    reader.finish();
    let cost = reader.markdown.bytes_parsed() - before;
    assert!(cost < 40 * uses.len() as u64, "{cost} bytes for {}", uses.len());
    let links = reader.tree["children"][0]["children"].as_array().unwrap().iter();
    assert_eq!(links.filter(|node| node["type"] == "link").count(), labels);
}
