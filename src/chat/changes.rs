//! What the view lacks, as one compact list of numbers and one text.
//!
//! A host that shows the messages in another world (JavaScript) applies this list instead of
//! copying messages: it costs what changed, not what there is.
//!
//! `ops` is a sequence of operations. Each starts with a code in its low 8 bits; texts follow in
//! `arena` in the order in which operations mention them, and every text length is in UTF-16
//! units, so that a host can decode the arena once and slice it.

use crate::json::{JsonStr, OpSink, Text};
use crate::message::{Field, FieldName, Fields, Message, MessageKey, Value};

/// Operation codes. `field` is a [`FieldName`] number in bits 8 to 15, or [`OTHER_FIELD`], whose
/// name's length is the next number and whose name precedes the value in the arena.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum ChangeOp {
    /// `[key, slot]`: following operations change this message. `slot` is 0 for a message that the
    /// view has or that starts empty, else one more than the number of the app's own object.
    Message = 1,
    /// `[index]`: following field operations change this part; one past the end adds it.
    Part = 2,
    /// `[length]`: the message keeps this many parts.
    TruncateParts = 3,
    /// `field, [length]`: the field becomes the value of this JSON text.
    SetJson = 4,
    /// `field, [length]`: the field becomes this string.
    SetText = 5,
    /// `field, [length]`: the field's string grows.
    AppendText = 6,
    /// `field`: the field goes.
    Remove = 7,
    /// `field, [count]`: `count` operations of [`PartialJson`](crate::json::PartialJson) follow,
    /// which change the field's value in place.
    Partial = 8,
    /// `[count, key...]`: the list is now these messages.
    List = 9,
    /// `[count, slot...]`: the queue is now these messages of the app.
    Queue = 10,
    /// As [`Partial`](Self::Partial), of a value that begins anew: what the view had goes.
    StartPartial = 11,
}

/// Stands for a field without a number.
pub const OTHER_FIELD: u32 = 0xff;

/// Operations and their texts. Reused from flush to flush.
#[derive(Default, Debug)]
pub struct Changes {
    /// The operations.
    pub ops: Vec<u32>,
    /// Their texts, in WTF-8: UTF-8 unless [`has_surrogates`](Self::has_surrogates).
    pub arena: Vec<u8>,
    /// The arena holds lone surrogates, which a UTF-8 decoder would replace.
    pub has_surrogates: bool,
}

impl Changes {
    /// Forgets everything; keeps the memory.
    pub fn clear(&mut self) {
        self.ops.clear();
        self.arena.clear();
        self.has_surrogates = false;
    }

    /// Writes what the view lacks of a message, and marks it as published.
    pub(crate) fn write_message(&mut self, message: &mut Message) {
        if !message.has_changes() {
            return;
        }
        let slot = if message.is_published() { None } else { message.host_slot() };
        self.ops.extend([
            ChangeOp::Message as u32,
            message.key(),
            slot.map_or(0, |slot| slot.wrapping_add(1)),
        ]);
        if slot.is_none() {
            self.write_contents(message);
        }
        message.mark_published();
    }

    fn write_contents(&mut self, message: &mut Message) {
        let is_new = !message.is_published();
        self.write_fields(&mut message.fields, is_new);
        if let Some(length) = message.removed_from() {
            self.ops.extend([ChangeOp::TruncateParts as u32, to_u32(length)]);
        }
        // A message that was parsed has no list of changed parts. New parts stand in that list in
        // their order, so that the view can append them.
        let changed = if is_new {
            (0..to_u32(message.parts().len())).collect()
        } else {
            message.changed_parts().to_vec()
        };
        for index in changed {
            let Some(part) = message.edit_part(index as usize) else {
                continue;
            };
            self.ops.extend([ChangeOp::Part as u32, index]);
            let all = !part.is_published();
            self.write_fields(&mut part.fields, all);
        }
    }

    fn write_fields(&mut self, fields: &mut Fields, all: bool) {
        if !all {
            for &name in FieldName::ALL {
                if fields.is_changed(name) && fields.get(name).is_none() {
                    self.ops.push(ChangeOp::Remove as u32 | (name as u32) << 8);
                }
            }
        }
        if !fields.has_changes() && !all {
            return;
        }
        for index in 0..fields.entries().len() {
            let changed = match fields.entries().get(index) {
                Some((Field::Known(name), _)) => all || fields.is_changed(*name),
                Some((Field::Other(_), _)) => all || fields.is_other_changed(),
                None => false,
            };
            if changed && let Some((field, value)) = fields.entry_mut(index) {
                self.write_value(field, value, all);
            }
        }
    }

    fn write_value(&mut self, field: &Field, value: &mut Value, all: bool) {
        match value {
            Value::Parts => {}
            Value::Json(raw) => match JsonStr::from_raw_value(raw.as_str()) {
                Some(token) if token.is_plain() => {
                    self.text_op(ChangeOp::SetText, field, token.raw().as_bytes());
                }
                _ => self.text_op(ChangeOp::SetJson, field, raw.as_str().as_bytes()),
            },
            Value::Text(text) => {
                if all {
                    text.mark_unpublished();
                }
                self.has_surrogates |= text.text().has_surrogates();
                let lacking = text.unpublished();
                if lacking.replace {
                    self.text_op(ChangeOp::SetText, field, lacking.rest);
                } else {
                    if let Some(low) = lacking.low {
                        self.has_surrogates = true;
                        self.text_op(ChangeOp::AppendText, field, low);
                    }
                    if !lacking.rest.is_empty() {
                        self.text_op(ChangeOp::AppendText, field, lacking.rest);
                    }
                }
            }
            Value::Input(input) => {
                let start = self.ops.len();
                let op = if input.starts_over { ChangeOp::StartPartial } else { ChangeOp::Partial };
                input.starts_over = false;
                self.field_op(op, field);
                self.ops.push(0);
                let count_at = self.ops.len() - 1;
                let mut sink = ArenaSink { changes: self, count: 0 };
                input.partial.drain(&mut sink);
                let count = sink.count;
                match self.ops.get_mut(count_at) {
                    Some(slot) if count > 0 || op == ChangeOp::StartPartial => *slot = count,
                    _ => self.ops.truncate(start),
                }
            }
        }
    }

    fn field_op(&mut self, op: ChangeOp, field: &Field) {
        match field {
            Field::Known(name) => self.ops.push(op as u32 | (*name as u32) << 8),
            Field::Other(name) => {
                self.ops.push(op as u32 | OTHER_FIELD << 8);
                self.text(name.as_bytes());
            }
        }
    }

    fn text_op(&mut self, op: ChangeOp, field: &Field, text: &[u8]) {
        self.field_op(op, field);
        self.text(text);
    }

    fn text(&mut self, text: &[u8]) {
        self.ops.push(to_u32(Text::utf16_len(text)));
        self.arena.extend_from_slice(text);
    }

    /// Writes the whole list.
    pub(super) fn write_list(&mut self, keys: impl ExactSizeIterator<Item = MessageKey>) {
        self.ops.extend([ChangeOp::List as u32, to_u32(keys.len())]);
        self.ops.extend(keys);
    }

    /// Writes the whole queue.
    pub(super) fn write_queue(&mut self, slots: impl ExactSizeIterator<Item = u32>) {
        self.ops.extend([ChangeOp::Queue as u32, to_u32(slots.len())]);
        self.ops.extend(slots);
    }
}

/// Puts the operations of a growing input behind the others.
struct ArenaSink<'a> {
    changes: &'a mut Changes,
    count: u32,
}

impl OpSink for ArenaSink<'_> {
    fn op(&mut self, code: u32, text: &[u8]) {
        let length = Text::utf16_len(text);
        self.changes.has_surrogates |= has_surrogates(text);
        self.changes.ops.push(code | to_u32(length) << 4);
        self.changes.arena.extend_from_slice(text);
        self.count += 1;
    }
}

fn to_u32(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Whether WTF-8 bytes hold a lone surrogate.
fn has_surrogates(text: &[u8]) -> bool {
    text.windows(2).any(|pair| matches!(pair, [0xed, 0xa0..=0xbf]))
}
