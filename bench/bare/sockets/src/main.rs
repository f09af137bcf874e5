//! The smallest native loops over UDP, TCP and Unix-domain sockets, with the socket settings and the
//! bytes on the wire of Busmark's adapters and none of Busmark's code. Run beside an adapter, in one
//! session and interleaved, they tell what the adapter and the harness cost.
//!
//! `bare-sockets pong|ping|sub|pub --transport udp|tcp|uds --wait listener|waitset|poll …`; `pong` and
//! `sub` print their address as a line of JSON first, `ping` and `sub` print the figures as another.
//!
//! With `--calls library`, the default, receiving and sending are functions, like the C library's;
//! with `--calls inlined` the system call is in the loop itself. On processors that forget return
//! addresses when another process gets the CPU, the first return after a sleep costs up to a
//! microsecond, which the latter saves.

mod latency;
mod options;
mod throughput;
mod transport;

use std::process::ExitCode;

use options::{Options, Wait};

const USAGE: &str = "usage: bare-sockets pong|ping|sub|pub [--transport udp|tcp|uds] \
    [--wait listener|waitset|poll] [--calls library|inlined] [--connection separate|shared] \
    [--size BYTES] [--count N] [--warmup N] [--cpu N] \
    [--address ADDRESS]\n  pong and sub print the address that ping and pub need; uds: --address \
    names the socket file of pong and sub";

fn run() -> Result<(), String> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (role, rest) = arguments.split_first().ok_or(USAGE)?;
    let body = match role.as_str() {
        "pong" => latency::pong,
        "ping" => latency::ping,
        "sub" => throughput::subscribe,
        "pub" => throughput::publish,
        _ => return Err(USAGE.to_owned()),
    };
    let options = Options::parse(rest)?;
    options.pin()?;
    let outcome = if options.wait == Wait::Listener {
        let thread = std::thread::spawn(move || body(&options));
        thread.join().map_err(|_| "the loop panicked".to_owned())?
    } else {
        body(&options)
    };
    outcome.map_err(|error| format!("{role}: {error}"))
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprintln!("bare-sockets: {text}");
            ExitCode::from(2)
        }
    }
}
