//! One part of a message.

use crate::json::{self, ObjectReader, RawJson, Text};

use super::field::{Field, FieldName, Fields, Value};

/// What a part is, read from its `type`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartKind {
    /// `text`
    Text,
    /// `reasoning`
    Reasoning,
    /// `step-start`: a new step of an agent's answer begins here.
    StepStart,
    /// `tool-NAME`
    Tool,
    /// `dynamic-tool`
    DynamicTool,
    /// `data-NAME`
    Data,
    /// Any other type, known to the protocol or not.
    Other,
}

impl PartKind {
    /// The kind of a part with this `type`.
    #[must_use]
    pub fn from_type(name: &str) -> Self {
        match name {
            "text" => Self::Text,
            "reasoning" => Self::Reasoning,
            "step-start" => Self::StepStart,
            "dynamic-tool" => Self::DynamicTool,
            _ if name.starts_with("tool-") => Self::Tool,
            _ if name.starts_with("data-") => Self::Data,
            _ => Self::Other,
        }
    }

    /// Whether the part is a tool call, static or dynamic.
    #[must_use]
    pub fn is_tool(self) -> bool {
        matches!(self, Self::Tool | Self::DynamicTool)
    }
}

/// The state of a tool call (AI SDK UI messages, tool part `state`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ToolState {
    /// The input is arriving.
    InputStreaming,
    /// The input is complete; the tool runs, or waits for this client.
    InputAvailable,
    /// A person must approve.
    ApprovalRequested,
    /// A person answered; the answer may not have been sent yet.
    ApprovalResponded,
    /// The tool returned (or, when preliminary, returned something so far).
    OutputAvailable,
    /// The tool failed.
    OutputError,
    /// A person declined and the tool did not run.
    OutputDenied,
}

impl ToolState {
    const ALL: [(Self, &'static str); 7] = [
        (Self::InputStreaming, "input-streaming"),
        (Self::InputAvailable, "input-available"),
        (Self::ApprovalRequested, "approval-requested"),
        (Self::ApprovalResponded, "approval-responded"),
        (Self::OutputAvailable, "output-available"),
        (Self::OutputError, "output-error"),
        (Self::OutputDenied, "output-denied"),
    ];

    /// The state as it is spelled in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(state, _)| *state == self).map_or("", |(_, name)| name)
    }

    /// Whether the tool call has reached its end: a result, an error or a denial.
    #[must_use]
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::OutputAvailable | Self::OutputError | Self::OutputDenied)
    }
}

/// One part of a message: its fields in order, and what it is.
#[derive(Clone, Debug)]
pub struct Part {
    kind: PartKind,
    /// The fields, `type` among them.
    pub fields: Fields,
    /// Already in its message's list of changed parts.
    pub(super) listed: bool,
    /// The view has this part.
    pub(super) published: bool,
}

impl Part {
    /// A part that has only a `type`.
    #[must_use]
    pub fn new(type_name: &str) -> Self {
        let mut fields = Fields::default();
        fields.set_json(FieldName::Type, RawJson::from_validated(&json::quote(type_name)));
        Self { kind: PartKind::from_type(type_name), fields, listed: false, published: false }
    }

    /// A part from its JSON text. A value that is no object, or has no string `type`, is an error.
    ///
    /// # Errors
    /// The text is not a JSON object with a string `type`.
    pub fn parse(text: &str) -> Result<Self, json::JsonError> {
        let fields = Fields::parse(text)?;
        let Some(type_name) = fields.text(FieldName::Type) else {
            return Err(json::JsonError { kind: json::JsonErrorKind::Syntax, offset: 0 });
        };
        let kind = PartKind::from_type(&type_name.to_string_lossy());
        Ok(Self { kind, fields, listed: false, published: false })
    }

    /// What the part is.
    #[must_use]
    pub fn kind(&self) -> PartKind {
        self.kind
    }

    /// Changes the part's `type`, as when a static tool call turns out to be dynamic.
    pub fn set_type(&mut self, type_name: &str) {
        if !self.fields.is_str(FieldName::Type, type_name) {
            self.kind = PartKind::from_type(type_name);
            self.fields.set_json(FieldName::Type, RawJson::from_validated(&json::quote(type_name)));
        }
    }

    /// Whether the view already has this part (perhaps in an older state).
    #[must_use]
    pub fn is_published(&self) -> bool {
        self.published
    }

    /// The state of a tool call; `None` for other parts and for unknown states.
    #[must_use]
    pub fn tool_state(&self) -> Option<ToolState> {
        if !self.kind.is_tool() {
            return None;
        }
        ToolState::ALL
            .iter()
            .find(|(_, name)| self.fields.is_str(FieldName::State, name))
            .map(|(state, _)| *state)
    }

    /// Sets the state of a tool call.
    pub fn set_tool_state(&mut self, state: ToolState) {
        self.set_state(state.as_str());
    }

    /// Sets `state` to one of the protocol's plain words.
    pub fn set_state(&mut self, state: &str) {
        if !self.fields.is_str(FieldName::State, state) {
            self.fields.set_json(FieldName::State, RawJson::from_validated(&json::quote(state)));
        }
    }

    /// Whether a text or reasoning part is still being written.
    #[must_use]
    pub fn is_streaming(&self) -> bool {
        self.fields.is_str(FieldName::State, "streaming")
    }

    /// The length of a string field, in bytes; 0 when there is none.
    #[must_use]
    pub fn text_length(&self, name: FieldName) -> usize {
        match self.fields.get(name) {
            Some(Value::Text(text)) => text.text().len(),
            _ => self.fields.text(name).map_or(0, |text| text.len()),
        }
    }

    /// Whether the part has no text but white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.fields
            .text(FieldName::Text)
            .is_none_or(|text| text.to_string_lossy().trim().is_empty())
    }

    /// The id of a tool call.
    #[must_use]
    pub fn tool_call_id(&self) -> Option<Text> {
        if self.kind.is_tool() { self.fields.text(FieldName::ToolCallId) } else { None }
    }

    /// The name of a tool: `toolName` of a dynamic part, the rest of the type of a static one.
    #[must_use]
    pub fn tool_name(&self) -> Option<Text> {
        match self.kind {
            PartKind::DynamicTool => self.fields.text(FieldName::ToolName),
            PartKind::Tool => {
                let name = self.fields.text(FieldName::Type)?.to_string_lossy();
                name.strip_prefix("tool-").map(Text::from_utf8)
            }
            _ => None,
        }
    }

    /// Whether the provider runs the tool, so that neither server nor client do.
    #[must_use]
    pub fn is_provider_executed(&self) -> bool {
        self.fields.is_true(FieldName::ProviderExecuted)
    }

    /// The id of the approval that a tool call asks for.
    #[must_use]
    pub fn approval_id(&self) -> Option<Text> {
        approval_member(self.fields.json(FieldName::Approval)?.as_str(), "id")
            .and_then(|raw| json::JsonStr::from_raw_value(raw).map(json::JsonStr::to_text))
    }

    /// Whether the approval was granted; `None` while it is unanswered.
    #[must_use]
    pub fn approved(&self) -> Option<bool> {
        match approval_member(self.fields.json(FieldName::Approval)?.as_str(), "approved")? {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        }
    }

    /// The reason that came with an approval answer, as JSON text.
    #[must_use]
    pub fn approval_reason(&self) -> Option<&str> {
        approval_member(self.fields.json(FieldName::Approval)?.as_str(), "reason")
    }

    /// Adds an answer to the approval. Everything else of it, signature and input included,
    /// stays byte for byte, since the server verifies it.
    pub fn answer_approval(&mut self, id: Option<&str>, approved: bool, reason: Option<&str>) {
        let Some(approval) = self.fields.json(FieldName::Approval) else { return };
        let Ok(answered) = with_answer(approval.as_str(), id, approved, reason) else { return };
        self.fields.set_raw(FieldName::Approval, &answered);
        self.set_tool_state(ToolState::ApprovalResponded);
    }

    /// Whether the part is a tool call that waits for a person or for this client, as the queue
    /// and the completion predicates see it.
    #[must_use]
    pub fn waits_for_client(&self) -> bool {
        match self.tool_state() {
            Some(ToolState::ApprovalRequested | ToolState::ApprovalResponded) => true,
            Some(ToolState::InputStreaming | ToolState::InputAvailable) => {
                !self.is_provider_executed()
            }
            _ => false,
        }
    }

    /// The JSON text of one field, when the part has it.
    #[must_use]
    pub fn field_text(&self, name: FieldName) -> Option<String> {
        let value = self.fields.get(name)?;
        let mut out = Vec::new();
        self.write_value(value, &mut out).then(|| String::from_utf8_lossy(&out).into_owned())
    }

    /// Appends the part as JSON.
    pub fn write_json(&self, out: &mut Vec<u8>) {
        let mut separator = b'{';
        for (field, value) in self.fields.entries() {
            let start = out.len();
            out.push(separator);
            json::write_string(out, field.as_str().as_bytes());
            out.push(b':');
            if self.write_value(value, out) {
                separator = b',';
            } else {
                out.truncate(start);
            }
        }
        if separator == b'{' {
            out.push(b'{');
        }
        out.push(b'}');
    }

    /// Writes a value; false when there is none yet.
    fn write_value(&self, value: &Value, out: &mut Vec<u8>) -> bool {
        match value {
            Value::Json(raw) => out.extend_from_slice(raw.as_str().as_bytes()),
            Value::Text(text) => json::write_string(out, text.text().as_bytes()),
            Value::Input(input) => {
                let Some(Value::Text(raw)) = self.fields.get(FieldName::RawInput) else {
                    return false;
                };
                let Some(repaired) = input.partial.repaired(raw.text().as_bytes()) else {
                    return false;
                };
                json::write_json_text(out, &repaired);
            }
            Value::Parts => return false,
        }
        true
    }
}

/// The raw value of one member of an approval.
fn approval_member<'a>(approval: &'a str, name: &str) -> Option<&'a str> {
    let mut reader = ObjectReader::new(approval).ok()?;
    let mut found = None;
    while let Ok(Some((key, value))) = reader.next() {
        if key.eq_str(name) {
            found = Some(value);
        }
    }
    found
}

/// The approval's text with `id`, `approved` and `reason` replaced or added, the rest untouched.
fn with_answer(
    approval: &str,
    id: Option<&str>,
    approved: bool,
    reason: Option<&str>,
) -> Result<String, json::JsonError> {
    let mut members = Fields::parse(approval)?;
    if let Some(id) = id {
        members.push(Field::Known(FieldName::Id), Value::Json(RawJson::from_validated(id)));
    }
    let word = if approved { "true" } else { "false" };
    members.push(Field::Other("approved".into()), Value::Json(RawJson::from_validated(word)));
    if let Some(reason) = reason {
        members.push(Field::Other("reason".into()), Value::Json(RawJson::from_validated(reason)));
    }
    let mut out = String::from("{");
    for (index, (field, value)) in members.entries().iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&json::quote(field.as_str()));
        out.push(':');
        if let Value::Json(raw) = value {
            out.push_str(raw.as_str());
        }
    }
    out.push('}');
    Ok(out)
}
