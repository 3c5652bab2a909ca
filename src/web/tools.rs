//! What an app uses without a chat: the check of messages, partial JSON, and the message of a
//! response that the app reads itself.

use wasm_bindgen::prelude::*;

use crate::chat::Changes;
use crate::error::Error;
use crate::json::{self, PartialJson, PartialState, RawJson};
use crate::message::Message;
use crate::message::validate;
use crate::protocol::ui_stream::{MessageReader, Progress, ReadError};

use super::output::{JsonObject, error_json, integer};

/// Checks the JSON text of an array of messages. Gives the JSON text
/// `{"total":1,"issues":[{"path":[0,"id"],"code":"...","expected":"..."}]}`.
#[wasm_bindgen(js_name = validateMessages)]
#[must_use]
pub fn validate_messages(text: &str) -> String {
    let report = validate::validate_messages(text);
    let mut issues = String::from("[");
    for issue in &report.issues {
        if issues.len() > 1 {
            issues.push(',');
        }
        let mut object = JsonObject::new();
        object.raw("path", &issue.path);
        object.string("code", issue.code.as_str());
        object.string("expected", issue.expected);
        issues.push_str(&object.finish());
    }
    issues.push(']');
    let mut object = JsonObject::new();
    object.raw("total", &integer(report.total as u64));
    object.raw("issues", &issues);
    object.finish()
}

/// The JSON text of what an unfinished JSON text, in WTF-8, spells so far. It is empty when the text
/// is complete as it stands, and nothing when it spells no value.
#[wasm_bindgen(js_name = completeJson)]
#[must_use]
pub fn complete_json(text: &[u8]) -> Option<String> {
    let mut partial = PartialJson::new();
    partial.push(text);
    if partial.state() == PartialState::Complete {
        return Some(String::new());
    }
    let mut out = Vec::new();
    json::write_json_text(&mut out, &partial.repaired(text)?);
    Some(String::from_utf8_lossy(&out).into_owned())
}

// Named so that the file travels with the module: driver.js and message-reader.js import it.
#[wasm_bindgen(module = "/src/web/wtf8.js")]
extern "C" {
    #[wasm_bindgen(js_name = decodeWtf8)]
    fn _wtf8();
}

#[wasm_bindgen(module = "/src/web/message-reader.js")]
extern "C" {
    /// Reads one message: see `message-reader.js`.
    #[wasm_bindgen(js_name = MessageReader)]
    pub type JsMessageReader;

    #[wasm_bindgen(constructor, js_class = "MessageReader")]
    fn new(core: MessageReaderCore, freezes: bool, texts: JsValue) -> JsMessageReader;
}

/// Begins to read the message of a response. `last` is the JSON text of the last message, if there
/// is one; `freezes` and `texts` are what a chat's host gives under these names.
///
/// Throws the JSON text of an error when `last` is no message.
#[wasm_bindgen(js_name = readMessage)]
pub fn read_message(
    last: Option<String>,
    freezes: bool,
    texts: JsValue,
) -> Result<JsMessageReader, JsValue> {
    let last = match last {
        Some(text) => Some(Message::parse(0, &text).map_err(|error| thrown(error.into()))?),
        None => None,
    };
    let core = MessageReaderCore {
        reader: MessageReader::new(last),
        changes: Changes::default(),
        detail: String::new(),
    };
    Ok(JsMessageReader::new(core, freezes, texts))
}

/// The message of one response. `message-reader.js` is its only user.
#[wasm_bindgen]
pub struct MessageReaderCore {
    reader: MessageReader,
    changes: Changes,
    detail: String,
}

#[wasm_bindgen]
impl MessageReaderCore {
    /// Applies the JSON text of a chunk. Gives what it did: 0 = nothing, 1 = the message has
    /// changed, 2 = the server reports an error, 3 = the server has aborted.
    ///
    /// Throws the JSON text of an error.
    pub fn read(&mut self, chunk: &str) -> Result<u32, JsValue> {
        let progress = self.reader.read(chunk).map_err(|error| match error {
            ReadError::Chunk(error) => thrown(error.into()),
            ReadError::Fold(error) => thrown(error.into()),
        })?;
        Ok(match progress {
            Progress::None => 0,
            Progress::Written => 1,
            Progress::Error(text) => {
                self.detail = RawJson::string(&text).as_str().to_owned();
                2
            }
            Progress::Aborted => 3,
        })
    }

    /// The JSON text of the server's words, after an error.
    #[must_use]
    pub fn detail(&self) -> String {
        self.detail.clone()
    }

    /// The message's key.
    #[must_use]
    pub fn key(&self) -> u32 {
        self.reader.message().key()
    }

    /// The operations that bring the view up to date (`view.js`).
    #[wasm_bindgen(js_name = takeChanges)]
    #[must_use]
    pub fn take_changes(&mut self) -> Vec<u32> {
        self.changes.clear();
        self.changes.write_message(self.reader.message_mut());
        std::mem::take(&mut self.changes.ops)
    }

    /// The texts of these operations, in WTF-8.
    #[wasm_bindgen(js_name = takeArena)]
    #[must_use]
    pub fn take_arena(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.changes.arena)
    }
}

fn thrown(error: Error) -> JsValue {
    JsValue::from_str(&error_json(&error))
}
