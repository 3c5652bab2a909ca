//! Rows of GFM tables.

use super::MAX_COLUMNS;

/// How the cells of a column are aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alignment {
    Unset,
    Left,
    Center,
    Right,
}

/// The columns of a delimiter row such as `| :-- | --: |`.
pub(super) fn delimiter_row(text: &str) -> Option<Vec<Alignment>> {
    if !text.bytes().all(|b| matches!(b, b'|' | b'-' | b':' | b' ' | b'\t')) || !text.contains('-')
    {
        return None;
    }
    let mut columns = Vec::new();
    for cell in cells(text) {
        let dashes = cell.trim_start_matches(':').trim_end_matches(':');
        let colons = cell.len() - dashes.len();
        if dashes.is_empty() || !dashes.bytes().all(|b| b == b'-') || colons > 2 {
            return None;
        }
        columns.push(match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) if colons == 2 => Alignment::Center,
            (true, false) if colons == 1 => Alignment::Left,
            (false, true) if colons == 1 => Alignment::Right,
            (false, false) => Alignment::Unset,
            _ => return None,
        });
        if columns.len() > MAX_COLUMNS {
            return None;
        }
    }
    Some(columns)
}

/// The cells of a row, without the spaces around them. A pipe after a backslash is no border.
pub(super) fn cells(row: &str) -> impl Iterator<Item = &str> {
    let row = row.trim_matches([' ', '\t']);
    let mut rest = row.strip_prefix('|').unwrap_or(row);
    let mut ended = rest.is_empty();
    std::iter::from_fn(move || {
        if ended {
            return None;
        }
        let mut escaped = false;
        let border = rest.bytes().position(|byte| {
            let found = byte == b'|' && !escaped;
            escaped = byte == b'\\' && !escaped;
            found
        });
        let cell = border.map_or(rest, |at| &rest[..at]);
        rest = border.map_or("", |at| &rest[at + 1..]);
        ended = rest.is_empty();
        Some(cell.trim_matches([' ', '\t']))
    })
}
