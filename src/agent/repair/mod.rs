//! Puts right what models get wrong in the input of a tool.
//!
//! The reader is our own: of the crates that repair JSON none is kept well enough to depend on. The
//! most used one is a command-line tool, too, and brings a parser of arguments with it.

mod lenient;
mod paths;

use std::collections::{BTreeMap, BTreeSet};

use crate::json::{self, JsonErrorKind, JsonStr};

/// What is known about the tool's input.
#[derive(Clone, Debug, Default)]
pub struct RepairOptions {
    /// JSON pointers that models put before the paths of a JSON Patch, like `/data`; they are
    /// stripped. Default: none.
    pub path_prefixes: Vec<String>,
    /// Beginnings of paths that models abbreviate, and what they stand for: `/work` for
    /// `/sections/work/items`. Default: none.
    pub shortcuts: BTreeMap<String, String>,
}

/// A repaired input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repaired {
    /// Valid JSON; the given text where nothing was wrong.
    pub text: String,
    /// What was repaired.
    pub repairs: BTreeSet<Repair>,
}

/// Something that was repaired. Each has a stable code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[non_exhaustive]
pub enum Repair {
    /// Words, or the fence of a code block, stood around the JSON.
    Prose,
    /// It had comments.
    Comment,
    /// A name had no quotes, or something had single ones.
    Quotes,
    /// A comma was missing, or stood behind the last element.
    Comma,
    /// `True`, `False` or `None`.
    Literal,
    /// A string had a control character, or an escape that JSON does not have.
    Escape,
    /// Brackets at the end were missing, behind a complete value. An output that was cut off by its
    /// limit may look so, too.
    Closed,
    /// The whole JSON stood in a string.
    Unwrapped,
    /// The path of an operation lost a prefix, or got its first slash.
    PathPrefix,
    /// The path of an operation began with a shortcut.
    PathShortcut,
}

impl Repair {
    /// The stable code, for programs.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Prose => "prose",
            Self::Comment => "comment",
            Self::Quotes => "quotes",
            Self::Comma => "comma",
            Self::Literal => "literal",
            Self::Escape => "escape",
            Self::Closed => "closed",
            Self::Unwrapped => "unwrapped",
            Self::PathPrefix => "path_prefix",
            Self::PathShortcut => "path_shortcut",
        }
    }
}

/// Why an input cannot be repaired: the model is to be asked again.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GiveUp {
    /// It is no JSON, or may mean several things.
    Malformed {
        /// Where, in bytes.
        offset: usize,
    },
    /// It ends within a value.
    Truncated,
    /// It is nested deeper than [`limits::MAX_JSON_DEPTH`](crate::limits::MAX_JSON_DEPTH).
    TooDeep,
    /// It has a key `__proto__` or `constructor.prototype`.
    ForbiddenKey,
    /// It is not what the tool takes: the words of the validator.
    Invalid(String),
}

impl GiveUp {
    /// The stable code, for programs.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed { .. } => "invalid_json",
            Self::Truncated => "truncated",
            Self::TooDeep => "limit_exceeded",
            Self::ForbiddenKey => "forbidden_key",
            Self::Invalid(_) => "invalid_value",
        }
    }
}

/// Repairs the input that a model wrote for a tool, and has it validated.
///
/// # Errors
/// It cannot be repaired, or `validate` refuses what it means; then these are its words.
pub fn repair_tool_input(
    text: &str,
    options: &RepairOptions,
    validate: &mut dyn FnMut(&str) -> Result<(), String>,
) -> Result<Repaired, GiveUp> {
    let mut refusal = GiveUp::Truncated; // there is a reading, or an error
    for (index, reading) in repair_readings(text, options)?.into_iter().enumerate() {
        match validate(&reading.text) {
            Ok(()) => return Ok(reading),
            Err(words) if index == 0 => refusal = GiveUp::Invalid(words),
            Err(_) => {}
        }
    }
    Err(refusal)
}

/// What the input may mean, at least one reading, the likeliest first: for a validator that cannot
/// be called from here.
///
/// # Errors
/// It cannot be repaired.
pub fn repair_readings(text: &str, options: &RepairOptions) -> Result<Vec<Repaired>, GiveUp> {
    let first = repair_json(text)?;
    let inner = JsonStr::from_raw_value(first.text.trim_ascii())
        .map(JsonStr::to_utf8_lossy)
        .filter(|inner| inner.trim_start().starts_with(['{', '[']));
    let mut readings = Vec::new();
    if let Some(mut unwrapped) = inner.and_then(|inner| repair_json(&inner).ok()) {
        unwrapped.repairs.extend(&first.repairs);
        unwrapped.repairs.insert(Repair::Unwrapped);
        readings.push(unwrapped);
    }
    readings.insert(0, first);
    for reading in &mut readings {
        paths::repair(reading, options);
    }
    Ok(readings)
}

fn repair_json(text: &str) -> Result<Repaired, GiveUp> {
    let repaired = match json::check(text) {
        Ok(()) => return Ok(Repaired { text: text.to_owned(), repairs: BTreeSet::new() }),
        Err(error) if error.kind == JsonErrorKind::TooDeep => return Err(GiveUp::TooDeep),
        Err(error) if error.kind == JsonErrorKind::ForbiddenKey => {
            return Err(GiveUp::ForbiddenKey);
        }
        Err(_) => lenient::read(text)?,
    };
    match json::check(&repaired.0) {
        Ok(()) => Ok(Repaired { text: repaired.0, repairs: repaired.1 }),
        Err(error) if error.kind == JsonErrorKind::ForbiddenKey => Err(GiveUp::ForbiddenKey),
        Err(_) => Err(GiveUp::Malformed { offset: 0 }),
    }
}
