//! The events of a response that an app reads itself, through a transport's own methods.

use wasm_bindgen::prelude::*;

use crate::sse::{SseError, SseEvent, SseParser};

use super::output::error_json;

/// Stands behind each event. It cannot stand inside one: JSON escapes control characters.
const SEPARATOR: char = '\u{1e}';

/// Splits a body into the data of its events.
#[wasm_bindgen]
#[derive(Default)]
pub struct EventReader {
    parser: SseParser,
}

#[wasm_bindgen]
impl EventReader {
    /// A reader of a body from its beginning.
    #[wasm_bindgen(constructor)]
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The data of the events that these bytes complete, each followed by U+001E. Empty data are
    /// left out.
    ///
    /// Throws the JSON text of an error when an event is too long.
    pub fn push(&mut self, bytes: &[u8]) -> Result<String, JsValue> {
        collect(|on_event| self.parser.push(bytes, on_event))
    }

    /// The same for what is left at the end of the body.
    pub fn finish(&mut self) -> Result<String, JsValue> {
        collect(|on_event| self.parser.finish(on_event))
    }
}

fn collect(
    read: impl FnOnce(&mut dyn FnMut(SseEvent<'_>)) -> Result<(), SseError>,
) -> Result<String, JsValue> {
    let mut texts = String::new();
    let mut on_event = |event: SseEvent<'_>| {
        if !event.data.is_empty() {
            texts.push_str(event.data);
            texts.push(SEPARATOR);
        }
    };
    read(&mut on_event).map_err(|error| JsValue::from_str(&error_json(&error.into())))?;
    Ok(texts)
}
