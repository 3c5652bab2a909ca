//! Reads one chunk and checks it against its type's table.

use crate::json::{JsonError, JsonStr, ObjectReader, Text};

use super::schema::{ChunkKind, Key, Type, members};

/// A chunk: its type and the raw text of each declared member. Undeclared members are not kept.
#[derive(Debug)]
pub struct Chunk<'a> {
    kind: ChunkKind,
    type_name: JsonStr<'a>,
    values: [Option<&'a str>; Key::COUNT],
    is_amended: bool,
}

/// What reading a chunk gave.
#[derive(Debug)]
#[allow(clippy::large_enum_variant)] // lives for one event, on the stack
pub enum Decoded<'a> {
    /// A chunk of a known type.
    Chunk(Chunk<'a>),
    /// A chunk whose type is not known; it is to be skipped.
    UnknownType(JsonStr<'a>),
}

/// Why a chunk cannot be used.
#[derive(Clone, Debug)]
pub enum ChunkError {
    /// The text is not JSON, nested too deep or has a forbidden key.
    Json(JsonError),
    /// The text is JSON, but no chunk: the member that is missing or of another type.
    /// `None` when the value is no object or has no string `type`.
    Invalid {
        /// The chunk's type, when it has one.
        kind: Option<ChunkKind>,
        /// The member at fault.
        key: Option<Key>,
    },
}

impl From<JsonError> for ChunkError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

impl<'a> Chunk<'a> {
    /// Reads the data of one event.
    ///
    /// `null` in an optional member counts as absent, a missing `input`, `output`, `data` or
    /// `messageMetadata` as `null`: producers other than the AI SDK write them so.
    ///
    /// # Errors
    /// See [`ChunkError`].
    pub fn decode(text: &'a str) -> Result<Decoded<'a>, ChunkError> {
        let mut values: [Option<&'a str>; Key::COUNT] = [None; Key::COUNT];
        let not_a_chunk = ChunkError::Invalid { kind: None, key: None };
        if !text.trim_start().starts_with('{') {
            crate::json::check(text)?;
            return Err(not_a_chunk);
        }
        let mut reader = ObjectReader::new(text)?;
        while let Some((name, value)) = reader.next()? {
            let key = if name.is_plain() {
                Key::from_word(name.raw())
            } else {
                Key::from_word(&name.to_utf8_lossy())
            };
            if let Some(key) = key {
                values[key as usize] = Some(value);
            }
        }
        let type_name = values[Key::Type as usize].and_then(JsonStr::from_raw_value);
        let Some(type_name) = type_name else { return Err(not_a_chunk) };
        let Some(kind) = kind_of(type_name) else { return Ok(Decoded::UnknownType(type_name)) };

        let invalid = |key| ChunkError::Invalid { kind: Some(kind), key: Some(key) };
        let (required, optional) = members(kind);
        let mut is_amended = false;
        for &(key, expected) in required {
            match (values[key as usize], expected) {
                (None, Type::Any) => {
                    values[key as usize] = Some("null");
                    is_amended = true;
                }
                (Some(raw), _) if expected.accepts(raw)? => {}
                _ => return Err(invalid(key)),
            }
        }
        for &(key, expected) in optional {
            match (values[key as usize], expected) {
                (None, _) | (Some("null"), Type::AnyOptional) => {}
                (Some("null"), _) => {
                    values[key as usize] = None;
                    is_amended = true;
                }
                (Some(raw), _) if expected.accepts(raw)? => {}
                _ => return Err(invalid(key)),
            }
        }
        Ok(Decoded::Chunk(Self { kind, type_name, values, is_amended }))
    }

    /// The JSON text of the chunk, of which `text` was decoded, for the app: without members that
    /// count as absent, and with those that count as `null`.
    #[must_use]
    pub fn to_json(&self, text: &str) -> String {
        let reader = if self.is_amended { ObjectReader::new(text).ok() } else { None };
        let Some(mut reader) = reader else { return text.to_owned() };
        let mut out = String::new();
        let mut missing = self.values;
        while let Ok(Some((name, value))) = reader.next() {
            let key = Key::from_word(&name.to_utf8_lossy()).map(|key| key as usize);
            let is_absent = value == "null" && key.is_some_and(|key| self.values[key].is_none());
            if let Some(key) = key {
                missing[key] = None;
            }
            if !is_absent {
                push_member(&mut out, name.raw(), value);
            }
        }
        for &(key, _) in members(self.kind).0 {
            if let Some(value) = missing[key as usize] {
                push_member(&mut out, key.as_str(), value);
            }
        }
        out.push('}');
        out
    }

    /// The chunk's type.
    #[must_use]
    pub fn kind(&self) -> ChunkKind {
        self.kind
    }

    /// The `type` as it is spelled: for data chunks it holds the name.
    #[must_use]
    pub fn type_name(&self) -> JsonStr<'a> {
        self.type_name
    }

    /// The raw text of a member.
    #[must_use]
    pub fn raw(&self, key: Key) -> Option<&'a str> {
        self.values[key as usize]
    }

    /// The raw text of a member, unless it is `null`.
    #[must_use]
    pub fn raw_non_null(&self, key: Key) -> Option<&'a str> {
        self.raw(key).filter(|raw| *raw != "null")
    }

    /// A string member's token.
    #[must_use]
    pub fn str(&self, key: Key) -> Option<JsonStr<'a>> {
        self.raw(key).and_then(JsonStr::from_raw_value)
    }

    /// A string member, decoded; empty when it is missing.
    #[must_use]
    pub fn text(&self, key: Key) -> Text {
        self.str(key).map(JsonStr::to_text).unwrap_or_default()
    }

    /// Whether a member is the literal `true`.
    #[must_use]
    pub fn is_true(&self, key: Key) -> bool {
        self.raw(key) == Some("true")
    }
}

/// `name` is the content of a JSON string.
fn push_member(out: &mut String, name: &str, value: &str) {
    out.push(if out.is_empty() { '{' } else { ',' });
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
    out.push_str(value);
}

fn kind_of(type_name: JsonStr<'_>) -> Option<ChunkKind> {
    let decoded;
    let name = if type_name.is_plain() {
        type_name.raw()
    } else {
        decoded = type_name.to_utf8_lossy();
        &decoded
    };
    if name.starts_with("data-") { Some(ChunkKind::Data) } else { ChunkKind::from_word(name) }
}
