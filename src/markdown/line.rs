//! One line: a cursor that counts columns as tabs make them, and what a line can begin with.

/// Where a line is being read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    pub(super) line: &'a str,
    /// Bytes read. A tab is read when its last column is.
    pub(super) offset: usize,
    /// Columns read; a tab ends at the next multiple of four.
    pub(super) column: usize,
    /// Whether some, but not all, columns of the tab at `offset` were read.
    in_tab: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(line: &'a str) -> Self {
        Self { line, offset: 0, column: 0, in_tab: false }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.line.as_bytes().get(self.offset).copied()
    }

    /// Offset and column of the next byte that is neither space nor tab.
    fn next_nonspace(&self) -> (usize, usize) {
        let mut column = self.column;
        for (index, byte) in self.line.bytes().enumerate().skip(self.offset) {
            match byte {
                b' ' => column += 1,
                b'\t' => column += 4 - column % 4,
                _ => return (index, column),
            }
        }
        (self.line.len(), column)
    }

    /// Columns up to the next byte that is neither space nor tab.
    pub(super) fn indent(&self) -> usize {
        self.next_nonspace().1 - self.column
    }

    pub(super) fn is_blank(&self) -> bool {
        is_blank(&self.line[self.offset..])
    }

    pub(super) fn skip_spaces(&mut self) {
        (self.offset, self.column) = self.next_nonspace();
        self.in_tab = false;
    }

    /// What is left after spaces and tabs.
    pub(super) fn rest(&self) -> &'a str {
        &self.line[self.next_nonspace().0..]
    }

    /// Reads `bytes` bytes, of which none is a tab.
    pub(super) fn skip(&mut self, bytes: usize) {
        self.offset += bytes;
        self.column += bytes;
        self.in_tab = false;
    }

    /// Reads up to `columns` columns of spaces and tabs.
    pub(super) fn skip_columns(&mut self, columns: usize) {
        let target = self.column + columns;
        while self.column < target {
            match self.peek() {
                Some(b'\t') => {
                    let end = self.column + 4 - self.column % 4;
                    self.in_tab = end > target;
                    self.column = end.min(target);
                    self.offset += usize::from(!self.in_tab);
                }
                Some(b' ') => {
                    self.skip(1);
                }
                _ => return,
            }
        }
    }

    /// What is left: columns of a tab that was partly read, as spaces, and the offset after it.
    pub(super) fn remainder(&self) -> (u8, usize) {
        if self.in_tab { ((4 - self.column % 4) as u8, self.offset + 1) } else { (0, self.offset) }
    }
}

/// Whether a line has nothing but what is taken for space between blocks.
pub(super) fn is_blank(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | 0x0b | 0x0c))
}

fn count(text: &str, byte: u8) -> usize {
    text.bytes().take_while(|b| *b == byte).count()
}

fn is_space(byte: u8) -> bool {
    byte == b' ' || byte == b'\t'
}

/// `***`, `- - -`, `___`.
pub(super) fn is_thematic_break(text: &str) -> bool {
    let Some(mark @ (b'*' | b'-' | b'_')) = text.bytes().next() else { return false };
    let mut marks = 0;
    for byte in text.bytes() {
        match byte {
            byte if byte == mark => marks += 1,
            b' ' | b'\t' => {}
            _ => return false,
        }
    }
    marks >= 3
}

/// The level of a heading and where its content is in `text`.
pub(super) fn atx_heading(text: &str) -> Option<(u8, usize, usize)> {
    let level = count(text, b'#');
    let rest = &text[level..];
    if !(1..=6).contains(&level) || !rest.bytes().next().is_none_or(is_space) {
        return None;
    }
    let trim = |text: &'_ str| text.trim_end_matches([' ', '\t']).len();
    let start = text.len() - rest.trim_start_matches([' ', '\t']).len();
    let content = &text[..trim(text).max(start)];
    let without = content.trim_end_matches('#');
    // The closing sequence stands alone or after a space.
    let end = if without.len() <= start {
        start
    } else if without.len() < content.len() && without.bytes().last().is_some_and(is_space) {
        trim(without).max(start)
    } else {
        content.len()
    };
    Some((level as u8, start, end))
}

/// The level of a setext heading's underline.
pub(super) fn setext_underline(text: &str) -> Option<u8> {
    let level = match text.bytes().next() {
        Some(b'=') => 1,
        Some(b'-') => 2,
        _ => return None,
    };
    let text = text.trim_end_matches([' ', '\t']);
    let same = count(text, if level == 1 { b'=' } else { b'-' }) == text.len();
    same.then_some(level)
}

/// The character and length of a fence that opens here.
pub(super) fn opening_fence(text: &str) -> Option<(u8, usize)> {
    let mark = text.bytes().next().filter(|b| matches!(b, b'`' | b'~'))?;
    let length = count(text, mark);
    (length >= 3 && (mark == b'~' || !text[length..].contains('`'))).then_some((mark, length))
}

pub(super) fn closes_fence(text: &str, mark: u8, length: usize) -> bool {
    let marks = count(text, mark);
    marks >= length && text[marks..].bytes().all(is_space)
}

/// A list item's marker: `-`, `+`, `*`, or a number with `.` or `)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marker {
    /// The bullet, or the character after the number: what items of one list share.
    pub(super) mark: u8,
    pub(super) number: Option<u32>,
    /// In bytes.
    pub(super) length: usize,
}

pub(super) fn list_marker(text: &str) -> Option<Marker> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let mark = *text.as_bytes().get(digits)?;
    let number = match (digits, mark) {
        (0, b'-' | b'+' | b'*') => None,
        (1..=9, b'.' | b')') => Some(text[..digits].parse().ok()?),
        _ => return None,
    };
    let length = digits + 1;
    let follows = text.as_bytes().get(length).copied().is_none_or(is_space);
    follows.then_some(Marker { mark, number, length })
}

/// `[ ] ` or `[x] ` and something after it.
pub(super) fn task_mark(text: &str) -> Option<bool> {
    let checked = match text.as_bytes() {
        [b'[', b' ', b']', b' ' | b'\t', ..] => false,
        [b'[', b'x' | b'X', b']', b' ' | b'\t', ..] => true,
        _ => return None,
    };
    (!is_blank(&text[3..])).then_some(checked)
}

/// How an HTML block that begins here ends: 1 to 5 with a text, 6 and 7 before a blank line, as
/// `CommonMark` numbers them.
pub(super) fn html_block(text: &str) -> Option<u8> {
    let rest = text.strip_prefix('<')?;
    if let Some(rest) = rest.strip_prefix('!') {
        return if rest.starts_with("--") {
            Some(2)
        } else if rest.starts_with("[CDATA[") {
            Some(5)
        } else {
            rest.starts_with(|c: char| c.is_ascii_alphabetic()).then_some(4)
        };
    }
    if rest.starts_with('?') {
        return Some(3);
    }
    let closing = rest.starts_with('/');
    let name_text = rest.strip_prefix('/').unwrap_or(rest);
    let length = name_text
        .bytes()
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'-')
        .count()
        .min(MAX_TAG_NAME);
    let (name, after) = name_text.split_at(length);
    let name = name.to_ascii_lowercase();
    let ended = after.is_empty() || after.starts_with([' ', '\t', '>']);
    if !closing && ended && matches!(name.as_str(), "script" | "pre" | "style" | "textarea") {
        return Some(1);
    }
    if (ended || after.starts_with("/>")) && BLOCK_TAGS.contains(&name.as_str()) {
        return Some(6);
    }
    is_only_tag(rest).then_some(7)
}

const MAX_TAG_NAME: usize = 64;

const BLOCK_TAGS: &[&str] = &[
    "address",
    "article",
    "aside",
    "base",
    "basefont",
    "blockquote",
    "body",
    "caption",
    "center",
    "col",
    "colgroup",
    "dd",
    "details",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "fieldset",
    "figcaption",
    "figure",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hr",
    "html",
    "iframe",
    "legend",
    "li",
    "link",
    "main",
    "menu",
    "menuitem",
    "nav",
    "noframes",
    "ol",
    "optgroup",
    "option",
    "p",
    "param",
    "search",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "title",
    "tr",
    "track",
    "ul",
];

pub(super) fn ends_html_block(kind: u8, line: &str) -> bool {
    match kind {
        1 => {
            let line = line.to_ascii_lowercase();
            ["</script>", "</pre>", "</style>", "</textarea>"].iter().any(|end| line.contains(end))
        }
        2 => line.contains("-->"),
        3 => line.contains("?>"),
        4 => line.contains('>'),
        5 => line.contains("]]>"),
        _ => false,
    }
}

/// Whether one complete opening or closing tag, after its `<`, is all there is.
fn is_only_tag(text: &str) -> bool {
    let closing = text.starts_with('/');
    let mut rest = text.strip_prefix('/').unwrap_or(text);
    let name = |c: char| c.is_ascii_alphanumeric() || c == '-';
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return false;
    }
    rest = rest.trim_start_matches(name);
    loop {
        let trimmed = rest.trim_start_matches([' ', '\t']);
        if let Some(end) = trimmed
            .strip_prefix('>')
            .or_else(|| (!closing).then(|| trimmed.strip_prefix("/>")).flatten())
        {
            return end.bytes().all(is_space);
        }
        if closing || trimmed.len() == rest.len() {
            return false;
        }
        let Some(after) = attribute(trimmed) else { return false };
        rest = after;
    }
}

/// What follows the attribute at the start of `text`.
fn attribute(text: &str) -> Option<&str> {
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == ':') {
        return None;
    }
    let rest = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || "_.:-".contains(c));
    let Some(value) = rest.trim_start_matches([' ', '\t']).strip_prefix('=') else {
        return Some(rest);
    };
    let value = value.trim_start_matches([' ', '\t']);
    if let Some(quote @ ('"' | '\'')) = value.chars().next() {
        return value[1..].split_once(quote).map(|(_, rest)| rest);
    }
    let rest = value.trim_start_matches(|c: char| !" \t\"'=<>`".contains(c));
    (rest.len() < value.len()).then_some(rest)
}
