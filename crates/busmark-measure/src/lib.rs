//! The instruments: clock, pacer, probes, recorder, sequence ledger, interval counters.
//!
//! They know no middleware and no protocol. Everything is allocated before a measurement begins;
//! what runs during it neither allocates nor locks nor enters the kernel, but for the pacer, which
//! sleeps between samples and never within one.
#![forbid(unsafe_code)]

mod clock;
mod held;
mod holes;
mod intervals;
mod ledger;
mod pacer;
mod probes;
mod random;
mod recorder;

pub use clock::{ClockPair, clock_pair, now_ns, sleep_until_ns};
pub use held::held_bytes;
pub use intervals::{Interval, Intervals};
pub use ledger::{Arrival, Ledger};
pub use pacer::{Arrivals, Pacer};
pub use probes::{Probes, is_recorded};
pub use random::SplitMix64;
pub use recorder::{Recorder, Row};
