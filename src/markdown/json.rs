//! Writing JSON text.

/// Appends `text` as a string.
pub(super) fn push_string(json: &mut String, text: &str) {
    json.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        json.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'\n' => json.push_str("\\n"),
            b'\t' => json.push_str("\\t"),
            byte @ (b'"' | b'\\') => json.extend(['\\', char::from(byte)]),
            byte => json.push_str(&format!("\\u{byte:04x}")),
        }
        rest = &rest[at + 1..];
    }
    json.push_str(rest);
    json.push('"');
}

/// Appends the comma before an element, unless it is the first one.
pub(super) fn push_separator(json: &mut String) {
    if !json.is_empty() && !json.ends_with('[') {
        json.push(',');
    }
}

/// Appends the start of a node, up to its name.
pub(super) fn begin_node(json: &mut String, name: &str) {
    push_separator(json);
    json.push_str("{\"type\":");
    push_string(json, name);
}

pub(super) fn push_text_node(json: &mut String, text: &str) {
    begin_node(json, "text");
    json.push_str(",\"value\":");
    push_string(json, text);
    json.push('}');
}
