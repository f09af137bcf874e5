//! `busmark-forwarder`: the switch of a lab whose links have a delay, or lose packets in a row.
//!
//! It joins Ethernet interfaces, one for each node, and hands every frame on after a delay. One thread
//! for each interface reads its frames and sends those that are due.

#![forbid(unsafe_code)]

mod delay;
mod loss;
mod port;
mod switch;

use std::process::ExitCode;
use std::time::Duration;

use clap::Parser;

use crate::delay::Delay;
use crate::switch::Links;

/// Joins network interfaces and delays what crosses them.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    /// Interfaces, one for each node; the last byte of a node's MAC address is its place here, from 1.
    #[arg(required = true, num_args = 2..)]
    interfaces: Vec<String>,
    /// Delay of every frame, in nanoseconds.
    #[arg(long, default_value_t = 0)]
    delay_ns: u64,
    /// Greatest deviation from it, in nanoseconds: uniform on both sides. Frames keep their order.
    #[arg(long, default_value_t = 0)]
    jitter_ns: u64,
    /// Share of IP packets that are lost.
    #[arg(long, default_value_t = 0.0)]
    loss: f64,
    /// How many are lost in a row, on average.
    #[arg(long, default_value_t = 1.0)]
    burst: f64,
    /// Seed of the deviations and losses.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let delay = Delay {
        mean: Duration::from_nanos(arguments.delay_ns),
        jitter: Duration::from_nanos(arguments.jitter_ns.min(arguments.delay_ns)),
    };
    let links = Links { delay, loss: arguments.loss, burst: arguments.burst };
    match switch::run(&arguments.interfaces, links, arguments.seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("busmark-forwarder: {error}");
            ExitCode::from(2)
        }
    }
}
