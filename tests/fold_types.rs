//! The type of each member of each chunk type: what has another one ends the response with a typed
//! error, and nothing of it is applied.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::Config;
use chatwire::protocol::ui_stream::ChunkKind;
use serde_json::{Value, json};
use support::host::Host;

/// What values a member takes.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Takes {
    Str,
    Bool,
    /// Any value; where it is required, a missing one counts as `null`.
    Anything,
    Object,
    ObjectOfObjects,
    Citations,
    SteeringParts,
    Encoding,
    FinishReason,
}

use Takes::{Anything, Bool, Object, ObjectOfObjects, Str};

const PROVIDER: (&str, Takes) = ("providerMetadata", ObjectOfObjects);
const TOOL: (&str, Takes) = ("toolMetadata", Object);
const EXECUTED: (&str, Takes) = ("providerExecuted", Bool);
const DYNAMIC: (&str, Takes) = ("dynamic", Bool);
const TITLE: (&str, Takes) = ("title", Str);
const ID: (&str, Takes) = ("id", Str);
const CALL: (&str, Takes) = ("toolCallId", Str);
const NAME: (&str, Takes) = ("toolName", Str);
const ERROR: (&str, Takes) = ("errorText", Str);
const METADATA: (&str, Takes) = ("messageMetadata", Anything);

type Members = &'static [(&'static str, Takes)];

/// Each chunk type with its required and its optional members, as the protocol has them.
#[rustfmt::skip]
const TABLE: &[(&str, Members, Members)] = &[
    ("text-start", &[ID], &[PROVIDER]),
    ("text-delta", &[ID, ("delta", Str)], &[PROVIDER]),
    ("text-end", &[ID], &[PROVIDER, ("citations", Takes::Citations)]),
    ("reasoning-start", &[ID], &[PROVIDER]),
    ("reasoning-delta", &[ID, ("delta", Str)], &[PROVIDER]),
    ("reasoning-end", &[ID], &[PROVIDER]),
    ("error", &[ERROR], &[]),
    ("tool-input-start", &[CALL, NAME],
        &[("inputEncoding", Takes::Encoding), EXECUTED, PROVIDER, TOOL, DYNAMIC, TITLE]),
    ("tool-input-delta", &[CALL, ("inputTextDelta", Str)], &[]),
    ("tool-input-available", &[CALL, NAME, ("input", Anything)],
        &[EXECUTED, PROVIDER, TOOL, DYNAMIC, TITLE]),
    ("tool-input-error", &[CALL, NAME, ("input", Anything), ERROR],
        &[EXECUTED, PROVIDER, TOOL, DYNAMIC, TITLE]),
    ("tool-approval-request", &[("approvalId", Str), CALL],
        &[("approvalDescriptor", Anything), ("inputSchemaInput", Anything), ("reason", Str),
          ("isAutomatic", Bool), ("signature", Str)]),
    ("tool-approval-response", &[("approvalId", Str), ("approved", Bool)],
        &[("reason", Str), EXECUTED, PROVIDER]),
    ("tool-output-available", &[CALL, ("output", Anything)],
        &[EXECUTED, PROVIDER, TOOL, DYNAMIC, ("preliminary", Bool)]),
    ("tool-output-error", &[CALL, ERROR], &[EXECUTED, PROVIDER, TOOL, DYNAMIC]),
    ("tool-output-denied", &[CALL], &[]),
    ("custom", &[("kind", Str)], &[PROVIDER]),
    ("source-url", &[("sourceId", Str), ("url", Str)], &[TITLE, PROVIDER]),
    ("source-document", &[("sourceId", Str), ("mediaType", Str), TITLE],
        &[("filename", Str), PROVIDER]),
    ("file", &[("url", Str), ("mediaType", Str)], &[PROVIDER]),
    ("reasoning-file", &[("url", Str), ("mediaType", Str)], &[PROVIDER]),
    ("steering-message", &[ID, ("parts", Takes::SteeringParts)], &[]),
    ("data-x", &[("data", Anything)], &[ID, ("transient", Bool)]),
    ("start-step", &[], &[]),
    ("finish-step", &[], &[]),
    ("reset-step", &[], &[]),
    ("start", &[], &[("messageId", Str), METADATA]),
    ("finish", &[], &[("finishReason", Takes::FinishReason), METADATA]),
    ("abort", &[], &[("reason", Str)]),
    ("message-metadata", &[METADATA], &[]),
];

impl Takes {
    /// A value that it takes.
    fn sample(self) -> Value {
        match self {
            Str => json!("known"),
            Bool => json!(true),
            Anything => json!({"any": 1}),
            Object => json!({"n": 1}),
            ObjectOfObjects => json!({"p": {"n": 1}}),
            Self::Citations => json!([{"source": {"type": "source", "sourceType": "url",
                "id": "s", "url": "https://e.org"}}]),
            Self::SteeringParts => json!([{"type": "text", "text": "t"}]),
            Self::Encoding => json!("json"),
            Self::FinishReason => json!("stop"),
        }
    }

    fn takes(self, value: &Value) -> bool {
        match self {
            Str => value.is_string(),
            Bool => value.is_boolean(),
            Anything => true,
            Object => value.is_object(),
            ObjectOfObjects => {
                value.as_object().is_some_and(|object| object.values().all(Value::is_object))
            }
            Self::Citations | Self::SteeringParts => *value == self.sample() || *value == json!([]),
            Self::Encoding | Self::FinishReason => *value == self.sample(),
        }
    }
}

/// One value of each kind, and containers that hold one of the wrong kind.
fn values() -> Vec<Value> {
    let mut values = vec![
        json!(5),
        json!(true),
        json!("known"),
        json!([]),
        json!({}),
        json!([1]),
        json!([[]]),
        json!([{}]),
        json!({"p": 1}),
        json!({"p": {"n": 1}}),
    ];
    values.extend(
        [Takes::Citations, Takes::SteeringParts, Takes::Encoding, Takes::FinishReason]
            .map(Takes::sample),
    );
    values
}

/// A response with an open text, an open reasoning, a tool call and an approval, all of them
/// called `known`; then this chunk. The error's code, if any, and the last message.
fn apply(chunk: &Value) -> (Option<&'static str>, Value, Value) {
    let mut host = Host::new(Config::default());
    host.send("Hi");
    host.answer();
    host.chunks(&[
        r#"{"type":"text-start","id":"known"}"#,
        r#"{"type":"reasoning-start","id":"known"}"#,
        r#"{"type":"tool-input-start","toolCallId":"known","toolName":"known"}"#,
        r#"{"type":"tool-approval-request","approvalId":"known","toolCallId":"known"}"#,
    ]);
    let before = host.last_message();
    host.chunks(&[&chunk.to_string()]);
    let code = host.chat.error().map(|error| error.kind.code());
    (code, before, host.last_message())
}

fn chunk(kind: &str, members: impl Iterator<Item = (&'static str, Value)>) -> Value {
    let mut chunk = json!({"type": kind});
    for (name, value) in members {
        chunk[name] = value;
    }
    chunk
}

#[test]
fn every_member_takes_its_type_and_no_other() {
    let mut tried = 0;
    for (kind, required, optional) in TABLE {
        let whole = chunk(
            kind,
            required.iter().chain(*optional).map(|(name, takes)| (*name, takes.sample())),
        );
        let accepted = if *kind == "error" { Some("stream_error") } else { None };
        assert_eq!(apply(&whole).0, accepted, "{whole}");
        let members = required.iter().map(|member| (member, true));
        for ((name, takes), is_required) in
            members.chain(optional.iter().map(|member| (member, false)))
        {
            for value in values() {
                let mut broken = whole.clone();
                broken[*name] = value.clone();
                let (code, before, after) = apply(&broken);
                if takes.takes(&value) {
                    // An id that no part has is another matter.
                    assert_ne!(code, Some("invalid_chunk"), "{broken}");
                } else {
                    assert_eq!(code, Some("invalid_chunk"), "{broken}");
                    assert_eq!(before, after, "nothing of it is applied: {broken}");
                }
                tried += 1;
            }

            let mut missing = whole.clone();
            missing.as_object_mut().unwrap().remove(*name);
            let mut null = whole.clone();
            null[*name] = Value::Null;
            let may_lack = !is_required || *takes == Anything;
            for lacking in [missing, null] {
                let (code, ..) = apply(&lacking);
                assert_eq!(code == Some("invalid_chunk"), !may_lack, "{lacking}");
            }
        }
    }
    assert!(tried > 1000, "only {tried} values were tried");
}

#[test]
fn the_table_has_every_chunk_type() {
    let all = TABLE.iter().filter(|(kind, ..)| ChunkKind::from_word(kind).is_some());
    assert_eq!(all.count() + 1, TABLE.len(), "all but data-x");
    assert_eq!(TABLE.len(), ChunkKind::MessageMetadata as usize + 1);
}

/// `null` and absence mean the same, in what is stored, too.
#[test]
fn null_in_an_optional_member_stores_what_its_absence_stores() {
    for (kind, required, optional) in TABLE {
        let bare = chunk(kind, required.iter().map(|(name, takes)| (*name, takes.sample())));
        for (name, _) in *optional {
            let mut with_null = bare.clone();
            with_null[*name] = Value::Null;
            let (_, _, mut stored) = apply(&with_null);
            if *name == "inputSchemaInput" {
                // The server signs over it: null is not absence.
                let approval = &mut stored["parts"][2]["approval"];
                let value = approval.as_object_mut().unwrap().remove("inputSchemaInput");
                assert_eq!(value, Some(Value::Null));
            }
            assert_eq!(stored, apply(&bare).2, "{with_null}");
        }
    }
}
