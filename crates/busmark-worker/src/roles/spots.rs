//! Samples whose bodies every run looks at: one in a thousand, at random, with content of their own.
//!
//! Which ones depends on the run's cookie, so both sides know them and nobody else. Their bodies differ
//! from the others: a middleware that sends a body once and repeats it at the reader is found out, and
//! so is one that damages bodies now and then. What is looked at is the same work for every middleware,
//! and lies after the stamps of its sample.

/// One in this many samples.
const ONE_IN: u64 = 1000;
/// Contents besides the usual one.
const MOST_VARIANTS: usize = 8;
/// What native samples of further content may hold together.
const MOST_BYTES: usize = 32 << 20;
/// Elements between the beginnings of two contents.
const STEP: usize = 97;

/// Which samples are looked at, and what they hold.
#[derive(Clone, Copy)]
pub struct Spots {
    key: u64,
    variants: usize,
    seen: bool,
}

impl Spots {
    /// For bodies that can be `seen`; `bytes` is the size of all native samples of one content, 0 where
    /// there is one content only.
    pub fn new(key: u64, seen: bool, bytes: usize) -> Self {
        let variants =
            if bytes == 0 || !seen { 0 } else { (MOST_BYTES / bytes).min(MOST_VARIANTS) };
        Self { key, variants, seen }
    }

    /// Whether any body is looked at.
    pub fn are_seen(self) -> bool {
        self.seen
    }

    /// Contents besides the usual one.
    pub fn variants(self) -> usize {
        self.variants
    }

    /// `SplitMix64` of sequence number and key. Hot.
    #[inline]
    fn mix(self, seq: u64) -> u64 {
        let mut z = (seq ^ self.key).wrapping_add(0x9E37_79B9_7F4A_7C15);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Whether sample `seq` is looked at. Hot.
    #[inline]
    pub fn holds(self, seq: u64) -> bool {
        self.seen && self.mix(seq) < u64::MAX / ONE_IN
    }

    /// The content of sample `seq`; 0: the usual one. Hot.
    #[inline]
    pub fn variant(self, seq: u64) -> usize {
        if self.variants > 0 && self.holds(seq) {
            1 + (self.mix(seq) % self.variants as u64) as usize
        } else {
            0
        }
    }

    /// The first element of the pattern in the body of sample `seq`.
    pub fn first(self, seq: u64) -> usize {
        Self::first_of(self.variant(seq))
    }

    /// The first element of the pattern in this content.
    pub fn first_of(variant: usize) -> usize {
        variant * STEP
    }

    /// A piece of a body, at a random place. Hot.
    #[inline]
    pub fn glimpse(self, seq: u64, body: &[u8]) -> Glimpse {
        let places = body.len().saturating_sub(Glimpse::BYTES) / Glimpse::ALIGNED + 1;
        let at = (self.mix(!seq) % places as u64) as usize * Glimpse::ALIGNED;
        let length = (body.len() - at).min(Glimpse::BYTES);
        let mut bytes = [0; Glimpse::BYTES];
        bytes[..length].copy_from_slice(&body[at..at + length]);
        Glimpse { seq, at, of: body.len(), length, bytes }
    }
}

/// A piece of a body that is judged when its sample has been answered.
#[derive(Clone, Copy)]
pub struct Glimpse {
    /// Sequence number of its sample.
    pub seq: u64,
    /// Where it begins, at a whole element.
    pub at: usize,
    /// Bytes of the whole body.
    pub of: usize,
    length: usize,
    bytes: [u8; Self::BYTES],
}

impl Glimpse {
    const BYTES: usize = 256;
    /// Every element's size divides it.
    const ALIGNED: usize = 16;

    /// The piece.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
