//! The functions of `agent` for JavaScript: JSON texts in, the JSON text of an object out, and behind
//! it those of the messages, so that each keeps its own. What they refuse they throw, as the JSON
//! text of an error.

use std::cell::RefCell;
use std::collections::BTreeMap;

use js_sys::Function;
use wasm_bindgen::prelude::*;

use crate::agent::{self, AgentError, Estimator, MergeOptions, PruneOptions, RepairOptions};
use crate::json::{ArrayReader, JsonStr, ObjectReader, Operation, Text};
use crate::message::{self, Message};

use super::output::{JsonObject, integer};

/// `{ merged, alreadyResolved, rejected: [{ toolCallId, reason }] }`, and the message.
#[wasm_bindgen(js_name = mergeClientToolResponses)]
pub fn merge_client_tool_responses(
    stored: &str,
    incoming: &str,
    client_tools: Option<Vec<String>>,
) -> Result<Vec<String>, JsValue> {
    let options = MergeOptions { client_tools };
    let merged = agent::merge_client_tool_responses(parse(stored)?, &parse(incoming)?, &options);
    let mut object = JsonObject::new();
    object.raw("merged", &array(merged.merged.iter().map(text)));
    object.raw("alreadyResolved", &array(merged.already_resolved.iter().map(text)));
    let rejected = merged.rejected.iter().map(|rejection| {
        let mut object = JsonObject::new();
        object.text("toolCallId", Some(&rejection.tool_call_id));
        object.string("reason", rejection.reason.code());
        object.finish()
    });
    object.raw("rejected", &array(rejected));
    Ok(vec![object.finish(), merged.message.to_json()])
}

/// `chunks` is an array of chunks: `{ finished }`, and the message.
#[wasm_bindgen(js_name = applyStep)]
pub fn apply_step(draft: Option<String>, chunks: &str) -> Result<Vec<String>, JsValue> {
    let draft = draft.map(|draft| parse(&draft)).transpose()?;
    let applied = agent::apply_step(draft, chunks).map_err(|error| thrown(&error))?;
    let mut object = JsonObject::new();
    object.flag("finished", applied.finished);
    Ok(vec![object.finish(), applied.message.to_json()])
}

/// `{ tokens, applied: [{ tier, messageId, toolCallId? }], overBudget }`, and the messages; those
/// are empty of which nothing was taken out. `count` says how many tokens a text is.
#[wasm_bindgen(js_name = pruneContext)]
pub fn prune_context(
    messages: &str,
    budget_tokens: f64,
    pinned_tools: Vec<String>,
    snapshot_tools: Vec<String>,
    count: Option<Function>,
) -> Result<Vec<String>, JsValue> {
    let mut key = 1;
    let messages = message::parse_messages(messages, &mut key)
        .map_err(|error| thrown(&AgentError::from(error)))?;
    let failure = RefCell::new(None);
    let counted = |text: &str| match &count {
        Some(count) => tokens(count, text, &failure),
        None => 0,
    };
    let estimator = if count.is_some() {
        Estimator { count: &counted, ..Estimator::default() }
    } else {
        Estimator::default()
    };
    let options = PruneOptions {
        budget_tokens: budget_tokens as u64,
        pinned_tools,
        snapshot_tools,
        estimator,
    };
    let pruned = agent::prune_context(messages, &options);
    if let Some(failure) = failure.take() {
        return Err(failure);
    }
    let is_changed = |message: &Message| {
        pruned.applied.iter().any(|applied| applied.message_id == *message.id())
    };
    let mut object = JsonObject::new();
    object.raw("tokens", &integer(pruned.tokens));
    let applied = pruned.applied.iter().map(|applied| {
        let mut object = JsonObject::new();
        object.raw("tier", &integer(u64::from(applied.tier.number())));
        object.text("messageId", Some(&applied.message_id));
        object.text("toolCallId", applied.tool_call_id.as_ref());
        object.finish()
    });
    object.raw("applied", &array(applied));
    object.flag("overBudget", pruned.over_budget);
    let messages = pruned
        .messages
        .iter()
        .map(|message| if is_changed(message) { message.to_json() } else { String::new() });
    Ok(std::iter::once(object.finish()).chain(messages).collect())
}

/// What the app's function says, at least 0. The first thing that it throws is kept.
fn tokens(count: &Function, text: &str, failure: &RefCell<Option<JsValue>>) -> u64 {
    match count.call1(&JsValue::UNDEFINED, &JsValue::from_str(text)) {
        Ok(number) => number.as_f64().unwrap_or(0.0).ceil() as u64,
        Err(error) => {
            failure.borrow_mut().get_or_insert(error);
            0
        }
    }
}

/// `options` is `{ pathPrefixes: [], shortcuts: {} }`. Gives what the input may mean, the likeliest
/// first, `{ readings: [{ text, repairs }] }`, or why it means nothing, `{ reason, offset? }`.
#[wasm_bindgen(js_name = repairToolInput)]
pub fn repair_tool_input(text: &str, options: &str) -> Result<String, JsValue> {
    let options = repair_options(options).map_err(|error| thrown(&AgentError::from(error)))?;
    let mut object = JsonObject::new();
    match agent::repair_readings(text, &options) {
        Ok(readings) => {
            let readings = readings.iter().map(|reading| {
                let mut object = JsonObject::new();
                object.string("text", &reading.text);
                let repairs =
                    reading.repairs.iter().map(|repair| ["\"", repair.code(), "\""].concat());
                object.raw("repairs", &array(repairs));
                object.finish()
            });
            object.raw("readings", &array(readings));
        }
        Err(reason) => {
            object.string("reason", reason.code());
            if let agent::GiveUp::Malformed { offset } = reason {
                object.raw("offset", &integer(offset as u64));
            }
        }
    }
    Ok(object.finish())
}

/// `{ rows: [{ op, path, from?, before?, after?, text, fault? }], changedPaths, conflicts: [{ path,
/// kind, base?, current? }], inverse, complete }`, and the preview.
#[wasm_bindgen(js_name = reviewPatch)]
pub fn review_patch(
    document: &str,
    input: &str,
    base: Option<String>,
) -> Result<Vec<String>, JsValue> {
    let reviewed =
        agent::review_patch(document, input, base.as_deref()).map_err(|error| thrown(&error))?;
    let rows = reviewed.rows.iter().map(|row| {
        let mut object = JsonObject::new();
        object.string("op", row.kind.as_str());
        object.text("path", Some(&row.path));
        object.text("from", row.from.as_ref());
        object.optional("before", row.before.as_ref());
        object.optional("after", row.after.as_ref());
        object.string("text", &row.text);
        if let Some(fault) = row.fault {
            object.string("fault", fault.code());
        }
        object.finish()
    });
    let conflicts = reviewed.conflicts.iter().map(|conflict| {
        let mut object = JsonObject::new();
        object.text("path", Some(&conflict.path));
        object.string("kind", conflict.kind.as_str());
        object.optional("base", conflict.base.as_ref());
        object.optional("current", conflict.current.as_ref());
        object.finish()
    });
    let mut object = JsonObject::new();
    object.raw("rows", &array(rows));
    object.raw("changedPaths", &array(reviewed.changed_paths.iter().map(text)));
    object.raw("conflicts", &array(conflicts));
    object.raw("inverse", &array(reviewed.inverse.iter().map(Operation::to_json)));
    object.flag("complete", reviewed.complete);
    Ok(vec![object.finish(), reviewed.preview.as_str().to_owned()])
}

fn repair_options(json: &str) -> Result<RepairOptions, crate::json::JsonError> {
    let mut options = RepairOptions::default();
    let mut members = ObjectReader::new(json)?;
    while let Some((key, value)) = members.next()? {
        if key.eq_str("pathPrefixes") {
            let mut prefixes = ArrayReader::new(value)?;
            while let Some(prefix) = prefixes.next()? {
                options.path_prefixes.push(string(prefix));
            }
        } else if key.eq_str("shortcuts") {
            let mut shortcuts = BTreeMap::new();
            let mut pairs = ObjectReader::new(value)?;
            while let Some((from, to)) = pairs.next()? {
                shortcuts.insert(from.to_utf8_lossy(), string(to));
            }
            options.shortcuts = shortcuts;
        }
    }
    Ok(options)
}

fn string(raw: &str) -> String {
    JsonStr::from_raw_value(raw).map_or_else(String::new, JsonStr::to_utf8_lossy)
}

fn text(text: &Text) -> String {
    crate::json::RawJson::string(text).as_str().to_owned()
}

fn array(items: impl Iterator<Item = String>) -> String {
    let mut out = String::from("[");
    for item in items {
        if out.len() > 1 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
    out
}

fn parse(json: &str) -> Result<Message, JsValue> {
    Message::parse(0, json).map_err(|error| thrown(&AgentError::from(error)))
}

fn thrown(error: &AgentError) -> JsValue {
    let mut object = JsonObject::new();
    object.string("code", error.code());
    object.string("message", &error.to_string());
    JsValue::from_str(&object.finish())
}
