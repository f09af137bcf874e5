//! What a worker tells of discovery while its roles run, if it is asked to: when the endpoints of
//! passive roles have found their counterparts, and the first sample of each writer.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use crate::matching::{Endpoint, Found, Search, are_notified};
use crate::protocol::{Event, Expected, Failure, First};

/// How often it is looked until all is found. A first sample has its own time, and so has a match
/// where the middleware's event has it.
const LOOK: Duration = Duration::from_millis(100);

/// Looks at roles until everything that they wait for has come.
pub struct Discovery {
    /// Counterparts by topic.
    pub expect: BTreeMap<String, Expected>,
    search: Option<Search>,
    known: BTreeSet<(u32, u32)>,
    next: Option<Instant>,
}

impl Discovery {
    /// Tells the first samples, and the match if counterparts are expected.
    pub fn new(expect: BTreeMap<String, Expected>) -> Self {
        let search = (!expect.is_empty()).then(Search::default);
        Self { expect, search, known: BTreeSet::new(), next: Some(Instant::now() + LOOK) }
    }

    /// When to look next; `None`: never again.
    pub fn due(&self) -> Option<Instant> {
        self.next
    }

    /// Whether no match has been reported yet.
    pub fn searches(&self) -> bool {
        self.search.is_some()
    }

    /// What has been found since the last look. `firsts` has an entry for each writer that is expected.
    ///
    /// # Errors
    /// An endpoint that cannot be asked; it is not asked again.
    pub fn look(
        &mut self,
        endpoints: &[Endpoint<'_>],
        firsts: &[Option<First>],
    ) -> Result<Vec<Event>, Failure> {
        let mut events = Vec::new();
        let known = &mut self.known;
        let new = firsts.iter().flatten().filter(|first| known.insert((first.role, first.writer)));
        events.extend(new.copied().map(Event::First));
        if let Some(mut search) = self.search.take() {
            match search.look(endpoints, are_notified(endpoints))? {
                Found::All(matched) => events.push(Event::Matched(matched)),
                Found::Some(..) => self.search = Some(search),
            }
        }
        let all = self.search.is_none() && firsts.iter().all(Option::is_some);
        self.next = (!all).then(|| Instant::now() + LOOK);
        Ok(events)
    }
}
