//! Random numbers from a seed: the same seed, the same measurement.

/// `SplitMix64` (Steele, Lea and Flood 2014).
#[derive(Clone, Debug)]
pub struct SplitMix64(pub u64);

impl SplitMix64 {
    /// Uniform in [0, 1).
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(GAMMA);
        ((mixed(self.0) >> 11) as f64) / (1_u64 << 53) as f64
    }

    /// Exponential with this mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -(1.0 - self.uniform()).ln() * mean
    }
}

pub(crate) const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Its output function: numbers that are close to each other become unlike each other.
#[inline]
pub(crate) fn mixed(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
