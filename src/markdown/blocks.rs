//! The block structure, as `CommonMark`'s reference algorithm finds it: line by line, with the blocks
//! that are still open on a path from the document to the last leaf.
//!
//! A line that is not complete is applied, too, so that it shows; before the text goes on, the tree is
//! put back to where it was. Only blocks on the open path can change, which makes that cheap.

use std::collections::BTreeMap;

use super::inline;
use super::line::{self, Cursor};
use super::node::{Id, Kind, Node, Slice, State};
use super::reference::{self, Scan};
use super::{MAX_TAIL_BYTES, parsed_length};

/// Where the tree stood after the last complete line.
#[derive(Debug, Default)]
struct Checkpoint {
    nodes: usize,
    /// The open path: its blocks, their states and how many children each has.
    path: Vec<(Id, State, usize)>,
}

/// A line that is not complete, as far as it was applied.
#[derive(Debug, Default)]
struct Tail {
    /// How much of it was applied.
    scanned: usize,
    /// The leaf that holds it.
    leaf: Option<Id>,
    /// Whether it is not shown before it is complete, however it goes on.
    hidden: bool,
}

/// What a label stands for.
#[derive(Debug)]
pub(super) enum Label {
    Defined {
        url: String,
        title: String,
    },
    /// Nothing so far. Finished leaves use it.
    Missing(Vec<Id>),
}

/// The tree of blocks of a growing text.
#[derive(Debug)]
pub(super) struct Blocks {
    source: String,
    pub(super) nodes: Vec<Node>,
    pub(super) path: Vec<Id>,
    /// Where the first line begins that is not complete.
    line_start: usize,
    /// Whether the last text ended in a carriage return that may be half a line ending.
    after_return: bool,
    checkpoint: Checkpoint,
    tail: Tail,
    pub(super) finished: bool,
    pub(super) line_number: usize,
    /// Whether a line is applied for good.
    for_good: bool,
    /// By their normal form.
    pub(super) labels: BTreeMap<String, Label>,
    /// Leaves that are to be parsed again.
    pub(super) outdated: Vec<Id>,
    pub(super) bytes_scanned: u64,
}

impl Default for Blocks {
    fn default() -> Self {
        let mut blocks = Self {
            source: String::new(),
            nodes: vec![Node::new(Kind::Document, 0)],
            path: vec![0],
            line_start: 0,
            after_return: false,
            checkpoint: Checkpoint::default(),
            tail: Tail::default(),
            finished: false,
            line_number: 0,
            for_good: true,
            labels: BTreeMap::new(),
            outdated: Vec::new(),
            bytes_scanned: 0,
        };
        blocks.keep();
        blocks
    }
}

/// How much of a list of lines was read: up to which one, and how much of that one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    lines: usize,
    bytes: usize,
}

impl Blocks {
    pub(super) fn push(&mut self, text: &str) {
        if self.finished || text.is_empty() {
            return;
        }
        let before = self.source.len();
        self.append(text);
        self.bytes_scanned += (self.source.len() - before) as u64;
        if !self.source[before..].contains('\n') && self.extend_tail() {
            return;
        }
        self.roll_back();
        let mut searched = before;
        while let Some(length) = self.source[searched..].find('\n') {
            let end = searched + length;
            self.apply(self.line_start, end);
            searched = end + 1;
            self.line_start = searched;
        }
        self.keep();
        self.apply_tail();
        self.hide_definitions();
    }

    pub(super) fn finish(&mut self) {
        if self.finished {
            return;
        }
        self.roll_back();
        self.finished = true;
        if self.line_start < self.source.len() {
            self.apply(self.line_start, self.source.len());
        }
        self.close_to(0);
    }

    /// How many of a block's children can no longer change.
    pub(super) fn settled(&self, id: Id) -> usize {
        if self.finished {
            return self.nodes[id].children.len();
        }
        let path = &self.checkpoint.path;
        match path.iter().position(|(other, ..)| *other == id) {
            Some(depth) => path[depth].2 - usize::from(depth + 1 < path.len()),
            // It is new with the last line, or it was finished before.
            None if id >= self.checkpoint.nodes => 0,
            None => self.nodes[id].children.len(),
        }
    }

    /// Whether a leaf's content can no longer change.
    pub(super) fn is_final(&self, id: Id) -> bool {
        match self.checkpoint.path.last() {
            _ if self.finished => true,
            Some((last, state, _)) if *last == id => !state.open,
            _ => id < self.checkpoint.nodes,
        }
    }

    /// Line endings become newlines, and NUL what `CommonMark` makes of it.
    fn append(&mut self, text: &str) {
        let mut rest = match text.strip_prefix('\n') {
            Some(rest) if self.after_return => rest,
            _ => text,
        };
        self.after_return = text.ends_with('\r');
        while let Some(at) = rest.find(['\r', '\0']) {
            self.source.push_str(&rest[..at]);
            let is_nul = rest.as_bytes()[at] == 0;
            rest = &rest[at + 1..];
            if is_nul {
                self.source.push('\u{fffd}');
            } else {
                self.source.push('\n');
                rest = rest.strip_prefix('\n').unwrap_or(rest);
            }
        }
        self.source.push_str(rest);
    }

    fn keep(&mut self) {
        let state = |id: &Id| (*id, self.nodes[*id].state, self.nodes[*id].children.len());
        self.checkpoint =
            Checkpoint { nodes: self.nodes.len(), path: self.path.iter().map(state).collect() };
    }

    fn roll_back(&mut self) {
        self.tail = Tail::default();
        self.nodes.truncate(self.checkpoint.nodes);
        self.path.clear();
        for (id, state, children) in &self.checkpoint.path {
            self.path.push(*id);
            self.nodes[*id].state = *state;
            self.nodes[*id].children.truncate(*children);
        }
    }

    /// Shows a line that is not complete, unless more of it may well make it another thing.
    fn apply_tail(&mut self) {
        let text = &self.source[self.line_start..];
        let start = &text[..text.floor_char_boundary(MAX_TAIL_BYTES)];
        self.bytes_scanned += start.len() as u64;
        if is_ambiguous(start) {
            self.tail.hidden = text.len() > MAX_TAIL_BYTES;
            return;
        }
        let tip = self.tip();
        // What ends a long paragraph would have it shown again, and the next byte once more.
        let is_long = self.nodes[tip].content_bytes() > MAX_TAIL_BYTES;
        if is_long && matches!(self.kind(tip), Kind::Paragraph) && text.len() <= MAX_TAIL_BYTES {
            return;
        }
        let scanned = applied_length(text);
        let (nodes, lines) = (self.nodes.len(), self.nodes[tip].state.lines);
        let line_number = self.line_number;
        self.for_good = false;
        self.apply(self.line_start, self.line_start + scanned);
        self.for_good = true;
        self.line_number = line_number;
        let leaf = if self.nodes.len() > nodes { self.nodes.len() - 1 } else { tip };
        let lines_before = if leaf == tip { lines } else { 0 };
        let holds = self.nodes[leaf].state.lines > lines_before;
        self.tail = Tail { scanned, leaf: holds.then_some(leaf), hidden: false };
        if scanned < self.source.len() - self.line_start {
            self.extend_leaf();
        }
    }

    /// Hides what is a definition unless the next line makes it another one.
    fn hide_definitions(&mut self) {
        let tip = self.tip();
        let is_short = self.nodes[tip].state.bytes <= MAX_TAIL_BYTES;
        if is_short && matches!(self.kind(tip), Kind::Paragraph) {
            self.for_good = false;
            self.take_definitions(tip, true);
            self.for_good = true;
        }
    }

    /// A very long line only grows, until it has doubled.
    fn extend_tail(&mut self) -> bool {
        let text = &self.source[self.line_start..];
        if self.tail.hidden {
            return true;
        }
        let goes_on = text.len() > MAX_TAIL_BYTES && self.tail.scanned == applied_length(text);
        if goes_on {
            self.extend_leaf();
        }
        goes_on
    }

    fn extend_leaf(&mut self) {
        let Some(node) = self.tail.leaf.and_then(|leaf| self.nodes.get_mut(leaf)) else { return };
        let Some(last) = node.lines.get_mut(node.state.lines - 1) else { return };
        node.state.bytes += self.source.len() - last.end;
        last.end = self.source.len();
    }

    pub(super) fn kind(&self, id: Id) -> Kind {
        self.nodes[id].state.kind
    }

    /// The last open block.
    pub(super) fn tip(&self) -> Id {
        self.path.last().copied().unwrap_or(0)
    }

    /// Opens a block in the last open one that can hold it.
    pub(super) fn open(&mut self, kind: Kind) -> Id {
        while !can_contain(self.kind(self.tip()), kind) {
            self.close_to(self.path.len() - 1);
        }
        let parent = self.tip();
        if let Some(last) = self.nodes[parent].children.last().copied()
            && self.ends_blank(last)
        {
            let list = match self.kind(parent) {
                Kind::Item { .. } => self.nodes[parent].parent,
                _ => parent,
            };
            if let Kind::List { tight, .. } = &mut self.nodes[list].state.kind {
                *tight = false;
            }
        }
        let id = self.nodes.len();
        self.nodes.push(Node::new(kind, parent));
        self.nodes[parent].children.push(id);
        self.path.push(id);
        id
    }

    fn ends_blank(&self, mut id: Id) -> bool {
        loop {
            let node = &self.nodes[id];
            if node.state.ends_blank {
                return true;
            }
            match (node.state.kind, node.children.last()) {
                (Kind::List { .. } | Kind::Item { .. }, Some(last)) => id = *last,
                _ => return false,
            }
        }
    }

    /// Closes all open blocks but the first `kept`.
    pub(super) fn close_to(&mut self, kept: usize) {
        while self.path.len() > kept {
            let Some(id) = self.path.pop() else { return };
            self.nodes[id].state.open = false;
            if matches!(self.kind(id), Kind::Paragraph) {
                self.take_definitions(id, true);
            }
        }
    }

    pub(super) fn add_line(&mut self, id: Id, cursor: &Cursor<'_>, at: usize) {
        let (pad, offset) = cursor.remainder();
        let end = at + cursor.line.len();
        self.add_slice(id, Slice { pad, start: (at + offset).min(end), end }, cursor.is_blank());
    }

    pub(super) fn add_slice(&mut self, id: Id, slice: Slice, blank: bool) {
        let node = &mut self.nodes[id];
        node.lines.truncate(node.state.lines);
        node.lines.push(slice);
        node.state.lines += 1;
        node.state.bytes += slice.len() + 1;
        if !blank {
            node.state.filled = node.state.lines;
        }
    }

    pub(super) fn add_paragraph_line(&mut self, id: Id, mut cursor: Cursor<'_>, at: usize) {
        cursor.skip_spaces();
        let parent = self.nodes[id].parent;
        let is_first = self.nodes[parent].children[..] == [id] && self.nodes[id].state.lines == 0;
        if let Kind::Item { checked, .. } = &mut self.nodes[parent].state.kind
            && is_first
            && let Some(mark) = line::task_mark(&cursor.line[cursor.offset..])
        {
            *checked = Some(mark);
            cursor.skip(3);
            cursor.skip_spaces();
        }
        self.add_line(id, &cursor, at);
        let state = self.nodes[id].state;
        // More lines than these without an end are looked at when the paragraph is closed.
        if self.for_good && (2..=4).contains(&(state.lines - state.definitions)) {
            self.take_definitions(id, false);
        }
    }

    /// Takes link reference definitions from the start of a paragraph. Those of a line that may
    /// change are hidden, but not used.
    pub(super) fn take_definitions(&mut self, id: Id, complete: bool) {
        let Some(first) = self.nodes[id].content().first() else { return };
        if self.source.as_bytes().get(first.start) != Some(&b'[') {
            return;
        }
        let text = self.text_of(self.nodes[id].content());
        self.bytes_scanned += text.len() as u64;
        let mut at = 0;
        while let Scan::Definition(length) = reference::scan(&text[at..], complete) {
            let definition = &text[at..at + length];
            if self.for_good {
                self.define(definition);
            }
            let lines = definition.matches('\n').count() + usize::from(!definition.ends_with('\n'));
            let state = &mut self.nodes[id].state;
            state.definitions += lines;
            state.bytes = state.bytes.saturating_sub(length);
            at += length;
            if at == text.len() {
                state.bytes = 0;
                return;
            }
        }
    }

    fn define(&mut self, definition: &str) {
        let label = reference::label(definition);
        if matches!(self.labels.get(&label), Some(Label::Defined { .. })) {
            return;
        }
        self.bytes_scanned += definition.len() as u64;
        let Some((url, title)) = inline::definition(definition) else { return };
        let known = self.labels.insert(label, Label::Defined { url, title });
        if let Some(Label::Missing(leaves)) = known {
            for id in &leaves {
                self.nodes[*id].late.pending += 1;
            }
            self.outdated.extend(leaves);
        }
    }

    /// A finished leaf uses a label that is not defined.
    pub(super) fn wait_for(&mut self, label: String, leaf: Id) {
        let known = self.labels.entry(label).or_insert(Label::Missing(Vec::new()));
        if let Label::Missing(leaves) = known
            && leaves.last() != Some(&leaf)
        {
            leaves.push(leaf);
        }
    }

    /// Lines as one text, joined by newlines.
    pub(super) fn text_of(&self, lines: &[Slice]) -> String {
        self.text_after(lines, Position::default()).map(|(text, _)| text).unwrap_or_default()
    }

    /// What of the lines comes after `from`, and where they end. `None`: they ended before it.
    pub(super) fn text_after(&self, lines: &[Slice], from: Position) -> Option<(String, Position)> {
        let mut text = String::new();
        let read = from.lines.saturating_sub(1);
        for (index, line) in lines.get(read..)?.iter().enumerate() {
            if index == 0 && from.lines > 0 {
                text.push_str(self.source[..line.end].get(line.start + from.bytes..)?);
                continue;
            }
            if read + index > 0 {
                text.push('\n');
            }
            text.extend(std::iter::repeat_n(' ', usize::from(line.pad)));
            text.push_str(&self.source[line.start..line.end]);
        }
        let Some(last) = lines.last() else { return (from.lines == 0).then_some((text, from)) };
        Some((text, Position { lines: lines.len(), bytes: last.end - last.start }))
    }

    /// A line of the text, to read while the tree is changed.
    pub(super) fn copy_line(&mut self, start: usize, end: usize) -> String {
        self.bytes_scanned += (end - start) as u64;
        self.source[start..end].to_owned()
    }

    pub(super) fn slice(&self, slice: Slice) -> &str {
        &self.source[slice.start..slice.end]
    }
}

fn can_contain(parent: Kind, child: Kind) -> bool {
    match parent {
        Kind::Document | Kind::Quote | Kind::Item { .. } => {
            !matches!(child, Kind::Item { .. } | Kind::Row)
        }
        Kind::List { .. } => matches!(child, Kind::Item { .. }),
        Kind::Table => matches!(child, Kind::Row),
        _ => false,
    }
}

/// How much of a line that is not complete is applied.
fn applied_length(text: &str) -> usize {
    text.floor_char_boundary(parsed_length(text.len()))
}

/// Whether a line so far is made of what blocks are marked with: a rule, a fence, a list's number.
fn is_ambiguous(text: &str) -> bool {
    let marks = |c: char| c.is_ascii_whitespace() || "-=*+_#`~|:>\u{b}".contains(c);
    let rest = text.trim_start_matches(marks);
    let number = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    number <= 9 && rest[number..].trim_start_matches(['.', ')']).trim_ascii().is_empty()
}
