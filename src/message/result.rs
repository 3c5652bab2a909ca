//! The result that a client gives to a tool call.

use crate::json::{self, RawJson, Text};

use super::field::{FieldName, Value};
use super::part::{Part, ToolState};

/// The result of a tool that this client ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ToolResult {
    /// What the tool returned.
    Output(RawJson),
    /// The tool failed; for the model and the person.
    Error(Text),
}

impl Part {
    /// Whether the tool call has ended, and no newer output replaces what it has.
    #[must_use]
    pub fn has_final_result(&self) -> bool {
        self.tool_state().is_some_and(ToolState::is_terminal)
            && !self.fields.is_true(FieldName::Preliminary)
    }

    /// Whether the tool call has this very result.
    #[must_use]
    pub fn has_result(&self, result: &ToolResult) -> bool {
        match result {
            ToolResult::Output(output) => self
                .fields
                .json(FieldName::Output)
                .is_some_and(|own| json::same_value(own.as_str(), output.as_str())),
            ToolResult::Error(text) => {
                self.fields.text(FieldName::ErrorText).as_ref() == Some(text)
            }
        }
    }

    /// Ends the tool call with a result. Its request stays; an approval stays where it was granted.
    pub fn set_result(&mut self, result: &ToolResult) {
        if matches!(self.fields.get(FieldName::Input), Some(Value::Input(_))) {
            let input = self.field_text(FieldName::Input);
            self.fields.set_or_remove(FieldName::Input, input.as_deref());
        }
        match result {
            ToolResult::Output(output) => {
                self.set_tool_state(ToolState::OutputAvailable);
                self.fields.set_json(FieldName::Output, output.clone());
                self.fields.remove(FieldName::ErrorText);
            }
            ToolResult::Error(text) => {
                self.set_tool_state(ToolState::OutputError);
                self.fields.set_json(FieldName::ErrorText, RawJson::string(text));
                self.fields.remove(FieldName::Output);
            }
        }
        self.fields.remove(FieldName::Preliminary);
        if self.approved() != Some(true) {
            self.fields.remove(FieldName::Approval);
        }
    }
}
