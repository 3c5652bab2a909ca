//! Whether messages have the shape of the AI SDK's `UIMessage`.
//!
//! What `validateUIMessages` of the AI SDK (7.0.173) accepts is valid, and nothing else is. But
//! where that stops at the first fault and drops fields that it does not know, here every fault is
//! found, and an unknown field is none: a message of a newer producer stays whole.
//!
//! Old messages are held to the same rules, which were made to admit them: an assistant's message
//! may be empty, `rawInput` and an `input` of any kind may stand on a failed tool call. What an old
//! version wrote differently beyond that is a fault here; nothing in this crate asks for the check
//! of a message that a chat began with.
//!
//! It costs one pass over the text for each level down to the deepest field that has a rule, however
//! many faults there are.

mod rules;

use crate::json::{
    self, ArrayReader, JsonError, JsonErrorKind, JsonKind, JsonStr, ObjectReader, Text,
};
use crate::limits::MAX_ISSUES;

use rules::{
    CITATION, CITED, CITED_DOCUMENT, CITED_URL, CUSTOM_PART, DATA_PART, DYNAMIC_TOOL_CALL,
    FILE_PART, Field, MESSAGE, REASONING_FILE_PART, REASONING_PART, Rule, SOURCE_DOCUMENT_PART,
    SOURCE_URL_PART, STEERING_PART, STEERING_TEXT, TEXT_PART, TOOL_CALL, expected, fields_of_state,
};

/// What is wrong with messages.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Report {
    /// The faults in the order of the text, at most [`MAX_ISSUES`].
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
    /// Where: the keys and indices that lead there from the array of messages.
    pub path: Vec<PathStep>,
    /// What kind of fault.
    pub code: IssueCode,
    /// The same for people.
    pub message: &'static str,
}

/// A step from a value to one inside it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathStep {
    /// To an element.
    Index(usize),
    /// To a member.
    Key(Text),
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
    if let Err(error) = check.messages(text) {
        let (code, message) = match error.kind {
            JsonErrorKind::ForbiddenKey => (
                IssueCode::ForbiddenKey,
                "Has a forbidden key (__proto__ or constructor.prototype).",
            ),
            JsonErrorKind::TooDeep => (IssueCode::LimitExceeded, "Is nested too deep."),
            JsonErrorKind::Syntax | JsonErrorKind::UnexpectedEnd => {
                (IssueCode::InvalidJson, "Is not JSON.")
            }
        };
        check.fault(code, message);
    }
    check.report
}

/// The members of an object, in order.
type Members<'a> = Vec<(JsonStr<'a>, &'a str)>;

/// The value of a member; of equal keys the last one counts.
fn member<'a>(members: &Members<'a>, name: &str) -> Option<&'a str> {
    members.iter().rev().find(|(key, _)| key.eq_str(name)).map(|(_, value)| *value)
}

fn string_member(members: &Members<'_>, name: &str) -> Option<String> {
    JsonStr::from_raw_value(member(members, name)?).map(JsonStr::to_utf8_lossy)
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
    fn fault(&mut self, code: IssueCode, message: &'static str) {
        self.report.total += 1;
        if self.report.issues.len() < MAX_ISSUES {
            let step = |step: &Step<'_>| match *step {
                Step::Index(index) => PathStep::Index(index),
                Step::Name(name) => PathStep::Key(Text::from_utf8(name)),
                Step::Key(key) => PathStep::Key(key.to_text()),
            };
            let path = self.path.iter().map(step).collect();
            self.report.issues.push(Issue { path, code, message });
        }
    }

    fn fault_at(&mut self, step: Step<'a>, code: IssueCode, message: &'static str) {
        self.path.push(step);
        self.fault(code, message);
        self.path.pop();
    }

    fn messages(&mut self, text: &'a str) -> Result<(), JsonError> {
        let text = text.trim_ascii();
        if json::kind(text) != Some(JsonKind::Array) {
            json::check(text)?;
        }
        let count = self.each(text, Self::message)?;
        if count == Some(0) {
            self.fault(IssueCode::TooSmall, "Expected at least one message.");
        }
        Ok(())
    }

    fn message(&mut self, text: &'a str) -> Result<(), JsonError> {
        let Some(members) = self.members(text)? else { return Ok(()) };
        self.fields(&members, &MESSAGE)?;
        let Some(parts) = member(&members, "parts") else { return Ok(()) };
        if json::kind(parts) != Some(JsonKind::Array) {
            return Ok(());
        }
        self.path.push(Step::Name("parts"));
        let count = self.each(parts, Self::part)?;
        if count == Some(0) && string_member(&members, "role").as_deref() != Some("assistant") {
            self.fault(IssueCode::TooSmall, "Expected at least one part.");
        }
        self.path.pop();
        Ok(())
    }

    fn part(&mut self, text: &'a str) -> Result<(), JsonError> {
        let Some(members) = self.members(text)? else { return Ok(()) };
        let type_name = string_member(&members, "type").unwrap_or_default();
        match type_name.as_str() {
            "dynamic-tool" => {
                self.fields(&members, &DYNAMIC_TOOL_CALL)?;
                self.tool_call(&members)
            }
            _ if type_name.starts_with("tool-") => self.tool_call(&members),
            _ if type_name.starts_with("data-") => self.fields(&members, &DATA_PART),
            "text" => self.fields(&members, &TEXT_PART),
            "reasoning" => self.fields(&members, &REASONING_PART),
            "custom" => self.fields(&members, &CUSTOM_PART),
            "source-url" => self.fields(&members, &SOURCE_URL_PART),
            "source-document" => self.fields(&members, &SOURCE_DOCUMENT_PART),
            "file" => self.fields(&members, &FILE_PART),
            "reasoning-file" => self.fields(&members, &REASONING_FILE_PART),
            "steering-message" => self.fields(&members, &STEERING_PART),
            "step-start" => Ok(()),
            _ => {
                self.fault_at(
                    Step::Name("type"),
                    IssueCode::InvalidValue,
                    "Expected a known part type, or one that begins with \"data-\" or \"tool-\".",
                );
                Ok(())
            }
        }
    }

    fn tool_call(&mut self, members: &Members<'a>) -> Result<(), JsonError> {
        self.fields(members, &TOOL_CALL)?;
        let state = string_member(members, "state");
        match state.as_deref().and_then(fields_of_state) {
            Some(fields) => self.fields(members, fields)?,
            None => self.fault_at(
                Step::Name("state"),
                IssueCode::InvalidValue,
                "Expected the state of a tool call.",
            ),
        }
        Ok(())
    }

    /// Checks each element and counts them; `None`, and a fault, when this is no array.
    fn each(
        &mut self,
        array: &'a str,
        check: fn(&mut Self, &'a str) -> Result<(), JsonError>,
    ) -> Result<Option<usize>, JsonError> {
        if json::kind(array) != Some(JsonKind::Array) {
            self.fault(IssueCode::InvalidType, expected(JsonKind::Array));
            return Ok(None);
        }
        let mut reader = ArrayReader::new(array)?;
        let mut count = 0;
        loop {
            // The index is the place of a text that is not JSON, too.
            self.path.push(Step::Index(count));
            let Some(element) = reader.next()? else { break };
            check(self, element)?;
            self.path.pop();
            count += 1;
        }
        self.path.pop();
        Ok(Some(count))
    }

    /// The members of an object; `None`, and a fault, when this is none.
    fn members(&mut self, text: &'a str) -> Result<Option<Members<'a>>, JsonError> {
        if json::kind(text) != Some(JsonKind::Object) {
            self.fault(IssueCode::InvalidType, expected(JsonKind::Object));
            return Ok(None);
        }
        let mut members = Vec::new();
        let mut reader = ObjectReader::new(text)?;
        while let Some(member) = reader.next()? {
            members.push(member);
        }
        Ok(Some(members))
    }

    fn fields(&mut self, members: &Members<'a>, fields: &'static [Field]) -> Result<(), JsonError> {
        for field in fields {
            self.path.push(Step::Name(field.name));
            match member(members, field.name) {
                Some(value) => self.value(value, &field.rule)?,
                None if field.is_required => {
                    self.fault(IssueCode::InvalidType, field.rule.expected());
                }
                None => {}
            }
            self.path.pop();
        }
        Ok(())
    }

    fn value(&mut self, value: &'a str, rule: &'static Rule) -> Result<(), JsonError> {
        let kind = json::kind(value);
        let fault = match rule {
            Rule::Anything => return Ok(()),
            Rule::Kind(due) if kind == Some(*due) => return Ok(()),
            Rule::Word(words, _) => match JsonStr::from_raw_value(value) {
                Some(token) if words.iter().any(|word| token.eq_str(word)) => return Ok(()),
                Some(_) => IssueCode::InvalidValue,
                None => IssueCode::InvalidType,
            },
            Rule::Literal(literal, _) if value == *literal => return Ok(()),
            Rule::Literal(..) => IssueCode::InvalidValue,
            Rule::Absent => IssueCode::UnexpectedField,
            Rule::Index if kind == Some(JsonKind::Number) => match json::is_index(value) {
                true => return Ok(()),
                false => IssueCode::InvalidValue,
            },
            Rule::ObjectOf(due) if kind == Some(JsonKind::Object) => {
                return self.object_of(value, *due);
            }
            Rule::Object(fields) => {
                return match self.members(value)? {
                    Some(members) => self.fields(&members, fields),
                    None => Ok(()),
                };
            }
            Rule::Citations => return self.each(value, Self::citation).map(drop),
            Rule::SteeringParts => return self.each(value, Self::steering_part).map(drop),
            Rule::CitationSource => return self.citation_source(value),
            Rule::Kind(_) | Rule::Index | Rule::ObjectOf(_) => IssueCode::InvalidType,
        };
        self.fault(fault, rule.expected());
        Ok(())
    }

    fn object_of(&mut self, object: &'a str, due: JsonKind) -> Result<(), JsonError> {
        let mut reader = ObjectReader::new(object)?;
        while let Some((key, value)) = reader.next()? {
            if json::kind(value) != Some(due) {
                self.fault_at(Step::Key(key), IssueCode::InvalidType, expected(due));
            }
        }
        Ok(())
    }

    fn citation(&mut self, text: &'a str) -> Result<(), JsonError> {
        match self.members(text)? {
            Some(members) => self.fields(&members, &CITATION),
            None => Ok(()),
        }
    }

    fn citation_source(&mut self, text: &'a str) -> Result<(), JsonError> {
        let Some(members) = self.members(text)? else { return Ok(()) };
        self.fields(&members, &CITED)?;
        match string_member(&members, "sourceType").as_deref() {
            Some("url") => self.fields(&members, &CITED_URL),
            Some("document") => self.fields(&members, &CITED_DOCUMENT),
            _ => Ok(()),
        }
    }

    fn steering_part(&mut self, text: &'a str) -> Result<(), JsonError> {
        let Some(members) = self.members(text)? else { return Ok(()) };
        match string_member(&members, "type").as_deref() {
            Some("text") => self.fields(&members, &STEERING_TEXT),
            Some("file") => self.fields(&members, &FILE_PART),
            _ => {
                self.fault_at(
                    Step::Name("type"),
                    IssueCode::InvalidValue,
                    "Expected \"text\" or \"file\".",
                );
                Ok(())
            }
        }
    }
}
