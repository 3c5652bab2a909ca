//! Walks the members of an object or the elements of an array, checking each as it goes.

use super::JsonErrorKind;
use super::scan::{JsonError, byte, scan_member, scan_string, scan_value, skip_whitespace, syntax};
use super::string::JsonStr;

/// Reads an object member by member. A walk to the end is one pass over the text and proves that
/// the whole of it is valid.
#[derive(Debug)]
pub struct ObjectReader<'a> {
    text: &'a str,
    at: usize,
    state: State,
}

/// Reads an array element by element. A walk to the end is one pass over the text and proves that
/// the whole of it is valid.
#[derive(Debug)]
pub struct ArrayReader<'a> {
    text: &'a str,
    at: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    First,
    Next,
    Done,
}

impl<'a> ObjectReader<'a> {
    /// A reader of a text that is one object.
    ///
    /// # Errors
    /// The text does not begin with an object.
    pub fn new(text: &'a str) -> Result<Self, JsonError> {
        Ok(Self { text, at: begin(text, b'{')?, state: State::First })
    }

    /// The next member: its key and the raw text of its value. `None` after the last one.
    ///
    /// # Errors
    /// The text is not valid, here or in the value.
    #[allow(clippy::should_implement_trait)] // an iterator cannot fail
    pub fn next(&mut self) -> Result<Option<(JsonStr<'a>, &'a str)>, JsonError> {
        let Some(key_at) = advance(self.text, &mut self.at, &mut self.state, b'}')? else {
            return Ok(None);
        };
        let bytes = self.text.as_bytes();
        if byte(bytes, key_at)? != b'"' {
            return Err(syntax(key_at));
        }
        let key_end = scan_string(bytes, key_at)?;
        let key = JsonStr::from_content(self.text.get(key_at + 1..key_end - 1).unwrap_or_default());
        if key.eq_str("__proto__") {
            return Err(JsonError { kind: JsonErrorKind::ForbiddenKey, offset: key_at });
        }
        let colon = skip_whitespace(bytes, key_end);
        if byte(bytes, colon)? != b':' {
            return Err(syntax(colon));
        }
        let start = skip_whitespace(bytes, colon + 1);
        self.at = scan_member(self.text, start, key.eq_str("constructor"))?;
        Ok(Some((key, self.text.get(start..self.at).unwrap_or_default())))
    }
}

impl<'a> ArrayReader<'a> {
    /// A reader of a text that is one array.
    ///
    /// # Errors
    /// The text does not begin with an array.
    pub fn new(text: &'a str) -> Result<Self, JsonError> {
        Ok(Self { text, at: begin(text, b'[')?, state: State::First })
    }

    /// The raw text of the next element. `None` after the last one.
    ///
    /// # Errors
    /// The text is not valid, here or in the element.
    #[allow(clippy::should_implement_trait)] // an iterator cannot fail
    pub fn next(&mut self) -> Result<Option<&'a str>, JsonError> {
        let Some(start) = advance(self.text, &mut self.at, &mut self.state, b']')? else {
            return Ok(None);
        };
        self.at = scan_value(self.text, start)?;
        Ok(Some(self.text.get(start..self.at).unwrap_or_default()))
    }
}

/// Where the content of the container begins.
fn begin(text: &str, opening: u8) -> Result<usize, JsonError> {
    let at = skip_whitespace(text.as_bytes(), 0);
    if byte(text.as_bytes(), at)? == opening { Ok(at + 1) } else { Err(syntax(at)) }
}

/// Where the next key or element begins; `None` at the end, behind which only space may follow.
fn advance(
    text: &str,
    at: &mut usize,
    state: &mut State,
    closing: u8,
) -> Result<Option<usize>, JsonError> {
    if *state == State::Done {
        return Ok(None);
    }
    let bytes = text.as_bytes();
    *at = skip_whitespace(bytes, *at);
    let next = byte(bytes, *at)?;
    if next == closing {
        let end = skip_whitespace(bytes, *at + 1);
        if end < bytes.len() {
            return Err(syntax(end));
        }
        *state = State::Done;
        return Ok(None);
    }
    if *state == State::Next {
        if next != b',' {
            return Err(syntax(*at));
        }
        *at = skip_whitespace(bytes, *at + 1);
    }
    *state = State::Next;
    Ok(Some(*at))
}
