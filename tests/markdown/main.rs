//! Markdown in pieces: the tree of blocks that the lists of changes build.
#![cfg(all(feature = "markdown", not(target_arch = "wasm32")))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod blocks;
mod cost;
mod html;
#[path = "../support/random.rs"]
#[allow(dead_code)]
mod random;
mod spec;
mod stream;
mod tree;
mod unfinished;
