//! UTF-8 that may hold lone surrogates, as three bytes each.

/// How many bytes at the end begin a code point without completing it.
pub(super) fn incomplete_len(text: &[u8]) -> usize {
    let is_continuation = |byte: &u8| matches!(byte, 0x80..=0xbf);
    let continuations = text.iter().rev().take(3).take_while(|b| is_continuation(b)).count();
    let needed = match text.iter().rev().nth(continuations) {
        Some(0xc0..=0xdf) => 1,
        Some(0xe0..=0xef) => 2,
        Some(0xf0..=0xf7) => 3,
        _ => 0,
    };
    if continuations < needed { continuations + 1 } else { 0 }
}

/// Writes a UTF-16 unit to `buffer`.
pub(super) fn encode_unit(unit: u16, buffer: &mut [u8; 3]) -> &[u8] {
    match char::from_u32(u32::from(unit)) {
        Some(character) => character.encode_utf8(buffer).as_bytes(),
        None => {
            let [high, low] = unit.to_be_bytes();
            *buffer = [0xed, 0x80 | (high & 0x0f) << 2 | low >> 6, 0x80 | low & 0x3f];
            buffer
        }
    }
}

/// `text` with its surrogate pairs as code points, or `None` when it has none.
pub(super) fn join_surrogates(text: &[u8]) -> Option<Vec<u8>> {
    // The first byte of every surrogate, and of few other characters.
    if !text.contains(&0xed) {
        return None;
    }
    text.windows(6).position(|six| surrogate_pair(six).is_some())?;
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((&first, after)) = rest.split_first() {
        if let Some(character) = surrogate_pair(rest) {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            rest = rest.get(6..)?;
        } else {
            out.push(first);
            rest = after;
        }
    }
    Some(out)
}

/// The code point of the surrogate pair that `text` begins with.
fn surrogate_pair(text: &[u8]) -> Option<char> {
    let [0xed, a @ 0xa0..=0xaf, b, 0xed, c @ 0xb0..=0xbf, d, ..] = text else {
        return None;
    };
    let ten_bits = |upper: &u8, lower: &u8| u32::from(upper & 0x0f) << 6 | u32::from(lower & 0x3f);
    char::from_u32(0x10000 + (ten_bits(a, b) << 10 | ten_bits(c, d)))
}
