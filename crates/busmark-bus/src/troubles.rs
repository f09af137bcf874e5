//! How often a member tells troubles: whoever floods the bus with what nobody understands must not get a
//! flood back. Each kind has its own allowance, so that a flood of one kind hides no other.

use std::time::{Duration, Instant};

use crate::message::Trouble;

/// Troubles of a kind that are reported at once.
const AT_ONCE: u32 = 20;
/// Then one for each of these.
pub const EVERY: Duration = Duration::from_millis(200);

/// Lets through what may be reported, and counts the rest.
#[derive(Default)]
pub struct Valve {
    kinds: Vec<Allowance>,
}

/// The reports that one kind of trouble has left.
struct Allowance {
    kind: &'static str,
    room: u32,
    since: Instant,
    omitted: u64,
    /// The last one that had no room; it counts among the omitted until there is room for it.
    held: Option<Trouble>,
}

impl Valve {
    /// The trouble, if it may be reported now, with the number of suppressed ones of its kind.
    pub fn pass(&mut self, trouble: Trouble, now: Instant) -> Option<Trouble> {
        self.of(trouble.trouble, now).pass(trouble, now)
    }

    /// The troubles that were held back and may be reported by now: after a flood has ended, how much
    /// of it was omitted.
    pub fn rest(&mut self, now: Instant) -> Vec<Trouble> {
        self.kinds.iter_mut().filter_map(|kind| kind.rest(now)).collect()
    }

    /// Whether anything is held back.
    pub fn holds(&self) -> bool {
        self.kinds.iter().any(|kind| kind.held.is_some())
    }

    fn of(&mut self, kind: &'static str, now: Instant) -> &mut Allowance {
        let place = self.kinds.iter().position(|known| known.kind == kind).unwrap_or_else(|| {
            self.kinds.push(Allowance { kind, room: AT_ONCE, since: now, omitted: 0, held: None });
            self.kinds.len() - 1
        });
        &mut self.kinds[place]
    }
}

impl Allowance {
    fn pass(&mut self, trouble: Trouble, now: Instant) -> Option<Trouble> {
        self.refill(now);
        if self.room == 0 {
            self.omitted += 1;
            self.held = Some(trouble);
            return None;
        }
        Some(self.tell(trouble))
    }

    fn rest(&mut self, now: Instant) -> Option<Trouble> {
        self.refill(now);
        if self.room == 0 {
            return None;
        }
        let held = self.held.take()?;
        self.omitted -= 1;
        Some(self.tell(held))
    }

    fn refill(&mut self, now: Instant) {
        let gained = now.saturating_duration_since(self.since).as_millis() / EVERY.as_millis();
        if gained > 0 {
            self.room = self.room.saturating_add(gained.min(100) as u32).min(AT_ONCE);
            self.since = now;
        }
    }

    fn tell(&mut self, trouble: Trouble) -> Trouble {
        self.room -= 1;
        self.held = None;
        let omitted = std::mem::take(&mut self.omitted);
        Trouble { omitted: (omitted > 0).then_some(omitted), ..trouble }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn malformed() -> Trouble {
        Trouble::new("malformed", "x")
    }

    fn flooded(begin: Instant) -> Valve {
        let mut valve = Valve::default();
        let passed = (0..1000).filter(|_| valve.pass(malformed(), begin).is_some()).count();
        assert_eq!(passed, AT_ONCE as usize);
        valve
    }

    #[test]
    fn of_a_flood_a_few_are_reported_and_then_how_many_were_not() {
        let begin = Instant::now();
        let mut valve = flooded(begin);
        let later = valve.pass(malformed(), begin + EVERY).expect("room again");
        assert_eq!(later.omitted, Some(1000 - u64::from(AT_ONCE)));
        assert_eq!(valve.pass(malformed(), begin + EVERY), None);
    }

    #[test]
    fn a_flood_of_one_kind_hides_no_other() {
        let begin = Instant::now();
        let mut valve = flooded(begin);
        let foreign = Trouble::new("foreign", "y");
        assert_eq!(valve.pass(foreign.clone(), begin), Some(foreign));
    }

    #[test]
    fn the_end_of_a_flood_is_reported_although_nothing_follows() {
        let begin = Instant::now();
        let mut valve = flooded(begin);
        assert!(valve.holds());
        assert_eq!(valve.rest(begin), []);
        let omitted = Some(1000 - u64::from(AT_ONCE) - 1);
        assert_eq!(valve.rest(begin + EVERY), [Trouble { omitted, ..malformed() }]);
        assert!(!valve.holds());
        assert_eq!(valve.rest(begin + 2 * EVERY), []);
    }
}
