//! The nodes of the tree of blocks.

use super::line::Marker;
use super::table::Alignment;

/// Index of a node in the tree.
pub(super) type Id = usize;

/// A piece of the text that is content of a leaf; `pad` spaces stand before it, from a cut tab.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    pub(super) pad: u8,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Slice {
    pub(super) fn len(&self) -> usize {
        usize::from(self.pad) + self.end - self.start
    }
}

/// An opening code fence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fence {
    pub(super) mark: u8,
    pub(super) length: usize,
    pub(super) indent: usize,
    /// The info string with the fence before it.
    pub(super) line: Slice,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Document,
    Quote,
    List { marker: Marker, tight: bool },
    Item { indent: usize, line: usize, checked: Option<bool> },
    Paragraph,
    Heading(u8),
    Code(Option<Fence>),
    Html(u8),
    Table,
    Row,
    ThematicBreak,
}

/// What a line can change of a block that was there before; all else only grows.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) kind: Kind,
    pub(super) open: bool,
    /// Whether the last line that reached it was blank.
    pub(super) ends_blank: bool,
    /// Lines of the content, of which the first ones may be definitions.
    pub(super) lines: usize,
    pub(super) definitions: usize,
    /// Lines up to the last one that is not blank.
    pub(super) filled: usize,
    /// Bytes of the lines that are not definitions, each with its newline.
    pub(super) bytes: usize,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) state: State,
    pub(super) parent: Id,
    pub(super) children: Vec<Id>,
    /// The first `state.lines` of them count.
    pub(super) lines: Vec<Slice>,
    pub(super) columns: Vec<Alignment>,
    pub(super) late: Late,
}

/// Labels of a finished leaf that were defined after it was parsed.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Late {
    /// How many it was parsed again for, and how many not yet.
    pub(super) resolved: usize,
    pub(super) pending: usize,
}

impl Node {
    pub(super) fn new(kind: Kind, parent: Id) -> Self {
        let state = State {
            kind,
            open: true,
            ends_blank: false,
            lines: 0,
            definitions: 0,
            filled: 0,
            bytes: 0,
        };
        Self {
            state,
            parent,
            children: Vec::new(),
            lines: Vec::new(),
            columns: Vec::new(),
            late: Late::default(),
        }
    }

    /// The lines of a paragraph, heading or row, without definitions.
    pub(super) fn content(&self) -> &[Slice] {
        &self.lines[self.state.definitions..self.state.lines]
    }

    /// How many bytes the content has.
    pub(super) fn content_bytes(&self) -> usize {
        self.state.bytes.saturating_sub(1)
    }

    /// The lines of code or HTML, without blank ones at its end that may not belong to it.
    pub(super) fn text_lines(&self) -> &[Slice] {
        let all = matches!(self.state.kind, Kind::Code(Some(_)));
        &self.lines[..if all { self.state.lines } else { self.state.filled }]
    }

    /// Where the text begins that the block shows: no other block begins there.
    pub(super) fn start(&self) -> Option<usize> {
        match self.state.kind {
            Kind::Code(Some(fence)) => Some(fence.line.start),
            Kind::Code(None) | Kind::Html(_) => self.text_lines().first().map(|line| line.start),
            _ => self.content().first().map(|line| line.start),
        }
    }

    /// Whether there is something to show: a paragraph may be nothing but definitions.
    pub(super) fn is_visible(&self) -> bool {
        !matches!(self.state.kind, Kind::Paragraph) || !self.content().is_empty()
    }
}
