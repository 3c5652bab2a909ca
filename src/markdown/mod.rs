//! Markdown that grows: a text that arrives in pieces, as blocks of which only the last changes.
//!
//! [`Markdown`] keeps the block structure of `CommonMark` with GFM's tables, task lists and
//! strikethrough. A line is looked at once; a leaf's content is parsed (by pulldown-cmark) while it is
//! the last one, and once more when it is finished. After that it is parsed again only when a link
//! reference that it uses is first defined.
//!
//! What is unfinished is closed for display: see `tail`. HTML is text, and a URL that the
//! [`UrlPolicy`] does not allow is dropped.
//!
//! ```
//! use chatwire::markdown::{Markdown, UrlPolicy};
//!
//! let mut markdown = Markdown::new(UrlPolicy::default());
//! markdown.push("Hello **wor");
//! assert_eq!(
//!     markdown.changes(),
//!     r#"[["s",[0],{"type":"paragraph","children":[{"type":"text","value":"Hello "},{"type":"strong","children":[{"type":"text","value":"wor"}]}]}]]"#,
//! );
//! ```

mod blocks;
mod changes;
mod inline;
mod json;
mod line;
mod node;
mod reference;
mod start;
mod table;
mod tail;
mod url;

pub use url::UrlPolicy;

use blocks::Blocks;
use changes::View;

/// Deepest nesting of block quotes, lists and items, each counted. Deeper markers are text.
pub const MAX_BLOCK_DEPTH: usize = 32;

/// Deepest nesting of emphasis, links and the like in one leaf. Deeper ones show their content only.
pub const MAX_INLINE_DEPTH: usize = 16;

/// Most columns of a table. A wider delimiter row makes no table.
pub const MAX_COLUMNS: usize = 256;

/// Up to this many bytes an unfinished leaf is parsed whole after each piece, and an unfinished line
/// looked at whole; beyond, once per doubling. What came since is shown as text.
pub const MAX_TAIL_BYTES: usize = 4096;

/// A growing Markdown text and the changes of its blocks.
#[derive(Debug)]
pub struct Markdown {
    blocks: Blocks,
    view: View,
}

impl Markdown {
    /// An empty text, whose links and images may have the URLs that `urls` allows.
    #[must_use]
    pub fn new(urls: UrlPolicy) -> Self {
        Self { blocks: Blocks::default(), view: View::new(urls) }
    }

    /// The text goes on. Without effect after [`Markdown::finish`].
    pub fn push(&mut self, text: &str) {
        self.blocks.push(text);
    }

    /// The text is complete: what is unclosed is shown as it is written.
    pub fn finish(&mut self) {
        self.blocks.finish();
    }

    /// What changed in the tree of blocks since the last call, as a JSON array of operations, in the
    /// order in which they have to be applied. A path is a list of indices into `children`, from the
    /// root.
    ///
    /// - `["s", path, node]`: the node at `path` is this one, which may be new at the end.
    /// - `["t", path, text]`: the `text` of the node at `path` goes on with this.
    /// - `["f", path, members]`: these members of the node at `path` have other values.
    /// - `["x", path, count]`: of the children at `path` only the first `count` are left.
    #[must_use]
    pub fn changes(&mut self) -> String {
        self.view.changes(&mut self.blocks)
    }

    /// How many bytes were looked at so far, counted each time: a measure of cost that does not
    /// depend on the machine.
    #[must_use]
    pub fn bytes_parsed(&self) -> u64 {
        self.blocks.bytes_scanned + self.view.bytes_parsed
    }
}

/// How much of an unfinished text of `length` bytes is parsed: all, or up to the last doubling.
fn parsed_length(length: usize) -> usize {
    if length <= MAX_TAIL_BYTES {
        return length;
    }
    MAX_TAIL_BYTES << (length / MAX_TAIL_BYTES).ilog2()
}
