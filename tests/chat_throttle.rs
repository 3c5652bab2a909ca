//! When changes become visible.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::unwrap_used, clippy::panic)]

mod support;

use chatwire::chat::{Config, Status, Throttle};
use support::host::Host;
use support::log::Seen;

const START: &str = r#"{"type":"text-start","id":"t"}"#;
const DELTA: &str = r#"{"type":"text-delta","id":"t","delta":"ab"}"#;

/// A chat whose response is streaming, with everything published.
fn streaming(throttle: Throttle) -> Host {
    let mut host = Host::new(Config { throttle, ..Config::default() });
    host.send("Hi");
    host.answer();
    host.chunks(&[START]);
    host.advance(1000.0);
    host.log.clear();
    host
}

fn publications(host: &Host) -> usize {
    host.log.iter().filter(|seen| matches!(seen, Seen::Published(_))).count()
}

fn shown_text(host: &Host) -> String {
    host.view.messages()[1]["parts"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn a_burst_is_published_once_per_interval() {
    const EVENTS: usize = 5_000;
    for (throttle, interval) in [
        (Throttle::Frame, 16.0),
        (Throttle::Interval(7.0), 7.0),
        (Throttle::Interval(50.0), 50.0),
        (Throttle::Interval(200.0), 200.0),
    ] {
        for events_per_ms in [1, 20] {
            let mut host = streaming(throttle);
            let from = host.now;
            for event in 0..EVENTS {
                host.chunks(&[DELTA]);
                if event % events_per_ms == 0 {
                    host.advance(1.0);
                }
            }
            host.advance(interval);
            let most = (host.now - from) / interval + 2.0;
            let published = publications(&host);
            assert!(published as f64 <= most, "{published} of at most {most}, {throttle:?}");
            assert!(published as f64 >= most / 2.0, "the page would stutter: {published}");
            assert_eq!(shown_text(&host).len(), 2 * EVENTS, "the last ones are not lost");
        }
    }
}

#[test]
fn an_interval_shows_the_first_change_at_once_and_the_last_in_time() {
    let mut host = streaming(Throttle::Interval(50.0));
    host.chunks(&[DELTA]);
    assert_eq!(shown_text(&host), "ab");
    host.chunks(&[DELTA]);
    host.advance(49.0);
    assert_eq!(shown_text(&host), "ab", "too early");
    host.advance(1.0);
    assert_eq!(shown_text(&host), "abab");
    host.advance(1000.0);
    assert_eq!(publications(&host), 2, "nothing more to show");
}

#[test]
fn a_frame_shows_what_came_before_it() {
    let mut host = streaming(Throttle::Frame);
    host.chunks(&[DELTA]);
    host.chunks(&[DELTA]);
    assert_eq!(publications(&host), 0);
    assert_eq!(host.log, [Seen::FrameRequested], "asked for once");
    host.advance(16.0);
    assert_eq!((publications(&host), shown_text(&host)), (1, "abab".to_owned()));
    host.advance(1000.0);
    assert_eq!(publications(&host), 1);
}

#[test]
fn without_a_throttle_each_read_is_shown() {
    let mut host = streaming(Throttle::EveryRead);
    host.chunks(&[DELTA, DELTA, DELTA]);
    assert_eq!(publications(&host), 1, "one per read, not per event");
    host.chunks(&[DELTA]);
    assert_eq!(publications(&host), 2);
    host.bytes(b": keep-alive\n\n");
    assert_eq!(publications(&host), 2, "a read without news is not shown");
}

#[test]
fn what_must_be_visible_does_not_wait() {
    for throttle in [Throttle::Frame, Throttle::Interval(1000.0)] {
        let mut host = streaming(throttle);
        host.chunks(&[DELTA]);
        host.chunks(&[DELTA]);
        let call = r#"{"type":"tool-input-available","toolCallId":"c","toolName":"x","input":1}"#;
        host.chunks(&[call]);
        assert_eq!(shown_text(&host), "abab", "before a callback");
        host.chunks(&[DELTA]);
        host.add_output("c", "1");
        assert_eq!(shown_text(&host), "ababab", "with a command");
        host.chunks(&[DELTA]);
        host.done();
        assert_eq!(shown_text(&host), "abababab", "with a status");
        assert_eq!(host.chat.status(), Status::Ready);
        let before = publications(&host);
        host.advance(2000.0);
        assert_eq!(publications(&host), before, "the timer finds nothing left");
    }
}

#[test]
fn a_clock_that_goes_backwards_holds_nothing_back() {
    let mut host = streaming(Throttle::Interval(50.0));
    host.chunks(&[DELTA]);
    host.now -= 100_000.0;
    host.chunks(&[DELTA]);
    assert_eq!(shown_text(&host), "abab");
}
