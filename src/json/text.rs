//! Decoded string data, as JavaScript strings hold it.

/// A string in WTF-8: UTF-8, plus lone surrogates as three bytes each.
///
/// JavaScript strings may hold lone surrogates, and a producer that slices strings by UTF-16 units
/// sends a surrogate pair in two deltas. Appending a low surrogate to a text that ends in a high
/// one joins them into the one code point that they spell.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Text {
    bytes: Vec<u8>,
    /// How many lone surrogates there are.
    surrogates: usize,
}

impl Text {
    /// An empty text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A text of UTF-8.
    #[must_use]
    pub fn from_utf8(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), surrogates: 0 }
    }

    /// A text of WTF-8 that [`as_bytes`](Self::as_bytes) gave, or of a piece that splits no code
    /// point.
    pub(super) fn from_wtf8(bytes: &[u8]) -> Self {
        let mut surrogates = 0;
        let mut rest = bytes;
        while let Some(at) = find_surrogate(rest) {
            surrogates += 1;
            rest = rest.get(at + 3..).unwrap_or_default();
        }
        Self { bytes: bytes.to_vec(), surrogates }
    }

    /// Appends UTF-8.
    pub fn push_str(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Appends another text, joining a surrogate pair that the seam splits.
    pub fn push_text(&mut self, text: &Self) {
        match text.leading_low_surrogate() {
            Some(low) if self.ends_with_high_surrogate() => {
                self.push_unit(unit_of(low));
                self.bytes.extend_from_slice(text.bytes.get(3..).unwrap_or_default());
                self.surrogates += text.surrogates - 1;
            }
            _ => {
                self.bytes.extend_from_slice(&text.bytes);
                self.surrogates += text.surrogates;
            }
        }
    }

    /// Appends one UTF-16 unit.
    pub fn push_unit(&mut self, unit: u16) {
        if let Some(character) = char::from_u32(u32::from(unit)) {
            return self.push_char(character);
        }
        let is_low = (0xdc00..0xe000).contains(&unit);
        if is_low && self.ends_with_high_surrogate() {
            let high = self.bytes.split_off(self.bytes.len() - 3);
            self.surrogates -= 1;
            let high = u32::from(unit_of([0xed, high[1], high[2]]));
            let code = 0x10000 + ((high - 0xd800) << 10) + (u32::from(unit) - 0xdc00);
            if let Some(character) = char::from_u32(code) {
                self.push_char(character);
            }
            return;
        }
        self.surrogates += 1;
        self.bytes.extend_from_slice(&surrogate_bytes(unit));
    }

    fn push_char(&mut self, character: char) {
        self.push_str(character.encode_utf8(&mut [0; 4]));
    }

    /// The bytes, in WTF-8.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The length in bytes of WTF-8.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The text as UTF-8; `None` when it holds a lone surrogate.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        if self.surrogates > 0 { None } else { std::str::from_utf8(&self.bytes).ok() }
    }

    /// The text as UTF-8, lone surrogates replaced by U+FFFD.
    #[must_use]
    pub fn to_string_lossy(&self) -> String {
        match self.as_str() {
            Some(text) => text.to_owned(),
            None => {
                let mut out = String::new();
                let mut rest = self.bytes.as_slice();
                while let Some(at) = find_surrogate(rest) {
                    out.push_str(&String::from_utf8_lossy(rest.get(..at).unwrap_or_default()));
                    out.push('\u{fffd}');
                    rest = rest.get(at + 3..).unwrap_or_default();
                }
                out.push_str(&String::from_utf8_lossy(rest));
                out
            }
        }
    }

    /// Whether there is a lone surrogate.
    #[must_use]
    pub fn has_surrogates(&self) -> bool {
        self.surrogates > 0
    }

    /// Whether the last unit is a high surrogate without its low one.
    #[must_use]
    pub fn ends_with_high_surrogate(&self) -> bool {
        matches!(self.bytes.as_slice(), [.., 0xed, 0xa0..=0xaf, _])
    }

    /// The first unit, when it is a lone low surrogate.
    #[must_use]
    pub fn leading_low_surrogate(&self) -> Option<[u8; 3]> {
        match self.bytes.as_slice() {
            [0xed, second @ 0xb0..=0xbf, third, ..] => Some([0xed, *second, *third]),
            _ => None,
        }
    }

    /// The length in UTF-16 units of a piece of WTF-8 that splits no code point.
    #[must_use]
    pub fn utf16_len(bytes: &[u8]) -> usize {
        let (words, rest) = bytes.as_chunks::<8>();
        let more = |bytes: &[u8]| -> usize { bytes.iter().map(|&byte| units(byte)).sum() };
        let in_words = |word: &[u8; 8]| if word.is_ascii() { 8 } else { more(word) };
        words.iter().map(in_words).sum::<usize>() + more(rest)
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}

/// How many UTF-16 units the code point has that begins with this byte; none for its other bytes.
fn units(byte: u8) -> usize {
    usize::from(!is_continuation(byte)) + usize::from(byte >= 0xf0)
}

/// Where the first lone surrogate of WTF-8 bytes is.
pub(super) fn find_surrogate(bytes: &[u8]) -> Option<usize> {
    bytes.windows(2).position(|pair| matches!(pair, [0xed, 0xa0..=0xbf]))
}

/// The unit that three bytes of WTF-8 stand for.
pub(super) fn unit_of([_, second, third]: [u8; 3]) -> u16 {
    0xd000 | u16::from(second & 0x3f) << 6 | u16::from(third & 0x3f)
}

fn surrogate_bytes(unit: u16) -> [u8; 3] {
    let six_bits = |shift: u32| 0x80 | u8::try_from(unit >> shift & 0x3f).unwrap_or(0);
    [0xed, six_bits(6), six_bits(0)]
}

#[cfg(test)]
mod tests {
    use super::Text;

    fn text(units: &[u16]) -> Text {
        let mut text = Text::new();
        units.iter().for_each(|&unit| text.push_unit(unit));
        text
    }

    #[test]
    fn a_pair_split_over_two_texts_is_joined() {
        let mut joined = text(&[0x61, 0xd83d]);
        assert!(joined.has_surrogates() && joined.ends_with_high_surrogate());
        joined.push_text(&text(&[0xde00, 0x62]));
        assert_eq!(joined.as_str(), Some("a😀b"));
        assert_eq!(joined, Text::from_utf8("a😀b"));
    }

    #[test]
    fn lone_surrogates_stay() {
        let lone = text(&[0xde00, 0xd83d, 0x61, 0xd83d]);
        assert_eq!(lone.as_str(), None);
        assert_eq!(lone.len(), 10);
        assert_eq!(lone.to_string_lossy(), "\u{fffd}\u{fffd}a\u{fffd}");
        assert_eq!(Text::utf16_len(lone.as_bytes()), 4);
    }

    #[test]
    fn lengths_are_in_utf16_units() {
        for (text, units) in [("", 0), ("abc", 3), ("ä€", 2), ("a😀b", 4)] {
            assert_eq!(Text::utf16_len(text.as_bytes()), units, "{text}");
        }
    }
}
