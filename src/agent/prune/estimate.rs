//! How many tokens a message takes, without writing it out.

use crate::limits;
use crate::message::{FieldName, Message, Part, PartKind, Value};

/// Estimates tokens. [`Default`] takes [`limits::BYTES_PER_TOKEN`] and
/// [`limits::ATTACHMENT_TOKENS`].
#[derive(Clone, Copy)]
pub struct Estimator<'a> {
    /// How many tokens a text is: prose, or the JSON text of a tool's input or output.
    pub count: &'a dyn Fn(&str) -> u64,
    /// How many tokens an attachment is.
    pub attachment_tokens: u64,
}

impl Default for Estimator<'_> {
    fn default() -> Self {
        Self {
            count: &|text| text.len().div_ceil(limits::BYTES_PER_TOKEN) as u64,
            attachment_tokens: limits::ATTACHMENT_TOKENS,
        }
    }
}

impl std::fmt::Debug for Estimator<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Estimator")
            .field("attachment_tokens", &self.attachment_tokens)
            .finish_non_exhaustive()
    }
}

impl Estimator<'_> {
    /// The tokens of a message.
    #[must_use]
    pub fn message(&self, message: &Message) -> u64 {
        let parts = message.parts().iter().map(|part| self.part(part));
        parts.fold(limits::MESSAGE_TOKENS, u64::saturating_add)
    }

    /// The tokens of a part. Parts that no model is sent (data, sources, marks of steps) have none.
    #[must_use]
    pub fn part(&self, part: &Part) -> u64 {
        match part.kind() {
            PartKind::Text | PartKind::Reasoning => self.string(part, FieldName::Text),
            PartKind::Tool | PartKind::DynamicTool => self.tool_call(part),
            PartKind::StepStart | PartKind::Data => 0,
            PartKind::Other if is_any(part, &["file", "reasoning-file"]) => self.file(part),
            PartKind::Other if is_any(part, &["source-url", "source-document"]) => 0,
            PartKind::Other => part
                .fields
                .entries()
                .iter()
                .map(|(_, value)| self.value(value))
                .fold(0, u64::saturating_add),
        }
    }

    fn tool_call(&self, part: &Part) -> u64 {
        let name = part.tool_name().map_or(0, |name| (self.count)(&name.to_string_lossy()));
        [FieldName::Input, FieldName::Output, FieldName::ErrorText]
            .iter()
            .filter_map(|field| part.fields.get(*field))
            .fold(name, |sum, value| sum.saturating_add(self.value(value)))
    }

    fn string(&self, part: &Part, field: FieldName) -> u64 {
        let text = part.fields.text(field);
        text.map_or(0, |text| (self.count)(&text.to_string_lossy()))
    }

    /// A file that is plain text costs what its text costs; `url` holds it in base64.
    fn file(&self, part: &Part) -> u64 {
        let (url, media_type) =
            (part.fields.json(FieldName::Url), part.fields.text(FieldName::MediaType));
        let is_text = media_type.is_some_and(|media| media.as_bytes().starts_with(b"text/"));
        match url {
            Some(url) if is_text && url.as_str().starts_with("\"data:") => {
                (url.as_str().len() / 4 * 3).div_ceil(limits::BYTES_PER_TOKEN) as u64
            }
            _ => self.attachment_tokens,
        }
    }

    fn value(&self, value: &Value) -> u64 {
        match value {
            Value::Json(raw) => self.json(raw.as_str()),
            Value::Text(text) => (self.count)(&text.text().to_string_lossy()),
            Value::Input(_) | Value::Parts => 0,
        }
    }

    /// Checked JSON text. Long strings of base64 in it are attachments.
    fn json(&self, json: &str) -> u64 {
        let mut tokens: u64 = 0;
        let mut text = String::new();
        let mut copied = 0;
        let mut rest = 0;
        while let Some(open) = json.get(rest..).and_then(|rest| rest.find('"')).map(|at| rest + at)
        {
            let close = end_of_string(json, open + 1);
            if is_attachment(json.get(open + 1..close).unwrap_or_default()) {
                text.push_str(json.get(copied..open).unwrap_or_default());
                copied = close;
                tokens = tokens.saturating_add(self.attachment_tokens);
            }
            rest = close + 1;
        }
        if copied == 0 {
            return (self.count)(json);
        }
        text.push_str(json.get(copied..).unwrap_or_default());
        tokens.saturating_add((self.count)(&text))
    }
}

/// Where the string that begins at `start` is closed.
fn end_of_string(json: &str, start: usize) -> usize {
    let bytes = json.as_bytes();
    let mut at = start;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    json.len()
}

fn is_attachment(content: &str) -> bool {
    if content.len() < limits::MIN_ATTACHMENT_BYTES {
        return false;
    }
    let data = match content.strip_prefix("data:") {
        Some(url) => url.split_once(";base64,").map_or("", |(_, data)| data),
        None => content,
    };
    !data.is_empty()
        && data.bytes().all(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'=' | b'\\')
        })
}

pub(super) fn is_any(part: &Part, types: &[&str]) -> bool {
    types.iter().any(|name| part.fields.is_str(FieldName::Type, name))
}

#[cfg(test)]
mod tests {
    use super::{Estimator, is_attachment};
    use crate::message::Part;

    fn tokens(part: &str) -> u64 {
        Estimator { count: &|text| text.len() as u64, attachment_tokens: 5000 }
            .part(&Part::parse(part).unwrap())
    }

    #[test]
    fn each_kind_of_part_has_its_price() {
        let base64 = "aGk9".repeat(300);
        for (part, expected) in [
            (r#"{"type":"text","text":"four"}"#.into(), 4),
            (r#"{"type":"reasoning","text":"\u0041\n"}"#.into(), 2),
            (r#"{"type":"step-start"}"#.into(), 0),
            (r#"{"type":"data-x","data":"long"}"#.into(), 0),
            (r#"{"type":"source-url","sourceId":"s","url":"u"}"#.into(), 0),
            (r#"{"type":"file","mediaType":"image/png","url":"https://x"}"#.into(), 5000),
            (format!(r#"{{"type":"file","mediaType":"image/png","url":"data:,{base64}"}}"#), 5000),
            (format!(r#"{{"type":"file","mediaType":"text/csv","url":"data:,{base64}"}}"#), 227),
            (r#"{"type":"tool-xy","toolCallId":"c","input":[1],"output":"o"}"#.into(), 2 + 3 + 3),
            (r#"{"type":"tool-xy","toolCallId":"c","errorText":"no"}"#.into(), 2 + 4),
            (
                format!(
                    r#"{{"type":"tool-x","input":{{}},"output":{{"d":"{base64}","n":"\"1"}}}}"#
                ),
                1 + 2 + 5000 + 17,
            ),
            (r#"{"type":"custom","kind":"k"}"#.into(), 8 + 3),
        ] {
            assert_eq!(tokens(&part), expected, "{part}");
        }
    }

    #[test]
    fn prose_is_no_attachment() {
        let word = "a".repeat(1024);
        assert!(is_attachment(&word));
        assert!(is_attachment(&format!("data:image/png;base64,{word}")));
        assert!(!is_attachment(&word[1..]));
        assert!(!is_attachment(&format!("{word} {word}")));
        assert!(!is_attachment(&format!("data:text/plain,{word}")));
    }
}
