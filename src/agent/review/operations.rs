//! Finds the operations of a patch in a tool's input, complete or not.

use crate::json::{JsonError, JsonErrorKind, JsonStr, member, scan_value};

/// What an input has of a patch.
#[derive(Debug, Default)]
pub(super) struct Found<'a> {
    /// The operations that are complete, as they are written.
    pub(super) operations: Vec<&'a str>,
    /// The whole input is there.
    pub(super) is_complete: bool,
    /// There is a list of operations.
    pub(super) is_patch: bool,
    /// There is a list without elements, which may be one.
    pub(super) has_empty_list: bool,
}

/// The operations: the input is their list, or an object whose first list of objects with an `op` is
/// it.
///
/// # Errors
/// The input is not JSON, as far as it goes.
pub(super) fn find(input: &str) -> Result<Found<'_>, JsonError> {
    let mut found = Found::default();
    match read(input, &mut found) {
        Ok(()) => found.is_complete = true,
        Err(error) if error.kind == JsonErrorKind::UnexpectedEnd => {}
        Err(error) => return Err(error),
    }
    Ok(found)
}

fn read<'a>(input: &'a str, found: &mut Found<'a>) -> Result<(), JsonError> {
    let mut walk = Walk { text: input, at: 0 };
    match walk.next()? {
        b'[' => read_list(&mut walk, found)?,
        b'{' => read_object(&mut walk, found)?,
        _ => walk.skip_value()?,
    }
    match walk.next() {
        Err(_) => Ok(()),
        Ok(_) => Err(walk.syntax()),
    }
}

fn read_object<'a>(walk: &mut Walk<'a>, found: &mut Found<'a>) -> Result<(), JsonError> {
    walk.at += 1;
    while walk.next()? != b'}' {
        walk.value()?; // the key
        walk.take(b':')?;
        if walk.next()? == b'[' && !found.is_patch {
            read_list(walk, found)?;
        } else {
            walk.skip_value()?;
        }
        if walk.next()? == b',' {
            walk.at += 1;
            if walk.next()? != b'"' {
                return Err(walk.syntax());
            }
        } else if walk.next()? != b'}' {
            return Err(walk.syntax());
        }
    }
    walk.at += 1;
    Ok(())
}

/// A list is one of operations when its first element is an object with an `op`, or is not there yet.
fn read_list<'a>(walk: &mut Walk<'a>, found: &mut Found<'a>) -> Result<(), JsonError> {
    walk.at += 1;
    let mut is_first = true;
    while walk.next()? != b']' {
        let element = walk.value()?;
        if is_first {
            found.is_patch = member(element, "op").is_some_and(|op| op.starts_with('"'));
        }
        is_first = false;
        if found.is_patch {
            found.operations.push(element);
        }
        match walk.next()? {
            b',' => {
                walk.at += 1;
                if walk.next()? == b']' {
                    return Err(walk.syntax());
                }
            }
            b']' => {}
            _ => return Err(walk.syntax()),
        }
    }
    found.has_empty_list |= is_first;
    walk.at += 1;
    Ok(())
}

struct Walk<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Walk<'a> {
    /// The next character that is no white space; stays before it.
    fn next(&mut self) -> Result<u8, JsonError> {
        let bytes = self.text.as_bytes();
        while matches!(bytes.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
        let end = JsonError { kind: JsonErrorKind::UnexpectedEnd, offset: bytes.len() };
        bytes.get(self.at).copied().ok_or(end)
    }

    fn take(&mut self, byte: u8) -> Result<(), JsonError> {
        if self.next()? != byte {
            return Err(self.syntax());
        }
        self.at += 1;
        Ok(())
    }

    /// The next value, which is complete.
    fn value(&mut self) -> Result<&'a str, JsonError> {
        self.next()?;
        let start = self.at;
        self.at = scan_value(self.text, start)?;
        Ok(self.text.get(start..self.at).unwrap_or_default())
    }

    fn skip_value(&mut self) -> Result<(), JsonError> {
        self.value().map(|_| ())
    }

    fn syntax(&self) -> JsonError {
        JsonError { kind: JsonErrorKind::Syntax, offset: self.at }
    }
}

/// The string of a member, decoded.
pub(super) fn string_member(object: &str, name: &str) -> Option<String> {
    member(object, name).and_then(JsonStr::from_raw_value).map(JsonStr::to_utf8_lossy)
}
