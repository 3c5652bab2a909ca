//! The nodes of blocks, and what is not in the specification's examples.

use super::html;
use super::tree::tree_of;
use chatwire::markdown::{Markdown, UrlPolicy};
use serde_json::json;

/// GitHub's extensions: rendered as pulldown-cmark does.
const EXTENSIONS: &[&str] = &[
    "| a | b |\n| - | :-: |\n| c | d |\n| e |\n| f | g | h |\n",
    "a | b\n--|--:\nc | d\n\ne",
    "| a\\|b | `c\\|d` |\n|---|---|\n| *e* | [f](/g) |\n",
    "text\n| a |\n| - |\n| b |\n> c\n",
    "| a |\n| - |\n| b |\n# c\n",
    "| a | b |\n| - |\n",
    "- | a |\n  | - |\n  | b |\n",
    "- [ ] a\n- [x] b\n- c\n",
    "- [ ] a\n\n- [x] b\n",
    "~~a~~ and ~b~",
    "*a\nb* `c\nd` <e\nf> [g](/h\n'i\nj')\n",
    "`a\n- b`\n# not\n",
];

#[test]
fn tables_task_lists_and_strikethrough_are_what_pulldown_cmark_makes_of_them() {
    for text in EXTENSIONS {
        assert_eq!(html::of_tree(&tree_of(text)), html::reference(text), "{text:?}");
    }
}

#[test]
fn nodes_are_those_of_mdast() {
    let tree =
        tree_of("3) a\n\n   ```rs x y\n   b\n   ```\n4) c\n\n| d | e |\n|:--|---|\n| f | g |\n");
    let text = |value: &str| json!({"type": "text", "value": value});
    let paragraph = |value: &str| json!({"type": "paragraph", "children": [text(value)]});
    let cell = |value: &str| json!({"type": "tableCell", "children": [text(value)]});
    let row = |cells: [&str; 2]| json!({"type": "tableRow", "children": cells.map(cell)});
    let code = json!({"type": "code", "lang": "rs", "meta": "x y", "value": "b"});
    let item = |children| json!({"type": "listItem", "checked": null, "children": children});
    let list = json!({
        "type": "list", "ordered": true, "start": 3, "spread": true,
        "children": [item(json!([paragraph("a"), code])), item(json!([paragraph("c")]))],
    });
    let table = json!({
        "type": "table", "align": ["left", null], "children": [row(["d", "e"]), row(["f", "g"])],
    });
    assert_eq!(tree, json!({"type": "root", "children": [list, table]}));
}

#[test]
fn html_is_text() {
    let tree = tree_of("<script>\nalert(1)\n</script>\n\na <img src=x onerror=alert(1)> b\n");
    let paragraph =
        |value: &str| json!({"type": "paragraph", "children": [{"type": "text", "value": value}]});
    let children =
        [paragraph("<script>\nalert(1)\n</script>"), paragraph("a <img src=x onerror=alert(1)> b")];
    assert_eq!(tree, json!({"type": "root", "children": children}));
}

/// URLs, and whether a link and an image may have them where `https` and `data` are allowed.
const URLS: &[(&str, bool, bool)] = &[
    ("https://a.b", true, true),
    ("HTTPS://a.b", true, true),
    ("http://a.b", false, false),
    ("/a", true, true),
    ("a:b", false, false),
    ("#a", true, true),
    ("?a:b", true, true),
    ("//a.b", true, true),
    ("javascript:alert(1)", false, false),
    ("JavaScript:alert(1)", false, false),
    ("&#x6A;avascript:alert(1)", false, false),
    ("java&#10;script:alert(1)", false, false),
    ("&#1;javascript:alert(1)", false, false),
    ("vbscript:a", false, false),
    ("data:text/html,a", false, false),
    ("data:image/png;base64,AA", false, true),
    ("data:image/svg+xml,a", false, false),
    ("blob:a", false, false),
];

#[test]
fn only_allowed_urls_become_links_and_images() {
    for (url, link, image) in URLS {
        let schemes = ["https", "data"].map(str::to_owned).to_vec();
        let mut markdown = Markdown::new(UrlPolicy { schemes });
        markdown.push(&format!("[a](<{url}>) ![b](<{url}>)"));
        markdown.finish();
        let changes = markdown.changes();
        assert_eq!(changes.contains("\"link\""), *link, "{url}: {changes}");
        assert_eq!(changes.contains("\"image\""), *image, "{url}: {changes}");
        // What they show stays.
        assert!(changes.contains("a") && changes.contains("b"), "{url}: {changes}");
    }
}

#[test]
fn nesting_is_bounded() {
    let quotes = tree_of(&format!("{}a", "> ".repeat(10_000))).to_string();
    assert_eq!(quotes.matches("blockquote").count(), 30);
    let emphasis = format!("{}a{}", "*b **".repeat(5000), "***".repeat(5000));
    assert!(tree_of(&emphasis).to_string().matches("children").count() > 16);
    tree_of(&"![".repeat(10_000));
    tree_of(&format!("{}a{}", "[".repeat(10_000), "](b)".repeat(10_000)));
}
