//! Messages and parts as the AI SDK's `UIMessage` shapes them, kept losslessly.
//!
//! A message or part is an ordered list of fields whose values stay the JSON text they came as.
//! Nothing is parsed that the machine need not look into, unknown fields stay in place, and what
//! is sent back is byte for byte what was received. Growing values (text, raw tool input) are
//! kept decoded, so that a delta costs its own length.

pub mod field;
pub mod part;
pub mod predicates;
mod result;
pub mod validate;

use crate::json::{self, ArrayReader, JsonError, JsonErrorKind, ObjectReader, RawJson, Text};

pub use field::{Field, FieldName, Fields, GrowingText, StreamingInput, Value};
pub use part::{Part, PartKind, ToolState};
pub use result::ToolResult;

/// Names a message inside one chat, through any change of its id.
pub type MessageKey = u32;

/// Who wrote a message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// Instructions.
    System,
    /// The person.
    User,
    /// The model.
    Assistant,
    /// A role that the protocol does not name; kept as it came.
    Other,
}

impl Role {
    fn of(fields: &Fields) -> Self {
        [(Self::System, "system"), (Self::User, "user"), (Self::Assistant, "assistant")]
            .into_iter()
            .find(|(_, name)| fields.is_str(FieldName::Role, name))
            .map_or(Self::Other, |(role, _)| role)
    }
}

/// A message: its fields in order, its parts, and what of it the view lacks.
#[derive(Clone, Debug)]
pub struct Message {
    key: MessageKey,
    id: Text,
    role: Role,
    /// All fields but the parts; [`Value::Parts`] marks their place.
    pub fields: Fields,
    parts: Vec<Part>,
    changed_parts: Vec<u32>,
    /// Parts from here on were removed since the last flush.
    removed_from: Option<usize>,
    /// The view holds an object that the app supplied under this number.
    host_slot: Option<u32>,
    published: bool,
}

impl Message {
    /// An empty assistant message, the start of a response.
    #[must_use]
    pub fn assistant(key: MessageKey, id: Text) -> Self {
        let mut fields = Fields::default();
        fields.set_json(FieldName::Id, RawJson::string(&id));
        fields.set_raw(FieldName::Role, "\"assistant\"");
        fields.set(FieldName::Parts, Value::Parts);
        Self::from_fields(key, id, fields, Vec::new())
    }

    fn from_fields(key: MessageKey, id: Text, fields: Fields, parts: Vec<Part>) -> Self {
        Self {
            key,
            id,
            role: Role::of(&fields),
            fields,
            parts,
            changed_parts: Vec::new(),
            removed_from: None,
            host_slot: None,
            published: false,
        }
    }

    /// A message from its JSON text. It needs a string `id` and an array of `parts`; all else is
    /// kept as it came, since stored messages of older versions must load.
    ///
    /// # Errors
    /// The text is no JSON object, or `id` or `parts` are missing or of another type.
    pub fn parse(key: MessageKey, text: &str) -> Result<Self, JsonError> {
        let mut fields = Fields::default();
        let mut parts = Vec::new();
        let mut has_parts = false;
        let mut reader = ObjectReader::new(text)?;
        while let Some((name, value)) = reader.next()? {
            let field = Field::from_name(&name.to_utf8_lossy());
            if field == Field::Known(FieldName::Parts) {
                parts = parse_parts(value)?;
                has_parts = true;
                fields.push(field, Value::Parts);
            } else {
                fields.push(field, Value::Json(RawJson::from_validated(value)));
            }
        }
        match fields.text(FieldName::Id) {
            Some(id) if has_parts => Ok(Self::from_fields(key, id, fields, parts)),
            _ => Err(JsonError { kind: JsonErrorKind::Syntax, offset: 0 }),
        }
    }

    /// The message's key in its chat.
    #[must_use]
    pub fn key(&self) -> MessageKey {
        self.key
    }

    /// Gives the message its key in a chat.
    pub fn set_key(&mut self, key: MessageKey) {
        self.key = key;
    }

    /// The message's id.
    #[must_use]
    pub fn id(&self) -> &Text {
        &self.id
    }

    /// Changes the id; the key stays.
    pub fn set_id(&mut self, id: Text) {
        if self.id != id {
            self.fields.set_json(FieldName::Id, RawJson::string(&id));
            self.id = id;
        }
    }

    /// Who wrote the message.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// The metadata's JSON text.
    #[must_use]
    pub fn metadata(&self) -> Option<&RawJson> {
        self.fields.json(FieldName::Metadata)
    }

    /// Replaces the metadata.
    pub fn set_metadata(&mut self, metadata: RawJson) {
        // after `id`, where the AI SDK's own messages have it
        self.fields.set_at(FieldName::Metadata, Value::Json(metadata), 1);
    }

    /// The parts.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// A part, to be changed: the next flush looks at it.
    pub fn edit_part(&mut self, index: usize) -> Option<&mut Part> {
        let part = self.parts.get_mut(index)?;
        if !part.listed {
            part.listed = true;
            self.changed_parts.push(u32::try_from(index).unwrap_or(u32::MAX));
        }
        Some(part)
    }

    /// Appends a part and returns its index.
    pub fn push_part(&mut self, mut part: Part) -> usize {
        let index = self.parts.len();
        part.published = false;
        part.listed = true;
        part.fields.mark_unpublished();
        self.parts.push(part);
        self.changed_parts.push(u32::try_from(index).unwrap_or(u32::MAX));
        index
    }

    /// Removes all parts from `index` on and returns them.
    pub fn split_parts(&mut self, index: usize) -> Vec<Part> {
        if index >= self.parts.len() {
            return Vec::new();
        }
        let removed = self.parts.split_off(index);
        if removed.iter().any(|part| part.published) {
            self.removed_from = Some(self.removed_from.map_or(index, |from| from.min(index)));
        }
        self.changed_parts.retain(|&changed| (changed as usize) < index);
        removed
    }

    /// Takes the metadata and parts of another version of the message. The next flush writes them
    /// anew; a view that compares them with what it has finds what really changed.
    pub fn take_over(&mut self, other: Self) {
        match other.metadata() {
            Some(metadata) => self.set_metadata(metadata.clone()),
            None => self.fields.remove(FieldName::Metadata),
        }
        let published = self.parts.iter().filter(|part| part.published).count();
        self.split_parts(other.parts.len());
        self.parts.clear();
        self.changed_parts.clear();
        for part in other.parts {
            let at = self.push_part(part);
            if let Some(part) = self.parts.get_mut(at) {
                part.published = at < published;
            }
        }
    }

    /// The index after the last `step-start`: where the current step begins.
    #[must_use]
    pub fn current_step(&self) -> usize {
        self.parts
            .iter()
            .rposition(|part| part.kind() == PartKind::StepStart)
            .map_or(0, |index| index + 1)
    }

    /// The index of the tool call with this id.
    #[must_use]
    pub fn find_tool_call(&self, tool_call_id: &Text) -> Option<usize> {
        self.parts.iter().position(|part| part.tool_call_id().as_ref() == Some(tool_call_id))
    }

    /// The index of the tool call that asks for this approval.
    #[must_use]
    pub fn find_approval(&self, approval_id: &Text) -> Option<usize> {
        self.parts.iter().position(|part| part.approval_id().as_ref() == Some(approval_id))
    }

    /// The number of the app's own object that the view shows for this message.
    #[must_use]
    pub fn host_slot(&self) -> Option<u32> {
        self.host_slot
    }

    /// Says that the view shows an object which the app supplied.
    pub fn set_host_slot(&mut self, slot: u32) {
        self.host_slot = Some(slot);
    }

    /// Whether the view has this message.
    #[must_use]
    pub fn is_published(&self) -> bool {
        self.published
    }

    /// Whether the next flush has something to say about this message.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        !self.published
            || self.fields.has_changes()
            || self.removed_from.is_some()
            || !self.changed_parts.is_empty()
    }

    /// The indices of changed parts, in the order they first changed.
    #[must_use]
    pub fn changed_parts(&self) -> &[u32] {
        &self.changed_parts
    }

    /// Lets the view have this share of the texts that are being written, and all of the others; see
    /// [`GrowingText::reveal`].
    pub fn reveal(&mut self, share: f64) {
        for &index in &self.changed_parts {
            let Some(part) = self.parts.get_mut(index as usize) else { continue };
            let is_open = part.is_streaming();
            // A part that is written anew, with its type, must not become shorter.
            let is_again = part.published && part.fields.is_changed(FieldName::Type);
            if let Some(Value::Text(text)) = part.fields.get_mut(FieldName::Text) {
                text.reveal(if is_open && !is_again { share } else { 1.0 });
            }
        }
    }

    /// From which index published parts were removed since the last flush.
    #[must_use]
    pub fn removed_from(&self) -> Option<usize> {
        self.removed_from
    }

    /// Records that the view now has everything, the parts of an app's own object included.
    pub fn mark_published(&mut self) {
        let first = !self.published;
        self.published = true;
        self.removed_from = None;
        self.fields.clear_changed();
        let length = u32::try_from(self.parts.len()).unwrap_or(u32::MAX);
        let parts = &mut self.parts;
        let mut is_changed =
            |index: u32| parts.get_mut(index as usize).is_some_and(mark_part_published);
        if first {
            self.changed_parts = (0..length).filter(|index| is_changed(*index)).collect();
        } else {
            self.changed_parts.retain(|index| is_changed(*index));
        }
    }

    /// Appends the message as JSON, its exact text.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut separator = b'{';
        for (field, value) in self.fields.entries() {
            out.push(separator);
            separator = b',';
            json::write_string(out, field.as_str().as_bytes());
            out.push(b':');
            match value {
                Value::Json(raw) => out.extend_from_slice(raw.as_str().as_bytes()),
                Value::Text(text) => json::write_string(out, text.text().as_bytes()),
                Value::Parts => self.write_parts(out),
                Value::Input(_) => out.extend_from_slice(b"null"),
            }
        }
        out.push(b'}');
    }

    fn write_parts(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            part.write_json(out);
        }
        out.push(b']');
    }

    /// The message as JSON text.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        self.write_json(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// Returns whether something of the part is still to be published.
fn mark_part_published(part: &mut Part) -> bool {
    part.published = true;
    part.fields.clear_changed();
    part.listed = part.fields.has_changes();
    part.listed
}

fn parse_parts(text: &str) -> Result<Vec<Part>, JsonError> {
    let mut parts = Vec::new();
    let mut reader = ArrayReader::new(text)?;
    while let Some(part) = reader.next()? {
        parts.push(Part::parse(part)?);
    }
    Ok(parts)
}

/// Reads a JSON array of messages, giving each a key from `next_key` on.
///
/// # Errors
/// As [`Message::parse`].
pub fn parse_messages(text: &str, next_key: &mut MessageKey) -> Result<Vec<Message>, JsonError> {
    let mut messages = Vec::new();
    let mut reader = ArrayReader::new(text)?;
    while let Some(message) = reader.next()? {
        messages.push(Message::parse(*next_key, message)?);
        *next_key += 1;
    }
    Ok(messages)
}

/// The messages as one JSON array, their exact text.
#[must_use]
pub fn messages_to_json<'a>(messages: impl Iterator<Item = &'a Message>) -> String {
    let mut out = vec![b'['];
    for (index, message) in messages.enumerate() {
        if index > 0 {
            out.push(b',');
        }
        message.write_json(&mut out);
    }
    out.push(b']');
    String::from_utf8_lossy(&out).into_owned()
}
