//! The shapes of messages and of what is in them (AI SDK UI messages, 7.0.173), one line of text
//! each: as tables of structures they would cost the wasm several times as much.
//!
//! A shape is a list of fields, `name:due`, or `name?:due` for one that may be missing. What is due:
//!
//! | due | the value |
//! |---|---|
//! | `any` | any value, `null` too |
//! | `never` | none: the field must not be there |
//! | `string`, `boolean`, `object` | of this type |
//! | `index` | an integer from 0 to 2^53 - 1 |
//! | `true`, `false` | this one |
//! | `a\|b` | one of these strings |
//! | `{string}`, `{object}` | an object with values of this type |
//! | `@shape` | an object of this shape |
//! | `[shape]` | an array of objects of this shape |
//! | `+` | an array that is not empty, beside what else is due |
//! | `<group` | a string that, as `group/string`, names the shape of further fields |

/// Name and fields of each shape. A name that ends in `-` stands for all that begin so.
#[rustfmt::skip]
static SHAPES: &[(&str, &str)] = &[
    ("message", "id:string role:<message parts:[part]"),
    ("message/assistant", ""),
    ("message/system", "parts:+"),
    ("message/user", "parts:+"),

    ("part", "type:<part"),
    ("part/text", "text:string state?:streaming|done citations?:[citation] providerMetadata?:{object}"),
    ("part/reasoning", "id?:string text:string state?:streaming|done providerMetadata?:{object}"),
    ("part/custom", "kind:string providerMetadata?:{object}"),
    ("part/source-url", "sourceId:string url:string title?:string providerMetadata?:{object}"),
    ("part/source-document", "sourceId:string mediaType:string title:string filename?:string providerMetadata?:{object}"),
    ("part/file", "mediaType:string filename?:string url:string providerReference?:{string} providerMetadata?:{object}"),
    ("part/reasoning-file", "mediaType:string url:string providerMetadata?:{object}"),
    ("part/steering-message", "id:string parts:[steering]"),
    ("part/step-start", ""),
    ("part/data-", "id?:string data:any"),
    ("part/dynamic-tool", "toolName:string dynamic?:false toolCallId:string title?:string toolMetadata?:object providerExecuted?:boolean callProviderMetadata?:{object} state:<tool"),
    ("part/tool-", "toolCallId:string title?:string toolMetadata?:object providerExecuted?:boolean callProviderMetadata?:{object} state:<tool"),

    ("tool/input-streaming", "rawInput?:string inputEncoding?:json|text output?:never errorText?:never approval?:never"),
    ("tool/input-available", "input:any output?:never errorText?:never approval?:never"),
    ("tool/approval-requested", "input:any output?:never errorText?:never approval:@requested"),
    ("tool/approval-responded", "input:any output?:never errorText?:never approval:@responded"),
    ("tool/output-available", "input:any output:any errorText?:never resultProviderMetadata?:{object} preliminary?:boolean approval?:@granted"),
    ("tool/output-error", "output?:never errorText:string resultProviderMetadata?:{object} approval?:@granted"),
    ("tool/output-denied", "input:any output?:never errorText?:never approval:@denied"),

    ("requested", "id:string requestReason?:string isAutomatic?:boolean signature?:string approved?:never reason?:never"),
    ("responded", "id:string requestReason?:string isAutomatic?:boolean signature?:string approved:boolean reason?:string"),
    ("granted", "id:string requestReason?:string isAutomatic?:boolean signature?:string approved:true reason?:string"),
    ("denied", "id:string requestReason?:string isAutomatic?:boolean signature?:string approved:false reason?:string"),

    ("citation", "source:@source startIndex?:index endIndex?:index citedText?:string"),
    ("source", "type:source id:string providerMetadata?:{object} sourceType:<source"),
    ("source/url", "url:string title?:string"),
    ("source/document", "mediaType:string title:string filename?:string"),

    ("steering", "type:<steering"),
    ("steering/text", "text:string providerMetadata?:{object}"),
    ("steering/file", "mediaType:string filename?:string url:string providerReference?:{string} providerMetadata?:{object}"),
];

/// The fields of a shape.
pub(super) fn fields_of(shape: &str) -> &'static str {
    SHAPES.iter().find(|(name, _)| *name == shape).map_or("", |(_, fields)| fields)
}

/// The fields of a shape in a group.
pub(super) fn fields_in_group(group: &str, word: &str) -> Option<&'static str> {
    let is_named = |name: &str| {
        let name = name.strip_prefix(group).and_then(|rest| rest.strip_prefix('/'));
        name.is_some_and(|name| word == name || name.ends_with('-') && word.starts_with(name))
    };
    SHAPES.iter().find(|(name, _)| is_named(name)).map(|(_, fields)| *fields)
}
