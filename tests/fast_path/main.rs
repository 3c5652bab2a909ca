//! Deltas that are spelled as the one before are taken by a fast path. What it gives is what the
//! general path gives for the same stream in a form that no fast path takes: every output, every
//! list of changes, the state and the messages.
//!
//! `CHATWIRE_FUZZ_SECONDS` is how long random streams are compared; without it there is a fixed
//! number. `CHATWIRE_FUZZ_SEED` is the first seed.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod delta_runs;
mod general_form;
mod scenario;
#[path = "../support/mod.rs"]
mod support;

use std::env;
use std::rc::Rc;
use std::time::Duration;

use chatwire::chat::{Config, ResponseHead, Throttle};
use scenario::{Answer, Body, Scenario};
use support::host::ui_stream_head;
use support::random::Random;
use support::stream::{Fixture, fixtures};

/// Bodies up to this many bytes are cut at every byte.
const SHORT: usize = 4 * 1024;

/// Random streams where no time is set.
const STREAMS: u64 = 400;

fn scenario_of(fixture: &Fixture, body: Rc<Body>, cuts: Vec<usize>) -> Scenario {
    Scenario {
        config: Config { throttle: Throttle::EveryRead, ..Config::default() },
        given: fixture.given.clone(),
        is_resume: fixture.trigger == "resume",
        head: ResponseHead { is_ui_stream: fixture.has_header, ..ui_stream_head() },
        answers: vec![Answer { body, cuts, commands: Vec::new(), is_lost: false }],
    }
}

fn compare_all_cuts(fixture: &Fixture) {
    let body = Body::new(fixture.body.clone());
    let compare = |cuts: Vec<usize>| {
        let scenario = scenario_of(fixture, Rc::clone(&body), cuts);
        scenario.compare(|| format!("{}, cut at {:?}", fixture.name, scenario.answers[0].cuts));
    };
    let length = fixture.body.len();
    compare(Vec::new());
    compare((1..length).collect());
    if length <= SHORT {
        (1..length).for_each(|cut| compare(vec![cut]));
    } else {
        for seed in 0..100 {
            let mut random = Random::new(seed);
            let once_in = 1 + random.below(400);
            compare((1..length).filter(|_| random.once_in(once_in)).collect());
        }
    }
}

#[test]
fn recorded_streams_give_the_same_however_they_are_cut() {
    for fixture in fixtures().iter().step_by(2) {
        compare_all_cuts(fixture);
    }
}

/// The other half, for another processor.
#[test]
fn other_recorded_streams_give_the_same_however_they_are_cut() {
    for fixture in fixtures().iter().skip(1).step_by(2) {
        compare_all_cuts(fixture);
    }
}

#[test]
fn random_streams_give_the_same() {
    let number = |name: &str| env::var(name).ok().map(|value| value.parse::<u64>().unwrap());
    let first = number("CHATWIRE_FUZZ_SEED").unwrap_or(1);
    let mut seeds = first..;
    let compare = |seed| delta_runs::scenario(seed).compare(|| format!("seed {seed}"));
    match number("CHATWIRE_FUZZ_SECONDS") {
        Some(seconds) => {
            #[allow(clippy::disallowed_types)] // no part of the core: how long a test runs
            let start = std::time::Instant::now();
            while start.elapsed() < Duration::from_secs(seconds) {
                seeds.by_ref().take(100).for_each(compare);
            }
            eprintln!("{} streams compared", seeds.start - first);
        }
        None => seeds.take(usize::try_from(STREAMS).unwrap()).for_each(compare),
    }
}

/// An event may be as long on both paths.
#[test]
fn an_event_that_is_too_long_ends_a_run() {
    let event = |delta: &str| {
        format!("data: {{\"type\":\"text-delta\",\"id\":\"a\",\"delta\":\"{delta}\"}}\n\n")
    };
    let max_event_bytes = event(&"c".repeat(20)).len();
    for length in 0..40 {
        let events = [event(""), event("b"), event(&"c".repeat(length)), event("d")];
        let cuts = events.iter().scan(0, |end, event| {
            *end += event.len();
            Some(*end)
        });
        for cuts in [Vec::new(), cuts.take(3).collect()] {
            let scenario = Scenario {
                config: Config { max_event_bytes, ..Config::default() },
                given: Vec::new(),
                is_resume: false,
                head: ui_stream_head(),
                answers: vec![Answer {
                    body: Body::new(events.concat().into_bytes()),
                    cuts,
                    commands: Vec::new(),
                    is_lost: false,
                }],
            };
            scenario.compare(|| format!("{length} bytes"));
        }
    }
}
