//! How the ends of a test came to find each other: when its endpoints were made and matched, and the first
//! sample of each application. Times are of this member's own clock.

use busmark_measure::now_ns;
use serde::Serialize;
use serde_json::Value;

use crate::definition::app_of;
use crate::{Definition, Kind};

/// What is known so far.
#[derive(Clone, Debug, Serialize)]
pub struct Discovery {
    #[serde(skip)]
    begin_ns: i64,
    #[serde(skip)]
    ready_ns: i64,
    /// How long its endpoints took to be made, ns; null: they are not yet.
    pub created_ns: Option<i64>,
    /// When they had found all their counterparts.
    pub matched: Option<Match>,
    /// The first sample of each writer that has come.
    pub first: Vec<FirstSample>,
}

/// When the endpoints of a test had found their counterparts, ns since the last of them was made; 0:
/// before it was.
#[derive(Clone, Debug, Serialize)]
pub struct Match {
    /// How many these are.
    pub counterparts: u64,
    /// At the earliest: equal to `ns` where the middleware's event has the time; null: not known.
    pub after_ns: Option<i64>,
    /// At the latest; null: the adapter does not count counterparts.
    pub ns: Option<i64>,
}

/// The first sample that one end had of a writer.
#[derive(Clone, Debug, Serialize)]
pub struct FirstSample {
    /// The application whose sample it was; null: of whichever answered a transceiver first.
    pub app: Option<u32>,
    /// The reading end, and the writer.
    #[serde(skip)]
    of: (u32, u32),
    /// Time since the endpoints were made, ns.
    pub ns: i64,
    /// Samples of lower numbers that had been sent.
    pub before: u64,
    /// Samples among them that were sent after the endpoints had been made; null: not known, or not yet.
    pub lost: Option<u64>,
}

impl Discovery {
    /// Its endpoints are about to be made.
    pub fn begin() -> Self {
        let begin_ns = now_ns();
        Self { begin_ns, ready_ns: begin_ns, created_ns: None, matched: None, first: Vec::new() }
    }

    /// They have been made.
    pub fn created(&mut self, setup: &Value) {
        let Some(ready_ns) = setup["ready_ns"].as_i64() else { return };
        self.ready_ns = ready_ns;
        self.created_ns = Some(ready_ns - self.begin_ns);
    }

    /// They have found their counterparts.
    pub fn matched(&mut self, matched: &Value) {
        let endpoints = matched["endpoints"].as_array().map_or(&[][..], Vec::as_slice);
        if endpoints.is_empty() {
            return; // it waits for nobody
        }
        let known = matched["unknown"].as_u64() == Some(0);
        let since = |key: &str| Some((matched[key].as_i64()? - self.ready_ns).max(0));
        self.matched = Some(Match {
            counterparts: endpoints.iter().filter_map(|one| one["counterparts"].as_u64()).sum(),
            after_ns: known.then(|| since("after_ns")).flatten(),
            ns: known.then(|| since("matched_ns")).flatten(),
        });
    }

    /// The first sample of a writer has come.
    pub fn first(&mut self, definition: &Definition, event: &Value) {
        let number = |key: &str| event[key].as_u64().and_then(|number| u32::try_from(number).ok());
        let (Some(role), Some(writer)) = (number("role"), number("writer")) else { return };
        let (Some(at_ns), Some(before)) = (event["at_ns"].as_i64(), event["before"].as_u64())
        else {
            return;
        };
        let from = &definition.from;
        let app = match definition.kind {
            Kind::Transceiver => (from.len() == 1).then(|| from[0]),
            _ => Some(app_of(writer)),
        };
        // A transceiver sends once all have matched; whoever receives may have come later.
        let lost = (definition.kind == Kind::Transceiver || before == 0).then_some(before);
        let ns = (at_ns - self.ready_ns).max(0);
        self.first.push(FirstSample { app, of: (role, writer), ns, before, lost });
    }

    /// An interval has gone by: whether it shows how much of what is missing was sent since the
    /// endpoints were made. A writer's numbers rise at the rate at which it sends.
    pub fn interval(&mut self, event: &Value) -> bool {
        let (Some(begin_ns), Some(end_ns)) = (event["begin_ns"].as_i64(), event["end_ns"].as_i64())
        else {
            return false;
        };
        let counts = event["counts"].as_array().map_or(&[][..], Vec::as_slice);
        let mut found = false;
        for first in self.first.iter_mut().filter(|first| first.lost.is_none()) {
            let of = |count: &&Value| {
                (count["role"].as_u64(), count["writer"].as_u64())
                    == (Some(first.of.0.into()), Some(first.of.1.into()))
            };
            // In the interval in which it came the count has what was missing before it, too.
            if begin_ns - self.ready_ns < first.ns || end_ns <= begin_ns {
                continue;
            }
            let sent = counts.iter().find(of).and_then(|count| count["theoretical"].as_u64());
            // A stream that is paused, or has ended, shows no rate.
            let Some(sent) = sent.filter(|sent| *sent > 0) else { continue };
            let since = sent as f64 / (end_ns - begin_ns) as f64 * first.ns as f64;
            first.lost = Some(first.before.min(since.round() as u64));
            found = true;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn definition(kind: &str, from: &[u32]) -> Definition {
        let value = json!({"kind": kind, "test": 7, "from": from});
        serde_json::from_value(value).expect("a definition")
    }

    fn made() -> Discovery {
        let mut discovery = Discovery::begin();
        discovery.begin_ns = 1_000;
        discovery.created(&json!({"ready_ns": 3_000}));
        discovery
    }

    #[test]
    fn times_count_from_the_moment_at_which_the_endpoints_were_there() {
        let mut discovery = made();
        assert_eq!(discovery.created_ns, Some(2_000));
        discovery.matched(&json!({
            "after_ns": 3_500, "matched_ns": 4_000, "unknown": 0,
            "endpoints": [{"counterparts": 1}, {"counterparts": 2}],
        }));
        let matched = discovery.matched.as_ref().expect("it has matched");
        assert_eq!(
            (matched.counterparts, matched.after_ns, matched.ns),
            (3, Some(500), Some(1_000))
        );
        discovery.matched(&json!({
            "matched_ns": 0, "unknown": 1, "endpoints": [{"counterparts": 1}],
        }));
        let unknown = discovery.matched.expect("it has answered");
        assert_eq!((unknown.after_ns, unknown.ns), (None, None));
    }

    #[test]
    fn of_what_a_receiver_missed_only_what_was_sent_since_it_was_there_is_lost() {
        let receiver = definition("receiver", &[4]);
        let mut discovery = made();
        discovery.first(
            &receiver,
            &json!({"role": 224, "writer": 256, "at_ns": 1_003_000, "before": 500}),
        );
        let first = |discovery: &Discovery| {
            let first = &discovery.first[0];
            (first.app, first.ns, first.before, first.lost)
        };
        assert_eq!(first(&discovery), (Some(4), 1_000_000, 500, None));
        let count = json!([{"role": 224, "writer": 256, "theoretical": 10}]);
        let early = json!({"begin_ns": 503_000, "end_ns": 1_503_000, "counts": count});
        assert!(!discovery.interval(&early), "the first sample came within it");
        let silent = json!([{"role": 224, "writer": 256, "theoretical": 0}]);
        let paused = json!({"begin_ns": 1_503_000, "end_ns": 2_503_000, "counts": silent});
        assert!(!discovery.interval(&paused), "nothing shows its rate");
        let later = json!({"begin_ns": 1_503_000, "end_ns": 2_503_000, "counts": count});
        assert!(discovery.interval(&later));
        assert_eq!(first(&discovery).3, Some(10), "10 in each millisecond");
        assert!(!discovery.interval(&later), "that is known");
    }

    #[test]
    fn a_transceiver_has_lost_the_pings_before_its_first_answer() {
        let mut discovery = made();
        let event = json!({"role": 192, "writer": 192, "at_ns": 9_000, "before": 3});
        discovery.first(&definition("transceiver", &[4]), &event);
        discovery.first(&definition("transceiver", &[4, 5]), &event);
        let found: Vec<_> = discovery.first.iter().map(|f| (f.app, f.ns, f.lost)).collect();
        assert_eq!(found, [(Some(4), 6_000, Some(3)), (None, 6_000, Some(3))]);
    }
}
