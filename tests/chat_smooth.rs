//! Text that is shown word by word.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{Config, Throttle};
use chatwire::limits;
use serde_json::json;
use support::host::Host;
use support::log::Seen;
use support::random::Random;
use support::utf16::parse;

const START: &str = r#"{"type":"text-start","id":"t"}"#;
const END: &str = r#"{"type":"text-end","id":"t"}"#;
const FRAME: f64 = 16.0;

/// A chat whose response is streaming a text.
fn streaming(throttle: Throttle) -> Host {
    let mut host = Host::new(Config { throttle, smooth: true, ..Config::default() });
    host.send("Hi");
    host.answer();
    host.chunks(&[START]);
    host.advance(1000.0);
    host
}

fn delta(text: &str) -> String {
    json!({ "type": "text-delta", "id": "t", "delta": text }).to_string()
}

fn shown_text(host: &Host) -> String {
    host.view.messages()[1]["parts"][0]["text"].as_str().unwrap().to_owned()
}

fn count(host: &Host, counts: impl Fn(&Seen) -> bool) -> usize {
    host.log.iter().filter(|seen| counts(seen)).count()
}

#[test]
fn a_burst_is_shown_word_by_word_and_then_no_more_frames_are_asked_for() {
    let text = "one two three four five six seven eight nine ten ".repeat(4);
    for throttle in [Throttle::Frame, Throttle::EveryRead] {
        let mut host = streaming(throttle);
        host.chunks(&[&delta(&text)]);
        let mut lengths = vec![];
        while shown_text(&host) != text {
            let shown = shown_text(&host);
            assert!(shown.is_empty() || shown.ends_with(' '), "a word is cut: {shown:?}");
            assert!(text.starts_with(&shown));
            lengths.push(shown.len());
            host.advance(FRAME);
            assert!(lengths.len() < 100, "the end is never shown");
        }
        assert!(lengths.is_sorted());
        lengths.dedup();
        assert!(lengths.len() > 10, "it came in lumps: {lengths:?}");
        host.advance(FRAME);
        let frames = |host: &Host| count(host, |seen| matches!(seen, Seen::FrameRequested));
        let asked = frames(&host);
        host.advance(1000.0);
        assert_eq!(frames(&host), asked, "nothing is held back, so nothing is to be painted");
    }
}

#[test]
fn a_word_without_an_end_is_shown_when_nothing_more_comes() {
    let mut host = streaming(Throttle::Frame);
    host.chunks(&[&delta("Hello wor")]);
    host.advance(2.0 * FRAME);
    assert_eq!(shown_text(&host), "Hello ");
    host.advance(limits::SMOOTHING + FRAME);
    assert_eq!(shown_text(&host), "Hello wor");
}

#[test]
fn the_end_of_a_text_is_not_delayed() {
    let text = "word ".repeat(2000);
    type End = fn(&mut Host);
    let ends: [(&str, End); 4] = [
        ("complete", |host| host.chunks(&[END])),
        ("complete without saying so", Host::done),
        ("stopped", |host| {
            host.stop();
        }),
        ("cut", Host::end),
    ];
    for (what, end) in ends {
        let mut host = streaming(Throttle::Frame);
        host.chunks(&[&delta(&text)]);
        host.advance(FRAME);
        assert!(shown_text(&host).len() < text.len() / 2, "{what}");
        end(&mut host);
        host.advance(FRAME);
        assert_eq!(shown_text(&host), text, "{what}");
    }
}

#[test]
fn scripts_without_spaces_flow_too() {
    let mut host = streaming(Throttle::Frame);
    host.chunks(&[&delta(&"今日は😀，".repeat(40))]);
    let mut seen = vec![];
    for _ in 0..8 {
        host.advance(FRAME);
        seen.push(shown_text(&host).len());
    }
    assert!(seen.is_sorted() && seen[0] > 0);
    seen.dedup();
    assert!(seen.len() > 5, "{seen:?}");
}

#[test]
fn an_interval_keeps_its_pace() {
    let mut host = streaming(Throttle::Interval(50.0));
    host.log.clear();
    host.chunks(&[&delta(&"word ".repeat(200))]);
    host.advance(500.0);
    let published = count(&host, |seen| matches!(seen, Seen::Published(_)));
    assert!((4..=12).contains(&published), "{published}");
}

#[test]
fn a_replay_takes_nothing_away() {
    let text = "word ".repeat(100);
    let chunks = [r#"{"type":"start","messageId":"m1"}"#, START, &delta(&text)];
    let mut host = Host::new(Config { resume: true, smooth: true, ..Config::default() });
    host.send("Hi");
    host.answer();
    host.chunks(&chunks);
    host.disconnect();
    host.advance(limits::RECONNECT_DELAY);
    assert_eq!(shown_text(&host), text);
    host.answer();
    host.chunks(&chunks);
    host.chunks(&[&delta("and more ")]);
    host.advance(FRAME);
    assert!(shown_text(&host).starts_with(&text), "{}", shown_text(&host));
}

/// The host holds the view against the export at every publication.
#[test]
fn what_is_shown_is_always_the_begin_of_what_has_come() {
    const PIECES: [&str; 9] = ["a ", "word", r" \n", "é", "日", "😀", r"\ud83d", r"\ude00", "x y"];
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let throttle =
            [Throttle::Frame, Throttle::EveryRead, Throttle::Interval(30.0)][random.below(3)];
        let mut host = streaming(throttle);
        let mut before = 0;
        for _ in 0..60 {
            let pieces = random.below(12);
            let text: String = (0..pieces).map(|_| PIECES[random.below(PIECES.len())]).collect();
            host.chunks(&[&format!(r#"{{"type":"text-delta","id":"t","delta":"{text}"}}"#)]);
            host.advance(random.below(40) as f64);
            let shown = shown_text(&host).len();
            assert!(shown >= before, "text went away");
            before = shown;
        }
        host.chunks(&[END]);
        host.done();
        assert_eq!(host.view.messages(), parse(&host.chat.export_messages()));
    }
}
