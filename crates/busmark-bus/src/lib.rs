//! Participants that are driven through the middleware under test, without a controller.
//!
//! A [`Member`] joins under the number of an application and of a group. Orders reach it on one topic,
//! and what it has to tell goes out on three: news, live figures, troubles. All carry JSON as octets, reliable
//! and transient-local where the adapter has both; elsewhere a [`Caller`] repeats an order until it is
//! answered, and a member knows by the caller and the number of an order whether it has had it before.
//!
//! The bus is one more carrier of the control protocol: each test of a member is a
//! [`Desk`](busmark_worker::desk::Desk) with a thread of its own, which takes the commands that a pipe would
//! bring. Nothing of a measurement's path is different.
#![forbid(unsafe_code)]

mod brief;
mod caller;
mod definition;
mod found;
mod join;
mod looking;
mod member;
pub mod message;
mod orders;
mod test;
#[cfg(test)]
mod tests;
mod topics;
mod troubles;

pub use self::caller::{Caller, Hears};
pub use self::definition::{Definition, Kind};
pub use self::member::{Member, Name};

/// Orders, from callers to members.
pub const ORDERS: &str = "busmark_bus_orders";
/// What members have to tell: who is there, answers, results.
pub const NEWS: &str = "busmark_bus_news";
/// What tests tell while they run. A topic of its own, for whoever only gives an order wants none of it.
pub const LIVE: &str = "busmark_bus_live";
/// Orders that a member could not make sense of, and what else went wrong.
pub const TROUBLES: &str = "busmark_bus_troubles";

/// A number that nobody else on the bus has, below 2^53 so that every reader of JSON can hold it.
pub(crate) fn own_number() -> u64 {
    use std::hash::{BuildHasher as _, Hasher as _, RandomState};

    // Seeded by the system, for each process anew.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    hasher.write_i64(busmark_measure::now_ns());
    (hasher.finish() & ((1 << 53) - 1)).max(1)
}
