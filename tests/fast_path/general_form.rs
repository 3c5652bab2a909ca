//! The same stream in a form that no fast path takes.

use chatwire::json;

/// A body that means what another one does, though no two of its events are spelled alike and none
/// is followed by a bare line feed.
pub(crate) struct GeneralForm {
    pub(crate) body: Vec<u8>,
    /// For each length of the other body's begin, how long that begin is here.
    lengths: Vec<usize>,
}

impl GeneralForm {
    /// Adds to `body`: white space behind the JSON of each event, not the same as behind the one
    /// before, and a carriage return before each line feed. What is added comes in one piece with
    /// the byte that it stands before, so that each piece completes the same events.
    pub(crate) fn of(body: &[u8]) -> Self {
        let mut ends = json_ends(body).into_iter().peekable();
        let mut spaces = b" \t".iter().cycle();
        let mut general = Self { body: Vec::new(), lengths: vec![0] };
        let mut last = 0;
        for (at, &byte) in body.iter().enumerate() {
            if ends.next_if_eq(&at).is_some() {
                general.body.extend(spaces.next());
            }
            if byte == b'\n' && last != b'\r' {
                general.body.push(b'\r');
            }
            general.body.push(byte);
            general.lengths.push(general.body.len());
            last = byte;
        }
        if ends.next_if_eq(&body.len()).is_some() {
            general.body.extend(spaces.next());
            general.lengths.pop();
            general.lengths.push(general.body.len());
        }
        general
    }

    /// The piece for the other body's bytes from `start` up to `end`.
    pub(crate) fn piece(&self, start: usize, end: usize) -> &[u8] {
        &self.body[self.lengths[start]..self.lengths[end]]
    }
}

/// Where the data of each event ends that is a JSON text: white space there changes nothing.
fn json_ends(body: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut data = Vec::new();
    let mut end = 0;
    let mut at = 0;
    while at <= body.len() {
        let rest = &body[at..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        let line = &rest[..length.unwrap_or(rest.len())];
        if let Some(value) = line.strip_prefix(b"data:") {
            data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
            data.push(b'\n');
            end = at + line.len();
        }
        if line.is_empty() || length.is_none() {
            if json::check(&String::from_utf8_lossy(&data)).is_ok() {
                ends.push(end);
            }
            data.clear();
        }
        at += line.len() + if rest[line.len()..].starts_with(b"\r\n") { 2 } else { 1 };
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::GeneralForm;

    #[test]
    fn only_the_spelling_differs() {
        let body =
            b": c\n\ndata: {\"a\":1}\n\ndata:{\"a\":1}\r\ndata: \r\n\r\ndata: [DONE]\n\ndata: 1";
        let general = GeneralForm::of(body);
        let expected = ": c\r\n\r\ndata: {\"a\":1} \r\n\r\ndata:{\"a\":1}\r\ndata: \t\r\n\r\n\
            data: [DONE]\r\n\r\ndata: 1 ";
        assert_eq!(String::from_utf8_lossy(&general.body), expected);
        let end = b": c\n\ndata: {\"a\":1}".len();
        assert_eq!(general.piece(0, end), b": c\r\n\r\ndata: {\"a\":1}");
        assert_eq!(general.piece(end, end + 1), b" \r\n");
    }
}
