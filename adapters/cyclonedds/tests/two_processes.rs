//! The ends in two processes: this test starts itself again as the writer.

mod common;

use std::time::Duration;

use busmark_adapter::testing::{Process, body, eventually, forward, library, participant, write};
use busmark_adapter::{Payload, Wait, verify_pattern};
use common::{domain, endpoint};

const WRITER: &str = "BUSMARK_TEST_WRITER";
const COUNT: u64 = 200;
const BYTES: usize = 1 << 20;

/// What the second process does; nothing in the first.
fn second(transport: &str, domain: u32) {
    let library = library("cyclonedds");
    let here = library.participant(&participant(domain, transport, &[])).expect("a participant");
    let mut config = endpoint("across", Payload::Octet, Wait::Poll);
    config.qos.max_blocking_ns = 20_000_000_000;
    let writer = here.writer(&config).expect("a writer");
    eventually("a reader", || writer.matched() == Ok(1));
    write(&writer, &body(Payload::Octet, BYTES), 0..COUNT);
    eventually("its end", || writer.matched() == Ok(0));
}

fn exchange(name: &str, transport: &str, domain: u32) {
    if let Ok(domain) = std::env::var(WRITER) {
        return second(transport, domain.parse().expect("a number"));
    }
    let library = library("cyclonedds");
    let here = library.participant(&participant(domain, transport, &[])).expect("a participant");
    let (on_data, samples) = forward();
    let config = endpoint("across", Payload::Octet, Wait::Listener);
    let reader = here.reader(&config, Some(on_data)).expect("a reader");
    let _writer = Process::of_test(name, WRITER, &domain.to_string());
    for seq in 0..COUNT {
        let (header, bytes) = samples.recv_timeout(Duration::from_secs(20)).expect("received");
        assert_eq!(header.seq, seq);
        assert!(verify_pattern(Payload::Octet, &bytes) && bytes.len() == BYTES);
    }
    assert_eq!(reader.matched(), Ok(1));
    drop(reader);
}

#[test]
fn large_samples_arrive_over_udp() {
    exchange("large_samples_arrive_over_udp", "udp", domain(0));
}

#[test]
fn large_samples_arrive_over_tcp() {
    exchange("large_samples_arrive_over_tcp", "tcp", domain(1));
}
