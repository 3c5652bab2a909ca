//! The paths of a JSON Patch in a tool's input.

use std::ops::Range;

use crate::json::{self, ArrayReader, JsonError, JsonStr, ObjectReader};

use super::{Repair, RepairOptions, Repaired};

/// Repairs `path` and `from` of the operations of a patch: the input itself or a member of it.
/// Nothing else of the text changes.
pub(super) fn repair(input: &mut Repaired, options: &RepairOptions) {
    // Without either this may be no patch: a tool for files has operations with paths, too.
    if options.path_prefixes.is_empty() && options.shortcuts.is_empty() {
        return;
    }
    let Ok(places) = paths(&input.text) else { return };
    for place in places.into_iter().rev() {
        let Some(raw) = input.text.get(place.clone()) else { continue };
        let Some(path) = JsonStr::from_raw_value(raw).map(JsonStr::to_text) else { continue };
        let Some(path) = path.as_str() else { continue };
        let (repaired, repairs) = repair_path(path, options);
        if !repairs.is_empty() {
            input.text.replace_range(place, &json::quote(&repaired));
            input.repairs.extend(repairs);
        }
    }
}

/// Where the paths are in a checked text, in their order.
fn paths(text: &str) -> Result<Vec<Range<usize>>, JsonError> {
    let mut found = Vec::new();
    let input = text.trim_ascii();
    let mut lists = vec![input];
    if let Ok(mut members) = ObjectReader::new(input) {
        collect_paths(text, input, &mut found)?;
        while let Some((_, value)) = members.next()? {
            lists.push(value);
        }
    }
    for list in lists {
        let Ok(mut operations) = ArrayReader::new(list) else { continue };
        while let Some(operation) = operations.next()? {
            collect_paths(text, operation, &mut found)?;
        }
    }
    found.sort_by_key(|place| place.start);
    Ok(found)
}

/// The paths of an object with an `op`.
fn collect_paths(text: &str, object: &str, found: &mut Vec<Range<usize>>) -> Result<(), JsonError> {
    let Ok(mut members) = ObjectReader::new(object) else { return Ok(()) };
    let mut places = Vec::new();
    let mut is_operation = false;
    while let Some((key, value)) = members.next()? {
        is_operation |= key.eq_str("op") && value.starts_with('"');
        if (key.eq_str("path") || key.eq_str("from")) && value.starts_with('"') {
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            places.push(start..start + value.len());
        }
    }
    if is_operation {
        found.append(&mut places);
    }
    Ok(())
}

fn repair_path(path: &str, options: &RepairOptions) -> (String, Vec<Repair>) {
    let mut repairs = Vec::new();
    let mut path = path.to_owned();
    if !path.is_empty() && !path.starts_with('/') {
        path.insert(0, '/');
        repairs.push(Repair::PathPrefix);
    }
    let prefixes = options.path_prefixes.iter().filter_map(|prefix| after(&path, prefix));
    if let Some(rest) = prefixes.min_by_key(|rest| rest.len()) {
        path = rest.to_owned();
        repairs.push(Repair::PathPrefix);
    }
    let shortcuts = options.shortcuts.iter().filter(|(_, full)| after(&path, full).is_none());
    let shortcuts = shortcuts.filter_map(|(short, full)| Some((after(&path, short)?, full)));
    if let Some((rest, full)) = shortcuts.min_by_key(|(rest, _)| rest.len()) {
        path = [full, rest].concat();
        repairs.push(Repair::PathShortcut);
    }
    (path, repairs)
}

/// What of a path comes after its first segments.
fn after<'a>(path: &'a str, first: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(first)?;
    (!first.is_empty() && (rest.is_empty() || rest.starts_with('/'))).then_some(rest)
}
