//! When changes become visible: at once, once per frame, or at most once per interval; and whether
//! text then becomes visible word by word.

use crate::limits;

/// How often streamed changes are published. Everything that must be visible at once (the app's
/// own commands, a status, the state before a callback) does not wait.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Throttle {
    /// At most once per animation frame. The default.
    Frame,
    /// Once per read of the transport (`throttle: 0`).
    EveryRead,
    /// At least this many milliseconds apart, the first at once and the last never lost.
    Interval(f64),
}

/// What the host must do so that changes become visible.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Due {
    Now,
    AtFrame,
    At(f64),
    AlreadyAsked,
}

/// Remembers what was asked and when it was last published.
#[derive(Debug)]
pub(super) struct RenderSchedule {
    throttle: Throttle,
    last_publish: Option<f64>,
    asked: bool,
}

impl RenderSchedule {
    pub(super) fn new(throttle: Throttle) -> Self {
        Self { throttle, last_publish: None, asked: false }
    }

    /// There are changes at `now` (milliseconds).
    pub(super) fn changed(&mut self, now: f64) -> Due {
        if self.asked {
            return Due::AlreadyAsked;
        }
        let due = match (self.throttle, self.last_publish) {
            (Throttle::EveryRead, _) | (Throttle::Interval(_), None) => Due::Now,
            (Throttle::Frame, _) => Due::AtFrame,
            // A clock that went backwards must not hold changes back.
            (Throttle::Interval(interval), Some(last)) if now >= last && now - last < interval => {
                Due::At(last + interval)
            }
            (Throttle::Interval(_), Some(_)) => Due::Now,
        };
        self.asked = matches!(due, Due::AtFrame | Due::At(_));
        due
    }

    /// Something that has come is still to be shown, though nothing more may come.
    pub(super) fn held_back(&mut self, now: f64) -> Due {
        if self.asked {
            return Due::AlreadyAsked;
        }
        self.asked = true;
        match self.throttle {
            Throttle::Interval(interval) => Due::At(now + interval),
            Throttle::Frame | Throttle::EveryRead => Due::AtFrame,
        }
    }

    /// The host did what was asked.
    pub(super) fn due(&mut self) {
        self.asked = false;
    }

    /// Changes were published at `now`.
    pub(super) fn published(&mut self, now: f64) {
        self.last_publish = Some(now);
    }
}

/// Shows text word by word: how much of what has come is shown depends on the time since some was.
#[derive(Default, Debug)]
pub(super) struct Smoothing {
    /// When some text was last shown while other text was held back.
    since: Option<f64>,
}

/// Milliseconds that the first text of a burst counts for: a frame.
const FIRST: f64 = 16.0;

impl Smoothing {
    /// Which share of the text that is not shown is to be shown at `now`; from 1 up all of it.
    pub(super) fn share(&self, now: f64) -> f64 {
        match self.since {
            None => FIRST / limits::SMOOTHING,
            Some(since) if now >= since => (now - since) / limits::SMOOTHING,
            // A clock that went backwards must not hold text back.
            Some(_) => 1.0,
        }
    }

    /// Text was shown at `now`, or none had the end of its word, and some is still held back.
    pub(super) fn shown(&mut self, now: f64, has_shown: bool, holds_back: bool) {
        if !holds_back {
            self.since = None;
        } else if has_shown || self.since.is_none() {
            self.since = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Due, RenderSchedule, Throttle};

    #[test]
    fn an_interval_publishes_first_and_last() {
        let mut schedule = RenderSchedule::new(Throttle::Interval(50.0));
        assert_eq!(schedule.changed(1000.0), Due::Now);
        schedule.published(1000.0);
        assert_eq!(schedule.changed(1010.0), Due::At(1050.0));
        assert_eq!(schedule.changed(1020.0), Due::AlreadyAsked);
        schedule.due();
        schedule.published(1050.0);
        assert_eq!(schedule.changed(1200.0), Due::Now);
    }

    #[test]
    fn a_clock_that_goes_backwards_does_not_hold_changes_back() {
        let mut schedule = RenderSchedule::new(Throttle::Interval(50.0));
        schedule.published(5000.0);
        assert_eq!(schedule.changed(10.0), Due::Now);
    }

    #[test]
    fn a_frame_is_asked_for_once() {
        let mut schedule = RenderSchedule::new(Throttle::Frame);
        assert_eq!(schedule.changed(0.0), Due::AtFrame);
        assert_eq!(schedule.changed(1.0), Due::AlreadyAsked);
        schedule.due();
        assert_eq!(schedule.changed(17.0), Due::AtFrame);
    }
}
