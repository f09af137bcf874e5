//! What may be asked of an active role while it runs: another rate, a pause, its end.
//!
//! The hot path reads one number, relaxed. Only where that is another than last time does it take the
//! slow path, which reads the rest and tells when the change took effect.

use std::sync::atomic::{AtomicI64, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;
use std::time::Duration;

use busmark_measure::now_ns;

use crate::protocol::{Failure, Sighting};

/// Why a measurement ends that was stopped.
pub const STOPPED: &str = "stopped";
/// How long a role that pauses sleeps before it looks whether its time is over.
pub const NAP: Duration = Duration::from_millis(20);

/// Takes the time at which a change took effect, ns; `None`: the role had ended before.
pub type Taken = Box<dyn FnOnce(Option<i64>) + Send>;

/// What a role is to do.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Samples per second; `None`: as it began.
    pub rate_hz: Option<f64>,
    /// It sends nothing until it is resumed.
    pub paused: bool,
    /// It ends now.
    pub stopped: bool,
}

/// The control cell of one role. It has cache lines of its own, so that the hot path waits for nobody
/// else's writing.
#[repr(align(128))]
pub struct Control {
    generation: AtomicU32,
    begin_ns: AtomicI64,
    slow: Mutex<Slow>,
}

struct Slow {
    rated: bool,
    wanted: Wanted,
    waiting: Vec<Taken>,
    runner: Option<Thread>,
    sightings: Vec<Sighting>,
    ended: bool,
}

impl Control {
    /// Control of a role that sends at a rate, or not.
    pub fn new(rated: bool) -> Self {
        let wanted = Wanted::default();
        let slow = Slow {
            rated,
            wanted,
            waiting: Vec::new(),
            runner: None,
            sightings: Vec::new(),
            ended: false,
        };
        Self { generation: AtomicU32::new(0), begin_ns: AtomicI64::new(0), slow: Mutex::new(slow) }
    }

    fn slow(&self) -> MutexGuard<'_, Slow> {
        self.slow.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The role runs on this thread, which is woken for changes.
    pub fn runs_here(&self) {
        self.slow().runner = Some(std::thread::current());
    }

    /// The measured time begins.
    pub fn begins(&self, at_ns: i64) {
        self.begin_ns.store(at_ns, Ordering::Relaxed);
    }

    /// When the measured time began; `None` before.
    pub fn begin_ns(&self) -> Option<i64> {
        match self.begin_ns.load(Ordering::Relaxed) {
            0 => None,
            at_ns => Some(at_ns),
        }
    }

    /// Hands on what another participant saw of this one.
    pub fn tell(&self, sighting: Sighting) {
        let mut slow = self.slow();
        slow.sightings.push(sighting);
        if let Some(runner) = &slow.runner {
            runner.unpark();
        }
    }

    /// The sightings that were handed on since the last call.
    pub fn sightings(&self) -> Vec<Sighting> {
        std::mem::take(&mut self.slow().sightings)
    }

    /// Whether something was asked since the role looked last. Hot.
    #[inline]
    pub fn is_new(&self, seen: u32) -> bool {
        self.generation.load(Ordering::Relaxed) != seen
    }

    /// Asks for a change; `taken` is called when it has taken effect.
    pub fn ask(
        &self,
        rate_hz: Option<f64>,
        paused: Option<bool>,
        stop: bool,
        taken: Taken,
    ) -> Result<(), Failure> {
        let mut slow = self.slow();
        if slow.ended {
            return Err(Failure::new("invalid", "the role has ended"));
        }
        if rate_hz.is_some() && !slow.rated {
            let text = "the role has no rate: it runs in a closed loop, or at full speed";
            return Err(Failure::new("unsupported", text));
        }
        let wanted = &mut slow.wanted;
        wanted.rate_hz = rate_hz.or(wanted.rate_hz);
        wanted.paused = paused.unwrap_or(wanted.paused);
        wanted.stopped |= stop;
        slow.waiting.push(taken);
        self.generation.fetch_add(1, Ordering::Relaxed);
        if let Some(runner) = &slow.runner {
            runner.unpark();
        }
        Ok(())
    }

    /// The settings that are asked for, which do not take effect by this.
    #[cold]
    pub fn wanted(&self) -> Wanted {
        self.slow().wanted
    }

    /// Takes what is asked for: it is in effect from now on.
    #[cold]
    pub fn take(&self, seen: &mut u32) -> Wanted {
        let (wanted, waiting) = {
            let mut slow = self.slow();
            *seen = self.generation.load(Ordering::Relaxed);
            (slow.wanted, std::mem::take(&mut slow.waiting))
        };
        let now = now_ns();
        for taken in waiting {
            taken(Some(now));
        }
        wanted
    }

    /// Takes what is asked for, for a role on its own thread, which sleeps through a pause, at most
    /// until `end_ns`.
    #[cold]
    pub fn obey(&self, seen: &mut u32, end_ns: i64) -> Wanted {
        loop {
            let wanted = self.take(seen);
            if wanted.stopped || !wanted.paused {
                return wanted;
            }
            while !self.is_new(*seen) {
                if now_ns() >= end_ns {
                    return wanted;
                }
                std::thread::park_timeout(NAP);
            }
        }
    }

    /// The role has ended: whoever still waits is notified, and nothing more is taken.
    pub fn end(&self) {
        let waiting = {
            let mut slow = self.slow();
            slow.ended = true;
            slow.runner = None;
            std::mem::take(&mut slow.waiting)
        };
        for taken in waiting {
            taken(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use super::*;

    fn waiter() -> (Taken, std::sync::mpsc::Receiver<Option<i64>>) {
        let (tell, taken_at) = channel();
        // Some tests do not listen.
        let taken = move |at| {
            let _ = tell.send(at);
        };
        (Box::new(taken), taken_at)
    }

    #[test]
    fn a_change_is_told_when_it_is_taken_and_not_before() {
        let control = Control::new(true);
        let mut seen = 0;
        assert!(!control.is_new(seen));
        let (taken, taken_at) = waiter();
        control.ask(Some(5.0), None, false, taken).expect("a role with a rate");
        assert!(control.is_new(seen) && taken_at.try_recv().is_err());
        let before = now_ns();
        assert_eq!(control.take(&mut seen).rate_hz, Some(5.0));
        let at = taken_at.try_recv().expect("taken").expect("a time");
        assert!((before..=now_ns()).contains(&at));
        assert!(!control.is_new(seen));
    }

    #[test]
    fn what_is_not_asked_for_stays_as_it_was() {
        let control = Control::new(true);
        for (rate, paused) in [(Some(5.0), None), (None, Some(true)), (Some(7.0), None)] {
            control.ask(rate, paused, false, waiter().0).expect("a change");
        }
        let wanted = Wanted { rate_hz: Some(7.0), paused: true, stopped: false };
        assert_eq!(control.wanted(), wanted);
    }

    #[test]
    fn a_role_without_a_rate_is_given_none() {
        let failure =
            Control::new(false).ask(Some(5.0), None, false, waiter().0).expect_err("none");
        assert_eq!(failure.kind, "unsupported");
    }

    #[test]
    fn a_role_that_has_ended_takes_nothing_more() {
        let control = Control::new(true);
        let (taken, first) = waiter();
        control.ask(None, Some(true), false, taken).expect("a change");
        control.end();
        assert_eq!(first.try_recv(), Ok(None));
        assert!(control.ask(None, Some(false), false, waiter().0).is_err());
    }

    #[test]
    fn a_pause_lasts_until_it_is_taken_back() {
        let control = Arc::new(Control::new(false));
        let (paused, at_pause) = waiter();
        control.ask(None, Some(true), false, paused).expect("a pause");
        let role = Arc::clone(&control);
        let thread = std::thread::spawn(move || {
            role.runs_here();
            role.obey(&mut 0, i64::MAX)
        });
        assert!(at_pause.recv().expect("taken").is_some());
        let (resumed, at_end) = waiter();
        control.ask(None, Some(false), false, resumed).expect("an end of it");
        assert!(at_end.recv().expect("taken").is_some());
        assert!(!thread.join().expect("ends").paused);
    }

    #[test]
    fn a_pause_ends_with_the_measured_time() {
        let control = Control::new(false);
        control.ask(None, Some(true), false, waiter().0).expect("a pause");
        assert!(control.obey(&mut 0, now_ns()).paused);
    }
}
