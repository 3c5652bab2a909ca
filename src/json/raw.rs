//! JSON values kept as their exact text, and compared by what they mean.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::reader::{ArrayReader, ObjectReader};
use super::scan::{JsonError, JsonKind, check, kind};
use super::string::{JsonStr, write_string};
use super::text::Text;

/// A checked JSON value as its exact text, without the space around it. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RawJson(Rc<str>);

impl RawJson {
    /// Checks a text and keeps it.
    ///
    /// # Errors
    /// The text is not one JSON value.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        check(text)?;
        Ok(Self::from_validated(text.trim_matches([' ', '\n', '\r', '\t'])))
    }

    /// Keeps a text that was checked before.
    #[must_use]
    pub fn from_validated(text: &str) -> Self {
        Self(text.into())
    }

    /// A string value.
    #[must_use]
    pub fn string(text: &Text) -> Self {
        let mut out = Vec::with_capacity(text.len() + 2);
        write_string(&mut out, text.as_bytes());
        Self(String::from_utf8_lossy(&out).into())
    }

    /// The exact text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether two checked values mean the same: the order of keys does not count, of equal keys the
/// last one counts, strings are compared decoded and numbers as JavaScript reads them.
#[must_use]
pub fn same_value(a: &str, b: &str) -> bool {
    a == b || (kind(a) == kind(b) && same_of_kind(a, b).unwrap_or(false))
}

/// Recurses at most as deep as a checked value is nested.
fn same_of_kind(a: &str, b: &str) -> Result<bool, JsonError> {
    Ok(match kind(a) {
        Some(JsonKind::String) => {
            JsonStr::from_raw_value(a).map(JsonStr::to_text)
                == JsonStr::from_raw_value(b).map(JsonStr::to_text)
        }
        Some(JsonKind::Number) => {
            matches!((a.parse::<f64>(), b.parse::<f64>()), (Ok(a), Ok(b)) if a == b)
        }
        Some(JsonKind::Array) => {
            let (mut left, mut right) = (ArrayReader::new(a)?, ArrayReader::new(b)?);
            loop {
                match (left.next()?, right.next()?) {
                    (None, None) => return Ok(true),
                    (Some(a), Some(b)) if same_value(a, b) => {}
                    _ => return Ok(false),
                }
            }
        }
        Some(JsonKind::Object) => {
            let (left, right) = (members(a)?, members(b)?);
            left.len() == right.len()
                && left.iter().zip(&right).all(|((key, value), (other_key, other_value))| {
                    key == other_key && same_value(value, other_value)
                })
        }
        _ => false,
    })
}

fn members(object: &str) -> Result<BTreeMap<Text, &str>, JsonError> {
    let mut members = BTreeMap::new();
    let mut reader = ObjectReader::new(object)?;
    while let Some((key, value)) = reader.next()? {
        members.insert(key.to_text(), value);
    }
    Ok(members)
}

#[cfg(test)]
mod tests {
    use super::same_value;

    #[test]
    fn values_are_compared_by_meaning() {
        for (a, b, same) in [
            ("1", "1.0", true),
            ("1e2", "100", true),
            ("1", "2", false),
            (r#""\u0041""#, r#""A""#, true),
            (r#"{"a":1,"b":[1,2]}"#, r#"{ "b": [1, 2], "a": 1.0 }"#, true),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, false),
            ("[1,2]", "[2,1]", false),
            ("null", "false", false),
            ("[]", "{}", false),
            ("true", "true", true),
        ] {
            assert_eq!(same_value(a, b), same, "{a} {b}");
        }
    }
}
