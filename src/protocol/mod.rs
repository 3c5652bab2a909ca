//! Wire protocols: each folder decodes bytes to events and applies them to messages.

pub mod text_stream;
pub mod ui_stream;
