//! Trees as the HTML that pulldown-cmark writes, so that they can be compared with its own.

use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag,
    html,
};
use serde_json::Value;

/// The whole text as pulldown-cmark renders it, with HTML as text.
pub(crate) fn reference(text: &str) -> String {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut events = Vec::new();
    let mut html_text = String::new();
    for event in Parser::new_ext(text, options) {
        match event {
            Event::Start(Tag::HtmlBlock) => events.push(Event::Start(Tag::Paragraph)),
            Event::Html(text) => html_text.push_str(&text),
            Event::End(pulldown_cmark::TagEnd::HtmlBlock) => {
                events.push(Event::Text(
                    std::mem::take(&mut html_text).trim_end_matches('\n').to_owned().into(),
                ));
                events.push(Event::End(Tag::Paragraph.to_end()));
            }
            Event::InlineHtml(text) => events.push(Event::Text(text)),
            event => events.push(event),
        }
    }
    render(events)
}

/// The same of a tree.
pub(crate) fn of_tree(tree: &Value) -> String {
    let mut events = Vec::new();
    push_children(&mut events, tree, false);
    render(events)
}

fn render(events: Vec<Event<'_>>) -> String {
    let mut rendered = String::new();
    html::push_html(&mut rendered, events.into_iter());
    rendered
}

fn push_children<'a>(events: &mut Vec<Event<'a>>, node: &'a Value, tight: bool) {
    for child in node["children"].as_array().unwrap() {
        push_node(events, child, tight);
    }
}

fn push_node<'a>(events: &mut Vec<Event<'a>>, node: &'a Value, tight: bool) {
    let text = |name: &str| node[name].as_str().unwrap_or_default();
    let tag = match node["type"].as_str().unwrap() {
        "text" => {
            for (index, line) in text("value").split('\n').enumerate() {
                if index > 0 {
                    events.push(Event::SoftBreak);
                }
                events.push(Event::Text(line.into()));
            }
            return;
        }
        "inlineCode" => return events.push(Event::Code(text("value").into())),
        "break" => return events.push(Event::HardBreak),
        "thematicBreak" => return events.push(Event::Rule),
        "code" => {
            let tag = Tag::CodeBlock(match &node["lang"] {
                Value::String(lang) => CodeBlockKind::Fenced(lang.as_str().into()),
                _ => CodeBlockKind::Indented,
            });
            events.push(Event::Start(tag.clone()));
            if !text("value").is_empty() {
                events.push(Event::Text(format!("{}\n", text("value")).into()));
            }
            return events.push(Event::End(tag.to_end()));
        }
        "image" => {
            let tag = Tag::Image {
                link_type: LinkType::Inline,
                dest_url: text("url").into(),
                title: text("title").into(),
                id: "".into(),
            };
            let end = tag.to_end();
            return events.extend([
                Event::Start(tag),
                Event::Text(text("alt").into()),
                Event::End(end),
            ]);
        }
        "listItem" => {
            events.push(Event::Start(Tag::Item));
            let mut children = Vec::new();
            push_children(&mut children, node, tight);
            if let Some(checked) = node["checked"].as_bool() {
                let at = usize::from(!tight);
                children.insert(at, Event::TaskListMarker(checked));
            }
            events.extend(children);
            return events.push(Event::End(Tag::Item.to_end()));
        }
        "paragraph" if tight => {
            // As between the blocks of a tight item.
            return push_children(events, node, false);
        }
        "paragraph" => Tag::Paragraph,
        "heading" => Tag::Heading {
            level: HeadingLevel::try_from(node["depth"].as_u64().unwrap() as usize).unwrap(),
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        },
        "strong" => Tag::Strong,
        "emphasis" => Tag::Emphasis,
        "delete" => Tag::Strikethrough,
        "blockquote" => Tag::BlockQuote(None::<BlockQuoteKind>),
        "list" => {
            let tag = Tag::List(node["start"].as_u64());
            events.push(Event::Start(tag.clone()));
            push_children(events, node, node["spread"] == false);
            return events.push(Event::End(tag.to_end()));
        }
        "link" => Tag::Link {
            link_type: LinkType::Inline,
            dest_url: text("url").into(),
            title: text("title").into(),
            id: "".into(),
        },
        "table" => return push_table(events, node),
        other => panic!("a node called {other}"),
    };
    events.push(Event::Start(tag.clone()));
    push_children(events, node, false);
    events.push(Event::End(tag.to_end()));
}

fn push_table<'a>(events: &mut Vec<Event<'a>>, node: &'a Value) {
    let columns = node["align"].as_array().unwrap();
    let alignments = columns.iter().map(|column| match column.as_str() {
        Some("left") => Alignment::Left,
        Some("center") => Alignment::Center,
        Some("right") => Alignment::Right,
        _ => Alignment::None,
    });
    let table = Tag::Table(alignments.collect());
    events.push(Event::Start(table.clone()));
    for (index, row) in node["children"].as_array().unwrap().iter().enumerate() {
        let tag = if index == 0 { Tag::TableHead } else { Tag::TableRow };
        events.push(Event::Start(tag.clone()));
        let cells = row["children"].as_array().unwrap();
        for column in 0..columns.len() {
            events.push(Event::Start(Tag::TableCell));
            if let Some(cell) = cells.get(column) {
                push_children(events, cell, false);
            }
            events.push(Event::End(Tag::TableCell.to_end()));
        }
        events.push(Event::End(tag.to_end()));
    }
    events.push(Event::End(table.to_end()));
}
