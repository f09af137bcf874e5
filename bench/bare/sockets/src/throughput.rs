//! One sends as fast as it can, the other counts.

use std::io::{ErrorKind, Result, Write, stdout};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::options::Options;
use crate::transport::{Bound, Sender};

/// The number of a sample that only says that all has been sent.
const LAST: u64 = u64::MAX;
/// How often it is said; datagrams can be lost.
const REPEATS: usize = 20;
/// Every so manieth sample is stamped.
const STAMPED: u64 = 16;
/// How long the last sample waits.
const PAUSE: Duration = Duration::from_millis(100);

/// Counts samples until the last one and prints the rate.
pub fn subscribe(options: &Options) -> Result<()> {
    let bound = Bound::new(options, "")?;
    println!("{{\"address\":\"{}\"}}", bound.address()?);
    stdout().flush()?;
    let mut input = bound.accept(options)?;
    let (mut received, mut sent) = (0_u64, 0);
    let mut first = Instant::now();
    let mut end = first;
    loop {
        let number = match input.next() {
            Ok(Some(bytes)) => u64::from_le_bytes(bytes[..8].try_into().unwrap_or_default()),
            Ok(None) => break,
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                if received == 0 {
                    continue;
                }
                break;
            }
            Err(error) => return Err(error),
        };
        if number == LAST {
            break;
        }
        if received == 0 {
            input.limit()?;
            first = Instant::now();
        }
        received += 1;
        sent = number + 1;
        // Reading the clock for every sample would be a cost of its own.
        if received.is_multiple_of(STAMPED) {
            end = Instant::now();
        }
    }
    let seconds = end.saturating_duration_since(first).as_secs_f64();
    let rate = if seconds > 0.0 { received as f64 / seconds } else { 0.0 };
    println!(
        "{{\"samples_per_s\":{:.0},\"mbit_per_s\":{:.1},\"received\":{received},\"lost\":{}}}",
        rate,
        rate * options.size as f64 * 8.0 / 1e6,
        sent.max(options.count as u64) - received
    );
    Ok(())
}

/// Sends.
pub fn publish(options: &Options) -> Result<()> {
    let mut sender = Sender::connect(options, options.peer()?)?;
    for number in 0..options.count {
        sender.send(number as u64)?;
    }
    // Datagrams that find a full buffer are dropped: the counting side gets time to empty it.
    sleep(PAUSE);
    for _ in 0..REPEATS {
        // The counting side ends with the first of them, and then nobody is there any more.
        if sender.send(LAST).is_err() {
            break;
        }
    }
    Ok(())
}
