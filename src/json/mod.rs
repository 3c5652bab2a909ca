//! JSON as text: checked in one pass, walked without being built, kept exactly as it came.
//!
//! Parsing to values is left to the host: what the machine must look into is walked by
//! [`ObjectReader`] and [`ArrayReader`], everything else stays a [`RawJson`].

pub mod partial;
mod patch;
mod pointer;
mod raw;
mod reader;
mod scan;
mod string;
mod text;
mod tree;

pub use partial::{OpSink, PartialJson, PartialState};
pub use patch::{Done, Operation, PatchFault, PatchOp, Patched};
pub use pointer::{Pointer, array_index, index_step};
pub use raw::{RawJson, is_index, same_value};
pub use reader::{ArrayReader, ObjectReader, member};
pub use scan::{JsonError, JsonErrorKind, JsonKind, check, kind, scan_value};
pub use string::{JsonStr, quote, write_json_text, write_string};
pub use text::Text;
pub use tree::Tree;
