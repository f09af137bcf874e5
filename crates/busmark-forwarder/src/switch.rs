//! The switch: frames go where their destination's MAC address says.

use std::io::Write;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;

use crate::delay::{Delay, Line};
use crate::loss::Loss;
use crate::port::Port;

/// Beginning of the MAC addresses of a lab's nodes: locally administered, "bm".
const NODES: [u8; 5] = [0x02, 0x62, 0x6d, 0, 0];
/// Largest frame: the interfaces do not join packets to larger ones.
const FRAME_BYTES: usize = 9216;
/// Frames that wait at most for one interface; more are lost, as in any switch.
const QUEUE: usize = 100_000;
/// Frames that are read before those that are due are looked at again.
const BATCH: usize = 64;
/// Slack of every wait, in nanoseconds: the kernel would add 50 µs.
const SLACK_NS: u64 = 1;

/// IPv4, as a frame says it.
const IP: [u8; 2] = [0x08, 0x00];

/// What happens to frames on their way.
#[derive(Clone, Copy, Debug)]
pub struct Links {
    /// How long they wait.
    pub delay: Delay,
    /// Share of IP packets that are lost.
    pub loss: f64,
    /// How many of these in a row, on average.
    pub burst: f64,
}

/// Forwards until the process ends. Prints a line when it has begun.
pub fn run(interfaces: &[String], links: Links, seed: u64) -> Result<(), String> {
    let ports: Vec<Port> =
        interfaces.iter().map(|name| Port::open(name)).collect::<Result<_, _>>()?;
    println!("ready");
    let _ = std::io::stdout().flush();
    std::thread::scope(|scope| {
        for own in 0..ports.len() {
            let ports = &ports;
            scope.spawn(move || serve(ports, own, links, seed.wrapping_add(own as u64)));
        }
    });
    Err("an interface is gone".to_owned())
}

/// Reads the frames of one interface, for ever, or until it is gone.
fn serve(ports: &[Port], own: usize, links: Links, seed: u64) {
    let _ = set_timerslack(SLACK_NS);
    let mut line = Line::new(links.delay, seed);
    let mut loss = Loss::new(links.loss, links.burst, !seed);
    let mut buffer = [0; FRAME_BYTES];
    loop {
        for _ in 0..BATCH {
            match ports[own].receive(&mut buffer) {
                Ok(Some(bytes)) if is_ip(&buffer[..bytes]) && loss.next() => {}
                Ok(Some(bytes)) if line.len() < QUEUE => {
                    line.push(Instant::now(), Box::<[u8]>::from(&buffer[..bytes]));
                }
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(_) => return,
            }
        }
        while let Some(frame) = line.pop(Instant::now()) {
            for to in destinations(&frame, own, ports.len()).filter(|to| *to != own) {
                ports[to].send(&frame);
            }
        }
        wait(&ports[own], line.pause(Instant::now()));
    }
}

/// Whether a frame holds an IP packet: who has which address is never lost.
fn is_ip(frame: &[u8]) -> bool {
    frame.get(12..14) == Some(&IP)
}

/// Where a frame goes: to the node whose number ends its destination's address, or to all others.
fn destinations(frame: &[u8], own: usize, ports: usize) -> std::ops::Range<usize> {
    let Some(address) = frame.first_chunk::<6>() else { return 0..0 };
    let node = usize::from(address[5]);
    if address[..5] == NODES && (1..=ports).contains(&node) {
        return if node - 1 == own { 0..0 } else { node - 1..node };
    }
    0..ports
}

/// Until a frame comes, or one that waits is due.
fn wait(port: &Port, pause: Option<Duration>) {
    let mut set = [PollFd::new(port.as_fd(), PollFlags::POLLIN)];
    let _ = ppoll(&mut set, pause.map(TimeSpec::from_duration), None);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(address: [u8; 6]) -> Vec<u8> {
        [&address[..], &[0; 60]].concat()
    }

    #[test]
    fn a_frame_goes_to_the_node_of_its_address() {
        assert_eq!(destinations(&to([2, 0x62, 0x6d, 0, 0, 3]), 0, 4), 2..3);
    }

    #[test]
    fn a_frame_to_its_own_node_goes_nowhere() {
        assert_eq!(destinations(&to([2, 0x62, 0x6d, 0, 0, 1]), 0, 4), 0..0);
    }

    #[test]
    fn broadcast_and_unknown_addresses_go_to_all() {
        for address in [[0xff; 6], [1, 0, 0x5e, 0, 0, 1], [2, 0x62, 0x6d, 0, 0, 9], [7; 6]] {
            assert_eq!(destinations(&to(address), 1, 4), 0..4);
        }
    }

    #[test]
    fn what_is_too_short_for_a_frame_goes_nowhere() {
        assert_eq!(destinations(&[2, 0], 0, 4), 0..0);
    }
}
