//! What is known of one repetition so far, by the late joiner's own questions and by what the resident saw.

use busmark_adapter::{Match, Status};
use busmark_measure::now_ns;

use super::SEQ_BITS;
use crate::protocol::{Appearance, Failure, Sighting};
use crate::roles::control::Control;

/// A moment, and the last at which it had not come: the same where the middleware's event had the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// `None`: the first question found it.
    pub after_ns: Option<i64>,
    /// When it was known.
    pub at_ns: i64,
}

/// One repetition.
#[derive(Debug)]
pub struct Discovered {
    begin_ns: i64,
    own: Option<Moment>,
    /// The middleware does not count matches.
    own_unknown: bool,
    /// The last question that found none.
    missed_ns: Option<i64>,
    /// Matches come with their time: asking more often would not make that more exact.
    has_events: bool,
    peer: Option<Moment>,
    peer_matches: bool,
    /// When the first sample was received.
    pub first_ns: Option<i64>,
    /// Sequence number of the first sample that was received from a new writer.
    pub first_seq: Option<u64>,
}

impl Discovered {
    /// `peer_matches`: the resident's adapter counts matches.
    pub fn new(begin_ns: i64, peer_matches: bool) -> Self {
        Self {
            begin_ns,
            own: None,
            own_unknown: false,
            missed_ns: None,
            has_events: false,
            peer: None,
            peer_matches,
            first_ns: None,
            first_seq: None,
        }
    }

    /// Whether the own match is asked for again and again.
    pub fn asks(&self) -> bool {
        self.own.is_none() && !self.own_unknown && !self.has_events
    }

    /// Asks for the own match, unless it is known.
    pub fn ask(
        &mut self,
        count: impl Fn() -> Result<u32, Status>,
        event: impl Fn() -> Result<Match, Status>,
    ) -> Result<(), Failure> {
        if self.own.is_some() || self.own_unknown {
            return Ok(());
        }
        let asked_ns = now_ns();
        match count() {
            Ok(0) => {
                self.has_events = event().is_ok();
                self.missed_ns = Some(asked_ns);
            }
            Ok(_) => {
                self.own = Some(match event() {
                    Ok(Match { changed_ns, .. }) if changed_ns > 0 => {
                        Moment { after_ns: Some(changed_ns), at_ns: changed_ns }
                    }
                    _ => Moment { after_ns: self.missed_ns, at_ns: now_ns() },
                });
            }
            Err(Status::Unsupported) => self.own_unknown = true,
            Err(status) => return Err(Failure::new("failed", format!("matched: {status}"))),
        }
        Ok(())
    }

    /// Whether there is nothing left to wait for.
    pub fn is_whole(&self) -> bool {
        self.first_ns.is_some()
            && (self.own.is_some() || self.own_unknown)
            && (self.peer.is_some() || !self.peer_matches)
    }

    /// The row that is recorded of this repetition.
    pub fn appearance(
        &self,
        created_ns: i64,
        attached_ns: Option<i64>,
        sent: u64,
        lost: Option<i64>,
    ) -> Appearance {
        Appearance {
            begin_ns: self.begin_ns,
            attached_ns,
            created_ns,
            own_after_ns: self.own.and_then(|own| own.after_ns),
            own_at_ns: self.own.map(|own| own.at_ns),
            peer_after_ns: self.peer.and_then(|peer| peer.after_ns),
            peer_at_ns: self.peer.map(|peer| peer.at_ns),
            first_ns: self.first_ns,
            sent: sent as i64,
            lost,
            closed_ns: now_ns(),
        }
    }
}

/// Reports of the resident, over all repetitions.
#[derive(Debug, Default)]
pub struct Waiting {
    /// The resident's matches, as last reported.
    count: u32,
}

impl Waiting {
    /// Takes what has been heard. `number`: the repetition, where the resident is to receive samples.
    pub fn hear(&mut self, control: &Control, found: &mut Discovered, number: Option<u64>) {
        for sighting in control.sightings() {
            self.take(&sighting, found, number);
        }
    }

    fn take(&mut self, sighting: &Sighting, found: &mut Discovered, number: Option<u64>) {
        let Sighting { count, seq, after_ns, at_ns } = *sighting;
        if let Some(count) = count {
            // By another clock its times may be before the begin: the count has risen since.
            if count > self.count && found.peer.is_none() {
                found.peer = Some(Moment { after_ns, at_ns });
            }
            self.count = count;
        }
        if let Some(seq) = seq
            && Some(seq >> SEQ_BITS) == number
            && found.first_ns.is_none()
        {
            (found.first_ns, found.first_seq) = (Some(at_ns), Some(seq));
        }
    }

    /// Waits until the resident counts nobody, at most for this time.
    pub fn until_gone(&mut self, control: &Control, longest_ns: i64) {
        let end_ns = now_ns() + longest_ns;
        loop {
            for sighting in control.sightings() {
                self.count = sighting.count.unwrap_or(self.count);
            }
            if self.count == 0 || now_ns() >= end_ns {
                return;
            }
            std::thread::park_timeout(std::time::Duration::from_millis(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn match_of(count: u32, at_ns: i64) -> Sighting {
        Sighting { count: Some(count), seq: None, after_ns: Some(at_ns), at_ns }
    }

    fn sample(seq: u64, at_ns: i64) -> Sighting {
        Sighting { count: None, seq: Some(seq), after_ns: None, at_ns }
    }

    #[test]
    fn the_event_of_the_own_match_has_its_own_time() {
        let mut found = Discovered::new(10, false);
        found.ask(|| Ok(1), || Ok(Match { count: 1, changed_ns: 7 })).expect("asked");
        found.first_ns = Some(9);
        assert!(found.is_whole());
        let kept = found.appearance(20, None, 0, None);
        // Before the creation returned: the difference is negative, and right.
        assert_eq!((kept.own_after_ns, kept.own_at_ns), (Some(7), Some(7)));
    }

    #[test]
    fn without_events_the_own_match_lies_between_two_questions() {
        let mut found = Discovered::new(10, false);
        let asked = Cell::new(0);
        let counts = || {
            asked.set(asked.get() + 1);
            Ok(u32::from(asked.get() > 1))
        };
        for _ in 0..2 {
            found.ask(counts, || Err(Status::Unsupported)).expect("asked");
        }
        let kept = found.appearance(20, None, 0, None);
        assert!(kept.own_after_ns.is_some_and(|after| Some(after) <= kept.own_at_ns));
    }

    #[test]
    fn a_match_is_a_rise_of_the_residents_count() {
        let control = Control::new(false);
        let mut waiting = Waiting { count: 1 };
        let mut found = Discovered::new(10, true);
        control.tell(match_of(1, 11));
        control.tell(match_of(0, 12));
        waiting.hear(&control, &mut found, Some(0));
        assert_eq!(found.peer, None);
        control.tell(match_of(1, 13));
        waiting.hear(&control, &mut found, Some(0));
        assert_eq!(found.peer, Some(Moment { after_ns: Some(13), at_ns: 13 }));
    }

    #[test]
    fn a_sample_of_the_repetition_before_is_not_the_first_of_this() {
        let control = Control::new(false);
        let (mut waiting, mut found) = (Waiting::default(), Discovered::new(10, false));
        control.tell(sample(6 << SEQ_BITS | 3, 11));
        control.tell(sample(7 << SEQ_BITS | 2, 12));
        waiting.hear(&control, &mut found, Some(7));
        assert_eq!((found.first_ns, found.first_seq), (Some(12), Some(7 << SEQ_BITS | 2)));
    }
}
