//! Reads Rust source just far enough to list the paths and the string literals in it.

/// What the guard looks at in a source file.
pub(crate) enum Item {
    /// A path as written, `use` groups spelled out: `use std::{fs, time::Instant}` is two paths.
    Path {
        segments: Vec<String>,
        /// How many inline `mod name { … }` blocks stand around it: each is one `super` more.
        depth: usize,
    },
    /// The content of a string literal.
    Text(String),
}

/// An item and the number of the line it starts on, from 1.
pub(crate) struct Located {
    pub(crate) line: usize,
    pub(crate) item: Item,
}

/// Every path and string literal of `source`, comments left out.
pub(crate) fn items(source: &str) -> Vec<Located> {
    let tokens = tokens(source);
    let mut found = Vec::new();
    let mut modules: Vec<usize> = Vec::new(); // the brace depth at which each inline module began
    let mut braces = 0;
    let mut at = 0;
    while let Some((line, token)) = tokens.get(at) {
        match token {
            Token::Name(name) if name == "mod" && opens_module(&tokens, at) => {
                modules.push(braces);
                braces += 1;
                at += 3;
            }
            Token::Name(_) => {
                at = path_tree(&tokens, at, &[], modules.len(), &mut found);
            }
            Token::Text(text) => {
                found.push(Located { line: *line, item: Item::Text(text.clone()) });
                at += 1;
            }
            Token::Mark('{') => {
                braces += 1;
                at += 1;
            }
            Token::Mark('}') => {
                braces -= 1;
                if modules.last() == Some(&braces) {
                    modules.pop();
                }
                at += 1;
            }
            _ => at += 1,
        }
    }
    found
}

enum Token {
    Name(String),
    Text(String),
    PathSeparator,
    Mark(char),
}

type LocatedToken = (usize, Token);

fn opens_module(tokens: &[LocatedToken], at: usize) -> bool {
    matches!(tokens.get(at + 1), Some((_, Token::Name(_))))
        && matches!(tokens.get(at + 2), Some((_, Token::Mark('{'))))
}

/// Reads the path or the `use` tree that starts at `at`, and returns where it ends.
fn path_tree(
    tokens: &[LocatedToken],
    mut at: usize,
    prefix: &[String],
    depth: usize,
    found: &mut Vec<Located>,
) -> usize {
    let mut segments = prefix.to_vec();
    let line = tokens.get(at).map_or(0, |(line, _)| *line);
    loop {
        match tokens.get(at) {
            Some((_, Token::Name(name))) => {
                segments.push(name.clone());
                at += 1;
            }
            Some((_, Token::Mark('*'))) => {
                segments.push("*".to_owned());
                at += 1;
            }
            Some((_, Token::Mark('{'))) => {
                at += 1;
                while let Some((_, token)) = tokens.get(at) {
                    match token {
                        Token::Mark('}') => return at + 1,
                        Token::Name(_) | Token::Mark('*' | '{') => {
                            at = path_tree(tokens, at, &segments, depth, found);
                        }
                        _ => at += 1,
                    }
                }
                return at;
            }
            _ => break,
        }
        let continues = matches!(tokens.get(at), Some((_, Token::PathSeparator)))
            && matches!(tokens.get(at + 1), Some((_, Token::Name(_) | Token::Mark('*' | '{'))));
        if !continues {
            break;
        }
        at += 1;
    }
    let item = Item::Path { segments, depth };
    found.push(Located { line, item });
    at
}

fn tokens(source: &str) -> Vec<LocatedToken> {
    let characters: Vec<char> = source.chars().collect();
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut at = 0;
    while at < characters.len() {
        let rest = &characters[at..];
        let (token, length) = next_token(rest);
        if let Some(token) = token {
            tokens.push((line, token));
        }
        line += rest[..length].iter().filter(|&&c| c == '\n').count();
        at += length;
    }
    tokens
}

/// The token that `rest` starts with, if it is one of interest, and its length.
fn next_token(rest: &[char]) -> (Option<Token>, usize) {
    match rest {
        ['/', '/', ..] => (None, line_length(rest)),
        ['/', '*', ..] => (None, block_comment_length(rest)),
        [':', ':', ..] => (Some(Token::PathSeparator), 2),
        ['"', ..] => text(rest, 0),
        ['b' | 'c', '"', ..] => text(rest, 1),
        ['r', '"' | '#', ..] if raw_hashes(&rest[1..]).is_some() => raw_text(rest, 1),
        ['b' | 'c', 'r', '"' | '#', ..] if raw_hashes(&rest[2..]).is_some() => raw_text(rest, 2),
        ['r', '#', ..] => (None, 2), // a raw identifier: its name follows
        ['\'', '\\', ..] => (None, escaped_character_length(rest)),
        ['\'', _, '\'', ..] => (None, 3),
        [c, ..] if is_name(*c) => {
            let length = rest.iter().take_while(|c| is_name(**c)).count();
            let name: String = rest[..length].iter().collect();
            let number = c.is_ascii_digit();
            ((!number).then_some(Token::Name(name)), length)
        }
        [c, ..] => ((!c.is_whitespace()).then_some(Token::Mark(*c)), 1),
        [] => (None, 0),
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn line_length(rest: &[char]) -> usize {
    rest.iter().take_while(|&&c| c != '\n').count()
}

fn block_comment_length(rest: &[char]) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < rest.len() {
        match rest[at..] {
            ['/', '*', ..] => {
                depth += 1;
                at += 2;
            }
            ['*', '/', ..] => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    break;
                }
            }
            _ => at += 1,
        }
    }
    at
}

fn escaped_character_length(rest: &[char]) -> usize {
    let after_escape = rest.iter().skip(3).take_while(|&&c| c != '\'').count();
    (3 + after_escape + 1).min(rest.len())
}

fn text(rest: &[char], prefix: usize) -> (Option<Token>, usize) {
    let start = prefix + 1;
    let mut end = start;
    while end < rest.len() && rest[end] != '"' {
        end += if rest[end] == '\\' { 2 } else { 1 };
    }
    let end = end.min(rest.len());
    let content = rest[start..end].iter().collect();
    (Some(Token::Text(content)), (end + 1).min(rest.len()))
}

/// How many `#` stand before the quote of a raw string, or none if this is not one.
fn raw_hashes(rest: &[char]) -> Option<usize> {
    let hashes = rest.iter().take_while(|&&c| c == '#').count();
    (rest.get(hashes) == Some(&'"')).then_some(hashes)
}

fn raw_text(rest: &[char], prefix: usize) -> (Option<Token>, usize) {
    let hashes = raw_hashes(&rest[prefix..]).unwrap_or(0);
    let start = prefix + hashes + 1;
    let mut closing = vec!['"'];
    closing.resize(hashes + 1, '#');
    let end =
        (start..rest.len()).find(|&at| rest[at..].starts_with(&closing)).unwrap_or(rest.len());
    let content = rest[start..end].iter().collect();
    (Some(Token::Text(content)), (end + closing.len()).min(rest.len()))
}
