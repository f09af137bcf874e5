//! What a worker tells while its roles run, if it is asked to: when the measured time of each begins,
//! and what has come in every interval.

use std::time::{Duration, Instant};

use busmark_measure::now_ns;

use crate::protocol::{Count, Event, Seen};

/// How often it is looked whether the measured time has begun.
const LOOK: Duration = Duration::from_millis(5);

/// What has come so far, by role and writer.
pub type Counts = Vec<Count>;

/// Looks at roles from time to time.
pub struct Watch {
    every: Duration,
    next_look: Instant,
    next_interval: Instant,
    /// Roles whose measured time has not begun, so far as is known.
    waiting: Vec<u32>,
    last_ns: i64,
    last: Counts,
}

impl Watch {
    /// Watch of these active roles.
    pub fn new(every: Duration, waiting: Vec<u32>, counts: Counts) -> Self {
        let now = Instant::now();
        Self {
            every,
            next_look: now + LOOK,
            next_interval: now + every,
            waiting,
            last_ns: now_ns(),
            last: counts,
        }
    }

    /// When to look next. Once the measured time of all has begun, only at the ends of intervals.
    pub fn due(&self) -> Instant {
        if self.waiting.is_empty() {
            self.next_interval
        } else {
            self.next_look.min(self.next_interval)
        }
    }

    /// What there is to tell: `begin_ns` gives when the measured time of a role began, `counts` what has
    /// come, `seen` a look at the rows.
    pub fn look(
        &mut self,
        begin_ns: impl Fn(u32) -> Option<i64>,
        counts: impl FnOnce() -> Counts,
        seen: impl FnOnce() -> Vec<Seen>,
    ) -> Vec<Event> {
        let now = Instant::now();
        self.next_look = now + LOOK;
        let mut events = Vec::new();
        self.waiting.retain(|&writer| match begin_ns(writer) {
            Some(begin_ns) => {
                events.push(Event::Progress { writer, begin_ns });
                false
            }
            None => true,
        });
        if now >= self.next_interval {
            self.next_interval += self.every;
            if self.next_interval <= now {
                self.next_interval = now + self.every; // held up for long: nothing is made up for
            }
            events.push(self.interval(counts(), seen()));
        }
        events
    }

    fn interval(&mut self, counts: Counts, seen: Vec<Seen>) -> Event {
        let (begin_ns, end_ns) = (self.last_ns, now_ns());
        let since = counts.iter().map(|count| self.since(count)).collect();
        (self.last_ns, self.last) = (end_ns, counts);
        Event::Interval { begin_ns, end_ns, counts: since, seen }
    }

    /// What has come since the last interval. A role stores its totals one after the other, and may
    /// be doing so now: of what does not fit together yet, the rest comes with the next interval.
    fn since(&self, count: &Count) -> Count {
        let same = |c: &&Count| (c.role, c.writer) == (count.role, count.writer);
        let Some(before) = self.last.iter().find(same) else { return *count };
        let rise = |now: Option<u64>, then: Option<u64>| Some(now?.saturating_sub(then?));
        Count {
            samples: count.samples.saturating_sub(before.samples),
            theoretical: rise(count.theoretical, before.theoretical),
            bytes: rise(count.bytes, before.bytes),
            ..*count
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(samples: u64) -> Counts {
        vec![Count::of(2, 1, samples)]
    }

    #[test]
    fn what_a_receiver_should_have_got_is_counted_like_what_it_got() {
        let stream = |samples, missing, bytes| Count {
            theoretical: Some(samples + missing),
            missing: Some(missing),
            bytes: Some(bytes),
            ..Count::of(2, 1, samples)
        };
        let mut watch = Watch::new(Duration::ZERO, vec![], vec![stream(5, 0, 50)]);
        let events = watch.look(|_| None, || vec![stream(12, 3, 120)], Vec::new);
        let [Event::Interval { counts, .. }] = &events[..] else { panic!("{events:?}") };
        let came = Count {
            theoretical: Some(10),
            missing: Some(3),
            bytes: Some(70),
            ..Count::of(2, 1, 7)
        };
        assert_eq!(*counts, [came]);
    }

    #[test]
    fn a_begin_is_told_once() {
        let mut watch = Watch::new(Duration::from_secs(3600), vec![1, 2], count(0));
        let events = watch.look(|writer| (writer == 2).then_some(77), || count(0), Vec::new);
        assert!(matches!(events[..], [Event::Progress { writer: 2, begin_ns: 77 }]), "{events:?}");
        assert!(watch.look(|writer| (writer == 2).then_some(77), || count(0), Vec::new).is_empty());
        assert!(watch.due() < watch.next_interval, "role 1 has not begun");
    }

    #[test]
    fn an_interval_has_what_came_since_the_last() {
        let mut watch = Watch::new(Duration::ZERO, vec![], count(5));
        for (so_far, since) in [(12, 7), (12, 0), (20, 8)] {
            let events = watch.look(|_| None, || count(so_far), Vec::new);
            let [Event::Interval { begin_ns, end_ns, counts, .. }] = &events[..] else {
                panic!("{events:?}")
            };
            assert!(begin_ns <= end_ns);
            assert_eq!(*counts, count(since));
        }
    }
}
