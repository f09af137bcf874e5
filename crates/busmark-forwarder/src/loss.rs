//! Frames that are lost, several in a row.

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// A link that is either good or bad, and loses every frame while it is bad (Gilbert, 1960).
pub struct Loss {
    /// Probability of turning bad with a frame, and of turning good.
    worse: f64,
    better: f64,
    bad: bool,
    random: SmallRng,
}

impl Loss {
    /// Loses this share of frames, so many in a row on average: at least one.
    pub fn new(share: f64, burst: f64, seed: u64) -> Self {
        let better = 1.0 / burst.max(1.0);
        // The share of the time in which it is bad is worse / (worse + better).
        let worse = (better * share / (1.0 - share)).min(1.0);
        Self { worse, better, bad: false, random: SmallRng::seed_from_u64(seed) }
    }

    /// Whether the next frame is lost.
    pub fn next(&mut self) -> bool {
        let turns = if self.bad { self.better } else { self.worse };
        if turns > 0.0 && self.random.random_bool(turns) {
            self.bad = !self.bad;
        }
        self.bad
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn without_a_share_nothing_is_lost() {
        let mut loss = Loss::new(0.0, 8.0, 1);
        assert!((0..10_000).all(|_| !loss.next()));
    }

    proptest! {
        #[test]
        fn the_share_and_the_length_of_bursts_are_as_asked_for(
            seed: u64, share in 0.01f64..0.4, burst in 1.5f64..20.0,
        ) {
            let mut loss = Loss::new(share, burst, seed);
            let lost: Vec<bool> = (0..400_000).map(|_| loss.next()).collect();
            let total = lost.iter().filter(|lost| **lost).count() as f64;
            let bursts = lost.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
            // Bursts are independent: six standard deviations of their number and lengths.
            let spread = 6.0 * (2.0 / bursts).sqrt();
            prop_assert!((total / lost.len() as f64 / share - 1.0).abs() < spread);
            prop_assert!((total / bursts / burst - 1.0).abs() < spread);
        }
    }
}
