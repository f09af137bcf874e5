//! The controller's numbers, before they become memory, times and places in tables: a line that is
//! wrong is refused in words, and this process continues.

use std::ops::RangeInclusive;
use std::time::Duration;

use crate::protocol::{Change, Failure, Schedule, Setup, StreamSpec};
use crate::roles;

/// Limit of participants, roles and writers: what one process can hold.
pub(crate) const PARTICIPANTS: u64 = 100_000;
/// Writers are positions in a table; positions have 16 bits.
const WRITERS: u64 = 65_534;
/// Rows of a recorder, 100 bytes each.
pub(crate) const ROWS: u64 = 200_000_000;
pub(crate) const INTERVALS: u64 = 10_000_000;
pub(crate) const BODY_BYTES: u64 = 1 << 36;
/// Requests of one client that wait for a response.
pub(crate) const OUTSTANDING: u64 = 1 << 20;
pub(crate) const SERVER_THREADS: u64 = 1024;
const INSTANCES: u64 = 1_000_000;
/// Limit of anything that only counts.
pub(crate) const COUNT: u64 = 1 << 53;
/// 11 days.
const TIME_NS: i64 = 1_000_000_000_000_000;
const TIME_S: f64 = 1e6;
pub(crate) const RATE_HZ: f64 = 1e9;
/// One sample in eleven days.
pub(crate) const SLOWEST_HZ: f64 = 1e-6;

/// A time of the controller's as a duration.
pub fn seconds(name: &str, value: f64) -> Result<Duration, Failure> {
    real(name, value, 0.0..=TIME_S).map(|()| Duration::from_secs_f64(value))
}

/// Checks that a round can be set up with these numbers.
pub fn check(setup: &Setup) -> Result<(), Failure> {
    count("participants", setup.participants.len() as u64, PARTICIPANTS)?;
    for participant in &setup.participants {
        count("roles", participant.roles.len() as u64, PARTICIPANTS)?;
        participant.roles.iter().try_for_each(roles::check)?;
    }
    Ok(())
}

pub(crate) fn writers(own: u32, from: &[u32]) -> Result<(), Failure> {
    count("from", from.len() as u64, WRITERS)?;
    from.iter().chain([&own]).try_for_each(|id| count("writer", u64::from(*id), WRITERS))
}

pub(crate) fn stream(of: &StreamSpec) -> Result<(), Failure> {
    count("size", of.size as u64, BODY_BYTES)?;
    count("sizes", of.sizes.len() as u64, INSTANCES)?;
    of.sizes.iter().try_for_each(|size| count("sizes", *size as u64, BODY_BYTES))?;
    count("instances", u64::from(of.instances), INSTANCES)?;
    count("filter_below", u64::from(of.filter_below), INSTANCES)
}

pub(crate) fn schedule(when: &Schedule) -> Result<(), Failure> {
    real("rate_hz", when.rate_hz, 0.0..=RATE_HZ)?;
    time("warmup_ns", when.warmup_ns, 0)?;
    time("duration_ns", when.duration_ns, 1)?;
    time("timeout_ns", when.timeout_ns, 0)?;
    count("samples", when.samples, COUNT)?;
    count("capacity", when.capacity as u64, ROWS)
}

/// Checks that a role can take this change.
pub(crate) fn change(of: &Change) -> Result<(), Failure> {
    of.rate_hz.map_or(Ok(()), |rate_hz| real("rate_hz", rate_hz, SLOWEST_HZ..=RATE_HZ))
}

pub(crate) fn count(name: &str, value: u64, most: u64) -> Result<(), Failure> {
    whole(name, value, 0..=most)
}

pub(crate) fn whole(name: &str, value: u64, allowed: RangeInclusive<u64>) -> Result<(), Failure> {
    if allowed.contains(&value) { Ok(()) } else { Err(outside(name, &value, &allowed)) }
}

pub(crate) fn time(name: &str, value: i64, least: i64) -> Result<(), Failure> {
    let allowed = least..=TIME_NS;
    if allowed.contains(&value) { Ok(()) } else { Err(outside(name, &value, &allowed)) }
}

pub(crate) fn real(name: &str, value: f64, allowed: RangeInclusive<f64>) -> Result<(), Failure> {
    // Not a number is in no range.
    if allowed.contains(&value) { Ok(()) } else { Err(outside(name, &value, &allowed)) }
}

fn outside<T: std::fmt::Debug>(name: &str, value: &T, allowed: &RangeInclusive<T>) -> Failure {
    let (low, high) = (allowed.start(), allowed.end());
    Failure::new("protocol", format!("{name} = {value:?} is not within {low:?} to {high:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(role: &str) -> Result<(), Failure> {
        let text = format!(
            r#"{{"adapter": "x", "cookie": "1", "yields": false, "participants": [{{"config":
            {{"domain": 0, "interface_name": "lo", "interface_address": "127.0.0.1",
            "transport": "", "profile": "", "run_dir": "", "settings": []}}, "roles": [{role}]}}]}}"#
        );
        check(&serde_json::from_str(&text).expect("a setup"))
    }

    fn responder(writer: u64, size: u64) -> String {
        format!(
            r#"{{"role": "responder", "writer": {writer}, "ping": "a", "pong": "b", "stream":
            {{"payload": "octet", "size": {size}, "wait": "poll", "qos": {{}}, "verify": false}}}}"#
        )
    }

    #[test]
    fn what_a_round_has_is_taken() {
        assert!(setup(&responder(7, 64)).is_ok());
    }

    #[test]
    fn a_writer_or_a_size_out_of_range_is_refused_in_words() {
        for role in [responder(u64::from(u32::MAX), 64), responder(7, 1 << 60)] {
            let failure = setup(&role).expect_err("out of range");
            assert_eq!(failure.kind, "protocol");
            assert!(failure.message.contains("is not within"), "{}", failure.message);
        }
    }

    #[test]
    fn a_time_that_no_clock_has_is_refused() {
        for value in [-1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(seconds("timeout_s", value).is_err(), "{value}");
        }
        assert_eq!(seconds("timeout_s", 0.5).ok(), Some(Duration::from_millis(500)));
    }
}
