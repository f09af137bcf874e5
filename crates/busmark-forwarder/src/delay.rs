//! Frames that wait for their time.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// How long frames wait.
#[derive(Clone, Copy, Debug)]
pub struct Delay {
    /// On average.
    pub mean: Duration,
    /// Greatest deviation from it, at most the mean.
    pub jitter: Duration,
}

/// A frame and when it is due.
struct Waiting<T> {
    due: Instant,
    frame: T,
}

/// Frames in the order in which they came: a later one never overtakes, whatever the jitter.
pub struct Line<T> {
    delay: Delay,
    random: SmallRng,
    waiting: VecDeque<Waiting<T>>,
}

impl<T> Line<T> {
    /// An empty one; the same seed gives the same deviations.
    pub fn new(delay: Delay, seed: u64) -> Self {
        Self { delay, random: SmallRng::seed_from_u64(seed), waiting: VecDeque::new() }
    }

    /// Takes a frame that came now.
    pub fn push(&mut self, now: Instant, frame: T) {
        let mut due = now + self.delay.mean.saturating_sub(self.delay.jitter);
        let spread = self.delay.jitter.as_nanos() as u64 * 2;
        if spread > 0 {
            due += Duration::from_nanos(self.random.random_range(0..=spread));
        }
        if let Some(last) = self.waiting.back() {
            due = due.max(last.due);
        }
        self.waiting.push_back(Waiting { due, frame });
    }

    /// The next frame, if its time has come.
    pub fn pop(&mut self, now: Instant) -> Option<T> {
        if self.waiting.front()?.due > now {
            return None;
        }
        self.waiting.pop_front().map(|waiting| waiting.frame)
    }

    /// How long until the next frame is due; `None` without frames.
    pub fn pause(&self, now: Instant) -> Option<Duration> {
        Some(self.waiting.front()?.due.saturating_duration_since(now))
    }

    /// Frames that wait.
    pub fn len(&self) -> usize {
        self.waiting.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    #[test]
    fn a_frame_leaves_after_the_delay_and_not_before() {
        let begin = Instant::now();
        let mut line = Line::new(Delay { mean: MILLISECOND, jitter: Duration::ZERO }, 1);
        line.push(begin, 'a');
        assert_eq!(line.pop(begin + Duration::from_micros(999)), None);
        assert_eq!(line.pause(begin), Some(MILLISECOND));
        assert_eq!(line.pop(begin + MILLISECOND), Some('a'));
        assert_eq!(line.pause(begin), None);
    }

    proptest! {
        #[test]
        fn frames_keep_their_order_and_wait_within_the_jitter(
            seed: u64, gaps in prop::collection::vec(0u64..500_000, 1..50), jitter in 0u64..1_000_000,
        ) {
            let begin = Instant::now();
            let jitter = Duration::from_nanos(jitter);
            let mut line = Line::new(Delay { mean: MILLISECOND, jitter }, seed);
            let mut now = begin;
            let mut came = Vec::new();
            for (number, gap) in gaps.iter().enumerate() {
                now += Duration::from_nanos(*gap);
                line.push(now, number);
                came.push(now);
            }
            for (number, came) in came.iter().enumerate() {
                let due = line.waiting.front().expect("a frame").due;
                prop_assert!(due + jitter >= *came + MILLISECOND);
                // One that waits for those before it waits no longer than they do.
                prop_assert!(due <= *came + MILLISECOND + jitter);
                prop_assert_eq!(line.pop(due), Some(number));
            }
            prop_assert_eq!(line.len(), 0);
        }

        #[test]
        fn the_same_seed_gives_the_same_deviations(seed: u64) {
            let begin = Instant::now();
            let delay = Delay { mean: MILLISECOND, jitter: MILLISECOND };
            let dues = |seed| {
                let mut line = Line::new(delay, seed);
                for n in 0..20 {
                    line.push(begin + MILLISECOND * n * 3, ());
                }
                line.waiting.iter().map(|w| w.due).collect::<Vec<_>>()
            };
            prop_assert_eq!(dues(seed), dues(seed));
        }
    }
}
