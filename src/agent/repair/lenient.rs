//! Reads what a model wrote for JSON, and writes the JSON that it must mean.
//!
//! Only what can mean one thing is repaired. Values keep their spelling.

use std::collections::BTreeSet;

use crate::limits;

use super::{GiveUp, Repair};

type Read = Result<(), GiveUp>;

pub(super) struct Lenient<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
    out: String,
    repairs: BTreeSet<Repair>,
}

/// The JSON text that `text` must mean, and what was repaired.
///
/// # Errors
/// It may mean several things, or nothing.
pub(super) fn read(text: &str) -> Result<(String, BTreeSet<Repair>), GiveUp> {
    let mut reader = Lenient {
        text,
        at: 0,
        depth: 0,
        out: String::with_capacity(text.len()),
        repairs: BTreeSet::new(),
    };
    reader.skip_prose();
    reader.value()?;
    reader.skip_space()?;
    let rest = reader.rest();
    if rest.contains(['{', '[']) {
        return Err(reader.malformed());
    }
    if !rest.is_empty() {
        reader.repairs.insert(Repair::Prose);
    }
    Ok((reader.out, reader.repairs))
}

impl<'a> Lenient<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn malformed(&self) -> GiveUp {
        GiveUp::Malformed { offset: self.at }
    }

    fn repair(&mut self, repair: Repair) {
        self.repairs.insert(repair);
    }

    fn take_while(&mut self, test: impl Fn(u8) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| !test(byte)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// The text begins with its first container, unless it begins with a string.
    fn skip_prose(&mut self) {
        let start = self.text.len() - self.text.trim_start().len();
        let is_value = self.text.get(start..).is_some_and(|text| text.starts_with(['{', '[', '"']));
        if let Some(container) = self.text.find(['{', '[']).filter(|_| !is_value) {
            self.repair(Repair::Prose);
            self.at = container;
        }
    }

    /// Space and comments.
    fn skip_space(&mut self) -> Read {
        loop {
            self.take_while(|byte| byte.is_ascii_whitespace());
            let rest = self.rest();
            let length = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").ok_or(GiveUp::Truncated)? + 2
            } else {
                return Ok(());
            };
            self.repair(Repair::Comment);
            self.at += length;
        }
    }

    fn value(&mut self) -> Read {
        self.skip_space()?;
        match self.peek().ok_or(GiveUp::Truncated)? {
            open @ (b'{' | b'[') => {
                self.depth += 1;
                if self.depth > limits::MAX_JSON_DEPTH {
                    return Err(GiveUp::TooDeep);
                }
                self.container(open == b'{')?;
                self.depth -= 1;
                Ok(())
            }
            b'"' | b'\'' => self.string(),
            b'-' | b'0'..=b'9' => self.number(),
            _ => self.word(),
        }
    }

    fn container(&mut self, is_object: bool) -> Read {
        let (open, close) = if is_object { ('{', b'}') } else { ('[', b']') };
        self.at += 1;
        self.out.push(open);
        let mut is_first = true;
        loop {
            let before = self.at;
            self.skip_space()?;
            let next = self.peek();
            if next == Some(close) {
                self.at += 1;
                break;
            }
            if !is_first {
                if matches!(next, None | Some(b'}' | b']')) {
                    // Complete but for its end.
                    self.repair(Repair::Closed);
                    break;
                }
                if self.is_after_last_comma(close, before)? {
                    break;
                }
                self.out.push(',');
            }
            if is_object {
                self.key()?;
            }
            self.value()?;
            is_first = false;
        }
        self.out.push(char::from(close));
        Ok(())
    }

    /// Passes the comma between two elements, the first of which ended at `before`. True when the
    /// container ends behind it.
    fn is_after_last_comma(&mut self, close: u8, before: usize) -> Result<bool, GiveUp> {
        if self.peek() != Some(b',') {
            // Between elements on one line a quote may be missing instead.
            let space = self.text.get(before..self.at).unwrap_or_default();
            let is_clear = close == b'}' || space.contains('\n') || self.out.ends_with(['}', ']']);
            if !is_clear {
                return Err(self.malformed());
            }
            self.repair(Repair::Comma);
            return Ok(false);
        }
        self.at += 1;
        self.skip_space()?;
        match self.peek() {
            None => Err(GiveUp::Truncated),
            Some(next) if next == close => {
                self.at += 1;
                self.repair(Repair::Comma);
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn key(&mut self) -> Read {
        match self.peek().ok_or(GiveUp::Truncated)? {
            b'"' | b'\'' => self.string()?,
            _ => {
                let is_name =
                    |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-');
                let name = self.take_while(is_name);
                if name.is_empty() {
                    return Err(self.malformed());
                }
                self.repair(Repair::Quotes);
                self.out.push('"');
                self.out.push_str(name);
                self.out.push('"');
            }
        }
        self.skip_space()?;
        match self.peek() {
            Some(b':') => {}
            None => return Err(GiveUp::Truncated),
            Some(_) => return Err(self.malformed()),
        }
        self.at += 1;
        self.out.push(':');
        Ok(())
    }

    fn number(&mut self) -> Read {
        let is_part =
            |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E');
        let number = self.take_while(is_part);
        if self.peek().is_none() {
            // More digits may have been meant to come.
            return Err(GiveUp::Truncated);
        }
        if crate::json::check(number).is_err() {
            return Err(self.malformed());
        }
        self.out.push_str(number);
        Ok(())
    }

    fn word(&mut self) -> Read {
        let start = self.at;
        let word = self.take_while(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let json = match word {
            "true" | "True" => "true",
            "false" | "False" => "false",
            "null" | "None" => "null",
            _ if self.peek().is_none() => return Err(GiveUp::Truncated),
            _ => return Err(GiveUp::Malformed { offset: start }),
        };
        if word != json {
            self.repair(Repair::Literal);
        }
        self.out.push_str(json);
        Ok(())
    }

    fn string(&mut self) -> Read {
        let quote = self.peek().unwrap_or(b'"');
        if quote == b'\'' {
            self.repair(Repair::Quotes);
        }
        self.at += 1;
        self.out.push('"');
        loop {
            let is_plain =
                |byte: u8| byte >= 0x20 && byte != quote && byte != b'\\' && byte != b'"';
            let plain = self.take_while(is_plain);
            self.out.push_str(plain);
            let byte = self.peek().ok_or(GiveUp::Truncated)?;
            self.at += 1;
            match byte {
                b'\\' => self.escape()?,
                _ if byte == quote => break,
                b'"' => self.out.push_str("\\\""),
                _ => {
                    self.repair(Repair::Escape);
                    self.push_escaped(byte);
                }
            }
        }
        self.out.push('"');
        Ok(())
    }

    fn escape(&mut self) -> Read {
        let Some(character) = self.rest().chars().next() else { return Err(GiveUp::Truncated) };
        match character {
            'u' => {
                let code = self.text.get(self.at..self.at + 5);
                if !code
                    .is_some_and(|code| code.bytes().skip(1).all(|byte| byte.is_ascii_hexdigit()))
                {
                    return Err(self.malformed());
                }
                self.out.push('\\');
                self.out.push_str(code.unwrap_or_default());
                self.at += 5;
                return Ok(());
            }
            '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' => self.out.push('\\'),
            '\'' => self.repair(Repair::Escape),
            // As in a regular expression: the backslash itself is meant.
            _ => {
                self.repair(Repair::Escape);
                self.out.push_str("\\\\");
                if character.is_ascii_control() {
                    return Ok(()); // the string goes on with it
                }
            }
        }
        self.out.push(character);
        self.at += character.len_utf8();
        Ok(())
    }

    fn push_escaped(&mut self, control: u8) {
        let mut quoted = Vec::new();
        crate::json::write_string(&mut quoted, &[control]);
        let escape = quoted.get(1..quoted.len() - 1).unwrap_or_default();
        self.out.push_str(&String::from_utf8_lossy(escape));
    }
}
