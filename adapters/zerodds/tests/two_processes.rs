//! The ends in two processes: this test starts itself again as the writer.

mod common;

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use busmark_adapter::{Header, Payload, Wait, fill_pattern, verify_pattern};
use common::{domain, endpoint, forward, library, participant};

const WRITER: &str = "BUSMARK_TEST_WRITER";
const COUNT: u64 = 40;
const UDP_BYTES: usize = 1 << 20;
/// All that the library carries over TCP.
const TCP_BYTES: usize = 65_000;

struct Writer(Child);

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn body(transport: &str) -> Vec<u8> {
    let mut body = vec![0; if transport == "tcp" { TCP_BYTES } else { UDP_BYTES }];
    fill_pattern(Payload::Octet, &mut body);
    body
}

/// What the second process does; nothing in the first.
fn write(transport: &str, domain: u32) {
    let library = library();
    let here = library.participant(&participant(domain, transport)).expect("a participant");
    let body = body(transport);
    let mut config = endpoint("across", Payload::Octet, Wait::Poll);
    config.max_body_bytes = body.len() as u64;
    config.qos.max_blocking_ns = 20_000_000_000;
    let writer = here.writer(&config).expect("a writer");
    until(|| writer.matched() == Ok(1));
    let mut sample = writer.sample(&body).expect("a sample");
    for seq in 0..COUNT {
        writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("written");
    }
    until(|| writer.matched() == Ok(0));
}

/// Waits, but not for ever: the first process may have ended.
fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() && start.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// The writers come one after the other, and the first ones are killed in the middle.
fn exchange(name: &str, transport: &str, domain: u32) {
    if let Ok(domain) = std::env::var(WRITER) {
        return write(transport, domain.parse().expect("a number"));
    }
    let library = library();
    let here = library.participant(&participant(domain, transport)).expect("a participant");
    let (on_data, samples) = forward();
    let bytes = body(transport).len();
    let mut config = endpoint("across", Payload::Octet, Wait::Listener);
    config.max_body_bytes = bytes as u64;
    let _reader = here.reader(&config, Some(on_data)).expect("a reader");
    for lifetime in [3, 5, COUNT] {
        let child = Command::new(std::env::current_exe().expect("a path"))
            .args([name, "--exact", "--nocapture"])
            .env(WRITER, domain.to_string())
            .spawn()
            .expect("the writer's process");
        let writer = Writer(child);
        // What is left of one that was killed.
        let first = |seq: &(Header, Vec<u8>)| seq.0.seq == 0;
        let mut next = samples.recv_timeout(Duration::from_secs(20)).expect("received");
        while !first(&next) {
            next = samples.recv_timeout(Duration::from_secs(20)).expect("received");
        }
        for seq in 0..lifetime {
            assert_eq!(next.0.seq, seq);
            assert!(verify_pattern(Payload::Octet, &next.1) && next.1.len() == bytes);
            if seq + 1 < lifetime {
                next = samples.recv_timeout(Duration::from_secs(20)).expect("received");
            }
        }
        drop(writer);
    }
}

#[test]
fn large_samples_arrive_over_udp_and_killed_writers_harm_nobody() {
    let name = "large_samples_arrive_over_udp_and_killed_writers_harm_nobody";
    exchange(name, "udp", domain(0));
}

#[test]
fn the_largest_samples_arrive_over_tcp_and_killed_writers_harm_nobody() {
    let name = "the_largest_samples_arrive_over_tcp_and_killed_writers_harm_nobody";
    exchange(name, "tcp", domain(1));
}
