//! Markdown for JavaScript: text in, lists of changes as JSON text out.

use wasm_bindgen::prelude::*;

use crate::markdown::{Markdown, UrlPolicy};

/// A growing Markdown text.
#[wasm_bindgen]
pub struct MarkdownCore(Markdown);

#[wasm_bindgen]
impl MarkdownCore {
    /// `schemes`: the allowed schemes of URLs, in lower case and without a colon; nothing = the
    /// default, `http`, `https` and `mailto`.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new(schemes: Option<Vec<String>>) -> Self {
        let policy = schemes.map_or_else(UrlPolicy::default, |schemes| UrlPolicy { schemes });
        Self(Markdown::new(policy))
    }

    /// The text goes on.
    pub fn push(&mut self, text: &str) {
        self.0.push(text);
    }

    /// The text is complete.
    pub fn finish(&mut self) {
        self.0.finish();
    }

    /// What changed in the tree since the last call: see `Markdown::changes`.
    #[must_use]
    pub fn changes(&mut self) -> String {
        self.0.changes()
    }
}
