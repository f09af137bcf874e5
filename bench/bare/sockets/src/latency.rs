//! Ping and pong: one sample there, one back, the round trip timed by the pinging side.

use std::io::{Result, Write, stdout};
use std::time::Instant;

use crate::options::Options;
use crate::transport::{Bound, Receiver, Sender};

/// Sends back whatever comes until all has come.
pub fn pong(options: &Options) -> Result<()> {
    let bound = Bound::new(options, "")?;
    println!("{{\"address\":\"{}\"}}", bound.address()?);
    stdout().flush()?;
    let mut receiver = bound.accept(options)?;
    let mut sender = if options.shared {
        Sender::back(options, &receiver)?
    } else {
        let address = receiver.next_text()?;
        Sender::connect(options, &address)?
    };
    for number in 0..options.warmup + options.count {
        if receiver.next()?.is_none() {
            break;
        }
        sender.send(number as u64)?;
    }
    Ok(())
}

#[inline(always)]
fn round_trip(sender: &mut Sender, receiver: &mut Receiver, number: u64) -> Result<u64> {
    let start = Instant::now();
    sender.send(number)?;
    receiver.next()?;
    Ok(start.elapsed().as_nanos() as u64)
}

/// Times round trips and prints them.
pub fn ping(options: &Options) -> Result<()> {
    let peer = options.peer()?;
    let mut sender = Sender::connect(options, peer)?;
    let mut receiver = if options.shared {
        Receiver::back(options, &sender)?
    } else {
        let bound = Bound::new(options, ".pong")?;
        sender.send_text(&bound.address()?)?;
        bound.accept(options)?
    };
    let mut times = Vec::with_capacity(options.count);
    for number in 0..options.warmup {
        round_trip(&mut sender, &mut receiver, number as u64)?;
    }
    for number in 0..options.count {
        times.push(round_trip(&mut sender, &mut receiver, number as u64)?);
    }
    times.sort_unstable();
    let at = |share: usize| times[(times.len() - 1) * share / 100];
    println!(
        "{{\"median_ns\":{},\"p99_ns\":{},\"min_ns\":{},\"count\":{}}}",
        at(50),
        at(99),
        at(0),
        times.len()
    );
    Ok(())
}
