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
        Ok(Self::from_validated(text.trim_ascii()))
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
/// last one counts, strings are compared decoded and numbers by their decimal value.
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
        Some(JsonKind::Number) => Decimal::of(a) == Decimal::of(b),
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
            let (left, right) = (Members::of(a)?, Members::of(b)?);
            left.index.len() == right.index.len()
                && left.index.iter().all(|(key, &at)| {
                    let other = right.index.get(key).and_then(|&at| right.values.get(at));
                    let value = left.values.get(at);
                    matches!((value, other), (Some(a), Some(b)) if same_value(a, b))
                })
        }
        _ => false,
    })
}

/// The values of an object, and where the last one of each key is.
#[derive(Default)]
struct Members<'a> {
    index: BTreeMap<Vec<u8>, usize>,
    values: Vec<&'a str>,
}

impl<'a> Members<'a> {
    fn of(object: &'a str) -> Result<Self, JsonError> {
        let mut members = Self::default();
        let mut reader = ObjectReader::new(object)?;
        while let Some((key, value)) = reader.next()? {
            members.index.insert(key.to_text().as_bytes().to_vec(), members.values.len());
            members.values.push(value);
        }
        Ok(members)
    }
}

/// Whether a checked number is an integer from 0 to 2^53 - 1, in any spelling.
#[must_use]
pub fn is_index(number: &str) -> bool {
    let Decimal { negative, mut digits, exponent } = Decimal::of(number);
    match usize::try_from(exponent) {
        Ok(zeros) if !negative && digits.len().saturating_add(zeros) <= 16 => {
            digits.resize(digits.len() + zeros, b'0');
            digits.len() < 16 || digits.as_slice() <= b"9007199254740991"
        }
        _ => false,
    }
}

/// A number as sign, digits and the power of ten of the last digit. Parsing to a float would cost
/// the wasm 6 KB.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// The value of a checked number.
    fn of(number: &str) -> Self {
        let mut digits = Vec::new();
        let mut exponent: i64 = 0;
        let mut bytes = number.bytes().skip_while(|&byte| byte == b'-').peekable();
        let mut is_fraction = false;
        while let Some(byte) = bytes.next_if(|byte| !matches!(byte, b'e' | b'E')) {
            match byte {
                b'.' => is_fraction = true,
                digit => {
                    exponent -= i64::from(is_fraction);
                    if digit != b'0' || !digits.is_empty() {
                        digits.push(digit);
                    }
                }
            }
        }
        bytes.next();
        let minus = bytes.next_if(|byte| matches!(byte, b'+' | b'-')) == Some(b'-');
        let written = bytes.fold(0_i64, |sum, digit| {
            sum.saturating_mul(10).saturating_add(i64::from(digit - b'0'))
        });
        exponent = exponent.saturating_add(if minus { -written } else { written });
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent = exponent.saturating_add(1);
        }
        if digits.is_empty() {
            return Self { negative: false, digits, exponent: 0 };
        }
        Self { negative: number.starts_with('-'), digits, exponent }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_index, same_value};

    #[test]
    fn an_index_is_a_whole_number_that_a_double_holds() {
        for number in ["0", "-0", "0.0e-7", "7", "7.0", "1.5e1", "9007199254740991", "9e15"] {
            assert!(is_index(number), "{number}");
        }
        for number in [
            "-1",
            "0.5",
            "1e-1",
            "9007199254740992",
            "9.1e15",
            "1e16",
            "1e400",
            "1e99999999999999999999",
        ] {
            assert!(!is_index(number), "{number}");
        }
    }

    #[test]
    fn values_are_compared_by_meaning() {
        for (a, b, same) in [
            ("1", "1.0", true),
            ("1e2", "100", true),
            ("0.10", "1e-1", true),
            ("1200", "1.2E+3", true),
            ("-0", "0", true),
            ("0.0e5", "0", true),
            ("-1", "1", false),
            ("9007199254740993", "9007199254740992", false),
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
