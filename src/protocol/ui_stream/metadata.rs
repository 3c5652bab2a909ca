//! Merges message metadata as texts, so that what is not touched keeps its exact spelling.

use std::collections::BTreeMap;

use crate::json::{self, JsonError, JsonKind, JsonStr, ObjectReader};

/// Keys that the AI SDK never merges.
const SKIPPED: [&str; 3] = ["__proto__", "constructor", "prototype"];

/// `update` merged into `base`: objects member by member, everything else replaces
/// (AI SDK: message metadata of several chunks).
///
/// # Errors
/// Neither text can be invalid when both came from a decoded chunk; the error says where one is.
pub fn merge(base: &str, update: &str) -> Result<String, JsonError> {
    let both_objects =
        json::kind(base) == Some(JsonKind::Object) && json::kind(update) == Some(JsonKind::Object);
    if !both_objects {
        return Ok(update.to_owned());
    }
    let mut members = Members::default();
    let mut reader = ObjectReader::new(base)?;
    while let Some((key, value)) = reader.next()? {
        members.put(key, value.to_owned());
    }
    let mut reader = ObjectReader::new(update)?;
    while let Some((key, value)) = reader.next()? {
        if SKIPPED.iter().any(|skipped| key.eq_str(skipped)) {
            continue;
        }
        let merged = match members.get(key) {
            Some(old) => merge(old, value)?,
            None => value.to_owned(),
        };
        members.put(key, merged);
    }
    let mut out = String::from("{");
    for (index, (key, value)) in members.entries.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push('"');
        out.push_str(key.raw());
        out.push_str("\":");
        out.push_str(value);
    }
    out.push('}');
    Ok(out)
}

/// The members of an object in order, of equal keys the last value in the place of the first.
#[derive(Default)]
struct Members<'a> {
    entries: Vec<(JsonStr<'a>, String)>,
    index: BTreeMap<Vec<u8>, usize>,
}

impl<'a> Members<'a> {
    fn position(&self, key: JsonStr<'_>) -> Option<usize> {
        self.index.get(key.to_text().as_bytes()).copied()
    }

    fn get(&self, key: JsonStr<'_>) -> Option<&str> {
        self.entries.get(self.position(key)?).map(|(_, value)| value.as_str())
    }

    fn put(&mut self, key: JsonStr<'a>, value: String) {
        match self.position(key).and_then(|at| self.entries.get_mut(at)) {
            Some((_, old)) => *old = value,
            None => {
                self.index.insert(key.to_text().as_bytes().to_vec(), self.entries.len());
                self.entries.push((key, value));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn merges_as_the_protocol_says() {
        for (base, update, expected) in [
            (r#"{"a":1,"b":{"c":1.0}}"#, r#"{"b":{"d":2}}"#, r#"{"a":1,"b":{"c":1.0,"d":2}}"#),
            (r#"{"a":[1,2]}"#, r#"{"a":[3]}"#, r#"{"a":[3]}"#),
            (r#"{"a":1}"#, r#"{"a":null}"#, r#"{"a":null}"#),
            (r#"{"k":1}"#, "[7,8]", "[7,8]"),
            (r#""text""#, r#"{"a":1}"#, r#"{"a":1}"#),
            (r#"{"a":1}"#, r#"{"constructor":1,"prototype":2,"b":3}"#, r#"{"a":1,"b":3}"#),
            (r#"{"\u0061":1}"#, r#"{"a":2}"#, r#"{"\u0061":2}"#),
            (r#"{"a":{"x":1}}"#, r#"{"a":5}"#, r#"{"a":5}"#),
        ] {
            assert_eq!(merge(base, update).unwrap(), expected, "{base} + {update}");
        }
    }
}
