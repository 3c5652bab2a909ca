//! When changes become visible: at once, once per frame, or at most once per interval.

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

    /// The host did what was asked.
    pub(super) fn due(&mut self) {
        self.asked = false;
    }

    /// Changes were published at `now`.
    pub(super) fn published(&mut self, now: f64) {
        self.last_publish = Some(now);
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
