//! JSON as text: scanning, strings, partial values. See the submodules.

pub mod partial;

pub use partial::{OpSink, PartialJson, PartialState};
