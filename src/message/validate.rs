//! Whether messages have the shape of the AI SDK's `UIMessage`.
//!
//! What `validateUIMessages` of the AI SDK (7.0.173) accepts is valid, and nothing else is. But
//! where that stops at the first fault and drops fields that it does not know, here every fault is
//! found, and an unknown field is none: a message of a newer producer stays whole.
//!
//! Messages of older versions are held to the same rules, which admit what these left behind: an
//! assistant's message may be empty, a failed tool call may have any `input` and `rawInput`. Whoever
//! calls this decides whether history is checked at all; a chat does not check it.
//!
//! It costs one pass over the text for each level down to the deepest field that has a rule, however
//! many faults there are.

mod shapes;

use crate::json::{self, ArrayReader, JsonError, JsonErrorKind, JsonKind, JsonStr, ObjectReader};
use crate::limits::MAX_ISSUES;

use shapes::{fields_in_group, fields_of};

/// What is wrong with messages.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Report {
    /// The faults in the order of the messages and their parts, at most [`MAX_ISSUES`].
    pub issues: Vec<Issue>,
    /// How many faults there are, those included that are not listed.
    pub total: usize,
}

impl Report {
    /// Whether there is no fault.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.total == 0
    }
}

/// One fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Issue {
    /// Where: the JSON text of an array of the indices and keys that lead there from the array of
    /// messages, such as `[0,"parts",2,"text"]`.
    pub path: String,
    /// What kind of fault.
    pub code: IssueCode,
    /// What is due there, in the notation of `validate/shapes.rs`: `string`, `streaming|done`, ...
    pub expected: &'static str,
}

/// Kinds of faults.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum IssueCode {
    /// The value is missing, or of another type.
    InvalidType,
    /// The type is right, but not the value: an unknown role, part type or state.
    InvalidValue,
    /// An empty list that must not be empty.
    TooSmall,
    /// The field is not allowed in the state of its tool call.
    UnexpectedField,
    /// The text is not JSON.
    InvalidJson,
    /// A key `__proto__` or `constructor.prototype`. What follows was not checked.
    ForbiddenKey,
    /// Nested deeper than [`limits::MAX_JSON_DEPTH`](crate::limits::MAX_JSON_DEPTH). What follows
    /// was not checked.
    LimitExceeded,
}

impl IssueCode {
    /// The stable code, for programs.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidType => "invalid_type",
            Self::InvalidValue => "invalid_value",
            Self::TooSmall => "too_small",
            Self::UnexpectedField => "unexpected_field",
            Self::InvalidJson => "invalid_json",
            Self::ForbiddenKey => "forbidden_key",
            Self::LimitExceeded => "limit_exceeded",
        }
    }
}

/// Checks the JSON text of an array of messages.
#[must_use]
pub fn validate_messages(text: &str) -> Report {
    let mut check = Check { path: Vec::new(), report: Report::default() };
    if let Err(error) = check.messages(text.trim_ascii()) {
        let code = match error.kind {
            JsonErrorKind::ForbiddenKey => IssueCode::ForbiddenKey,
            JsonErrorKind::TooDeep => IssueCode::LimitExceeded,
            JsonErrorKind::Syntax | JsonErrorKind::UnexpectedEnd => IssueCode::InvalidJson,
        };
        check.fault(code, "any");
    }
    check.report
}

/// The members of an object, in order.
type Members<'a> = Vec<(JsonStr<'a>, &'a str)>;

/// The value of a member; of equal keys the last one counts.
fn member<'a>(members: &Members<'a>, name: &str) -> Option<&'a str> {
    members.iter().rev().find(|(key, _)| key.eq_str(name)).map(|(_, value)| *value)
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Index(usize),
    Name(&'static str),
    Key(JsonStr<'a>),
}

/// A check under way: where it is, and what it has found.
struct Check<'a> {
    path: Vec<Step<'a>>,
    report: Report,
}

impl<'a> Check<'a> {
    fn fault(&mut self, code: IssueCode, expected: &'static str) {
        self.report.total += 1;
        if self.report.issues.len() < MAX_ISSUES {
            let path = self.path_json();
            self.report.issues.push(Issue { path, code, expected });
        }
    }

    fn path_json(&self) -> String {
        let mut path = vec![b'['];
        for step in &self.path {
            if path.len() > 1 {
                path.push(b',');
            }
            match *step {
                Step::Index(index) => write_integer(&mut path, index),
                Step::Name(name) => json::write_string(&mut path, name.as_bytes()),
                Step::Key(key) => json::write_string(&mut path, key.to_text().as_bytes()),
            }
        }
        path.push(b']');
        String::from_utf8_lossy(&path).into_owned()
    }

    fn messages(&mut self, text: &'a str) -> Result<(), JsonError> {
        if json::kind(text) != Some(JsonKind::Array) {
            json::check(text)?;
        }
        self.value(text, "[message]")?;
        self.value(text, "+")
    }

    fn object(&mut self, text: &'a str, fields: &'static str) -> Result<(), JsonError> {
        if json::kind(text) != Some(JsonKind::Object) {
            self.fault(IssueCode::InvalidType, "object");
            return Ok(());
        }
        let mut members = Vec::new();
        let mut reader = ObjectReader::new(text)?;
        while let Some(member) = reader.next()? {
            members.push(member);
        }
        self.fields(&members, fields)
    }

    fn fields(&mut self, members: &Members<'a>, fields: &'static str) -> Result<(), JsonError> {
        for field in fields.split_ascii_whitespace() {
            let Some((name, due)) = field.split_once(':') else { continue };
            let (name, is_required) = match name.strip_suffix('?') {
                Some(name) => (name, false),
                None => (name, true),
            };
            self.path.push(Step::Name(name));
            match (member(members, name), due.strip_prefix('<')) {
                (Some(value), Some(group)) => {
                    let word = JsonStr::from_raw_value(value).map(JsonStr::to_utf8_lossy);
                    match word.as_deref().map(|word| fields_in_group(group, word)) {
                        Some(Some(further)) => {
                            self.path.pop();
                            self.fields(members, further)?;
                            continue;
                        }
                        Some(None) => self.fault(IssueCode::InvalidValue, due),
                        None => self.fault(IssueCode::InvalidType, due),
                    }
                }
                (Some(value), None) => self.value(value, due)?,
                (None, _) if is_required => self.fault(IssueCode::InvalidType, due),
                (None, _) => {}
            }
            self.path.pop();
        }
        Ok(())
    }

    fn value(&mut self, value: &'a str, due: &'static str) -> Result<(), JsonError> {
        if let Some(shape) = due.strip_prefix('@') {
            return self.object(value, fields_of(shape));
        }
        if let Some(shape) = due.strip_prefix('[') {
            return self.elements(value, fields_of(shape.trim_end_matches(']')));
        }
        if let Some(due) = due.strip_prefix('{') {
            return self.members(value, due.trim_end_matches('}'));
        }
        let kind = json::kind(value);
        let fault = match due {
            "any" => None,
            "never" => Some(IssueCode::UnexpectedField),
            "string" | "boolean" | "object" => {
                (kind != kind_named(due)).then_some(IssueCode::InvalidType)
            }
            "true" | "false" => (value != due).then_some(IssueCode::InvalidValue),
            "index" if kind == Some(JsonKind::Number) => {
                (!json::is_index(value)).then_some(IssueCode::InvalidValue)
            }
            "index" => Some(IssueCode::InvalidType),
            "+" => {
                let is_empty =
                    kind == Some(JsonKind::Array) && ArrayReader::new(value)?.next()?.is_none();
                is_empty.then_some(IssueCode::TooSmall)
            }
            words => match JsonStr::from_raw_value(value) {
                Some(token) if words.split('|').any(|word| token.eq_str(word)) => None,
                Some(_) => Some(IssueCode::InvalidValue),
                None => Some(IssueCode::InvalidType),
            },
        };
        if let Some(code) = fault {
            self.fault(code, due);
        }
        Ok(())
    }

    fn elements(&mut self, array: &'a str, fields: &'static str) -> Result<(), JsonError> {
        if json::kind(array) != Some(JsonKind::Array) {
            self.fault(IssueCode::InvalidType, "array");
            return Ok(());
        }
        let mut reader = ArrayReader::new(array)?;
        for index in 0.. {
            // Before the element is read: the index is also the place of a text that is not JSON.
            self.path.push(Step::Index(index));
            let Some(element) = reader.next()? else { break };
            self.object(element, fields)?;
            self.path.pop();
        }
        self.path.pop();
        Ok(())
    }

    fn members(&mut self, object: &'a str, due: &'static str) -> Result<(), JsonError> {
        if json::kind(object) != Some(JsonKind::Object) {
            self.fault(IssueCode::InvalidType, "object");
            return Ok(());
        }
        let mut reader = ObjectReader::new(object)?;
        while let Some((key, value)) = reader.next()? {
            self.path.push(Step::Key(key));
            self.value(value, due)?;
            self.path.pop();
        }
        Ok(())
    }
}

/// Without the formatting machinery of the standard library.
fn write_integer(out: &mut Vec<u8>, number: usize) {
    if number >= 10 {
        write_integer(out, number / 10);
    }
    out.push(b'0' + (number % 10) as u8);
}

fn kind_named(name: &str) -> Option<JsonKind> {
    Some(match name {
        "string" => JsonKind::String,
        "boolean" => JsonKind::Bool,
        "object" => JsonKind::Object,
        _ => return None,
    })
}
