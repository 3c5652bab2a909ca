//! What the tests of the chat machine share: a host with a virtual clock, a view that follows the
//! lists of changes, and streams to feed.
#![allow(dead_code)] // each test file uses its share

pub(crate) mod chunks;
pub(crate) mod cursor;
pub(crate) mod host;
pub(crate) mod log;
pub(crate) mod random;
pub(crate) mod stream;
pub(crate) mod utf16;
pub(crate) mod view;
