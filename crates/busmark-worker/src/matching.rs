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

/// Pause between two questions, where the answer's time is the moment of the match.
const PAUSE: Duration = Duration::from_millis(1);

/// Pause where the middleware's events have the moment: whoever asks takes CPU time from discovery.
const PAUSE_NOTIFIED: Duration = Duration::from_millis(4);

/// How many times longer than the questions the pause after them is, at least.
const REST: u32 = 20;

/// Time at which the last endpoint of a worker matched: between `after_ns` and `matched_ns`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[allow(clippy::struct_field_names)] // as the reply names them
pub struct Matched {
    /// Last time at which the endpoints were observed not to match, ns: equal to `matched_ns` where the
    /// middleware's own event gives the time; null: all matched when they were first asked, so that the
    /// match may be much older.
    pub after_ns: Option<i64>,
    /// Time at which the match was known, ns.
    pub matched_ns: i64,
    /// Number of endpoints whose matches the adapter cannot count.
    pub unknown: u32,
    /// Matches of each endpoint that was to match another.
    pub endpoints: Vec<MatchedEndpoint>,
}

/// Time at which one endpoint matched its last counterpart.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct MatchedEndpoint {
    /// Topic of the endpoint.
    pub topic: String,
    /// Whether the endpoint is a writer, not a reader.
    pub writes: bool,
    /// Number of counterparts.
    pub counterparts: u32,
    /// As `after_ns` of all endpoints; null also where the adapter cannot count matches.
    pub after_ns: Option<i64>,
    /// Time at which the match was known, ns; null where the adapter cannot count matches.
    pub matched_ns: Option<i64>,
}

/// One endpoint, as it is asked.
pub struct Endpoint<'a> {
    /// Its topic.
    pub topic: &'a str,
    /// A writer; else a reader.
    pub writes: bool,
    /// Counterparts in the whole round.
    pub wanted: u32,
    /// Counts the endpoint's matches.
    pub count: Box<dyn Fn() -> Result<u32, Status> + 'a>,
    /// Counts the endpoint's matches, with the time of the event.
    pub event: Box<dyn Fn() -> Result<Match, Status> + 'a>,
}

/// When an endpoint had matched.
#[derive(Clone, Copy)]
enum Moment {
    Unknown,
    Known { after_ns: Option<i64>, matched_ns: i64 },
}

/// Waits until all have all their counterparts.
pub fn wait(
    endpoints: &[Endpoint<'_>],
    deadline: Instant,
    timeout_s: f64,
) -> Result<Matched, Failure> {
    let notified = are_notified(endpoints);
    let mut search = Search::default();
    loop {
        let begin = Instant::now();
        let (endpoint, now) = match search.look(endpoints, notified)? {
            Found::All(matched) => return Ok(matched),
            Found::Some(endpoint, now) => (endpoint, now),
        };
        if Instant::now() >= deadline {
            let (name, wanted) = (endpoint.name(), endpoint.wanted);
            let text = format!("{name}: matched {now} of {wanted} within {timeout_s} s");
            return Err(Failure::new("timeout", text));
        }
        let pause = if notified { PAUSE_NOTIFIED } else { PAUSE };
        std::thread::sleep(pause.max(begin.elapsed() * REST));
    }
}

/// Whether the middleware's events have the moments of all.
pub fn are_notified(endpoints: &[Endpoint<'_>]) -> bool {
    endpoints.iter().all(|endpoint| (endpoint.event)().is_ok())
}

/// Asks the same endpoints again and again.
#[derive(Default)]
pub struct Search {
    moments: Vec<Option<Moment>>,
    missed_ns: Vec<Option<i64>>,
}

/// What a look at the endpoints finds.
pub enum Found<'a, 'b> {
    /// All have matched.
    All(Matched),
    /// This one has so many counterparts, and not all.
    Some(&'a Endpoint<'b>, u32),
}

impl Search {
    /// Asks those that had not matched yet; `notified`: one that has not is enough to know.
    pub fn look<'a, 'b>(
        &mut self,
        endpoints: &'a [Endpoint<'b>],
        notified: bool,
    ) -> Result<Found<'a, 'b>, Failure> {
        self.moments.resize(endpoints.len(), None);
        self.missed_ns.resize(endpoints.len(), None);
        let mut late = None;
        for (at, endpoint) in endpoints.iter().enumerate() {
            if self.moments[at].is_some() {
                continue;
            }
            let asked_ns = now_ns();
            match (endpoint.count)() {
                Ok(now) if now >= endpoint.wanted => {
                    self.moments[at] = Some(endpoint.moment(self.missed_ns[at]));
                }
                Ok(now) => {
                    self.missed_ns[at] = Some(asked_ns);
                    late = late.or(Some((endpoint, now)));
                    if notified {
                        break;
                    }
                }
                Err(Status::Unsupported) => self.moments[at] = Some(Moment::Unknown),
                Err(status) => {
                    return Err(Failure::new("failed", format!("{}: {status}", endpoint.name())));
                }
            }
        }
        if let Some((endpoint, now)) = late {
            return Ok(Found::Some(endpoint, now));
        }
        let moments = self.moments.iter().copied().flatten();
        Ok(Found::All(endpoints.iter().zip(moments).fold(Matched::default(), Matched::with)))
    }
}

impl Matched {
    /// One endpoint more: the later of the two moments.
    fn with(mut self, (endpoint, moment): (&Endpoint<'_>, Moment)) -> Self {
        let (after_ns, at_ns) = match moment {
            Moment::Unknown => (None, None),
            Moment::Known { after_ns, matched_ns } => (after_ns, Some(matched_ns)),
        };
        self.after_ns = self.after_ns.max(after_ns);
        self.matched_ns = self.matched_ns.max(at_ns.unwrap_or_default());
        self.unknown += u32::from(at_ns.is_none());
        if endpoint.wanted > 0 {
            self.endpoints.push(MatchedEndpoint {
                topic: endpoint.topic.to_owned(),
                writes: endpoint.writes,
                counterparts: endpoint.wanted,
                after_ns,
                matched_ns: at_ns,
            });
        }
        self
    }
}

impl Endpoint<'_> {
    /// For messages.
    fn name(&self) -> String {
        format!("{} of {}", if self.writes { "writer" } else { "reader" }, self.topic)
    }

    /// The moment of a match that was just found.
    fn moment(&self, missed_ns: Option<i64>) -> Moment {
        match (self.event)() {
            // The event of the last counterpart: one that came since would be later than the match.
            Ok(Match { count, changed_ns }) if count == self.wanted && changed_ns > 0 => {
                Moment::Known { after_ns: Some(changed_ns), matched_ns: changed_ns }
            }
            _ => Moment::Known { after_ns: missed_ns, matched_ns: now_ns() },
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn endpoint<'a>(
        counts: impl Fn() -> Result<u32, Status> + 'a,
        event: impl Fn() -> Result<Match, Status> + 'a,
    ) -> Endpoint<'a> {
        Endpoint {
            topic: "t",
            writes: true,
            wanted: 2,
            count: Box::new(counts),
            event: Box::new(event),
        }
    }

    fn found(endpoints: &[Endpoint<'_>]) -> Matched {
        wait(endpoints, Instant::now() + Duration::from_secs(60), 60.0).expect("matched")
    }

    fn rising(asked: &Cell<u32>) -> impl Fn() -> Result<u32, Status> {
        || {
            asked.set(asked.get() + 1);
            Ok(asked.get())
        }
    }

    fn at(changed_ns: i64) -> impl Fn() -> Result<Match, Status> {
        move || Ok(Match { count: 2, changed_ns })
    }

    #[test]
    fn the_middlewares_event_is_the_moment() {
        let asked = Cell::new(0);
        let all = found(&[endpoint(rising(&asked), at(77))]);
        assert_eq!((all.after_ns, all.matched_ns, all.unknown), (Some(77), 77, 0));
        let one = &all.endpoints[0];
        assert_eq!((one.after_ns, one.matched_ns), (Some(77), Some(77)));
        assert_eq!((one.topic.as_str(), one.writes, one.counterparts), ("t", true, 2));
    }

    #[test]
    fn without_events_the_moment_lies_between_two_questions() {
        let asked = Cell::new(0);
        let all = found(&[endpoint(rising(&asked), || Err(Status::Unsupported))]);
        assert!(all.after_ns.is_some_and(|after| after < all.matched_ns));
    }

    #[test]
    fn without_events_each_is_asked_while_others_are_awaited() {
        let (first, second) = (Cell::new(0), Cell::new(0));
        let none = || Err(Status::Unsupported);
        let all = found(&[endpoint(rising(&first), none), endpoint(rising(&second), none)]);
        assert!(all.endpoints.iter().all(|one| one.after_ns.is_some()));
    }

    #[test]
    fn a_match_at_the_first_question_has_no_lower_limit() {
        let all = found(&[endpoint(|| Ok(2), || Err(Status::Unsupported))]);
        assert!(all.after_ns.is_none() && all.matched_ns > 0);
    }

    #[test]
    fn an_event_of_another_count_is_not_that_of_the_match() {
        let all = found(&[endpoint(|| Ok(2), || Ok(Match { count: 3, changed_ns: 77 }))]);
        assert!(all.after_ns.is_none() && all.matched_ns != 77);
    }

    #[test]
    fn the_last_endpoint_decides_and_each_has_its_own() {
        let (early, late) = (endpoint(|| Ok(2), at(30)), endpoint(|| Ok(2), at(50)));
        let all = found(&[late, early]);
        assert_eq!((all.after_ns, all.matched_ns), (Some(50), 50));
        let each: Vec<_> = all.endpoints.iter().map(|one| one.matched_ns).collect();
        assert_eq!(each, [Some(50), Some(30)]);
    }

    #[test]
    fn one_that_cannot_be_known_is_counted() {
        let unknown = endpoint(|| Err(Status::Unsupported), || Err(Status::Unsupported));
        let all = found(&[endpoint(|| Ok(2), at(50)), unknown]);
        assert_eq!((all.matched_ns, all.unknown), (50, 1));
        assert_eq!(all.endpoints[1].matched_ns, None);
    }

    #[test]
    fn one_that_nobody_is_to_match_is_not_listed() {
        let alone = Endpoint { wanted: 0, ..endpoint(|| Ok(0), at(0)) };
        assert!(found(&[alone]).endpoints.is_empty());
    }

    #[test]
    fn who_is_late_is_named() {
        let late = endpoint(|| Ok(1), || Err(Status::Unsupported));
        let failure = wait(&[late], Instant::now(), 0.0).expect_err("late");
        assert_eq!(failure.message, "writer of t: matched 1 of 2 within 0 s");
    }
}
