//! What a page would show: the messages as values, kept in step with the machine only by its lists
//! of changes (`View` of the web layer).

use std::collections::BTreeMap;

use chatwire::chat::{ChangeOp, Changes, OTHER_FIELD};
use chatwire::message::{FieldName, MessageKey};
use serde_json::{Map, Value, json};

use super::cursor::Cursor;
use super::utf16::{parse, parse_units, units};

const MESSAGE: u32 = ChangeOp::Message as u32;
const PART: u32 = ChangeOp::Part as u32;
const TRUNCATE_PARTS: u32 = ChangeOp::TruncateParts as u32;
const SET_JSON: u32 = ChangeOp::SetJson as u32;
const SET_TEXT: u32 = ChangeOp::SetText as u32;
const APPEND_TEXT: u32 = ChangeOp::AppendText as u32;
const REMOVE: u32 = ChangeOp::Remove as u32;
const PARTIAL: u32 = ChangeOp::Partial as u32;
const LIST: u32 = ChangeOp::List as u32;
const QUEUE: u32 = ChangeOp::Queue as u32;
const START_PARTIAL: u32 = ChangeOp::StartPartial as u32;

/// Messages by key, and which of them are in the list.
#[derive(Default, Debug)]
pub(crate) struct View {
    entries: BTreeMap<MessageKey, Entry>,
    list: Vec<MessageKey>,
    queued: Vec<Value>,
    /// Messages of the app, by the number under which the machine knows them.
    supplied: BTreeMap<u32, Value>,
}

#[derive(Default, Debug)]
struct Entry {
    /// All fields but the parts.
    fields: Map<String, Value>,
    parts: Vec<Map<String, Value>>,
    /// Tool inputs that are still arriving, by part.
    inputs: BTreeMap<usize, Cursor>,
}

impl View {
    /// Keeps a message of the app, which the view will show as it is.
    pub(crate) fn supply(&mut self, message: &str) -> u32 {
        let slot = self.supplied.keys().next_back().map_or(1, |last| last + 1);
        self.supplied.insert(slot, parse(message));
        slot
    }

    /// The messages of the list.
    pub(crate) fn messages(&self) -> Value {
        self.list.iter().map(|key| self.message(*key).unwrap()).collect()
    }

    /// The keys of the list.
    pub(crate) fn keys(&self) -> &[MessageKey] {
        &self.list
    }

    /// One message, when the view has it.
    pub(crate) fn message(&self, key: MessageKey) -> Option<Value> {
        let entry = self.entries.get(&key)?;
        let mut message = entry.fields.clone();
        message
            .insert("parts".to_owned(), entry.parts.iter().cloned().map(Value::Object).collect());
        Some(Value::Object(message))
    }

    /// The messages that wait.
    pub(crate) fn queued(&self) -> &[Value] {
        &self.queued
    }

    /// Applies a list of changes.
    pub(crate) fn apply(&mut self, changes: &Changes) {
        let mut reader = Reader::new(changes);
        while let Some(word) = reader.peek() {
            match word & 0xff {
                MESSAGE => self.apply_message(&mut reader),
                LIST => {
                    let keys = reader.list();
                    self.entries.retain(|key, _| keys.contains(key));
                    for key in &keys {
                        assert!(self.entries.contains_key(key), "a listed message was not sent");
                    }
                    self.list = keys;
                }
                QUEUE => {
                    let slots = reader.list();
                    self.queued = slots.iter().map(|slot| self.supplied[slot].clone()).collect();
                }
                code => panic!("no change begins with {code}"),
            }
        }
        assert_eq!(reader.at, reader.arena.len(), "the arena has texts that no operation mentions");
    }

    fn apply_message(&mut self, reader: &mut Reader<'_>) {
        reader.next();
        let (key, slot) = (reader.next(), reader.next());
        if slot > 0 {
            let message = self.supplied.remove(&(slot - 1)).expect("an object of the app");
            self.entries.insert(key, Entry::of(message));
            return;
        }
        let entry = self.entries.entry(key).or_default();
        apply_fields(reader, &mut entry.fields, None);
        loop {
            match reader.peek().map(|word| word & 0xff) {
                Some(TRUNCATE_PARTS) => {
                    reader.next();
                    let length = reader.next() as usize;
                    assert!(length < entry.parts.len(), "nothing to truncate");
                    entry.parts.truncate(length);
                    entry.inputs.retain(|index, _| *index < length);
                }
                Some(PART) => {
                    reader.next();
                    let index = reader.next() as usize;
                    if index == entry.parts.len() {
                        entry.parts.push(Map::new());
                    }
                    let part = &mut entry.parts[index];
                    apply_fields(reader, part, Some((&mut entry.inputs, index)));
                }
                _ => return,
            }
        }
    }
}

impl Entry {
    fn of(message: Value) -> Self {
        let Value::Object(mut fields) = message else { panic!("a message is an object") };
        let Some(Value::Array(parts)) = fields.remove("parts") else { panic!("no parts") };
        let into_fields = |part| match part {
            Value::Object(fields) => fields,
            other => panic!("no part: {other}"),
        };
        let parts = parts.into_iter().map(into_fields).collect();
        Self { fields, parts, inputs: BTreeMap::new() }
    }
}

fn apply_fields(
    reader: &mut Reader<'_>,
    fields: &mut Map<String, Value>,
    mut part: Option<(&mut BTreeMap<usize, Cursor>, usize)>,
) {
    while let Some(word) = reader.peek() {
        let code = word & 0xff;
        if !matches!(code, SET_JSON..=PARTIAL | START_PARTIAL) {
            return;
        }
        reader.next();
        let name = match word >> 8 & 0xff {
            OTHER_FIELD => reader.text(),
            number => FieldName::ALL[number as usize].as_str().to_owned(),
        };
        if matches!(code, SET_JSON | REMOVE)
            && name == "input"
            && let Some((inputs, index)) = &mut part
        {
            inputs.remove(index);
        }
        match code {
            SET_JSON => drop(fields.insert(name, reader.json())),
            SET_TEXT => drop(fields.insert(name, Value::String(reader.text()))),
            APPEND_TEXT => {
                let delta = reader.text();
                match fields.entry(name).or_insert_with(|| json!("")) {
                    Value::String(text) => text.push_str(&delta),
                    other => panic!("append to {other}"),
                }
            }
            REMOVE => drop(fields.remove(&name)),
            _ => {
                let (inputs, index) = part.as_mut().expect("a message has no growing input");
                let cursor = inputs.entry(*index).or_default();
                if code == START_PARTIAL {
                    *cursor = Cursor::default();
                }
                for _ in 0..reader.next() {
                    let word = reader.next();
                    cursor.apply(word & 0xf, reader.take(word >> 4));
                }
                match cursor.value() {
                    Some(value) => drop(fields.insert(name, value.clone())),
                    None => drop(fields.remove(&name)),
                }
            }
        }
    }
}

/// Reads operations, and the arena's texts in their order.
struct Reader<'a> {
    ops: &'a [u32],
    /// The texts, a character for each UTF-16 unit, and how many bytes of them were taken.
    arena: String,
    at: usize,
}

impl<'a> Reader<'a> {
    fn new(changes: &'a Changes) -> Self {
        let is_utf8 = std::str::from_utf8(&changes.arena).is_ok();
        assert!(is_utf8 || changes.has_surrogates, "a UTF-8 decoder would replace surrogates");
        Self { ops: &changes.ops, arena: units(&changes.arena), at: 0 }
    }

    fn peek(&self) -> Option<u32> {
        self.ops.first().copied()
    }

    fn next(&mut self) -> u32 {
        let (first, rest) = self.ops.split_first().expect("an operation is incomplete");
        self.ops = rest;
        *first
    }

    fn list(&mut self) -> Vec<u32> {
        self.next();
        (0..self.next()).map(|_| self.next()).collect()
    }

    fn text(&mut self) -> String {
        let length = self.next();
        self.take(length)
    }

    fn take(&mut self, length: u32) -> String {
        let text: String = self.arena[self.at..].chars().take(length as usize).collect();
        assert_eq!(text.chars().count(), length as usize, "the arena is too short");
        self.at += text.len();
        text
    }

    /// The value of the next text, a JSON text.
    fn json(&mut self) -> Value {
        parse_units(&self.text())
    }
}
