//! The chunk types of the UI message stream and the type of each of their members (AI SDK
//! `uiMessageChunkSchema`, 7.0.173), as one table.

use crate::json::{self, ArrayReader, JsonError, JsonKind, JsonStr, ObjectReader};

macro_rules! words {
    ($(#[$meta:meta])* $enum:ident { $($name:ident = $text:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        #[allow(missing_docs)] // each variant is the word of the same name
        pub enum $enum { $($name,)* }

        impl $enum {
            /// The variant with this spelling.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($text => Some(Self::$name),)* _ => None }
            }

            /// The spelling.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

words! {
    /// The type of a chunk. `data-NAME` is [`ChunkKind::Data`] for every name.
    ChunkKind {
        TextStart = "text-start",
        TextDelta = "text-delta",
        TextEnd = "text-end",
        ReasoningStart = "reasoning-start",
        ReasoningDelta = "reasoning-delta",
        ReasoningEnd = "reasoning-end",
        Error = "error",
        ToolInputStart = "tool-input-start",
        ToolInputDelta = "tool-input-delta",
        ToolInputAvailable = "tool-input-available",
        ToolInputError = "tool-input-error",
        ToolApprovalRequest = "tool-approval-request",
        ToolApprovalResponse = "tool-approval-response",
        ToolOutputAvailable = "tool-output-available",
        ToolOutputError = "tool-output-error",
        ToolOutputDenied = "tool-output-denied",
        Custom = "custom",
        SourceUrl = "source-url",
        SourceDocument = "source-document",
        File = "file",
        ReasoningFile = "reasoning-file",
        SteeringMessage = "steering-message",
        Data = "data-*",
        StartStep = "start-step",
        FinishStep = "finish-step",
        ResetStep = "reset-step",
        Start = "start",
        Finish = "finish",
        Abort = "abort",
        MessageMetadata = "message-metadata",
    }
}

words! {
    /// A member of a chunk that some chunk type declares.
    Key {
        Type = "type",
        Id = "id",
        Delta = "delta",
        ProviderMetadata = "providerMetadata",
        Citations = "citations",
        ErrorText = "errorText",
        ToolCallId = "toolCallId",
        ToolName = "toolName",
        InputEncoding = "inputEncoding",
        ProviderExecuted = "providerExecuted",
        ToolMetadata = "toolMetadata",
        Dynamic = "dynamic",
        Title = "title",
        InputTextDelta = "inputTextDelta",
        Input = "input",
        ApprovalId = "approvalId",
        ApprovalDescriptor = "approvalDescriptor",
        InputSchemaInput = "inputSchemaInput",
        Reason = "reason",
        IsAutomatic = "isAutomatic",
        Signature = "signature",
        Approved = "approved",
        Output = "output",
        Preliminary = "preliminary",
        Kind = "kind",
        SourceId = "sourceId",
        Url = "url",
        MediaType = "mediaType",
        Filename = "filename",
        Parts = "parts",
        Data = "data",
        Transient = "transient",
        MessageId = "messageId",
        MessageMetadata = "messageMetadata",
        FinishReason = "finishReason",
    }
}

impl Key {
    /// How many keys there are.
    pub(super) const COUNT: usize = Self::FinishReason as usize + 1;
}

/// What a member must be.
#[derive(Clone, Copy)]
pub(super) enum Type {
    Str,
    Bool,
    /// Anything; a missing one counts as `null`.
    Any,
    /// Anything, absent included.
    AnyOptional,
    /// Object of objects.
    ProviderMetadata,
    Object,
    Citations,
    SteeringParts,
    InputEncoding,
    FinishReason,
    /// Exactly this string.
    Word(&'static str),
    /// Object of strings.
    Strings,
    /// A whole number from 0 up.
    Index,
    /// What a citation refers to.
    Source,
}

/// Required members first, then optional ones.
type Members = (&'static [(Key, Type)], &'static [(Key, Type)]);

/// The declared members of a chunk type.
#[rustfmt::skip]
pub(super) fn members(kind: ChunkKind) -> Members {
    use ChunkKind as C;
    use Key as K;
    use Type as T;
    const PM: (Key, Type) = (K::ProviderMetadata, T::ProviderMetadata);
    const TM: (Key, Type) = (K::ToolMetadata, T::Object);
    const EXECUTED: (Key, Type) = (K::ProviderExecuted, T::Bool);
    const DYNAMIC: (Key, Type) = (K::Dynamic, T::Bool);
    const TITLE: (Key, Type) = (K::Title, T::Str);
    const ID: (Key, Type) = (K::Id, T::Str);
    const CALL: (Key, Type) = (K::ToolCallId, T::Str);
    const NAME: (Key, Type) = (K::ToolName, T::Str);
    const ERROR: (Key, Type) = (K::ErrorText, T::Str);
    const METADATA: (Key, Type) = (K::MessageMetadata, T::AnyOptional);
    match kind {
        C::TextStart | C::ReasoningStart | C::ReasoningEnd => (&[ID], &[PM]),
        C::TextDelta | C::ReasoningDelta => (&[ID, (K::Delta, T::Str)], &[PM]),
        C::TextEnd => (&[ID], &[(K::Citations, T::Citations), PM]),
        C::Error => (&[ERROR], &[]),
        C::ToolInputStart => (
            &[CALL, NAME],
            &[(K::InputEncoding, T::InputEncoding), EXECUTED, PM, TM, DYNAMIC, TITLE],
        ),
        C::ToolInputDelta => (&[CALL, (K::InputTextDelta, T::Str)], &[]),
        C::ToolInputAvailable => {
            (&[CALL, NAME, (K::Input, T::Any)], &[EXECUTED, PM, TM, DYNAMIC, TITLE])
        }
        C::ToolInputError => {
            (&[CALL, NAME, (K::Input, T::Any), ERROR], &[EXECUTED, PM, TM, DYNAMIC, TITLE])
        }
        C::ToolApprovalRequest => (
            &[(K::ApprovalId, T::Str), CALL],
            &[
                (K::ApprovalDescriptor, T::AnyOptional),
                (K::InputSchemaInput, T::AnyOptional),
                (K::Reason, T::Str),
                (K::IsAutomatic, T::Bool),
                (K::Signature, T::Str),
            ],
        ),
        C::ToolApprovalResponse => (
            &[(K::ApprovalId, T::Str), (K::Approved, T::Bool)],
            &[(K::Reason, T::Str), EXECUTED, PM],
        ),
        C::ToolOutputAvailable => (
            &[CALL, (K::Output, T::Any)],
            &[EXECUTED, PM, TM, DYNAMIC, (K::Preliminary, T::Bool)],
        ),
        C::ToolOutputError => (&[CALL, ERROR], &[EXECUTED, PM, TM, DYNAMIC]),
        C::ToolOutputDenied => (&[CALL], &[]),
        C::Custom => (&[(K::Kind, T::Str)], &[PM]),
        C::SourceUrl => (&[(K::SourceId, T::Str), (K::Url, T::Str)], &[TITLE, PM]),
        C::SourceDocument => (
            &[(K::SourceId, T::Str), (K::MediaType, T::Str), TITLE],
            &[(K::Filename, T::Str), PM],
        ),
        C::File | C::ReasoningFile => (&[(K::Url, T::Str), (K::MediaType, T::Str)], &[PM]),
        C::SteeringMessage => (&[ID, (K::Parts, T::SteeringParts)], &[]),
        C::Data => (&[(K::Data, T::Any)], &[ID, (K::Transient, T::Bool)]),
        C::StartStep | C::FinishStep | C::ResetStep => (&[], &[]),
        C::Start => (&[], &[(K::MessageId, T::Str), METADATA]),
        C::Finish => (&[], &[(K::FinishReason, T::FinishReason), METADATA]),
        C::Abort => (&[], &[(K::Reason, T::Str)]),
        C::MessageMetadata => (&[(K::MessageMetadata, T::Any)], &[]),
    }
}

const FINISH_REASONS: [&str; 7] =
    ["stop", "length", "content-filter", "tool-calls", "error", "interrupted", "other"];

impl Type {
    /// Whether a raw value is of the type. `null` is dealt with by the caller.
    pub(super) fn accepts(self, raw: &str) -> Result<bool, JsonError> {
        Ok(match self {
            Self::Any | Self::AnyOptional => true,
            Self::Str => json::kind(raw) == Some(JsonKind::String),
            Self::Bool => json::kind(raw) == Some(JsonKind::Bool),
            Self::Object => json::kind(raw) == Some(JsonKind::Object),
            Self::ProviderMetadata => {
                json::kind(raw) == Some(JsonKind::Object)
                    && each_value(raw, |value| json::kind(value) == Some(JsonKind::Object))?
            }
            Self::InputEncoding => is_word(raw, &["json", "text"]),
            Self::FinishReason => is_word(raw, &FINISH_REASONS),
            Self::Citations => each_element(raw, |citation| CITATION.accepts(citation))?,
            Self::SteeringParts => each_element(raw, |part| {
                Ok(STEERING_TEXT.accepts(part)? || STEERING_FILE.accepts(part)?)
            })?,
            Self::Word(word) => is_word(raw, &[word]),
            Self::Strings => {
                json::kind(raw) == Some(JsonKind::Object)
                    && each_value(raw, |value| json::kind(value) == Some(JsonKind::String))?
            }
            Self::Index => is_index(raw),
            Self::Source => URL_SOURCE.accepts(raw)? || DOCUMENT_SOURCE.accepts(raw)?,
        })
    }
}

fn is_word(raw: &str, words: &[&str]) -> bool {
    JsonStr::from_raw_value(raw).is_some_and(|token| words.iter().any(|word| token.eq_str(word)))
}

/// The declared members of an object inside a chunk, the required ones first.
struct Shape {
    members: &'static [(&'static str, Type)],
    required: usize,
}

const CITATION: Shape = Shape {
    members: &[
        ("source", Type::Source),
        ("startIndex", Type::Index),
        ("endIndex", Type::Index),
        ("citedText", Type::Str),
    ],
    required: 1,
};
const URL_SOURCE: Shape = Shape {
    members: &[
        ("type", Type::Word("source")),
        ("sourceType", Type::Word("url")),
        ("id", Type::Str),
        ("url", Type::Str),
        ("title", Type::Str),
        ("providerMetadata", Type::ProviderMetadata),
    ],
    required: 4,
};
const DOCUMENT_SOURCE: Shape = Shape {
    members: &[
        ("type", Type::Word("source")),
        ("sourceType", Type::Word("document")),
        ("id", Type::Str),
        ("mediaType", Type::Str),
        ("title", Type::Str),
        ("filename", Type::Str),
        ("providerMetadata", Type::ProviderMetadata),
    ],
    required: 5,
};
const STEERING_TEXT: Shape = Shape {
    members: &[
        ("type", Type::Word("text")),
        ("text", Type::Str),
        ("providerMetadata", Type::ProviderMetadata),
    ],
    required: 2,
};
const STEERING_FILE: Shape = Shape {
    members: &[
        ("type", Type::Word("file")),
        ("mediaType", Type::Str),
        ("url", Type::Str),
        ("filename", Type::Str),
        ("providerReference", Type::Strings),
        ("providerMetadata", Type::ProviderMetadata),
    ],
    required: 3,
};

impl Shape {
    fn accepts(&self, raw: &str) -> Result<bool, JsonError> {
        if json::kind(raw) != Some(JsonKind::Object) {
            return Ok(false);
        }
        // One bit a member. Of a repeated one the last counts.
        let (mut present, mut wrong) = (0_u32, 0_u32);
        let mut reader = ObjectReader::new(raw)?;
        while let Some((name, value)) = reader.next()? {
            let Some(at) = self.members.iter().position(|(member, _)| name.eq_str(member)) else {
                continue;
            };
            present |= 1 << at;
            wrong &= !(1 << at);
            if let Some((_, expected)) = self.members.get(at)
                && !expected.accepts(value)?
            {
                wrong |= 1 << at;
            }
        }
        let required = (1 << self.required) - 1;
        Ok(wrong == 0 && present & required == required)
    }
}

/// Whether a number token is a whole number from 0 up. One with an exponent counts as such: no
/// producer writes an index so, and to compute it would cost more than it is worth.
fn is_index(raw: &str) -> bool {
    let fraction = raw.split_once('.').map_or("", |(_, fraction)| fraction);
    json::kind(raw) == Some(JsonKind::Number)
        && !raw.starts_with('-')
        && (raw.contains(['e', 'E']) || fraction.bytes().all(|byte| byte == b'0'))
}

fn each_value(raw: &str, accepts: impl Fn(&str) -> bool) -> Result<bool, JsonError> {
    let mut reader = ObjectReader::new(raw)?;
    while let Some((_, value)) = reader.next()? {
        if !accepts(value) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn each_element(
    raw: &str,
    accepts: impl Fn(&str) -> Result<bool, JsonError>,
) -> Result<bool, JsonError> {
    if json::kind(raw) != Some(JsonKind::Array) {
        return Ok(false);
    }
    let mut reader = ArrayReader::new(raw)?;
    while let Some(element) = reader.next()? {
        if !accepts(element)? {
            return Ok(false);
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::is_index;

    #[test]
    fn an_index_is_a_whole_number_from_0_up() {
        for raw in ["0", "7", "10", "7.0", "7e0", "7E-0", "1.5e1", "0.0"] {
            assert!(is_index(raw), "{raw}");
        }
        for raw in ["-1", "1.5", "0.01", "\"1\"", "null", "[1]"] {
            assert!(!is_index(raw), "{raw}");
        }
    }
}
