//! The value that an unfinished JSON text spells so far.
//!
//! A tool input arrives as a growing text, and a page shows its value after every delta. Parsing
//! the text again each time is quadratic, so [`PartialJson`] keeps its place between deltas and
//! says what changed as operations along the open path: a delta costs its own length, whatever
//! the size of the document.
//!
//! The value of a text is what the AI SDK's `parsePartialJson` gives for it. The text is cut after
//! its last byte that counts, and what is open there is closed:
//! - A string counts as far as it goes, without an unfinished escape. A literal counts in full from
//!   its first letter. A number counts up to its last digit that ends a number.
//! - A member counts from the first byte of its value, not before: no key without a value.
//! - Text that is not JSON does not count while it stands at the end. The value stays as it was,
//!   and fails when the text goes on to something that would count. After the root value any text
//!   may follow.
//!
//! A failed text stays failed: no later byte brings a value back.

mod number;
mod quoted;
mod wtf8;

use self::number::NumberPart;
use self::quoted::{Spelled, Spelling};
use self::wtf8::{encode_unit, incomplete_len, join_surrogates};
use crate::limits::{MAX_JSON_DEPTH, MAX_NUMBER_BYTES};
use crate::swar::find_string_special;

/// Buffers that grew beyond this many bytes are given back when they are empty.
const KEPT_CAPACITY: usize = 1024;

/// Codes of the operations that [`PartialJson::drain`] hands out.
///
/// They act on a *slot*, the place of one value, which at first is the root, and on the *open
/// container* that the slot is in.
pub mod op {
    /// The root has no value any more: the text failed. Nothing follows.
    pub const CLEAR: u32 = 1;
    /// The slot is the member of the open object with this key, which the object may already have.
    pub const KEY: u32 = 2;
    /// The slot is a new item at the end of the open array.
    pub const ITEM: u32 = 3;
    /// The slot becomes an empty object, which is now the open container.
    pub const OPEN_OBJECT: u32 = 4;
    /// The slot becomes an empty array, which is now the open container.
    pub const OPEN_ARRAY: u32 = 5;
    /// The open container is complete; the one around it is now the open container.
    pub const CLOSE: u32 = 6;
    /// The slot becomes this string.
    pub const STRING: u32 = 7;
    /// The string in the slot grows by this.
    pub const APPEND: u32 = 8;
    /// The slot becomes the number that this text spells. Repeated while the number grows.
    pub const NUMBER: u32 = 9;
    /// The slot becomes `true`.
    pub const TRUE: u32 = 10;
    /// The slot becomes `false`.
    pub const FALSE: u32 = 11;
    /// The slot becomes `null`.
    pub const NULL: u32 = 12;
}

/// Receives the operations of a [`PartialJson`].
pub trait OpSink {
    /// One operation. `code` is one of [`op`]. `text` is decoded and WTF-8 (UTF-8 that may hold lone
    /// surrogates, as three bytes) for a key or a string, ASCII for a number, else empty.
    ///
    /// The halves of a surrogate pair that were drained apart come in two operations; strings in
    /// UTF-16 join them by concatenation.
    fn op(&mut self, code: u32, text: &[u8]);
}

/// How far the value of a [`PartialJson`] can be trusted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartialState {
    /// No value yet.
    Empty,
    /// A value, of a text that is unfinished or has something else behind it.
    Partial,
    /// The text is JSON as it stands.
    Complete,
    /// No value, and none to come: the text is not JSON, has a forbidden key (`__proto__`, or
    /// `prototype` in the value of `constructor`), is nested deeper than
    /// [`limits::MAX_JSON_DEPTH`](crate::limits::MAX_JSON_DEPTH), or has a number of more than
    /// [`MAX_NUMBER_BYTES`].
    Failed,
}

/// A resumable parser of unfinished JSON: text in by [`push`](Self::push), changes of its value out
/// by [`drain`](Self::drain).
///
/// Its state depends on the text alone, not on how it was split. It holds one byte per open
/// container, the open key or number, and what was not drained yet.
#[derive(Clone, Debug, Default)]
pub struct PartialJson {
    state: State,
    containers: Vec<Container>,
    /// Bytes read, and how many of them count.
    read: usize,
    kept: usize,
    /// Whether what was read after the bytes that count is not JSON.
    broken: bool,
    /// The current key, decoded.
    key: Vec<u8>,
    /// The current number, how much of it counts, and whether that is news.
    number: Vec<u8>,
    number_kept: usize,
    number_changed: bool,
    /// Operations to drain, and their texts one after the other.
    ops: Vec<Op>,
    text: Vec<u8>,
    /// Whether any operation was drained.
    drained: bool,
}

#[derive(Clone, Copy, Debug)]
struct Op {
    code: u32,
    /// Bytes of its text.
    len: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Container {
    Array,
    Object,
    /// The object that is the value of a key `constructor`.
    ConstructorObject,
}

/// What the next byte belongs to.
#[derive(Clone, Copy, Default, Debug)]
enum State {
    #[default]
    BeforeRoot,
    AfterRoot,
    ObjectStart,
    ObjectAfterComma,
    AfterKey,
    BeforeMemberValue,
    ArrayStart,
    ArrayAfterComma,
    /// After a value in the open container.
    AfterValue,
    Quoted(Quoted, Spelling),
    /// In a literal, before these letters of it.
    Literal(&'static [u8]),
    Number(NumberPart),
    Failed,
}

/// What a quoted text is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Quoted {
    Key,
    Value,
}

impl PartialJson {
    /// A parser of an empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends `delta` to the text: WTF-8, which may be split anywhere, also inside a code point.
    ///
    /// Other bytes in strings come out as they went in.
    pub fn push(&mut self, delta: &[u8]) {
        let mut rest = delta;
        while let Some((&byte, after)) = rest.split_first() {
            if let State::Failed = self.state {
                return;
            }
            if let State::Quoted(of, Spelling::Plain) = self.state {
                let (plain, after) = rest.split_at(find_string_special(rest, 0));
                if !plain.is_empty() {
                    self.read += plain.len();
                    self.append(of, plain);
                    rest = after;
                    continue;
                }
            }
            self.read += 1;
            self.step(byte);
            rest = after;
        }
    }

    /// Hands out what changed since the last time. Without new text there is nothing.
    pub fn drain(&mut self, sink: &mut dyn OpSink) {
        self.flush_number();
        let held = self.hold_incomplete();
        let mut rest = self.text.as_slice();
        for op in &self.ops {
            let (text, after) = rest.split_at(op.len);
            match join_surrogates(text) {
                Some(joined) => sink.op(op.code, &joined),
                None => sink.op(op.code, text),
            }
            rest = after;
        }
        self.drained |= !self.ops.is_empty();
        self.ops.clear();
        self.ops.shrink_to(KEPT_CAPACITY / size_of::<Op>());
        self.text.drain(..self.text.len() - held);
        self.text.shrink_to(KEPT_CAPACITY);
        if held > 0 {
            self.emit(op::APPEND, held);
        }
    }

    /// The value as JSON text, spelled as in `raw` and without white space before it; `None` when
    /// there is no value. `raw` is the whole text that was pushed; it is read once more.
    pub fn repaired(&self, raw: &[u8]) -> Option<Vec<u8>> {
        if matches!(self.state(), PartialState::Empty | PartialState::Failed) {
            return None;
        }
        // Read anew instead of cut at `self.kept`: surrogate halves that were pushed apart may have
        // been joined in `raw`, which is then shorter than what was pushed.
        let mut scan = Self::new();
        scan.push(raw);
        let mut out = raw.get(..scan.kept)?.trim_ascii_start().to_vec();
        if scan.in_string() {
            out.truncate(out.len() - incomplete_len(&out));
            out.push(b'"');
        }
        if let State::Literal(missing) = scan.state {
            out.extend_from_slice(missing);
        }
        for container in scan.containers.iter().rev() {
            out.push(if *container == Container::Array { b']' } else { b'}' });
        }
        Some(out)
    }

    /// What is known about the text so far.
    pub fn state(&self) -> PartialState {
        let is_complete = match self.state {
            State::Failed => return PartialState::Failed,
            State::AfterRoot => !self.broken,
            State::Number(part) => self.containers.is_empty() && part.is_end(),
            State::Literal(missing) => self.containers.is_empty() && missing.is_empty(),
            _ => false,
        };
        match self.kept {
            0 if self.broken => PartialState::Failed,
            0 => PartialState::Empty,
            _ if is_complete => PartialState::Complete,
            _ => PartialState::Partial,
        }
    }

    /// Forgets what was drained: the next [`drain`](Self::drain) builds the whole value again, in an
    /// empty root. `raw` is the whole text that was pushed.
    pub fn rewind(&mut self, raw: &[u8]) {
        *self = Self::new();
        self.push(raw);
    }

    fn step(&mut self, byte: u8) {
        match self.state {
            State::BeforeRoot => {
                if !self.start_value(byte) && !is_space(byte) {
                    self.fail();
                }
            }
            State::AfterRoot => self.ignore(byte),
            State::ObjectStart => match byte {
                b'"' => self.start_key(),
                b'}' => self.close(),
                _ => self.ignore(byte),
            },
            State::ObjectAfterComma => match byte {
                b'"' => self.start_key(),
                _ => self.ignore(byte),
            },
            State::AfterKey => match byte {
                b':' => self.state = State::BeforeMemberValue,
                _ => self.ignore(byte),
            },
            State::ArrayStart if byte == b']' => self.close(),
            State::ArrayStart | State::ArrayAfterComma | State::BeforeMemberValue => {
                if !self.start_value(byte) {
                    self.ignore(byte);
                }
            }
            State::AfterValue => self.after_value(byte),
            State::Quoted(of, spelling) => self.quoted(of, spelling, byte),
            State::Literal(missing) => self.literal(missing, byte),
            State::Number(part) => self.number(part, byte),
            State::Failed => {}
        }
    }

    /// Starts a value; false when none starts with `byte`.
    fn start_value(&mut self, byte: u8) -> bool {
        match byte {
            b'"' => {
                self.set_slot(op::STRING, State::Quoted(Quoted::Value, Spelling::Plain));
            }
            b't' => self.set_slot(op::TRUE, State::Literal(b"rue")),
            b'f' => self.set_slot(op::FALSE, State::Literal(b"alse")),
            b'n' => self.set_slot(op::NULL, State::Literal(b"ull")),
            b'[' => self.open(Container::Array, op::OPEN_ARRAY, State::ArrayStart),
            b'{' => {
                let in_array = self.containers.last() == Some(&Container::Array);
                let container = if !in_array && self.key == b"constructor" {
                    Container::ConstructorObject
                } else {
                    Container::Object
                };
                self.open(container, op::OPEN_OBJECT, State::ObjectStart);
            }
            b'-' | b'0'..=b'9' => {
                self.number.clear();
                self.number_kept = 0;
                if byte == b'-' {
                    self.number.push(byte);
                    self.state = State::Number(NumberPart::Minus);
                } else {
                    // A digit goes on as it would after a sign.
                    self.number(NumberPart::Minus, byte);
                }
            }
            _ => return false,
        }
        true
    }

    /// Gives the value that starts here its place and itself.
    fn set_slot(&mut self, code: u32, then: State) {
        if self.name_slot() {
            self.emit(code, 0);
            self.state = then;
        }
    }

    fn open(&mut self, container: Container, code: u32, then: State) {
        if self.containers.len() == MAX_JSON_DEPTH {
            self.fail();
        } else if self.name_slot() {
            self.containers.push(container);
            self.emit(code, 0);
            self.state = then;
        }
    }

    /// Gives the value that starts here its place in the open container; false on failure.
    fn name_slot(&mut self) -> bool {
        if !self.keep() {
            return false;
        }
        match self.containers.last() {
            None => {}
            Some(Container::Array) => self.emit(op::ITEM, 0),
            Some(object) => {
                let is_forbidden = self.key == b"__proto__"
                    || *object == Container::ConstructorObject && self.key == b"prototype";
                if is_forbidden {
                    self.fail();
                    return false;
                }
                self.emit(op::KEY, self.key.len());
                self.text.extend_from_slice(&self.key);
            }
        }
        true
    }

    /// Ends the open container.
    fn close(&mut self) {
        if self.keep() {
            self.containers.pop();
            self.emit(op::CLOSE, 0);
            self.end_value();
        }
    }

    fn end_value(&mut self) {
        self.state = if self.containers.is_empty() { State::AfterRoot } else { State::AfterValue };
    }

    fn after_value(&mut self, byte: u8) {
        let in_array = self.containers.last() == Some(&Container::Array);
        // Between the items of an array any text counts, as in the AI SDK; the rest of a code point
        // that ended a number does not come between.
        if in_array && !matches!(byte, b',' | b']' | 0x80..=0xbf) {
            self.ignore(byte);
            self.keep();
        } else {
            self.separator(byte);
        }
    }

    /// The byte behind a number or a literal, which is its end.
    fn separator(&mut self, byte: u8) {
        self.end_value();
        match (self.containers.last(), byte) {
            (Some(Container::Array), b',') => self.state = State::ArrayAfterComma,
            (Some(Container::Array), b']') => self.close(),
            (Some(Container::Object | Container::ConstructorObject), b',') => {
                self.state = State::ObjectAfterComma;
            }
            (Some(Container::Object | Container::ConstructorObject), b'}') => self.close(),
            _ => self.ignore(byte),
        }
    }

    fn start_key(&mut self) {
        self.key.clear();
        self.key.shrink_to(KEPT_CAPACITY);
        self.state = State::Quoted(Quoted::Key, Spelling::Plain);
    }

    fn quoted(&mut self, of: Quoted, spelling: Spelling, byte: u8) {
        let (spelling, spelled) = spelling.next(byte);
        self.state = State::Quoted(of, spelling);
        match (spelled, of) {
            (Spelled::Nothing, _) => {}
            (Spelled::Unit(unit), _) => self.append(of, encode_unit(unit, &mut [0; 3])),
            (Spelled::End, Quoted::Key) => self.state = State::AfterKey,
            (Spelled::End, Quoted::Value) => {
                if self.keep() {
                    self.end_value();
                }
            }
            (Spelled::Invalid, Quoted::Value) => self.fail(),
            // A key does not count before its value does, nor an escape before its last digit. As in
            // the AI SDK, a string waits for that digit, and a key goes on without.
            (Spelled::Invalid, Quoted::Key) | (Spelled::NotADigit, Quoted::Value) => {
                self.broken = true;
            }
            (Spelled::NotADigit, Quoted::Key) => {
                self.broken = true;
                self.state = State::Quoted(of, Spelling::Plain);
                self.step(byte);
            }
        }
    }

    fn append(&mut self, of: Quoted, text: &[u8]) {
        if of == Quoted::Key {
            self.key.extend_from_slice(text);
        } else if self.keep() {
            self.text.extend_from_slice(text);
            match self.ops.last_mut() {
                Some(open) => open.len += text.len(),
                None => self.emit(op::APPEND, text.len()),
            }
        }
    }

    fn literal(&mut self, missing: &'static [u8], byte: u8) {
        match missing.split_first() {
            Some((&letter, missing)) if letter == byte => {
                if self.keep() {
                    self.state = State::Literal(missing);
                }
            }
            Some(_) => self.fail(),
            None => self.separator(byte),
        }
    }

    fn number(&mut self, part: NumberPart, byte: u8) {
        let Some(next) = part.next(byte) else {
            self.end_number(part, byte);
            return;
        };
        self.broken |= next == NumberPart::Misplaced;
        self.state = State::Number(next);
        if self.broken {
            if byte.is_ascii_digit() {
                self.fail();
            }
            return;
        }
        if self.number.len() == MAX_NUMBER_BYTES {
            self.fail();
            return;
        }
        self.number.push(byte);
        if next.is_end() {
            let counts = match self.number_kept {
                0 => self.name_slot(),
                _ => self.keep(),
            };
            if counts {
                self.number_kept = self.number.len();
                self.number_changed = true;
            }
        }
    }

    fn end_number(&mut self, part: NumberPart, byte: u8) {
        self.flush_number();
        self.broken |= !part.is_end();
        if self.containers.is_empty() && self.number_kept == 0 {
            self.fail();
        } else {
            self.separator(byte);
        }
    }

    fn flush_number(&mut self) {
        if self.number_changed {
            self.number_changed = false;
            self.emit(op::NUMBER, self.number_kept);
            self.text.extend_from_slice(&self.number[..self.number_kept]);
        }
    }

    /// What is read so far counts; false on failure.
    fn keep(&mut self) -> bool {
        if self.broken {
            self.fail();
            return false;
        }
        self.kept = self.read;
        true
    }

    /// Passes over what stands between the values: white space, or text that is not JSON.
    fn ignore(&mut self, byte: u8) {
        self.broken |= !is_space(byte);
    }

    /// Queues an operation whose text, of `len` bytes, goes to the end of `self.text`.
    fn emit(&mut self, code: u32, len: usize) {
        self.ops.push(Op { code, len });
    }

    fn fail(&mut self) {
        let was_shown = self.drained;
        *self = Self { state: State::Failed, ..Self::default() };
        if was_shown {
            self.emit(op::CLEAR, 0);
        }
    }

    fn in_string(&self) -> bool {
        matches!(self.state, State::Quoted(Quoted::Value, _))
    }

    /// Takes the bytes of an incomplete code point from the open string; returns their number.
    fn hold_incomplete(&mut self) -> usize {
        if !self.in_string() {
            return 0;
        }
        let Some(open) = self.ops.last_mut() else {
            return 0;
        };
        let held = incomplete_len(&self.text[self.text.len() - open.len..]);
        open.len -= held;
        if open.code == op::APPEND && open.len == 0 {
            self.ops.pop();
        }
        held
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}
