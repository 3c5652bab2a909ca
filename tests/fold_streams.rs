//! What each recorded stream becomes: its messages, callbacks and outcome, however it is cut.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use std::collections::BTreeSet;

use chatwire::chat::{Config, Throttle};
use chatwire::protocol::ui_stream::ChunkKind;
use serde_json::{Value, json};
use support::random::Random;
use support::stream::{Fixture, fixtures};

/// Bodies up to this many bytes are cut at every byte.
const SHORT: usize = 4 * 1024;

/// The pieces of a body that each end with an event.
fn events(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = body;
    std::iter::from_fn(move || {
        let end = rest.windows(2).position(|pair| pair == b"\n\n").map_or(rest.len(), |at| at + 2);
        let (event, tail) = rest.split_at(end);
        rest = tail;
        (!event.is_empty()).then_some(event)
    })
}

/// The result of a body that is read in these pieces, without the statuses between: how many of
/// them are seen depends on the reads.
fn read_in(fixture: &Fixture, pieces: &[&[u8]]) -> Value {
    let mut result = fixture.run(Config::default(), pieces.iter().copied());
    result.as_object_mut().unwrap().remove("statuses");
    result
}

#[test]
fn a_stream_becomes_what_is_expected() {
    let mut wrong = Vec::new();
    for fixture in fixtures() {
        let config = Config { throttle: Throttle::EveryRead, ..Config::default() };
        let actual = fixture.run(config, events(&fixture.body));
        if actual != fixture.expected {
            wrong.push(format!("{}: {actual}", fixture.name));
        }
    }
    assert!(wrong.is_empty(), "not as expected:\n{}", wrong.join("\n"));
}

#[test]
fn how_a_stream_is_cut_changes_nothing() {
    for fixture in fixtures().iter().step_by(2) {
        cut_everywhere(fixture);
    }
}

/// The other half, for another processor.
#[test]
fn how_another_stream_is_cut_changes_nothing() {
    for fixture in fixtures().iter().skip(1).step_by(2) {
        cut_everywhere(fixture);
    }
}

fn cut_everywhere(fixture: &Fixture) {
    let body = fixture.body.as_slice();
    let mut expected = fixture.expected.clone();
    expected.as_object_mut().unwrap().remove("statuses");
    assert_eq!(read_in(fixture, &[body]), expected, "{} in one piece", fixture.name);
    let bytes: Vec<&[u8]> = body.chunks(1).collect();
    assert_eq!(read_in(fixture, &bytes), expected, "{} byte by byte", fixture.name);

    if body.len() <= SHORT {
        for at in 1..body.len() {
            let (head, tail) = body.split_at(at);
            let result = read_in(fixture, &[head, tail]);
            assert_eq!(result, expected, "{} cut at {at}", fixture.name);
        }
    } else {
        let mut random = Random::new(1);
        for round in 0..200 {
            let longest = 1 + random.below(400);
            let mut pieces = Vec::new();
            let mut rest = body;
            while !rest.is_empty() {
                let (piece, tail) = rest.split_at(rest.len().min(1 + random.below(longest)));
                pieces.push(piece);
                rest = tail;
            }
            let result = read_in(fixture, &pieces);
            assert_eq!(result, expected, "{}, random cuts {round}", fixture.name);
        }
    }
}

/// Every chunk type is in a recorded stream, and a long stream is among them.
#[test]
fn the_recorded_streams_cover_the_protocol() {
    let mut missing: BTreeSet<String> = CHUNK_TYPES.iter().map(ToString::to_string).collect();
    let fixtures = fixtures();
    for fixture in &fixtures {
        let body = String::from_utf8_lossy(&fixture.body);
        assert!(body.starts_with(": "), "{} does not say what it shows", fixture.name);
        for line in body.lines() {
            let chunk: Option<Value> =
                line.strip_prefix("data: ").and_then(|data| serde_json::from_str(data).ok());
            let name = chunk.as_ref().and_then(|chunk| chunk["type"].as_str()).unwrap_or_default();
            missing.remove(if name.starts_with("data-") { "data-*" } else { name });
        }
    }
    assert_eq!(missing, BTreeSet::new(), "chunk types without a recorded stream");
    assert!(fixtures.iter().any(|fixture| fixture.body.len() > SHORT));
    let outcomes: BTreeSet<_> =
        fixtures.iter().map(|fixture| fixture.expected["outcome"].to_string()).collect();
    let all = ["complete", "aborted", "truncated", "error", "interrupted"];
    assert_eq!(outcomes, all.iter().map(|outcome| json!(outcome).to_string()).collect());
}

const CHUNK_TYPES: &[&str] = &[
    "text-start",
    "text-delta",
    "text-end",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "error",
    "tool-input-start",
    "tool-input-delta",
    "tool-input-available",
    "tool-input-error",
    "tool-approval-request",
    "tool-approval-response",
    "tool-output-available",
    "tool-output-error",
    "tool-output-denied",
    "custom",
    "source-url",
    "source-document",
    "file",
    "reasoning-file",
    "steering-message",
    "data-*",
    "start-step",
    "finish-step",
    "reset-step",
    "start",
    "finish",
    "abort",
    "message-metadata",
];

#[test]
fn the_list_of_chunk_types_is_that_of_the_decoder() {
    for name in CHUNK_TYPES {
        assert!(ChunkKind::from_word(name).is_some(), "{name}");
    }
    assert_eq!(CHUNK_TYPES.len(), ChunkKind::MessageMetadata as usize + 1);
}
