//! Guards what makes the core testable and portable: outside `src/web` no name of a JS type, a
//! clock, a thread, a random source or I/O appears, and modules import downwards only:
//! web → chat → protocol → message → json.
//!
//! Two fixtures hold planted offences. Every line there says in a `//~` comment what the guard
//! must find on it, and it must find nothing else.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod source;

use source::{Item, Located, items};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Crates and types that speak to JavaScript, wherever they stand in a path. A name that ends
/// in `*` is a prefix.
const JAVASCRIPT: &[&str] = &[
    "js_sys",
    "web_sys",
    "wasm_bindgen*",
    "serde_wasm_bindgen",
    "gloo*",
    "JsValue",
    "JsCast",
    "JsString",
];
const CLOCK: &[&str] = &["Instant", "SystemTime", "UNIX_EPOCH", "chrono"];
const THREAD: &[&str] = &["thread", "thread_local", "rayon", "tokio", "async_std"];
const RANDOM: &[&str] = &[
    "rand",
    "rand_core",
    "getrandom",
    "fastrand",
    "uuid",
    "nanoid",
    "RandomState",
    "HashMap",
    "HashSet",
];
const IO: &[&str] = &["println", "eprintln", "print", "eprint", "dbg"];
/// Modules of the standard library that are offences as a whole.
const STD_MODULES: &[(&str, &str)] = &[
    ("time", "clock"),
    ("thread", "thread"),
    ("fs", "io"),
    ("io", "io"),
    ("net", "io"),
    ("env", "io"),
    ("process", "io"),
    ("os", "io"),
];
/// JavaScript inside a string literal, such as the text of a snippet.
const SCRIPTS: &[&str] = &["Math.random", "Date.now", "performance.now", "crypto."];

/// What each module may import beside itself. A module that is not listed is an offence: decide
/// its place here first.
const LAYERS: &[(&str, &[&str])] = &[
    ("limits", &[]),
    ("swar", &[]),
    ("json", &["limits", "swar"]),
    ("sse", &["limits", "swar"]),
    ("message", &["json", "limits"]),
    ("protocol", &["message", "json", "sse", "limits", "swar"]),
    // The public error names the cause of every layer below the machine.
    ("error", &["protocol", "message", "json", "sse", "limits"]),
    ("chat", &["error", "protocol", "message", "json", "sse", "limits"]),
    ("agent", &["protocol::ui_stream", "message", "json", "limits"]),
    ("markdown", &[]),
];

/// The only protocol folder that may import another one: AgentKit is a profile over AG-UI.
const PROTOCOL_IMPORTS: &[(&str, &str)] = &[("agentkit", "ag_ui")];

#[test]
fn the_core_names_no_js_type_clock_thread_random_source_or_io() {
    let mut offences = Vec::new();
    for file in core_files() {
        for (line, kind) in host_names(&items(&read(&file))) {
            offences.push(format!("{}:{line}: {kind}", file.display()));
        }
    }
    assert!(offences.is_empty(), "outside src/web:\n{}", offences.join("\n"));
}

#[test]
fn modules_import_downwards_only() {
    let mut offences = Vec::new();
    for file in core_files() {
        let module = module_path(&file);
        for (line, target) in forbidden_imports(&module, &items(&read(&file))) {
            offences.push(format!(
                "{}:{line}: {} may not import {target}",
                file.display(),
                module.join("::")
            ));
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn every_planted_host_name_is_found() {
    let source = read(Path::new("tests/fixtures/purity/offence.rs.txt"));
    let found: BTreeSet<_> = host_names(&items(&source)).into_iter().collect();
    assert_eq!(found, planted(&source));
    let kinds: BTreeSet<_> = found.into_iter().map(|(_, kind)| kind).collect();
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["clock", "io", "javascript", "random", "thread"]
    );
}

#[test]
fn every_planted_import_is_found() {
    let source = read(Path::new("tests/fixtures/purity/imports.rs.txt"));
    let mut modules = 0;
    // Each section starts with `//# path::of::the::module` and is read as that module's file.
    for section in source.split("//# ").skip(1) {
        let (name, body) = section.split_once('\n').unwrap();
        let module: Vec<String> = name.split("::").map(str::to_owned).collect();
        let found: BTreeSet<_> = forbidden_imports(&module, &items(body)).into_iter().collect();
        assert_eq!(found, planted(body), "in the section of {name}");
        modules += 1;
    }
    assert_eq!(modules, 9);
}

/// The `//~` comments of a fixture, as (line, what must be found there).
fn planted(source: &str) -> BTreeSet<(usize, String)> {
    let mut planted = BTreeSet::new();
    for (index, line) in source.lines().enumerate() {
        if let Some((_, marks)) = line.split_once("//~ ") {
            planted.extend(marks.split(' ').map(|mark| (index + 1, mark.to_owned())));
        }
    }
    planted
}

fn host_names(items: &[Located]) -> Vec<(usize, String)> {
    let mut offences = Vec::new();
    for located in items {
        let kind = match &located.item {
            Item::Path { segments, .. } => host_name(segments),
            Item::Text(text) => {
                SCRIPTS.iter().any(|script| text.contains(script)).then_some("javascript")
            }
        };
        if let Some(kind) = kind {
            offences.push((located.line, kind.to_owned()));
        }
    }
    offences
}

fn host_name(segments: &[String]) -> Option<&'static str> {
    if let [library, module, ..] = segments
        && matches!(library.as_str(), "std" | "core" | "alloc")
        && let Some((_, kind)) = STD_MODULES.iter().find(|(name, _)| name == module)
    {
        return Some(kind);
    }
    let kinds = [
        (JAVASCRIPT, "javascript"),
        (CLOCK, "clock"),
        (THREAD, "thread"),
        (RANDOM, "random"),
        (IO, "io"),
    ];
    for (names, kind) in kinds {
        let named = |segment: &String| {
            names.iter().any(|name| match name.strip_suffix('*') {
                Some(prefix) => segment.starts_with(prefix),
                None => segment == name,
            })
        };
        if segments.iter().any(named) {
            return Some(kind);
        }
    }
    None
}

/// Imports of `module` that its layer does not allow, as (line, target from the crate root).
fn forbidden_imports(module: &[String], items: &[Located]) -> Vec<(usize, String)> {
    let mut offences = Vec::new();
    for located in items {
        if let Item::Path { segments, depth } = &located.item
            && let Some(target) = target(module, segments, *depth)
            && !may_import(module, &target)
        {
            offences.push((located.line, format!("crate::{}", target.join("::"))));
        }
    }
    offences
}

/// Where a `crate::`, `self::` or `super::` path leads, from the crate root. Any other path leads
/// to a child module, a local name or another crate.
fn target(module: &[String], segments: &[String], depth: usize) -> Option<Vec<String>> {
    let (first, rest) = segments.split_first()?;
    if rest.is_empty() {
        return None; // `pub(crate)`, `pub(super)`, a method's `self`
    }
    if first == "crate" {
        return Some(rest.to_vec());
    }
    let ups = segments.iter().take_while(|s| *s == "super").count();
    if ups <= depth {
        return None; // stays in this file
    }
    let kept = module.len().saturating_sub(ups - depth);
    Some([&module[..kept], &segments[ups..]].concat())
}

fn may_import(module: &[String], target: &[String]) -> bool {
    let (Some(own), Some(other)) = (module.first(), target.first()) else {
        return module.is_empty(); // lib.rs may name everything; nothing may import the crate root
    };
    if own == other {
        return own != "protocol" || may_import_protocol(module, target);
    }
    let layer = LAYERS.iter().find(|(name, _)| name == own);
    layer.is_some_and(|(_, allowed)| {
        allowed.iter().any(|path| {
            let path: Vec<_> = path.split("::").collect();
            target.len() >= path.len() && path.iter().zip(target).all(|(a, b)| a == b)
        })
    })
}

/// A protocol folder may name the types of `crate::protocol`, but not the folders beside it.
fn may_import_protocol(module: &[String], target: &[String]) -> bool {
    let (Some(own), Some(other)) = (module.get(1), target.get(1)) else {
        return true;
    };
    let is_type = other.starts_with(|first: char| first.is_uppercase());
    own == other || is_type || PROTOCOL_IMPORTS.contains(&(own, other))
}

/// `src/chat/render.rs` is `chat::render`, `src/chat/mod.rs` is `chat`, `src/lib.rs` is the root.
fn module_path(file: &Path) -> Vec<String> {
    let mut path: Vec<String> = file
        .with_extension("")
        .components()
        .skip(1)
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    path.pop_if(|last| last == "mod" || last == "lib");
    path
}

/// Every source file outside `src/web`.
fn core_files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::from("src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path == Path::new("src/web") || path == Path::new("src/web.rs") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    assert!(files.contains(&PathBuf::from("src/lib.rs")), "run from the crate root");
    files.sort();
    files
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}
