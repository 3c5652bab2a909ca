//! Looks at eight bytes at a time: the wasm is built without vector instructions.

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// The first byte from `at` on that is a control character (below 0x20), `"` or `\`; the length
/// when there is none.
pub(crate) fn find_string_special(bytes: &[u8], at: usize) -> usize {
    let zeroes = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    find(bytes, at, |word| {
        zeroes(word ^ (ONES * u64::from(b'"')))
            | zeroes(word ^ (ONES * u64::from(b'\\')))
            | controls(word)
    })
}

/// The first control character from `at` on; the length when there is none.
pub(crate) fn find_control(bytes: &[u8], at: usize) -> usize {
    find(bytes, at, controls)
}

/// Whether `bytes` begin with `start`.
pub(crate) fn starts_with(bytes: &[u8], start: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..start.len()) else { return false };
    let (words, rest) = bytes.as_chunks::<8>();
    let (expected, expected_rest) = start.as_chunks::<8>();
    words.iter().zip(expected).all(|(a, b)| u64::from_le_bytes(*a) == u64::from_le_bytes(*b))
        && rest.iter().zip(expected_rest).all(|(a, b)| a == b)
}

/// The high bit of each byte below 0x20. Bits above the lowest one that is set may be wrong.
fn controls(word: u64) -> u64 {
    word.wrapping_sub(ONES * 0x20) & !word & HIGHS
}

fn find(bytes: &[u8], mut at: usize, matches: impl Fn(u64) -> u64) -> usize {
    while let Some(Ok(chunk)) = bytes.get(at..at + 8).map(<[u8; 8]>::try_from) {
        let found = matches(u64::from_le_bytes(chunk));
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    // The rest, filled up with bytes that match nothing.
    let rest = bytes.get(at..).unwrap_or_default();
    let mut last = [b' '; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    match matches(u64::from_le_bytes(last)) {
        0 => bytes.len().max(at),
        found => at + (found.trailing_zeros() / 8) as usize,
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use super::{find_control, find_string_special, starts_with};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn compares_as_a_plain_comparison(
            start in proptest::collection::vec(0_u8..3, 0..30),
            bytes in proptest::collection::vec(0_u8..3, 0..30),
            rest in proptest::collection::vec(any::<u8>(), 0..10),
        ) {
            prop_assert_eq!(starts_with(&bytes, &start), bytes.starts_with(&start));
            prop_assert!(starts_with(&[start.clone(), rest].concat(), &start));
        }

        #[test]
        fn finds_what_a_plain_search_finds(
            bytes in proptest::collection::vec(prop_oneof![
                8 => any::<u8>(),
                1 => Just(b'"'),
                1 => Just(b'\\'),
                1 => Just(b'\n'),
            ], 0..40),
            start in 0_usize..40,
        ) {
            let plain = |special: fn(u8) -> bool| {
                let found = bytes.iter().skip(start).position(|&byte| special(byte));
                found.map_or_else(|| bytes.len().max(start), |at| start + at)
            };
            prop_assert_eq!(
                find_string_special(&bytes, start),
                plain(|byte| byte < 0x20 || byte == b'"' || byte == b'\\')
            );
            prop_assert_eq!(find_control(&bytes, start), plain(|byte| byte < 0x20));
        }
    }
}
