//! The spelling of a quoted text, one byte at a time.

/// Where in its spelling a quoted text is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spelling {
    Plain,
    /// After a backslash.
    Escape,
    /// In `\uXXXX`, after `digits` digits that make `unit` so far.
    UnicodeEscape {
        unit: u16,
        digits: u8,
    },
}

/// What a byte of a quoted text completes.
pub(super) enum Spelled {
    Nothing,
    /// An escape, of this UTF-16 unit.
    Unit(u16),
    /// The text: its closing quote.
    End,
    /// A character that must be escaped, or an escape that does not exist.
    Invalid,
    /// Not a digit of the escape, which goes on waiting for its digits.
    NotADigit,
}

impl Spelling {
    /// Reads `byte`, which in plain text is one that [`find_string_special`](crate::swar::find_string_special)
    /// stops at.
    pub(super) fn next(self, byte: u8) -> (Self, Spelled) {
        match self {
            Self::Plain => match byte {
                b'"' => (self, Spelled::End),
                b'\\' => (Self::Escape, Spelled::Nothing),
                _ => (self, Spelled::Invalid),
            },
            Self::Escape => {
                let character = match byte {
                    b'"' | b'\\' | b'/' => byte,
                    b'b' => 0x08,
                    b'f' => 0x0c,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    b'u' => {
                        let escape = Self::UnicodeEscape { unit: 0, digits: 0 };
                        return (escape, Spelled::Nothing);
                    }
                    _ => return (Self::Plain, Spelled::Invalid),
                };
                (Self::Plain, Spelled::Unit(u16::from(character)))
            }
            Self::UnicodeEscape { unit, digits } => {
                let Some(digit) = hex_digit(byte) else {
                    return (self, Spelled::NotADigit);
                };
                let unit = unit << 4 | digit;
                match digits {
                    3 => (Self::Plain, Spelled::Unit(unit)),
                    _ => {
                        let digits = digits + 1;
                        (Self::UnicodeEscape { unit, digits }, Spelled::Nothing)
                    }
                }
            }
        }
    }
}

fn hex_digit(byte: u8) -> Option<u16> {
    let digit = char::from(byte).to_digit(16)?;
    u16::try_from(digit).ok()
}
