//! Link reference definitions at the start of a paragraph.

/// How a definition that may begin here turned out.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Scan {
    /// It ends before this byte, which begins a line or is the end.
    Definition(usize),
    /// More lines could make it one, or a longer one.
    Unfinished,
    /// It is none.
    Other,
}

/// Longest label, in bytes.
const MAX_LABEL: usize = 999;

/// Looks for a definition at the start of `text`, the lines of a paragraph joined by newlines.
/// `complete`: no more lines follow.
pub(super) fn scan(text: &str, complete: bool) -> Scan {
    let bytes = text.as_bytes();
    let Some(label) = label_end(text) else {
        let open = text.starts_with('[') && text.len() <= MAX_LABEL && !text.contains(']');
        return if open { Scan::Unfinished } else { Scan::Other };
    };
    if bytes.get(label) != Some(&b':') {
        return Scan::Other;
    }
    let start = skip_space(text, label + 1);
    if start == text.len() {
        return Scan::Unfinished;
    }
    let Some(destination) = destination_end(text, start) else { return Scan::Other };
    let without_title = line_end(text, destination);
    let title = skip_space(text, destination);
    if title == destination && title < text.len() {
        return Scan::Other;
    }
    if title == text.len() {
        return match without_title {
            Some(end) if complete => Scan::Definition(end),
            Some(_) => Scan::Unfinished,
            None => Scan::Other,
        };
    }
    match title_end(text, title) {
        Some(end) => match line_end(text, end).or(without_title) {
            Some(end) => Scan::Definition(end),
            None => Scan::Other,
        },
        None if !complete && matches!(bytes.get(title), Some(b'"' | b'\'' | b'(')) => {
            Scan::Unfinished
        }
        None => without_title.map_or(Scan::Other, Scan::Definition),
    }
}

/// A label as labels are compared: without case, and with single spaces.
pub(super) fn normalize(label: &str) -> String {
    let words: Vec<&str> = label.split_ascii_whitespace().collect();
    words.join(" ").to_lowercase().to_uppercase()
}

/// The label of a definition that [`scan`] found.
pub(super) fn label(definition: &str) -> String {
    let end = label_end(definition).unwrap_or(2);
    normalize(&definition[1..end - 1])
}

/// After the `]` of a label with something in it.
fn label_end(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.first() != Some(&b'[') {
        return None;
    }
    let mut index = 1;
    let mut filled = false;
    while index <= MAX_LABEL {
        match *bytes.get(index)? {
            b'[' => return None,
            b']' => return filled.then_some(index + 1),
            b'\\' => {
                filled = true;
                index +=
                    1 + usize::from(bytes.get(index + 1).is_some_and(u8::is_ascii_punctuation));
            }
            byte => {
                filled |= !byte.is_ascii_whitespace();
                index += 1;
            }
        }
    }
    None
}

/// After spaces, tabs and at most one newline.
fn skip_space(text: &str, mut index: usize) -> usize {
    let mut newlines = 0;
    while let Some(byte) = text.as_bytes().get(index) {
        match byte {
            b' ' | b'\t' => {}
            b'\n' if newlines == 0 => newlines = 1,
            _ => break,
        }
        index += 1;
    }
    index
}

/// After the rest of the line, if that is blank.
fn line_end(text: &str, index: usize) -> Option<usize> {
    let rest = &text[index..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    match rest.as_bytes().get(blank) {
        None => Some(text.len()),
        Some(b'\n') => Some(index + blank + 1),
        Some(_) => None,
    }
}

fn destination_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let pointed = bytes.get(start) == Some(&b'<');
    let mut index = start + usize::from(pointed);
    let mut depth = 0_usize;
    while let Some(byte) = bytes.get(index) {
        match byte {
            b'>' if pointed => return Some(index + 1),
            b'<' | b'\n' if pointed => return None,
            b'\\' if bytes.get(index + 1).is_some_and(u8::is_ascii_punctuation) => index += 1,
            _ if pointed => {}
            byte if *byte <= b' ' || *byte == 0x7f => break,
            b'(' => depth += 1,
            b')' => depth = depth.checked_sub(1)?,
            _ => {}
        }
        index += 1;
    }
    (!pointed && depth == 0 && index > start).then_some(index)
}

fn title_end(text: &str, start: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let close = match bytes.get(start)? {
        b'"' => b'"',
        b'\'' => b'\'',
        b'(' => b')',
        _ => return None,
    };
    let mut index = start + 1;
    while let Some(byte) = bytes.get(index) {
        match byte {
            byte if *byte == close => return Some(index + 1),
            b'(' if close == b')' => return None,
            b'\\' => index += 1,
            _ => {}
        }
        index += 1;
    }
    None
}
