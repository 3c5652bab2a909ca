//! Plain text as a response: what comes is the text of one part (AI SDK `TextStreamChatTransport`).
//!
//! It is told to the chat as the chunks of a UI message stream that say the same.

use crate::json;

/// Begins the response.
pub const OPENING: [&str; 3] =
    [r#"{"type":"start"}"#, r#"{"type":"start-step"}"#, r#"{"type":"text-start","id":"text-1"}"#];

/// Ends the response: a clean end of the body is its end.
pub const CLOSING: [&str; 3] =
    [r#"{"type":"text-end","id":"text-1"}"#, r#"{"type":"finish-step"}"#, r#"{"type":"finish"}"#];

/// Decodes a body that may be cut inside a character.
#[derive(Default, Debug)]
pub struct TextStream {
    /// The bytes of a character that is not complete, at most three.
    incomplete: Vec<u8>,
}

impl TextStream {
    /// The chunk for the next bytes of the body; `None` when they complete no character.
    pub fn push(&mut self, bytes: &[u8]) -> Option<String> {
        self.incomplete.extend_from_slice(bytes);
        let complete = self.incomplete.len() - incomplete_tail(&self.incomplete);
        let rest = self.incomplete.split_off(complete);
        let text = std::mem::replace(&mut self.incomplete, rest);
        delta(&text)
    }

    /// The chunk for what is left when the body has ended inside a character.
    pub fn finish(&mut self) -> Option<String> {
        delta(&std::mem::take(&mut self.incomplete))
    }
}

fn delta(bytes: &[u8]) -> Option<String> {
    if bytes.is_empty() {
        return None;
    }
    let text = json::quote(&String::from_utf8_lossy(bytes));
    Some([r#"{"type":"text-delta","id":"text-1","delta":"#, &text, "}"].concat())
}

/// How many bytes at the end begin a character that the text does not complete.
fn incomplete_tail(bytes: &[u8]) -> usize {
    let tail = bytes.iter().rev().take(3).position(|&byte| byte >= 0xc0);
    match tail.and_then(|back| bytes.get(bytes.len() - back - 1..)) {
        Some(tail) => match std::str::from_utf8(tail) {
            Err(error) if error.error_len().is_none() => tail.len(),
            _ => 0,
        },
        None => 0,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::TextStream;

    #[test]
    fn a_character_may_be_cut_anywhere() {
        let whole = "aä€😀z";
        for at in 0..=whole.len() {
            let (head, tail) = whole.as_bytes().split_at(at);
            let mut stream = TextStream::default();
            let chunks = [stream.push(head), stream.push(tail), stream.finish()];
            let deltas: String = chunks
                .into_iter()
                .flatten()
                .map(|chunk| {
                    let chunk: serde_json::Value = serde_json::from_str(&chunk).unwrap();
                    chunk["delta"].as_str().unwrap().to_owned()
                })
                .collect();
            assert_eq!(deltas, whole, "cut at {at}");
        }
    }
}
