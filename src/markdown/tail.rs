//! What is unclosed at the end of an unfinished leaf, closed for display: emphasis and code spans get
//! their end, of a link whose URL is not complete its text is shown, of such an image nothing.

/// Longest text of a link that is taken for one while it has no end, in bytes.
const MAX_LINK_TEXT: usize = 256;

/// Longer runs of backticks are not looked for where a code span could end.
const MAX_BACKTICKS: usize = 64;

/// The text as it is to be parsed while more of it may come.
pub(super) fn close(text: &str) -> String {
    let mut scanner = Scanner::new(text);
    scanner.scan();
    scanner.close()
}

/// A run of `*`, `_` or `~` that opened something.
struct Opener {
    mark: u8,
    length: usize,
    /// Where the run begins.
    at: usize,
}

struct Bracket {
    at: usize,
    is_image: bool,
    /// How many openers there were before it.
    openers: usize,
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
    openers: Vec<Opener>,
    brackets: Vec<Bracket>,
    /// Where the last run of each number of backticks begins, by that number.
    last_backticks: [usize; MAX_BACKTICKS],
    /// The number of backticks that opened the code span at the end.
    code: Option<usize>,
    /// Where the text is cut off.
    end: usize,
    /// The brackets of links that have no end yet.
    hidden: Vec<usize>,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Self {
        let mut last_backticks = [0; MAX_BACKTICKS];
        let mut at = 0;
        while let Some(next) = text[at..].find('`') {
            let start = at + next;
            let length = run_length(text, start);
            if let Some(last) = last_backticks.get_mut(length) {
                *last = start;
            }
            at = start + length;
        }
        Self {
            text,
            at: 0,
            openers: Vec::new(),
            brackets: Vec::new(),
            last_backticks,
            code: None,
            end: text.len(),
            hidden: Vec::new(),
        }
    }

    fn scan(&mut self) {
        while self.at < self.end {
            match self.text.as_bytes()[self.at] {
                b'\\' if self.at + 1 == self.end => self.end = self.at,
                b'\\' => self.at += 2,
                b'`' => self.code_span(),
                b'<' => self.skip_tag(),
                b'*' | b'_' | b'~' => self.delimiters(),
                b'!' if self.text[self.at..].starts_with("![") => {
                    self.open_bracket(true);
                    self.at += 2;
                }
                b'[' => {
                    self.open_bracket(false);
                    self.at += 1;
                }
                b']' => self.close_bracket(),
                _ => self.at += 1,
            }
        }
    }

    /// Goes on after a code span. One without an end reaches to the end of the text.
    fn code_span(&mut self) {
        let length = run_length(self.text, self.at);
        let start = self.at + length;
        if self.last_backticks.get(length).is_some_and(|last| *last >= start) {
            let mut at = start;
            while let Some(next) = self.text[at..].find('`') {
                let run = run_length(self.text, at + next);
                at += next + run;
                if run == length {
                    break;
                }
            }
            self.at = at;
            return;
        }
        // Backticks at the end are the first ones of those that close it.
        let content = self.text[start..].trim_end_matches('`');
        if content.is_empty() {
            self.end = self.at;
        } else {
            self.end = start + content.len();
            self.code = Some(length);
        }
        self.at = self.text.len();
    }

    /// Goes on after a tag or an autolink, in which nothing else counts.
    fn skip_tag(&mut self) {
        let rest = &self.text[self.at + 1..];
        let is_tag = rest.starts_with(|c: char| c.is_ascii_alphabetic() || "/!?".contains(c));
        let length = rest.find(['<', '>', '`']).filter(|end| rest[*end..].starts_with('>'));
        self.at += match length {
            Some(length) if is_tag => length + 2,
            _ => 1,
        };
    }

    fn delimiters(&mut self) {
        let (at, mark) = (self.at, self.text.as_bytes()[self.at]);
        let run = run_length(self.text, at);
        self.at += run;
        let before = self.text[..at].chars().next_back().unwrap_or(' ');
        let after = self.text[self.at..].chars().next().unwrap_or(' ');
        let is_punctuation = |c: char| !c.is_alphanumeric() && !c.is_whitespace();
        let opens = !after.is_whitespace()
            && (!is_punctuation(after) || before.is_whitespace() || is_punctuation(before));
        let closes = !before.is_whitespace()
            && (!is_punctuation(before) || after.is_whitespace() || is_punctuation(after));
        let (opens, closes) = match mark {
            b'_' => (
                opens && (!closes || is_punctuation(before)),
                closes && (!opens || is_punctuation(after)),
            ),
            _ => (opens, closes),
        };
        let left = if closes { self.close_openers(mark, run) } else { run };
        if left > 0 && opens {
            self.openers.push(Opener { mark, length: left, at });
        } else if self.at == self.text.len() && before.is_whitespace() {
            self.end = at;
        }
    }

    /// Closes what a run can close; gives how much of the run is left.
    fn close_openers(&mut self, mark: u8, mut run: usize) -> usize {
        while run > 0 {
            let found = self.openers.iter().rposition(|opener| opener.mark == mark);
            let Some(index) = found else { break };
            self.openers.truncate(index + 1);
            let Some(opener) = self.openers.last_mut() else { break };
            let closed = run.min(opener.length);
            opener.length -= closed;
            run -= closed;
            if opener.length == 0 {
                self.openers.pop();
            }
        }
        run
    }

    fn open_bracket(&mut self, is_image: bool) {
        self.brackets.push(Bracket { at: self.at, is_image, openers: self.openers.len() });
    }

    fn close_bracket(&mut self) {
        let at = self.at;
        self.at += 1;
        let Some(bracket) = self.brackets.pop() else { return };
        let rest = &self.text[self.at..];
        let length = match rest.bytes().next() {
            Some(b'(') => destination_length(rest),
            Some(b'[') => rest.find(']').map(|end| end + 1),
            _ => return,
        };
        if let Some(length) = length {
            self.at += length;
            self.openers.truncate(bracket.openers);
        } else if bracket.is_image {
            self.end = bracket.at;
        } else {
            self.end = at;
            self.hidden.push(bracket.at);
        }
    }

    fn close(mut self) -> String {
        self.hide_open_brackets();
        let mut closed = String::with_capacity(self.end + 16);
        let mut from = 0;
        self.hidden.sort_unstable();
        for bracket in self.hidden.iter().filter(|at| **at < self.end) {
            closed.push_str(&self.text[from..*bracket]);
            from = bracket + 1;
        }
        closed.push_str(&self.text[from..self.end]);
        if let Some(length) = self.code {
            closed.extend(std::iter::repeat_n('`', length));
        }
        closed.truncate(closed.trim_end().len());
        for opener in self.openers.iter().rev().filter(|opener| opener.at < self.end) {
            closed.extend(std::iter::repeat_n(char::from(opener.mark), opener.length));
        }
        closed
    }

    /// A bracket that is not closed is taken for a link's or an image's, if it is near the end.
    fn hide_open_brackets(&mut self) {
        for bracket in self.brackets.iter().rev() {
            let rest = &self.text[bracket.at..];
            if rest.len() > MAX_LINK_TEXT || rest.contains('\n') {
                return;
            }
            if bracket.is_image {
                self.end = self.end.min(bracket.at);
                self.code = None;
            } else {
                self.hidden.push(bracket.at);
            }
        }
    }
}

/// How often the byte at `at` is repeated.
fn run_length(text: &str, at: usize) -> usize {
    let bytes = &text.as_bytes()[at..];
    bytes.iter().take_while(|byte| **byte == bytes[0]).count()
}

/// The length of a link's URL and title with their parentheses.
fn destination_length(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut escaped = false;
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(index + 1),
            b')' => depth -= 1,
            _ => {}
        }
    }
    None
}
