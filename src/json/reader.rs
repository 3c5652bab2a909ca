//! Walks the members of an object or the elements of an array, checking each as it goes.
//!
//! A walk to the end is one pass over the text and proves that the whole of it is valid. Each value
//! may be nested as deep as a text of its own. After an error every further step fails, too.

use super::JsonErrorKind;
use super::scan::{JsonError, byte, scan_member, scan_string, scan_value, skip_whitespace, syntax};
use super::string::JsonStr;

/// Reads a text that is an object, member by member.
#[derive(Debug)]
pub struct ObjectReader<'a>(Walk<'a>);

/// Reads a text that is an array, element by element.
#[derive(Debug)]
pub struct ArrayReader<'a>(Walk<'a>);

impl<'a> ObjectReader<'a> {
    /// A reader of a text that is one object.
    ///
    /// # Errors
    /// The text does not begin with an object.
    pub fn new(text: &'a str) -> Result<Self, JsonError> {
        Walk::new(text, b'{', b'}').map(Self)
    }

    /// The next member: its key and the raw text of its value. `None` after the last one.
    ///
    /// # Errors
    /// The text is not valid, here, in the value or behind the object.
    #[allow(clippy::should_implement_trait)] // an iterator cannot fail
    pub fn next(&mut self) -> Result<Option<(JsonStr<'a>, &'a str)>, JsonError> {
        let Some(key_at) = self.0.next_start()? else { return Ok(None) };
        let text = self.0.text;
        let bytes = text.as_bytes();
        if byte(bytes, key_at)? != b'"' {
            return Err(syntax(key_at));
        }
        let key_end = scan_string(bytes, key_at)?;
        let key = JsonStr::from_content(text.get(key_at + 1..key_end - 1).unwrap_or_default());
        if key.eq_str("__proto__") {
            return Err(JsonError { kind: JsonErrorKind::ForbiddenKey, offset: key_at });
        }
        let colon = skip_whitespace(bytes, key_end);
        if byte(bytes, colon)? != b':' {
            return Err(syntax(colon));
        }
        let start = skip_whitespace(bytes, colon + 1);
        let end = scan_member(text, start, key.eq_str("constructor"))?;
        self.0.pass(end);
        Ok(Some((key, text.get(start..end).unwrap_or_default())))
    }
}

impl<'a> ArrayReader<'a> {
    /// A reader of a text that is one array.
    ///
    /// # Errors
    /// The text does not begin with an array.
    pub fn new(text: &'a str) -> Result<Self, JsonError> {
        Walk::new(text, b'[', b']').map(Self)
    }

    /// The raw text of the next element. `None` after the last one.
    ///
    /// # Errors
    /// The text is not valid, here, in the element or behind the array.
    #[allow(clippy::should_implement_trait)] // an iterator cannot fail
    pub fn next(&mut self) -> Result<Option<&'a str>, JsonError> {
        let Some(start) = self.0.next_start()? else { return Ok(None) };
        let end = scan_value(self.0.text, start)?;
        self.0.pass(end);
        Ok(Some(self.0.text.get(start..end).unwrap_or_default()))
    }
}

/// Where a reader is in its container. It moves by whole members or elements only, so that an
/// error is met again by the next step.
#[derive(Debug)]
struct Walk<'a> {
    text: &'a str,
    /// The end of what was read.
    at: usize,
    is_first: bool,
    closing: u8,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str, opening: u8, closing: u8) -> Result<Self, JsonError> {
        let at = skip_whitespace(text.as_bytes(), 0);
        if byte(text.as_bytes(), at)? != opening {
            return Err(syntax(at));
        }
        Ok(Self { text, at: at + 1, is_first: true, closing })
    }

    /// Where the next key or element is due; `None` at the end, behind which only space may follow.
    fn next_start(&self) -> Result<Option<usize>, JsonError> {
        let bytes = self.text.as_bytes();
        let at = skip_whitespace(bytes, self.at);
        let next = byte(bytes, at)?;
        if next == self.closing {
            let end = skip_whitespace(bytes, at + 1);
            return if end == bytes.len() { Ok(None) } else { Err(syntax(end)) };
        }
        match (self.is_first, next) {
            (true, _) => Ok(Some(at)),
            (false, b',') => Ok(Some(skip_whitespace(bytes, at + 1))),
            (false, _) => Err(syntax(at)),
        }
    }

    fn pass(&mut self, end: usize) {
        self.at = end;
        self.is_first = false;
    }
}
/// The value of an object's member, as it is written; of several with one name the last, as in
/// JavaScript. `None` also for what is no object.
#[must_use]
pub fn member<'a>(object: &'a str, name: &str) -> Option<&'a str> {
    let mut reader = ObjectReader::new(object).ok()?;
    let mut found = None;
    while let Some((key, value)) = reader.next().ok()? {
        if key.eq_str(name) {
            found = Some(value);
        }
    }
    found
}
