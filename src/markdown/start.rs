//! How one line changes the tree: which open blocks it continues, and which ones it starts.

use super::MAX_BLOCK_DEPTH;
use super::blocks::Blocks;
use super::line::{self, Cursor, Marker};
use super::node::{Fence, Id, Kind, Slice};
use super::table;

/// Whether a block goes on in a line.
enum Continues {
    Yes,
    No,
    /// It does, and the line was its closing fence.
    Closed,
}

/// What was found at the start of a line.
enum Start {
    Container,
    Leaf,
    Nothing,
}

impl Blocks {
    /// Applies one line, given without its newline.
    pub(super) fn apply(&mut self, at: usize, end: usize) {
        let text = self.copy_line(at, end);
        self.line_number += 1;
        let mut cursor = Cursor::new(&text);
        let mut matched = 1;
        while matched < self.path.len() {
            match self.continues(self.path[matched], &mut cursor) {
                Continues::Yes => matched += 1,
                Continues::No => break,
                Continues::Closed => {
                    self.close_to(matched);
                    return;
                }
            }
        }
        let had_unmatched = matched < self.path.len();
        let lazy = had_unmatched && matches!(self.kind(self.tip()), Kind::Paragraph);
        let mut container = self.path[matched - 1];
        let mut started = false;
        while !matches!(self.kind(container), Kind::Code(_) | Kind::Html(_)) {
            let start = self.start(&mut cursor, at, matched, container, lazy && !started);
            if matches!(start, Start::Nothing) {
                break;
            }
            started = true;
            matched = self.path.len();
            container = self.tip();
            if matches!(start, Start::Leaf) {
                break;
            }
        }
        let blank = cursor.is_blank();
        if lazy && !started && !blank {
            self.add_paragraph_line(self.tip(), cursor, at);
            return;
        }
        if !started {
            self.close_to(matched);
        }
        self.mark_blank(container, blank);
        self.add_rest(container, cursor, at, started);
    }

    /// Puts what is left of a line where it belongs.
    fn add_rest(&mut self, container: Id, cursor: Cursor<'_>, at: usize, started: bool) {
        match self.kind(container) {
            Kind::Paragraph => self.add_paragraph_line(container, cursor, at),
            Kind::Code(fence) => {
                // The line of an opening fence is no content.
                if !(started && fence.is_some()) {
                    self.add_line(container, &cursor, at);
                }
            }
            Kind::Html(kind) => {
                self.add_line(container, &cursor, at);
                if line::ends_html_block(kind, &cursor.line[cursor.offset..]) {
                    self.close_to(self.path.len() - 1);
                }
            }
            Kind::Table if !started => self.add_row(cursor, at),
            Kind::Heading(_) | Kind::ThematicBreak | Kind::Table | Kind::Row => {}
            _ if cursor.is_blank() => {}
            _ => {
                let paragraph = self.open(Kind::Paragraph);
                self.add_paragraph_line(paragraph, cursor, at);
            }
        }
    }

    /// Notes a blank line where it can make a list loose.
    fn mark_blank(&mut self, container: Id, blank: bool) {
        let last_child = self.nodes[container].children.last().copied();
        if blank && let Some(last) = last_child {
            self.nodes[last].state.ends_blank = true;
        }
        let counts = match self.kind(container) {
            Kind::Quote | Kind::Code(Some(_)) => false,
            Kind::Item { line, .. } => last_child.is_some() || line != self.line_number,
            _ => true,
        };
        for id in &self.path {
            self.nodes[*id].state.ends_blank = blank && counts;
        }
    }

    fn continues(&self, id: Id, cursor: &mut Cursor<'_>) -> Continues {
        let goes_on = match self.kind(id) {
            Kind::Document | Kind::List { .. } => true,
            Kind::Quote => skip_quote_marker(cursor),
            Kind::Item { indent, .. } => {
                if cursor.is_blank() {
                    let filled = !self.nodes[id].children.is_empty();
                    if filled {
                        cursor.skip_spaces();
                    }
                    filled
                } else {
                    let inside = cursor.indent() >= indent;
                    if inside {
                        cursor.skip_columns(indent);
                    }
                    inside
                }
            }
            Kind::Paragraph | Kind::Table => !cursor.is_blank(),
            Kind::Code(None) => {
                let inside = cursor.indent() >= 4;
                if inside {
                    cursor.skip_columns(4);
                } else if cursor.is_blank() {
                    cursor.skip_spaces();
                }
                inside || cursor.is_blank()
            }
            Kind::Code(Some(fence)) => {
                if cursor.indent() < 4
                    && line::closes_fence(cursor.rest(), fence.mark, fence.length)
                {
                    return Continues::Closed;
                }
                cursor.skip_columns(fence.indent.min(cursor.indent()));
                true
            }
            Kind::Html(kind) => kind < 6 || !cursor.is_blank(),
            Kind::Heading(_) | Kind::Row | Kind::ThematicBreak => false,
        };
        if goes_on { Continues::Yes } else { Continues::No }
    }

    /// Opens the block that starts at the cursor.
    fn start(
        &mut self,
        cursor: &mut Cursor<'_>,
        at: usize,
        matched: usize,
        container: Id,
        lazy: bool,
    ) -> Start {
        if cursor.is_blank() {
            return Start::Nothing;
        }
        let in_paragraph = matches!(self.kind(container), Kind::Paragraph);
        if cursor.indent() >= 4 {
            if in_paragraph || lazy || matches!(self.kind(container), Kind::Table) {
                return Start::Nothing;
            }
            cursor.skip_columns(4);
            self.close_to(matched);
            self.open(Kind::Code(None));
            return Start::Leaf;
        }
        let rest = cursor.rest();
        let first = rest.as_bytes()[0];
        let start = at + cursor.line.len() - rest.len();
        let deep = matched + 2 > MAX_BLOCK_DEPTH;
        match first {
            b'>' if !deep => {
                self.close_to(matched);
                skip_quote_marker(cursor);
                self.open(Kind::Quote);
                return Start::Container;
            }
            b'#' => {
                if let Some((level, from, to)) = line::atx_heading(rest) {
                    self.close_to(matched);
                    let id = self.open(Kind::Heading(level));
                    let slice = Slice { pad: 0, start: start + from, end: start + to };
                    self.add_slice(id, slice, from == to);
                    return self.leaf();
                }
            }
            b'`' | b'~' => {
                if let Some((mark, length)) = line::opening_fence(rest) {
                    let indent = cursor.indent();
                    self.close_to(matched);
                    let end = start + rest.len();
                    let line = Slice { pad: 0, start, end };
                    self.open(Kind::Code(Some(Fence { mark, length, indent, line })));
                    return Start::Leaf;
                }
            }
            b'<' => {
                if let Some(kind) = line::html_block(rest)
                    && (kind < 7 || !(in_paragraph || lazy))
                {
                    self.close_to(matched);
                    self.open(Kind::Html(kind));
                    return Start::Leaf;
                }
            }
            _ => {}
        }
        if in_paragraph && self.start_under_paragraph(container, rest) {
            return Start::Leaf;
        }
        if line::is_thematic_break(rest) {
            self.close_to(matched);
            self.open(Kind::ThematicBreak);
            return self.leaf();
        }
        if !deep && let Some(marker) = line::list_marker(rest) {
            // Only a list that starts with 1 and has content interrupts a paragraph.
            let interrupts =
                !line::is_blank(&rest[marker.length..]) && marker.number.is_none_or(|n| n == 1);
            if !in_paragraph || interrupts {
                self.start_item(cursor, matched, container, marker);
                return Start::Container;
            }
        }
        Start::Nothing
    }

    /// Closes the block that was just opened: it has one line.
    fn leaf(&mut self) -> Start {
        let id = self.tip();
        self.close_to(self.path.len() - 1);
        // What is left of the line is not for its parent.
        self.path.push(id);
        Start::Leaf
    }

    fn start_item(
        &mut self,
        cursor: &mut Cursor<'_>,
        matched: usize,
        container: Id,
        marker: Marker,
    ) {
        let outer = cursor.indent();
        cursor.skip_spaces();
        cursor.skip(marker.length);
        let after = *cursor;
        let spaces = cursor.indent();
        let padding = if cursor.is_blank() || spaces >= 5 {
            cursor.skip_columns(1);
            1
        } else {
            cursor.skip_columns(spaces);
            spaces
        };
        if after.is_blank() {
            *cursor = after;
            cursor.skip_spaces();
        }
        self.close_to(matched);
        let same = matches!(self.kind(container), Kind::List { marker: other, .. }
            if other.mark == marker.mark && other.number.is_some() == marker.number.is_some());
        if !same || self.tip() != container {
            self.open(Kind::List { marker, tight: true });
        }
        let indent = outer + marker.length + padding;
        self.open(Kind::Item { indent, line: self.line_number, checked: None });
    }

    /// Makes a heading or a table of the open paragraph, if this line underlines it.
    fn start_under_paragraph(&mut self, paragraph: Id, rest: &str) -> bool {
        if let Some(level) = line::setext_underline(rest) {
            self.take_definitions(paragraph, true);
            if self.nodes[paragraph].content().is_empty() {
                return false;
            }
            self.nodes[paragraph].state.kind = Kind::Heading(level);
            self.nodes[paragraph].state.open = false;
            return true;
        }
        if !rest.contains(['|', ':']) {
            return false;
        }
        let Some(columns) = table::delimiter_row(rest) else { return false };
        self.take_definitions(paragraph, true);
        let [above @ .., header] = self.nodes[paragraph].content() else { return false };
        let (header, has_more) = (*header, !above.is_empty());
        self.bytes_scanned += header.len() as u64;
        if table::cells(self.slice(header)).count() != columns.len() {
            return false;
        }
        let state = &mut self.nodes[paragraph].state;
        state.lines -= 1;
        state.bytes -= header.len() + 1;
        let table = if has_more || state.definitions > 0 {
            state.filled = state.lines;
            self.close_to(self.path.len() - 1);
            self.open(Kind::Table)
        } else {
            state.kind = Kind::Table;
            paragraph
        };
        self.nodes[table].columns = columns;
        let id = self.open(Kind::Row);
        self.add_slice(id, header, false);
        self.close_to(self.path.len() - 1);
        true
    }

    fn add_row(&mut self, mut cursor: Cursor<'_>, at: usize) {
        cursor.skip_spaces();
        let id = self.open(Kind::Row);
        self.add_line(id, &cursor, at);
        self.close_to(self.path.len() - 1);
    }
}

fn skip_quote_marker(cursor: &mut Cursor<'_>) -> bool {
    let found = cursor.indent() < 4 && cursor.rest().starts_with('>');
    if found {
        cursor.skip_spaces();
        cursor.skip(1);
        cursor.skip_columns(1);
    }
    found
}
