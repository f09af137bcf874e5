//! The ends in two processes: this test starts itself again as the writer.

mod common;

use std::time::Duration;

use busmark_adapter::testing::{Process, body, eventually, forward, library, write};
use busmark_adapter::{Header, Payload, Wait, verify_pattern};
use common::{domain, endpoint, participant};

const WRITER: &str = "BUSMARK_TEST_WRITER";
const COUNT: u64 = 40;
const UDP_BYTES: usize = 1 << 20;
/// All that the library carries over TCP.
const TCP_BYTES: usize = 65_000;

fn bytes(transport: &str) -> usize {
    if transport == "tcp" { TCP_BYTES } else { UDP_BYTES }
}

/// What the second process does; nothing in the first.
fn second(transport: &str, domain: u32) {
    let library = library("zerodds");
    let here = library.participant(&participant(domain, transport)).expect("a participant");
    let body = body(Payload::Octet, bytes(transport));
    let mut config = endpoint("across", Payload::Octet, Wait::Poll);
    config.max_body_bytes = body.len() as u64;
    config.qos.max_blocking_ns = 20_000_000_000;
    let writer = here.writer(&config).expect("a writer");
    eventually("a reader", || writer.matched() == Ok(1));
    write(&writer, &body, 0..COUNT);
    eventually("its end", || writer.matched() == Ok(0));
}

/// The writers come one after the other, and the first ones are killed in the middle.
fn exchange(name: &str, transport: &str, domain: u32) {
    if let Ok(domain) = std::env::var(WRITER) {
        return second(transport, domain.parse().expect("a number"));
    }
    let library = library("zerodds");
    let here = library.participant(&participant(domain, transport)).expect("a participant");
    let (on_data, samples) = forward();
    let bytes = bytes(transport);
    let mut config = endpoint("across", Payload::Octet, Wait::Listener);
    config.max_body_bytes = bytes as u64;
    let _reader = here.reader(&config, Some(on_data)).expect("a reader");
    for lifetime in [3, 5, COUNT] {
        let writer = Process::of_test(name, WRITER, &domain.to_string());
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
