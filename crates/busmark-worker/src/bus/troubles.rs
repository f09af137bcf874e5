//! How often a member tells troubles: whoever floods the bus with what nobody understands must not get a
//! flood back.

use std::time::{Duration, Instant};

use super::message::Trouble;

/// Troubles that are reported at once.
const AT_ONCE: u32 = 20;
/// Then one for each of these.
const EVERY: Duration = Duration::from_millis(200);

/// Lets through what may be reported, and counts the rest.
pub struct Valve {
    room: u32,
    since: Instant,
    untold: u64,
}

impl Valve {
    /// As of this moment.
    pub fn new(now: Instant) -> Self {
        Self { room: AT_ONCE, since: now, untold: 0 }
    }

    /// The trouble, if it may be reported now, with the number of suppressed ones.
    pub fn pass(&mut self, trouble: Trouble, now: Instant) -> Option<Trouble> {
        let gained = now.saturating_duration_since(self.since).as_millis() / EVERY.as_millis();
        if gained > 0 {
            self.room = self.room.saturating_add(gained.min(100) as u32).min(AT_ONCE);
            self.since = now;
        }
        if self.room == 0 {
            self.untold += 1;
            return None;
        }
        self.room -= 1;
        let untold = std::mem::take(&mut self.untold);
        Some(Trouble { untold: (untold > 0).then_some(untold), ..trouble })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_flood_a_few_are_told_and_then_how_many_were_not() {
        let begin = Instant::now();
        let mut valve = Valve::new(begin);
        let trouble = || Trouble::new("malformed", "x");
        let told = (0..1000).filter(|_| valve.pass(trouble(), begin).is_some()).count();
        assert_eq!(told, AT_ONCE as usize);
        let later = valve.pass(trouble(), begin + EVERY).expect("room again");
        assert_eq!(later.untold, Some(1000 - u64::from(AT_ONCE)));
        assert_eq!(valve.pass(trouble(), begin + EVERY), None);
    }
}
