//! The fields of a message or part: ordered, with values kept as their exact JSON text.

use std::rc::Rc;

use crate::json::{self, JsonStr, PartialJson, RawJson, Text};

macro_rules! field_names {
    ($($name:ident = $text:literal,)*) => {
        /// A field that the machine or the view knows by name. The discriminant is the field's
        /// number in [`Changes`](crate::chat::Changes).
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        #[allow(missing_docs)] // each variant is the field of the same name
        pub enum FieldName { $($name,)* }

        impl FieldName {
            /// Every known field, in the order of its number.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The field as it is spelled in JSON.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The known field with this spelling.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$name),)* _ => None }
            }
        }
    };
}

field_names! {
    Type = "type",
    Id = "id",
    Role = "role",
    Metadata = "metadata",
    Parts = "parts",
    Text = "text",
    State = "state",
    ProviderMetadata = "providerMetadata",
    Citations = "citations",
    ToolCallId = "toolCallId",
    ToolName = "toolName",
    Title = "title",
    ToolMetadata = "toolMetadata",
    ProviderExecuted = "providerExecuted",
    CallProviderMetadata = "callProviderMetadata",
    ResultProviderMetadata = "resultProviderMetadata",
    Input = "input",
    Output = "output",
    ErrorText = "errorText",
    RawInput = "rawInput",
    InputEncoding = "inputEncoding",
    Preliminary = "preliminary",
    Approval = "approval",
    Kind = "kind",
    SourceId = "sourceId",
    Url = "url",
    MediaType = "mediaType",
    Filename = "filename",
    Data = "data",
}

/// A field's name: known, or kept as it came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Field {
    /// A field that has a number.
    Known(FieldName),
    /// Any other field; kept and sent back in place.
    Other(Rc<str>),
}

impl Field {
    /// The field with this (decoded) name.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        FieldName::from_name(name).map_or_else(|| Self::Other(name.into()), Self::Known)
    }

    /// The name as it is spelled in JSON, decoded.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Known(name) => name.as_str(),
            Self::Other(name) => name,
        }
    }
}

/// A string that grows by appending, with a mark of what the view already has.
#[derive(Clone, Default, Debug)]
pub struct GrowingText {
    text: Text,
    published: usize,
    /// How much the view may have, in bytes; the rest is held back.
    visible: Option<usize>,
    /// The view holds a high surrogate whose low half arrived later and was joined in `text`;
    /// the view still needs that half alone.
    owed_low: Option<[u8; 3]>,
}

impl GrowingText {
    /// A text of which the view has nothing yet.
    #[must_use]
    pub fn new(text: Text) -> Self {
        Self { text, ..Self::default() }
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &Text {
        &self.text
    }

    /// Appends a string token of JSON.
    pub fn append(&mut self, delta: JsonStr<'_>) {
        let before = self.text.len();
        if before > 0 && before == self.published && self.text.ends_with_high_surrogate() {
            let mut tail = Text::new();
            delta.append_to(&mut tail);
            if let Some(low) = tail.leading_low_surrogate() {
                self.owed_low = Some(low);
                self.text.push_text(&tail);
                self.published = before + 1; // 3 bytes became one 4-byte code point
                return;
            }
        }
        delta.append_to(&mut self.text);
    }

    /// What the view lacks: whether it must start over, and the pieces to append.
    #[must_use]
    pub fn unpublished(&self) -> Unpublished<'_> {
        Unpublished {
            replace: self.published == 0,
            low: self.owed_low.as_ref().map(<[u8; 3]>::as_slice),
            rest: self
                .text
                .as_bytes()
                .get(self.published..self.visible_length())
                .unwrap_or_default(),
        }
    }

    /// Lets the view have more of the text, up to the end of a word: about this share of what it
    /// lacks, nothing for 0, everything from 1 up. A word whose end has not come is held back.
    pub fn reveal(&mut self, share: f64) {
        let bytes = self.text.as_bytes();
        let wanted = (bytes.len() - self.published) as f64 * share;
        let end = word_end(bytes, self.published + wanted as usize).filter(|_| share > 0.0);
        self.visible = (share < 1.0).then_some(end.unwrap_or(self.published));
    }

    fn visible_length(&self) -> usize {
        self.visible.map_or(self.text.len(), |visible| visible.min(self.text.len()))
    }

    /// Marks what the view may have as known to it. Returns whether something was held back.
    pub fn mark_published(&mut self) -> bool {
        self.published = self.visible_length();
        self.owed_low = None;
        self.published < self.text.len()
    }

    /// Forgets what the view has: the next flush sends the whole text.
    pub fn mark_unpublished(&mut self) {
        self.published = 0;
        self.owed_low = None;
    }
}

/// Where the word ends that `at` is in, the spaces behind it included: it may be shown when that has
/// come. Scripts that write no spaces are cut between characters.
fn word_end(bytes: &[u8], at: usize) -> Option<usize> {
    let rest = bytes.get(at..)?;
    let found = rest.iter().position(|&byte| byte.is_ascii_whitespace() || byte >= FIRST_OF_CJK)?;
    let length = match rest.get(found)? {
        0xf0.. => 4,
        FIRST_OF_CJK.. => 3,
        _ => rest.iter().skip(found).take_while(|byte| byte.is_ascii_whitespace()).count(),
    };
    Some(at + found + length).filter(|&end| end <= bytes.len())
}

/// The first byte of the kana and of what follows them in Unicode.
const FIRST_OF_CJK: u8 = 0xe3;

/// See [`GrowingText::unpublished`].
#[derive(Debug)]
pub struct Unpublished<'a> {
    /// The view has nothing of the text yet: set, do not append.
    pub replace: bool,
    /// A low surrogate to append first, as three bytes of WTF-8.
    pub low: Option<&'a [u8]>,
    /// The bytes to append.
    pub rest: &'a [u8],
}

/// A tool input that is still arriving: the value that its text spells so far.
#[derive(Clone, Debug)]
pub struct StreamingInput {
    /// Follows the text.
    pub partial: PartialJson,
    /// The view has no value of it yet, or must start over.
    pub starts_over: bool,
}

impl StreamingInput {
    /// An input of which `raw` is known.
    #[must_use]
    pub fn new(raw: &Text) -> Self {
        let mut partial = PartialJson::new();
        partial.push(raw.as_bytes());
        Self { partial, starts_over: true }
    }
}

/// The value of a field.
#[derive(Clone, Debug)]
pub enum Value {
    /// Exact JSON text.
    Json(RawJson),
    /// A decoded string that may grow.
    Text(GrowingText),
    /// A tool input that is still streaming; its text is the part's `rawInput`.
    Input(Box<StreamingInput>),
    /// The place of a message's `parts` among its fields.
    Parts,
}

impl Value {
    /// The decoded string, when the value is one.
    #[must_use]
    pub fn to_text(&self) -> Option<Text> {
        match self {
            Self::Json(raw) => JsonStr::from_raw_value(raw.as_str()).map(JsonStr::to_text),
            Self::Text(text) => Some(text.text().clone()),
            Self::Input(_) | Self::Parts => None,
        }
    }
}

/// Ordered fields with a record of which ones changed since the last flush.
#[derive(Clone, Default, Debug)]
pub struct Fields {
    entries: Vec<(Field, Value)>,
    changed: u32,
}

/// Stands in [`Fields::changed`] for a change of a field without a number.
const OTHER_CHANGED: u32 = 1 << 31;

impl Fields {
    /// All fields in order.
    #[must_use]
    pub fn entries(&self) -> &[(Field, Value)] {
        &self.entries
    }

    /// The value of a known field.
    #[must_use]
    pub fn get(&self, name: FieldName) -> Option<&Value> {
        self.entries.iter().find(|(field, _)| *field == Field::Known(name)).map(|(_, value)| value)
    }

    /// The exact JSON text of a known field.
    #[must_use]
    pub fn json(&self, name: FieldName) -> Option<&RawJson> {
        match self.get(name) {
            Some(Value::Json(raw)) => Some(raw),
            _ => None,
        }
    }

    /// The decoded string of a known field.
    #[must_use]
    pub fn text(&self, name: FieldName) -> Option<Text> {
        self.get(name).and_then(Value::to_text)
    }

    /// Whether a known field holds exactly this string.
    #[must_use]
    pub fn is_str(&self, name: FieldName, expected: &str) -> bool {
        match self.get(name) {
            Some(Value::Json(raw)) => {
                JsonStr::from_raw_value(raw.as_str()).is_some_and(|token| token.eq_str(expected))
            }
            Some(Value::Text(text)) => text.text().as_str() == Some(expected),
            _ => false,
        }
    }

    /// Whether a known field is the literal `true`.
    #[must_use]
    pub fn is_true(&self, name: FieldName) -> bool {
        self.json(name).is_some_and(|raw| raw.as_str() == "true")
    }

    /// Sets or replaces a field; a new one comes last.
    pub fn set(&mut self, name: FieldName, value: Value) {
        let position = self.entries.len();
        self.set_at(name, value, position);
    }

    /// Sets or replaces a field; a new one goes to `position`.
    pub fn set_at(&mut self, name: FieldName, value: Value, position: usize) {
        self.mark(name);
        match self.entries.iter_mut().find(|(field, _)| *field == Field::Known(name)) {
            Some((_, old)) => *old = value,
            None => {
                let position = position.min(self.entries.len());
                self.entries.insert(position, (Field::Known(name), value));
            }
        }
    }

    /// Sets a field to a JSON text.
    pub fn set_json(&mut self, name: FieldName, raw: RawJson) {
        self.set(name, Value::Json(raw));
    }

    /// Sets a field to JSON text that is known to be valid.
    pub fn set_raw(&mut self, name: FieldName, raw: &str) {
        self.set_json(name, RawJson::from_validated(raw));
    }

    /// Sets the field when there is a text, removes it otherwise.
    pub fn set_or_remove(&mut self, name: FieldName, raw: Option<&str>) {
        match raw {
            Some(raw) => self.set_raw(name, raw),
            None => self.remove(name),
        }
    }

    /// Sets the field only when there is a text.
    pub fn set_if_given(&mut self, name: FieldName, raw: Option<&str>) {
        if let Some(raw) = raw {
            self.set_raw(name, raw);
        }
    }

    /// Adds a field as it came, known or not; a second one of the same name replaces the first.
    pub fn push(&mut self, field: Field, value: Value) {
        match &field {
            Field::Known(name) => self.set(*name, value),
            Field::Other(_) => {
                self.changed |= OTHER_CHANGED;
                match self.entries.iter_mut().find(|(other, _)| *other == field) {
                    Some((_, old)) => *old = value,
                    None => self.entries.push((field, value)),
                }
            }
        }
    }

    /// Removes a known field.
    pub fn remove(&mut self, name: FieldName) {
        let before = self.entries.len();
        self.entries.retain(|(field, _)| *field != Field::Known(name));
        if self.entries.len() != before {
            self.mark(name);
        }
    }

    /// Appends to a string field, turning a stored string into a growing one; a field that is
    /// missing or no string starts empty.
    pub fn append(&mut self, name: FieldName, delta: JsonStr<'_>) {
        if !matches!(self.get(name), Some(Value::Text(_))) {
            let text = self.text(name).unwrap_or_default();
            self.set(name, Value::Text(GrowingText::new(text)));
        }
        self.mark(name);
        if let Some(Value::Text(text)) = self.get_mut(name) {
            text.append(delta);
        }
    }

    /// The value of a known field for a change in place; the caller marks the change.
    pub fn get_mut(&mut self, name: FieldName) -> Option<&mut Value> {
        self.entries
            .iter_mut()
            .find(|(field, _)| *field == Field::Known(name))
            .map(|(_, value)| value)
    }

    /// A field and its value for a change in place, by position.
    pub fn entry_mut(&mut self, index: usize) -> Option<(&Field, &mut Value)> {
        self.entries.get_mut(index).map(|(field, value)| (&*field, value))
    }

    /// Records that a known field changed.
    pub fn mark(&mut self, name: FieldName) {
        self.changed |= 1 << name as u8;
    }

    /// Whether a known field changed since [`clear_changed`](Self::clear_changed).
    #[must_use]
    pub fn is_changed(&self, name: FieldName) -> bool {
        self.changed & (1 << name as u8) != 0
    }

    /// Whether any field without a number changed.
    #[must_use]
    pub fn is_other_changed(&self) -> bool {
        self.changed & OTHER_CHANGED != 0
    }

    /// Whether any field changed.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.changed != 0
    }

    /// Marks all growing values as known to the view and forgets the changes, except that what is
    /// held back is still to come.
    pub fn clear_changed(&mut self) {
        self.changed = 0;
        for (field, value) in &mut self.entries {
            if let (Field::Known(name), Value::Text(text)) = (field, value)
                && text.mark_published()
            {
                self.changed |= 1 << *name as u8;
            }
        }
    }

    /// Marks everything as unknown to the view.
    pub fn mark_unpublished(&mut self) {
        self.changed = u32::MAX;
        let raw_input = self.text(FieldName::RawInput).unwrap_or_default();
        for (_, value) in &mut self.entries {
            match value {
                Value::Text(text) => text.mark_unpublished(),
                Value::Input(input) => **input = StreamingInput::new(&raw_input),
                Value::Json(_) | Value::Parts => {}
            }
        }
    }

    /// Reads the members of a JSON object in order.
    ///
    /// # Errors
    /// The text is not one valid JSON object.
    pub fn parse(text: &str) -> Result<Self, json::JsonError> {
        let mut fields = Self::default();
        let mut reader = json::ObjectReader::new(text)?;
        while let Some((key, value)) = reader.next()? {
            fields.push(
                Field::from_name(&key.to_utf8_lossy()),
                Value::Json(RawJson::from_validated(value)),
            );
        }
        Ok(fields)
    }
}
