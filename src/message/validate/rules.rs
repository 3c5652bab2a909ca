//! The fields of messages, parts, tool calls by state, approvals and citations, as tables (AI SDK UI
//! messages, 7.0.173).

use crate::json::JsonKind;

/// What a field must be.
pub(super) enum Rule {
    /// A value of this kind.
    Kind(JsonKind),
    /// One of these strings.
    Word(&'static [&'static str], &'static str),
    /// Exactly this literal.
    Literal(&'static str, &'static str),
    /// Any value, `null` too.
    Anything,
    /// There must be no such field.
    Absent,
    /// An integer from 0 to 2^53 - 1.
    Index,
    /// An object whose values are all of this kind.
    ObjectOf(JsonKind),
    /// An object with these fields.
    Object(&'static [Field]),
    Citations,
    CitationSource,
    SteeringParts,
}

/// A field: its name, what it must be, whether it must be there.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) rule: Rule,
    pub(super) is_required: bool,
}

const fn required(name: &'static str, rule: Rule) -> Field {
    Field { name, rule, is_required: true }
}

const fn optional(name: &'static str, rule: Rule) -> Field {
    Field { name, rule, is_required: false }
}

const STRING: Rule = Rule::Kind(JsonKind::String);
const BOOL: Rule = Rule::Kind(JsonKind::Bool);
const NO_APPROVAL: Field = optional("approval", Rule::Absent);
const NO_ERROR_TEXT: Field = optional("errorText", Rule::Absent);
const NO_OUTPUT: Field = optional("output", Rule::Absent);
const INPUT: Field = required("input", Rule::Anything);
const PROVIDER_METADATA: Field = optional("providerMetadata", Rule::ObjectOf(JsonKind::Object));
const RESULT_PROVIDER_METADATA: Field =
    optional("resultProviderMetadata", Rule::ObjectOf(JsonKind::Object));
const TEXT_STATE: Field =
    optional("state", Rule::Word(&["streaming", "done"], "Expected \"streaming\" or \"done\"."));

/// Any message.
pub(super) static MESSAGE: [Field; 3] = [
    required("id", STRING),
    required(
        "role",
        Rule::Word(
            &["system", "user", "assistant"],
            "Expected \"system\", \"user\" or \"assistant\".",
        ),
    ),
    required("parts", Rule::Kind(JsonKind::Array)),
];

pub(super) static TEXT_PART: [Field; 4] = [
    required("text", STRING),
    TEXT_STATE,
    optional("citations", Rule::Citations),
    PROVIDER_METADATA,
];

pub(super) static REASONING_PART: [Field; 4] =
    [optional("id", STRING), required("text", STRING), TEXT_STATE, PROVIDER_METADATA];

pub(super) static CUSTOM_PART: [Field; 2] = [required("kind", STRING), PROVIDER_METADATA];

pub(super) static SOURCE_URL_PART: [Field; 4] = [
    required("sourceId", STRING),
    required("url", STRING),
    optional("title", STRING),
    PROVIDER_METADATA,
];

pub(super) static SOURCE_DOCUMENT_PART: [Field; 5] = [
    required("sourceId", STRING),
    required("mediaType", STRING),
    required("title", STRING),
    optional("filename", STRING),
    PROVIDER_METADATA,
];

pub(super) static FILE_PART: [Field; 5] = [
    required("mediaType", STRING),
    optional("filename", STRING),
    required("url", STRING),
    optional("providerReference", Rule::ObjectOf(JsonKind::String)),
    PROVIDER_METADATA,
];

pub(super) static REASONING_FILE_PART: [Field; 3] =
    [required("mediaType", STRING), required("url", STRING), PROVIDER_METADATA];

pub(super) static STEERING_PART: [Field; 2] =
    [required("id", STRING), required("parts", Rule::SteeringParts)];

/// A text in a `steering-message`.
pub(super) static STEERING_TEXT: [Field; 2] = [required("text", STRING), PROVIDER_METADATA];

pub(super) static DATA_PART: [Field; 2] =
    [optional("id", STRING), required("data", Rule::Anything)];

/// Any tool call.
pub(super) static TOOL_CALL: [Field; 5] = [
    required("toolCallId", STRING),
    optional("title", STRING),
    optional("toolMetadata", Rule::Kind(JsonKind::Object)),
    optional("providerExecuted", BOOL),
    optional("callProviderMetadata", Rule::ObjectOf(JsonKind::Object)),
];

/// What a dynamic tool call has beside that.
pub(super) static DYNAMIC_TOOL_CALL: [Field; 2] = [
    required("toolName", STRING),
    optional("dynamic", Rule::Literal("false", "Expected false, or no such field.")),
];

/// What the state of a tool call asks for.
pub(super) fn fields_of_state(state: &str) -> Option<&'static [Field]> {
    static INPUT_STREAMING: [Field; 5] = [
        optional("rawInput", STRING),
        optional("inputEncoding", Rule::Word(&["json", "text"], "Expected \"json\" or \"text\".")),
        NO_OUTPUT,
        NO_ERROR_TEXT,
        NO_APPROVAL,
    ];
    static INPUT_AVAILABLE: [Field; 4] = [INPUT, NO_OUTPUT, NO_ERROR_TEXT, NO_APPROVAL];
    static APPROVAL_REQUESTED: [Field; 4] =
        [INPUT, NO_OUTPUT, NO_ERROR_TEXT, required("approval", Rule::Object(&UNANSWERED))];
    static APPROVAL_RESPONDED: [Field; 4] =
        [INPUT, NO_OUTPUT, NO_ERROR_TEXT, required("approval", Rule::Object(&ANSWERED))];
    static OUTPUT_AVAILABLE: [Field; 6] = [
        INPUT,
        required("output", Rule::Anything),
        NO_ERROR_TEXT,
        RESULT_PROVIDER_METADATA,
        optional("preliminary", BOOL),
        optional("approval", Rule::Object(&GRANTED)),
    ];
    static OUTPUT_ERROR: [Field; 4] = [
        NO_OUTPUT,
        required("errorText", STRING),
        RESULT_PROVIDER_METADATA,
        optional("approval", Rule::Object(&GRANTED)),
    ];
    static OUTPUT_DENIED: [Field; 4] =
        [INPUT, NO_OUTPUT, NO_ERROR_TEXT, required("approval", Rule::Object(&DENIED))];
    Some(match state {
        "input-streaming" => &INPUT_STREAMING,
        "input-available" => &INPUT_AVAILABLE,
        "approval-requested" => &APPROVAL_REQUESTED,
        "approval-responded" => &APPROVAL_RESPONDED,
        "output-available" => &OUTPUT_AVAILABLE,
        "output-error" => &OUTPUT_ERROR,
        "output-denied" => &OUTPUT_DENIED,
        _ => return None,
    })
}

/// An approval, by its answer.
const fn approval(approved: Field, reason: Field) -> [Field; 6] {
    [
        required("id", STRING),
        optional("requestReason", STRING),
        optional("isAutomatic", BOOL),
        optional("signature", STRING),
        approved,
        reason,
    ]
}

static UNANSWERED: [Field; 6] =
    approval(optional("approved", Rule::Absent), optional("reason", Rule::Absent));
static ANSWERED: [Field; 6] = approval(required("approved", BOOL), optional("reason", STRING));
static GRANTED: [Field; 6] = approval(
    required("approved", Rule::Literal("true", "Expected true: the tool has run.")),
    optional("reason", STRING),
);
static DENIED: [Field; 6] = approval(
    required("approved", Rule::Literal("false", "Expected false: the tool was denied.")),
    optional("reason", STRING),
);

pub(super) static CITATION: [Field; 4] = [
    required("source", Rule::CitationSource),
    optional("startIndex", Rule::Index),
    optional("endIndex", Rule::Index),
    optional("citedText", STRING),
];

pub(super) static CITED: [Field; 4] = [
    required("type", Rule::Word(&["source"], "Expected \"source\".")),
    required("id", STRING),
    required("sourceType", Rule::Word(&["url", "document"], "Expected \"url\" or \"document\".")),
    PROVIDER_METADATA,
];

pub(super) static CITED_URL: [Field; 2] = [required("url", STRING), optional("title", STRING)];

pub(super) static CITED_DOCUMENT: [Field; 3] =
    [required("mediaType", STRING), required("title", STRING), optional("filename", STRING)];

impl Rule {
    /// What is due, for people.
    pub(super) fn expected(&self) -> &'static str {
        match self {
            Self::Kind(kind) => expected(*kind),
            Self::Word(_, message) | Self::Literal(_, message) => message,
            Self::Anything => "Expected a value.",
            Self::Absent => "Not allowed in this state of the tool call.",
            Self::Index => "Expected an integer from 0 to 2^53 - 1.",
            Self::Citations | Self::SteeringParts => expected(JsonKind::Array),
            Self::ObjectOf(_) | Self::Object(_) | Self::CitationSource => {
                expected(JsonKind::Object)
            }
        }
    }
}

pub(super) fn expected(kind: JsonKind) -> &'static str {
    match kind {
        JsonKind::Null => "Expected null.",
        JsonKind::Bool => "Expected a boolean.",
        JsonKind::Number => "Expected a number.",
        JsonKind::String => "Expected a string.",
        JsonKind::Array => "Expected an array.",
        JsonKind::Object => "Expected an object.",
    }
}
