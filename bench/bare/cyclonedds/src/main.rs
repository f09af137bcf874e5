//! The smallest round trip and the smallest stream over Cyclone DDS: the library, the type, the
//! configuration and the wait strategies of Busmark's adapter, and nothing of Busmark.
//!
//! ```text
//! bare-cyclonedds pong --domain 9 --wait listener --size 64 --cpu 1 &
//! bare-cyclonedds ping --domain 9 --wait listener --size 64 --cpu 1 --count 20000 --warmup 2000
//! bare-cyclonedds sub --domain 9 --size 64 --seconds 3 &
//! bare-cyclonedds pub --domain 9 --size 64 --seconds 5
//! bare-cyclonedds meet --domain 9 --topics 10 --processes 5
//! ```
//!
//! `pong` and `sub` print their domain as a line of JSON first, for `--address` of the other side;
//! `ping` and `sub` print the figures as another. A stream is bounded by `--seconds` or, without it, by
//! the publisher's `--count`. `pong` ends when `ping` has gone. `meet` is one of `--processes`, whose
//! endpoints find each other: it begins with a line on its standard input, and ends with another.

mod dds;
mod meet;
mod options;
mod ping;
mod security;
mod stream;

use options::{Options, Role};

fn main() -> Result<(), String> {
    let options = Options::parse(std::env::args().skip(1))?;
    if let Some(cpu) = options.cpu {
        pin(cpu)?;
    }
    match options.role {
        Role::Ping => ping::ping(&options),
        Role::Pong => ping::pong(&options),
        Role::Pub => stream::publish(&options),
        Role::Sub => stream::subscribe(&options),
        Role::Meet => meet::meet(&options),
    }
}

/// Keeps this process, and every thread that it starts from here on, on one CPU.
fn pin(cpu: usize) -> Result<(), String> {
    // SAFETY: the set is plain data, and `CPU_SET` checks nothing but is within it for this range.
    let code = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        if cpu >= libc::CPU_SETSIZE as usize {
            return Err(format!("there is no CPU {cpu}"));
        }
        libc::CPU_SET(cpu, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set)
    };
    if code == 0 { Ok(()) } else { Err(format!("CPU {cpu}: {}", std::io::Error::last_os_error())) }
}
