//! Random chunks: legal ones in any order, over few ids so that they meet, and broken ones.

use proptest::prelude::*;
use proptest::sample::select;

/// JSON values in spellings that a parser would not write back.
fn value() -> impl Strategy<Value = &'static str> {
    select(vec![
        "1.0",
        "1e21",
        "9007199254740993",
        "null",
        "true",
        "\"text\"",
        r#""\u0041\ud83d""#,
        r#""\n😀""#,
        "[]",
        "{}",
        r#"{ "a" : 1 }"#,
        r#"{"a":1,"a":{"b":[2]}}"#,
        r#"[1,[2,{"c":null}],"é"]"#,
    ])
}

/// The content of a JSON string: text that is cut anywhere.
fn delta() -> impl Strategy<Value = &'static str> {
    select(vec![
        "",
        "a",
        "word ",
        "é",
        "😀",
        r"\ud83d",
        r"\ude00",
        r"\ud83d\ude00",
        r#"\"\\\n"#,
        "}",
    ])
}

/// The content of a JSON string: a piece of JSON.
fn input_delta() -> impl Strategy<Value = &'static str> {
    select(vec![
        r#"{\"k\":"#,
        r#"{\"list\":["#,
        "[",
        "1",
        "2.5",
        "e3",
        r#"\"te"#,
        r#"xt\""#,
        r#"\\ud83d"#,
        r#"\\ude00"#,
        r"\ud83d",
        r"\ude00",
        ",",
        r#",\"a\":"#,
        "tr",
        "ue",
        "null",
        "]",
        "}",
        " ",
        "😀",
        "x",
    ])
}

fn id() -> impl Strategy<Value = &'static str> {
    select(vec!["a", "b", "__proto__"])
}

/// Members that some chunks may have: each there or not, some of them null.
fn options(members: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::collection::vec(select(members), 0..3).prop_map(|members| members.concat())
}

/// One legal chunk as JSON text; whether it is legal where it comes is another matter.
pub(crate) fn chunk() -> impl Strategy<Value = String> {
    const PROVIDER: &[&str] = &[
        r#","providerMetadata":{"p":{"n":1.0}}"#,
        r#","providerMetadata":null"#,
        r#","unknown":[1]"#,
    ];
    const CALL: &[&str] = &[
        r#","title":"T""#,
        r#","dynamic":true"#,
        r#","providerExecuted":true"#,
        r#","toolMetadata":{"m":1e0}"#,
        r#","providerMetadata":{"p":{}}"#,
        r#","inputEncoding":"text""#,
        r#","preliminary":true"#,
        r#","title":null"#,
    ];
    const APPROVAL: &[&str] = &[
        r#","approvalDescriptor":{"d":1}"#,
        r#","inputSchemaInput":null"#,
        r#","reason":"why""#,
        r#","isAutomatic":true"#,
        r#","signature":"s""#,
    ];
    let text = (select(vec!["text", "reasoning"]), id(), options(PROVIDER), delta());
    let call = (id(), select(vec!["x", "y"]), options(CALL), value());
    let approval = (id(), id(), options(APPROVAL), any::<bool>());
    prop_oneof![
        8 => (text, select(vec!["start", "delta", "delta", "delta", "end"])).prop_map(
            |((kind, id, options, delta), what)| {
                let delta = if what == "delta" { format!(r#","delta":"{delta}""#) } else { String::new() };
                format!(r#"{{"type":"{kind}-{what}","id":"{id}"{delta}{options}}}"#)
            }
        ),
        8 => (id(), input_delta()).prop_map(|(id, delta)| format!(
            r#"{{"type":"tool-input-delta","toolCallId":"{id}","inputTextDelta":"{delta}"}}"#
        )),
        8 => (call, select(vec!["input-start", "input-available", "input-error", "output-available", "output-error", "output-denied"]))
            .prop_map(|((id, name, options, value), what)| {
                let more = match what {
                    "input-available" => format!(r#","input":{value}"#),
                    "input-error" => format!(r#","input":{value},"errorText":"e""#),
                    "output-available" => format!(r#","output":{value}"#),
                    "output-error" => r#","errorText":"e""#.to_owned(),
                    _ => String::new(),
                };
                format!(r#"{{"type":"tool-{what}","toolCallId":"{id}","toolName":"{name}"{more}{options}}}"#)
            }),
        3 => (approval, any::<bool>()).prop_map(|((id, call, options, approved), is_request)| {
            if is_request {
                format!(r#"{{"type":"tool-approval-request","approvalId":"{id}","toolCallId":"{call}"{options}}}"#)
            } else {
                format!(r#"{{"type":"tool-approval-response","approvalId":"{id}","approved":{approved}}}"#)
            }
        }),
        3 => (id(), value(), select(vec!["", r#","transient":true"#, r#","transient":false,"x":1"#]), any::<bool>())
            .prop_map(|(id, value, options, has_id)| {
                let id = if has_id { format!(r#","id":"{id}""#) } else { String::new() };
                format!(r#"{{"type":"data-d"{id},"data":{value}{options}}}"#)
            }),
        2 => value().prop_map(|value| format!(r#"{{"type":"message-metadata","messageMetadata":{value}}}"#)),
        1 => (select(vec!["start", "finish"]), value())
            .prop_map(|(kind, value)| format!(r#"{{"type":"{kind}","messageMetadata":{value}}}"#)),
        1 => select(vec!["response-1", "other", "user-1"])
            .prop_map(|id| format!(r#"{{"type":"start","messageId":"{id}"}}"#)),
        4 => select(vec![
            r#"{"type":"start-step"}"#,
            r#"{"type":"finish-step"}"#,
            r#"{"type":"reset-step"}"#,
            r#"{"type":"file","url":"data:,x","mediaType":"text/plain"}"#,
            r#"{"type":"custom","kind":"a.b"}"#,
            r#"{"type":"source-url","sourceId":"s","url":"https://e.org","title":"\u0041"}"#,
            r#"{"type":"steering-message","id":"s","parts":[{"type":"text","text":"t"}]}"#,
            r#"{"type":"hologram"}"#,
        ]).prop_map(str::to_owned),
    ]
}

/// A chunk that may be broken: a member gone, of another type, or the text cut.
pub(crate) fn mutated_chunk() -> impl Strategy<Value = String> {
    (chunk(), any::<prop::sample::Index>(), 0..4_usize).prop_map(|(chunk, at, how)| match how {
        0 => {
            let mut end = at.index(chunk.len());
            while !chunk.is_char_boundary(end) {
                end -= 1;
            }
            chunk[..end].to_owned()
        }
        1 => chunk.replacen(r#""id":""#, r#""id":5,"was":""#, 1),
        2 => chunk.replacen(r#""toolCallId""#, r#""callId""#, 1),
        _ => chunk.replacen(r#""data":"#, r#""__proto__":"#, 1),
    })
}
