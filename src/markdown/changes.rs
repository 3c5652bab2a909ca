//! What the other side has of the tree of blocks, and what it lacks.

use super::blocks::{Blocks, Position};
use super::inline::{self, References};
use super::json::{begin_node, push_separator, push_string, push_text_node};
use super::node::{Fence, Id, Kind, Late};
use super::table::{self, Alignment};
use super::{MAX_TAIL_BYTES, UrlPolicy, parsed_length, tail};

/// After so many labels that were defined late a leaf is parsed again only when as many more are, so
/// that their number does not multiply its cost.
const EAGER_LABELS: usize = 16;

/// How much of the line of an opening fence is looked at.
const MAX_INFO_BYTES: usize = 1024;

#[derive(Debug)]
pub(super) struct View {
    urls: UrlPolicy,
    document: Children,
    /// Which child of its parent each block is, among those that are shown.
    index: Vec<usize>,
    /// Finished leaves, each with a label that it uses and that is not defined.
    missing: Vec<(String, Id)>,
    pub(super) bytes_parsed: u64,
}

/// What was shown of a block.
#[derive(Debug)]
struct Shown {
    name: &'static str,
    /// The members of its node but the name and the children.
    members: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Blocks(Children),
    /// A paragraph, heading or row, as JSON.
    Nodes(String),
    /// One that is long and not finished. Its first `parsed` bytes are nodes, and in a paragraph what
    /// comes after them is one more, the child `rest`.
    Long {
        parsed: usize,
        rest: Option<usize>,
        start: Option<usize>,
        at: Position,
    },
    /// One that is finished.
    Final,
    /// Code or HTML.
    Text {
        start: Option<usize>,
        at: Position,
    },
}

/// The children of a block that are shown.
#[derive(Debug, Default)]
struct Children {
    /// How many can no longer change, hidden ones included, and how many of those are shown.
    settled: usize,
    settled_shown: usize,
    /// The others.
    open: Vec<Shown>,
}

/// The operations so far, and the path of the block that is looked at.
struct Changes {
    json: String,
    path: Vec<usize>,
}

impl Changes {
    /// Starts an operation on the block, or on a child of its node.
    fn begin(&mut self, operation: char, child: Option<usize>) -> &mut String {
        push_separator(&mut self.json);
        self.json.push_str("[\"");
        self.json.push(operation);
        self.json.push_str("\",[");
        for index in self.path.iter().copied().chain(child) {
            push_separator(&mut self.json);
            self.json.push_str(&index.to_string());
        }
        self.json.push_str("],");
        &mut self.json
    }

    fn end(&mut self) {
        self.json.push(']');
    }
}

impl View {
    pub(super) fn new(urls: UrlPolicy) -> Self {
        Self {
            urls,
            document: Children::default(),
            index: Vec::new(),
            missing: Vec::new(),
            bytes_parsed: 0,
        }
    }

    /// The operations that give the other side what it lacks, as a JSON array.
    pub(super) fn changes(&mut self, blocks: &mut Blocks) -> String {
        let mut changes = Changes { json: String::from("["), path: Vec::new() };
        self.index.resize(blocks.nodes.len(), 0);
        let mut document = std::mem::take(&mut self.document);
        self.update_children(blocks, 0, &mut document, &mut changes);
        self.document = document;
        self.show_late(blocks, &mut changes);
        for (label, id) in self.missing.drain(..) {
            blocks.wait_for(label, id);
        }
        changes.json.push(']');
        changes.json
    }

    fn update_children(
        &mut self,
        blocks: &Blocks,
        id: Id,
        shown: &mut Children,
        changes: &mut Changes,
    ) {
        let mut count = 0;
        let children = &blocks.nodes[id].children;
        for child in
            children.iter().skip(shown.settled).filter(|id| blocks.nodes[**id].is_visible())
        {
            let index = shown.settled_shown + count;
            self.index[*child] = index;
            changes.path.push(index);
            match shown.open.get_mut(count) {
                Some(known) => self.update(blocks, *child, known, changes),
                None => shown.open.push(self.replace(blocks, *child, changes)),
            }
            changes.path.pop();
            count += 1;
        }
        if shown.open.len() > count {
            shown.open.truncate(count);
            changes.begin('x', None).push_str(&(shown.settled_shown + count).to_string());
            changes.end();
        }
        settle(blocks, id, shown);
    }

    fn replace(&mut self, blocks: &Blocks, id: Id, changes: &mut Changes) -> Shown {
        // A node begins without a comma, after a bracket.
        let mut node = String::new();
        let shown = self.show(blocks, id, &mut node);
        changes.begin('s', None).push_str(&node);
        changes.end();
        shown
    }

    fn update(&mut self, blocks: &Blocks, id: Id, shown: &mut Shown, changes: &mut Changes) {
        let kind = blocks.kind(id);
        if shown.name != name(kind) {
            *shown = self.replace(blocks, id, changes);
            return;
        }
        if matches!(shown.content, Content::Final) {
            return;
        }
        let members = members(blocks, id);
        let content = &mut shown.content;
        let goes_on = match kind {
            Kind::ThematicBreak => true,
            Kind::Code(_) | Kind::Html(_) => self.extend_text(blocks, id, content, changes),
            Kind::Paragraph | Kind::Heading(_) | Kind::Row => {
                members == shown.members
                    && (self.extend_long(blocks, id, content, changes)
                        || self.update_nodes(blocks, id, content, changes))
            }
            Kind::Document | Kind::Quote | Kind::List { .. } | Kind::Item { .. } | Kind::Table => {
                self.update_blocks(blocks, id, content, changes)
            }
        };
        if !goes_on {
            *shown = self.replace(blocks, id, changes);
            return;
        }
        if shown.members != members {
            changes.begin('f', None).push_str(&format!("{{{}}}", members.trim_start_matches(',')));
            changes.end();
            shown.members = members;
        }
    }

    fn update_blocks(
        &mut self,
        blocks: &Blocks,
        id: Id,
        content: &mut Content,
        changes: &mut Changes,
    ) -> bool {
        let Content::Blocks(children) = content else { return false };
        self.update_children(blocks, id, children, changes);
        true
    }

    fn extend_text(
        &mut self,
        blocks: &Blocks,
        id: Id,
        content: &mut Content,
        changes: &mut Changes,
    ) -> bool {
        let Content::Text { start, at } = content else { return false };
        let node = &blocks.nodes[id];
        if *start != node.start() {
            return false;
        }
        let Some((text, end)) = blocks.text_after(node.text_lines(), *at) else { return false };
        *at = end;
        let child = matches!(blocks.kind(id), Kind::Html(_)).then_some(0);
        self.append(&text, child, changes);
        true
    }

    fn update_nodes(
        &mut self,
        blocks: &Blocks,
        id: Id,
        content: &mut Content,
        changes: &mut Changes,
    ) -> bool {
        let Content::Nodes(shown) = content else { return false };
        let (nodes, new) = self.nodes(blocks, id);
        if *shown != nodes {
            replace_nodes(blocks.kind(id), &members(blocks, id), &nodes, changes);
        }
        *content = new;
        true
    }

    fn append(&mut self, text: &str, child: Option<usize>, changes: &mut Changes) {
        self.bytes_parsed += text.len() as u64;
        if !text.is_empty() {
            push_string(changes.begin('t', child), text);
            changes.end();
        }
    }

    /// Shows the text that a long leaf got, unless it is to be parsed again.
    fn extend_long(
        &mut self,
        blocks: &Blocks,
        id: Id,
        content: &mut Content,
        changes: &mut Changes,
    ) -> bool {
        let Content::Long { parsed, rest, start, at } = content else { return false };
        let node = &blocks.nodes[id];
        if blocks.is_final(id)
            || *parsed != parsed_length(node.content_bytes())
            || *start != node.start()
        {
            return false;
        }
        let Some(rest) = *rest else { return true };
        let Some((text, end)) = blocks.text_after(node.content(), *at) else { return false };
        *at = end;
        self.append(&text, Some(rest), changes);
        true
    }

    /// Appends a block's node.
    fn show(&mut self, blocks: &Blocks, id: Id, json: &mut String) -> Shown {
        let kind = blocks.kind(id);
        let (name, members) = (name(kind), members(blocks, id));
        begin_node(json, name);
        json.push_str(&members);
        let content = match kind {
            Kind::ThematicBreak => Content::Final,
            Kind::Code(_) | Kind::Html(_) => self.show_text(blocks, id, json),
            Kind::Paragraph | Kind::Heading(_) | Kind::Row => {
                let (nodes, content) = self.nodes(blocks, id);
                json.push_str(",\"children\":[");
                json.push_str(&nodes);
                json.push(']');
                content
            }
            Kind::Document | Kind::Quote | Kind::List { .. } | Kind::Item { .. } | Kind::Table => {
                json.push_str(",\"children\":[");
                let mut children = Children::default();
                for child in &blocks.nodes[id].children {
                    if blocks.nodes[*child].is_visible() {
                        self.index[*child] = children.open.len();
                        children.open.push(self.show(blocks, *child, json));
                    }
                }
                settle(blocks, id, &mut children);
                json.push(']');
                Content::Blocks(children)
            }
        };
        json.push('}');
        Shown { name, members, content }
    }

    fn show_text(&mut self, blocks: &Blocks, id: Id, json: &mut String) -> Content {
        let lines = blocks.nodes[id].text_lines();
        let (text, at) = blocks.text_after(lines, Position::default()).unwrap_or_default();
        self.bytes_parsed += text.len() as u64;
        if matches!(blocks.kind(id), Kind::Code(_)) {
            json.push_str(",\"value\":");
            push_string(json, &text);
        } else {
            json.push_str(",\"children\":[");
            push_text_node(json, &text);
            json.push(']');
        }
        Content::Text { start: blocks.nodes[id].start(), at }
    }

    /// The nodes of a paragraph, heading or row.
    fn nodes(&mut self, blocks: &Blocks, id: Id) -> (String, Content) {
        let node = &blocks.nodes[id];
        let is_final = blocks.is_final(id);
        let (text, at) = blocks.text_after(node.content(), Position::default()).unwrap_or_default();
        let is_long = !is_final && text.len() > MAX_TAIL_BYTES;
        let parsed = if is_long { parsed_length(text.len()) } else { text.len() };
        // The space before the rest is not at the end of a line.
        let (start, rest) = text.split_at(match is_long {
            true => text[..text.floor_char_boundary(parsed)].trim_end().len(),
            false => text.len(),
        });
        let mut references =
            References { urls: &self.urls, labels: &blocks.labels, missing: Vec::new() };
        let mut json = String::new();
        let mut nodes = 0;
        if matches!(node.state.kind, Kind::Row) {
            let columns = blocks.nodes[node.parent].columns.len();
            push_cells(&mut json, start, columns, is_final, &mut references);
        } else if is_final {
            nodes = inline::push_nodes(&mut json, start, &mut references);
        } else {
            nodes = inline::push_nodes(&mut json, &tail::close(start), &mut references);
        }
        self.bytes_parsed += start.len() as u64;
        if is_final {
            references.missing.sort_unstable();
            references.missing.dedup();
            self.missing.extend(references.missing.into_iter().map(|label| (label, id)));
            return (json, Content::Final);
        }
        if !is_long {
            return (json.clone(), Content::Nodes(json));
        }
        let is_row = matches!(node.state.kind, Kind::Row);
        if !is_row {
            push_text_node(&mut json, rest);
        }
        let (rest, start) = ((!is_row).then_some(nodes), node.start());
        (json, Content::Long { parsed, rest, start, at })
    }

    /// Shows again what used labels that were not yet defined.
    fn show_late(&mut self, blocks: &mut Blocks, changes: &mut Changes) {
        let mut outdated = std::mem::take(&mut blocks.outdated);
        outdated.sort_unstable();
        outdated.dedup();
        for id in outdated {
            let Late { resolved, pending } = blocks.nodes[id].late;
            if blocks.finished || resolved < EAGER_LABELS || pending >= resolved {
                blocks.nodes[id].late = Late { resolved: resolved + pending, pending: 0 };
                changes.path = self.path_of(blocks, id);
                let (nodes, _) = self.nodes(blocks, id);
                replace_nodes(blocks.kind(id), &members(blocks, id), &nodes, changes);
            } else {
                blocks.outdated.push(id);
            }
        }
    }

    fn path_of(&self, blocks: &Blocks, mut id: Id) -> Vec<usize> {
        let mut path = Vec::new();
        while id != 0 {
            path.push(self.index[id]);
            id = blocks.nodes[id].parent;
        }
        path.reverse();
        path
    }
}

/// Forgets children that can no longer change.
fn settle(blocks: &Blocks, id: Id, shown: &mut Children) {
    let settled = blocks.settled(id);
    let Some(new) = blocks.nodes[id].children.get(shown.settled..settled) else { return };
    let count = new.iter().filter(|id| blocks.nodes[**id].is_visible()).count();
    shown.open.drain(..count);
    shown.settled_shown += count;
    shown.settled = settled;
}

fn replace_nodes(kind: Kind, members: &str, nodes: &str, changes: &mut Changes) {
    let name = name(kind);
    let node = format!("{{\"type\":\"{name}\"{members},\"children\":[{nodes}]}}");
    changes.begin('s', None).push_str(&node);
    changes.end();
}

fn push_cells(
    json: &mut String,
    row: &str,
    columns: usize,
    is_final: bool,
    references: &mut References<'_>,
) {
    let mut cells = table::cells(row).take(columns).peekable();
    while let Some(cell) = cells.next() {
        let text = cell.replace("\\|", "|");
        begin_node(json, "tableCell");
        json.push_str(",\"children\":[");
        if is_final || cells.peek().is_some() {
            inline::push_nodes(json, &text, references);
        } else {
            inline::push_nodes(json, &tail::close(&text), references);
        }
        json.push_str("]}");
    }
}

/// The name of a block's node. HTML is shown as text.
fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Document => "root",
        Kind::Quote => "blockquote",
        Kind::List { .. } => "list",
        Kind::Item { .. } => "listItem",
        Kind::Paragraph | Kind::Html(_) => "paragraph",
        Kind::Heading(_) => "heading",
        Kind::Code(_) => "code",
        Kind::Table => "table",
        Kind::Row => "tableRow",
        Kind::ThematicBreak => "thematicBreak",
    }
}

/// The members of a block's node but its name and its content, each after a comma.
fn members(blocks: &Blocks, id: Id) -> String {
    let node = &blocks.nodes[id];
    match node.state.kind {
        Kind::List { marker, tight } => {
            let start =
                marker.number.map_or_else(|| "null".to_owned(), |number| number.to_string());
            let ordered = marker.number.is_some();
            format!(",\"ordered\":{ordered},\"start\":{start},\"spread\":{}", !tight)
        }
        Kind::Item { checked, .. } => {
            format!(
                ",\"checked\":{}",
                checked.map_or("null", |checked| if checked { "true" } else { "false" })
            )
        }
        Kind::Heading(depth) => format!(",\"depth\":{depth}"),
        Kind::Code(fence) => info_members(blocks, fence),
        Kind::Table => {
            let columns = node.columns.iter().map(|alignment| match alignment {
                Alignment::Unset => "null",
                Alignment::Left => "\"left\"",
                Alignment::Center => "\"center\"",
                Alignment::Right => "\"right\"",
            });
            format!(",\"align\":[{}]", columns.collect::<Vec<_>>().join(","))
        }
        _ => String::new(),
    }
}

/// The language of code and what else its info string says.
fn info_members(blocks: &Blocks, fence: Option<Fence>) -> String {
    let line = fence.map_or("", |fence| blocks.slice(fence.line));
    let line = &line[..line.floor_char_boundary(MAX_INFO_BYTES)];
    let info = inline::info_string(line);
    let (lang, meta) = info.split_once([' ', '\t']).unwrap_or((&info, ""));
    let mut members = String::new();
    for (member, value) in [(",\"lang\":", lang), (",\"meta\":", meta.trim())] {
        members.push_str(member);
        match value {
            "" => members.push_str("null"),
            _ => push_string(&mut members, value),
        }
    }
    members
}
