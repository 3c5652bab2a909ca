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

use crate::limits::MAX_JSON_DEPTH;

/// Longest number, in bytes. The text of a number that still grows is handed out again after every
/// delta, which is linear only below a bound. An `f64` has at most 309 digits before its point.
pub const MAX_NUMBER_BYTES: usize = 1024;

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
    /// [`MAX_JSON_DEPTH`](crate::limits::MAX_JSON_DEPTH), or has a number of more than
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
    Quoted(Quoted),
    /// After a backslash.
    Escape(Quoted),
    /// In `\uXXXX`, after `digits` digits that make `unit` so far.
    UnicodeEscape {
        of: Quoted,
        unit: u16,
        digits: u8,
    },
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

/// What the last byte of a number was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NumberPart {
    Minus,
    /// A leading zero, which no digit may follow.
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigit,
    /// Out of place: `1-`, `1..`, `01`.
    Misplaced,
}

impl NumberPart {
    /// What `byte` is after this, or `None` when it does not belong to the number.
    fn next(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Self::Integer,
            (Self::Zero | Self::Integer, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigit, b'0'..=b'9') => {
                Self::ExponentDigit
            }
            (_, b'0'..=b'9' | b'.' | b'e' | b'E' | b'-') => Self::Misplaced,
            _ => return None,
        })
    }

    /// Whether a number may end here.
    fn is_end(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigit
        )
    }
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
            if let State::Quoted(of) = self.state {
                let (plain, after) = rest.split_at(plain_len(rest));
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
            self.ops.push(Op {
                code: op::APPEND,
                len: held,
            });
        }
    }

    /// The value as JSON text, or `None` when there is none. `raw` is the whole text that was
    /// pushed; it is read once more.
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
            out.push(if *container == Container::Array {
                b']'
            } else {
                b'}'
            });
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
            State::Quoted(of) => self.end_plain(of, byte),
            State::Escape(of) => self.escape(of, byte),
            State::UnicodeEscape { of, unit, digits } => {
                self.unicode_escape(of, unit, digits, byte);
            }
            State::Literal(missing) => self.literal(missing, byte),
            State::Number(part) => self.number(part, byte),
            State::Failed => {}
        }
    }

    /// Starts a value; false when none starts with `byte`.
    fn start_value(&mut self, byte: u8) -> bool {
        match byte {
            b'"' => self.set_slot(op::STRING, State::Quoted(Quoted::Value)),
            b't' => self.set_slot(op::TRUE, State::Literal(b"rue")),
            b'f' => self.set_slot(op::FALSE, State::Literal(b"alse")),
            b'n' => self.set_slot(op::NULL, State::Literal(b"ull")),
            b'[' => self.open(Container::Array, op::OPEN_ARRAY, State::ArrayStart),
            b'{' => {
                let in_object = self
                    .containers
                    .last()
                    .is_some_and(|c| *c != Container::Array);
                let container = if in_object && self.key == b"constructor" {
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
            self.emit(code);
            self.state = then;
        }
    }

    fn open(&mut self, container: Container, code: u32, then: State) {
        if self.containers.len() == MAX_JSON_DEPTH {
            self.fail();
        } else if self.name_slot() {
            self.containers.push(container);
            self.emit(code);
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
            Some(Container::Array) => self.emit(op::ITEM),
            Some(object) => {
                let is_forbidden = self.key == b"__proto__"
                    || *object == Container::ConstructorObject && self.key == b"prototype";
                if is_forbidden {
                    self.fail();
                    return false;
                }
                self.ops.push(Op {
                    code: op::KEY,
                    len: self.key.len(),
                });
                self.text.extend_from_slice(&self.key);
            }
        }
        true
    }

    /// Ends the open container.
    fn close(&mut self) {
        if self.keep() {
            self.containers.pop();
            self.emit(op::CLOSE);
            self.end_value();
        }
    }

    fn end_value(&mut self) {
        self.state = if self.containers.is_empty() {
            State::AfterRoot
        } else {
            State::AfterValue
        };
    }

    fn after_value(&mut self, byte: u8) {
        let in_array = self.containers.last() == Some(&Container::Array);
        if in_array && byte != b',' && byte != b']' {
            // Between the items of an array any text counts, as in the AI SDK.
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
        self.state = State::Quoted(Quoted::Key);
    }

    /// The byte behind a run of plain text: a quote, a backslash or a control character.
    fn end_plain(&mut self, of: Quoted, byte: u8) {
        match (of, byte) {
            (_, b'\\') => self.state = State::Escape(of),
            (Quoted::Key, b'"') => self.state = State::AfterKey,
            (Quoted::Value, b'"') => {
                if self.keep() {
                    self.end_value();
                }
            }
            _ => self.misspell(of),
        }
    }

    fn escape(&mut self, of: Quoted, byte: u8) {
        let character = match byte {
            b'"' | b'\\' | b'/' => byte,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'u' => {
                self.state = State::UnicodeEscape {
                    of,
                    unit: 0,
                    digits: 0,
                };
                return;
            }
            _ => {
                self.state = State::Quoted(of);
                self.misspell(of);
                return;
            }
        };
        self.state = State::Quoted(of);
        self.append(of, &[character]);
    }

    fn unicode_escape(&mut self, of: Quoted, unit: u16, digits: u8, byte: u8) {
        let Some(digit) = hex_digit(byte) else {
            self.broken = true;
            // A string waits for its digits, as in the AI SDK, and fails when it has them.
            if of == Quoted::Key {
                self.state = State::Quoted(of);
                self.step(byte);
            }
            return;
        };
        let (unit, digits) = (unit << 4 | digit, digits + 1);
        if digits < 4 {
            self.state = State::UnicodeEscape { of, unit, digits };
        } else {
            self.state = State::Quoted(of);
            match char::from_u32(u32::from(unit)) {
                Some(character) => {
                    self.append(of, character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                None => self.append(of, &encode_surrogate(unit)),
            }
        }
    }

    /// What cannot stand in a quoted text. A key does not count before its value does.
    fn misspell(&mut self, of: Quoted) {
        match of {
            Quoted::Key => self.broken = true,
            Quoted::Value => self.fail(),
        }
    }

    fn append(&mut self, of: Quoted, text: &[u8]) {
        if of == Quoted::Key {
            self.key.extend_from_slice(text);
        } else if self.keep() {
            self.text.extend_from_slice(text);
            match self.ops.last_mut() {
                Some(open) => open.len += text.len(),
                None => self.ops.push(Op {
                    code: op::APPEND,
                    len: text.len(),
                }),
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
            self.ops.push(Op {
                code: op::NUMBER,
                len: self.number_kept,
            });
            self.text
                .extend_from_slice(&self.number[..self.number_kept]);
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

    fn emit(&mut self, code: u32) {
        self.ops.push(Op { code, len: 0 });
    }

    fn fail(&mut self) {
        let was_shown = self.drained;
        *self = Self {
            state: State::Failed,
            ..Self::default()
        };
        if was_shown {
            self.emit(op::CLEAR);
        }
    }

    fn in_string(&self) -> bool {
        matches!(
            self.state,
            State::Quoted(Quoted::Value)
                | State::Escape(Quoted::Value)
                | State::UnicodeEscape {
                    of: Quoted::Value,
                    ..
                }
        )
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

fn hex_digit(byte: u8) -> Option<u16> {
    let digit = char::from(byte).to_digit(16)?;
    u16::try_from(digit).ok()
}

/// How many bytes of a quoted text come before a quote, a backslash or a control character.
fn plain_len(text: &[u8]) -> usize {
    let is_special = |byte: &u8| matches!(byte, b'"' | b'\\' | 0..0x20);
    text.iter().position(is_special).unwrap_or(text.len())
}

/// How many bytes at the end begin a code point without completing it.
fn incomplete_len(text: &[u8]) -> usize {
    let is_continuation = |byte: &u8| matches!(byte, 0x80..=0xbf);
    let continuations = text
        .iter()
        .rev()
        .take(3)
        .take_while(|b| is_continuation(b))
        .count();
    let needed = match text.iter().rev().nth(continuations) {
        Some(0xc0..=0xdf) => 1,
        Some(0xe0..=0xef) => 2,
        Some(0xf0..=0xf7) => 3,
        _ => 0,
    };
    if continuations < needed {
        continuations + 1
    } else {
        0
    }
}

/// A surrogate in WTF-8.
fn encode_surrogate(unit: u16) -> [u8; 3] {
    let [high, low] = unit.to_be_bytes();
    [
        0xed,
        0x80 | (high & 0x0f) << 2 | low >> 6,
        0x80 | low & 0x3f,
    ]
}

/// `text` with its surrogate pairs as code points, or `None` when it has none.
fn join_surrogates(text: &[u8]) -> Option<Vec<u8>> {
    text.windows(6)
        .position(|six| surrogate_pair(six).is_some())?;
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        if let Some(character) = surrogate_pair(rest) {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = rest.get(6..)?;
        } else {
            out.push(first);
            rest = after;
        }
    }
    Some(out)
}

/// The code point of the surrogate pair that `text` begins with.
fn surrogate_pair(text: &[u8]) -> Option<char> {
    let [0xed, a @ 0xa0..=0xaf, b, 0xed, c @ 0xb0..=0xbf, d, ..] = text else {
        return None;
    };
    let ten_bits = |upper: &u8, lower: &u8| u32::from(upper & 0x0f) << 6 | u32::from(lower & 0x3f);
    char::from_u32(0x10000 + (ten_bits(a, b) << 10 | ten_bits(c, d)))
}
