//! Waiting until endpoints have found their counterparts, and how well the moment is known.
//!
//! If the adapter has the middleware's events (C33), the moment is theirs. Otherwise counts are
//! asked for again and again, and the moment lies between the last question that found too few and
//! the first that found enough: it is reported as an interval.

use std::time::{Duration, Instant};

use busmark_adapter::{Match, Status};
use busmark_measure::now_ns;
use schemars::JsonSchema;
use serde::Serialize;

use crate::protocol::Failure;

/// Pause between two questions.
const PAUSE: Duration = Duration::from_millis(1);

/// When all endpoints of a worker had matched: after `after_ns`, and at `matched_ns` at the latest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[allow(clippy::struct_field_names)] // as the reply names them
pub struct Matched {
    /// Equal to `matched_ns` where the middleware's own event told; null: the first question found all
    /// matched, so it may have been long before.
    pub after_ns: Option<i64>,
    /// When it was known.
    pub matched_ns: i64,
    /// Endpoints whose counts cannot be known.
    pub unknown: u32,
}

impl Matched {
    /// Both this and another endpoint: the later of the two.
    pub fn and(self, other: Self) -> Self {
        Self {
            after_ns: self.after_ns.max(other.after_ns),
            matched_ns: self.matched_ns.max(other.matched_ns),
            unknown: self.unknown + other.unknown,
        }
    }
}

/// One endpoint, as it is asked.
pub struct Endpoint<'a> {
    /// For messages.
    pub name: String,
    /// Counterparts in the whole round.
    pub wanted: u32,
    /// Its count.
    pub count: Box<dyn Fn() -> Result<u32, Status> + 'a>,
    /// Its count with the time of the event.
    pub event: Box<dyn Fn() -> Result<Match, Status> + 'a>,
}

impl Endpoint<'_> {
    /// Waits until all counterparts are there.
    pub fn wait(&self, deadline: Instant, timeout_s: f64) -> Result<Matched, Failure> {
        let mut missed_ns = None;
        loop {
            let asked_ns = now_ns();
            let now = match (self.count)() {
                Ok(now) if now >= self.wanted => return Ok(self.moment(missed_ns)),
                Ok(now) => now,
                Err(Status::Unsupported) => {
                    return Ok(Matched { unknown: 1, ..Matched::default() });
                }
                Err(status) => {
                    return Err(Failure::new("failed", format!("{}: {status}", self.name)));
                }
            };
            if Instant::now() >= deadline {
                let text =
                    format!("{}: matched {now} of {} within {timeout_s} s", self.name, self.wanted);
                return Err(Failure::new("timeout", text));
            }
            missed_ns = Some(asked_ns);
            std::thread::sleep(PAUSE);
        }
    }

    /// The moment of a match that was just found.
    fn moment(&self, missed_ns: Option<i64>) -> Matched {
        match (self.event)() {
            // The event of the last counterpart: one that came since would be later than the match.
            Ok(Match { count, changed_ns }) if count == self.wanted && changed_ns > 0 => {
                Matched { after_ns: Some(changed_ns), matched_ns: changed_ns, unknown: 0 }
            }
            _ => Matched { after_ns: missed_ns, matched_ns: now_ns(), unknown: 0 },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn wait(
        counts: impl Fn() -> Result<u32, Status>,
        event: impl Fn() -> Result<Match, Status>,
    ) -> Result<Matched, Failure> {
        let endpoint = Endpoint {
            name: "writer of t".to_owned(),
            wanted: 2,
            count: Box::new(counts),
            event: Box::new(event),
        };
        endpoint.wait(Instant::now() + Duration::from_secs(60), 60.0)
    }

    #[test]
    fn the_middlewares_event_is_the_moment() {
        let asked = Cell::new(0);
        let counts = || {
            asked.set(asked.get() + 1);
            Ok(asked.get())
        };
        let found = wait(counts, || Ok(Match { count: 2, changed_ns: 77 })).expect("matched");
        assert_eq!(found, Matched { after_ns: Some(77), matched_ns: 77, unknown: 0 });
    }

    #[test]
    fn without_events_the_moment_lies_between_two_questions() {
        let asked = Cell::new(0);
        let counts = || {
            asked.set(asked.get() + 1);
            Ok(asked.get())
        };
        let found = wait(counts, || Err(Status::Unsupported)).expect("matched");
        assert!(found.after_ns.is_some_and(|after| after < found.matched_ns));
    }

    #[test]
    fn a_match_at_the_first_question_has_no_lower_limit() {
        let found = wait(|| Ok(2), || Err(Status::Unsupported)).expect("matched");
        assert!(found.after_ns.is_none() && found.matched_ns > 0);
    }

    #[test]
    fn an_event_of_another_count_is_not_that_of_the_match() {
        let found = wait(|| Ok(2), || Ok(Match { count: 3, changed_ns: 77 })).expect("matched");
        assert!(found.after_ns.is_none() && found.matched_ns != 77);
    }

    #[test]
    fn the_last_endpoint_decides() {
        let event = Matched { after_ns: Some(50), matched_ns: 50, unknown: 0 };
        let asked = Matched { after_ns: Some(30), matched_ns: 60, unknown: 0 };
        let both = Matched { after_ns: Some(50), matched_ns: 60, unknown: 0 };
        assert_eq!((event.and(asked), asked.and(event)), (both, both));
        let unknown = Matched { unknown: 1, ..Matched::default() };
        assert_eq!(event.and(unknown), Matched { unknown: 1, ..event });
    }
}
