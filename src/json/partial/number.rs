//! The grammar of a number, one byte at a time.

/// What the last byte of a number was.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NumberPart {
    Minus,
    /// A leading zero, which no digit may follow.
    Zero,
    Integer,
    Point,
    Fraction,
    Exponent,
    ExponentSign,
    ExponentDigit,
    /// Out of place: `1-`, `1..`, `01`.
    Misplaced,
}

impl NumberPart {
    /// What `byte` is after this, or `None` when it does not belong to the number.
    pub(super) fn next(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus, b'1'..=b'9') | (Self::Integer, b'0'..=b'9') => Self::Integer,
            (Self::Zero | Self::Integer, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Integer | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::ExponentSign,
            (Self::Exponent | Self::ExponentSign | Self::ExponentDigit, b'0'..=b'9') => {
                Self::ExponentDigit
            }
            (_, b'0'..=b'9' | b'.' | b'e' | b'E' | b'-') => Self::Misplaced,
            _ => return None,
        })
    }

    /// Whether a number may end here.
    pub(super) fn is_end(self) -> bool {
        matches!(self, Self::Zero | Self::Integer | Self::Fraction | Self::ExponentDigit)
    }
}
