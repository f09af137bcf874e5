//! What conformance does not ask: the ends in one process.

mod common;

use std::time::{Duration, Instant};

use busmark_adapter::testing::{forward, library, matched};
use busmark_adapter::{Header, ParticipantConfig, Payload, Qos, Status, Wait};
use common::{domain, endpoint, participant};

const LONG: Duration = Duration::from_secs(20);

fn header(seq: u64) -> Header {
    Header { seq, ..Header::default() }
}

#[test]
fn a_waitset_wakes_for_samples_and_not_for_the_end_of_a_keyed_writer() {
    let library = library("zerodds");
    for waiting in ["waitset", "reader"] {
        let mut config = participant(domain(0), "udp");
        config.settings.push(("waiting".to_owned(), waiting.to_owned()));
        let here = library.participant(&config).expect("a participant");
        let there = library.participant(&config).expect("another");
        let mut config = endpoint(&format!("waiting_{waiting}"), Payload::Octet, Wait::Waitset);
        config.instances = 4;
        let reader = here.reader(&config, None).expect("a reader");
        let writer = there.writer(&config).expect("a writer");
        matched(&writer, &reader);
        let soon = Duration::from_millis(50);
        assert_eq!(reader.wait(soon), Err(Status::Timeout));
        let mut sample = writer.sample(&[]).expect("a sample");
        for seq in 0..3 {
            writer.write(&mut sample, &header(seq)).expect("written");
        }
        let mut seen = Vec::new();
        let mut sink = |r: &busmark_adapter::Received| seen.push((r.header.seq, r.source_ns > 0));
        let start = Instant::now();
        while reader.take(1, &mut sink).is_err() {
            assert_eq!(reader.wait(LONG), Ok(()));
            assert!(start.elapsed() < LONG, "woken for nothing");
        }
        // The rest is left, which is enough to wake at once.
        drop((sample, writer));
        let mut count = 1;
        while count < 3 {
            assert_eq!(reader.wait(LONG), Ok(()));
            count += reader.take(8, &mut sink).expect("woken for something");
        }
        assert_eq!(reader.wait(Duration::from_millis(700)), Err(Status::Timeout));
        assert_eq!(reader.take(8, &mut sink), Err(Status::NoData));
        assert_eq!(seen, [(0, true), (1, true), (2, true)]);
    }
}

#[test]
fn a_body_of_sixteen_mebibytes_has_room_for_its_header() {
    let library = library("zerodds");
    let config = participant(domain(1), "udp");
    let here = library.participant(&config).expect("a participant");
    let there = library.participant(&config).expect("another");
    let mut config = endpoint("largest", Payload::Any, Wait::Listener);
    config.max_body_bytes = 16 << 20;
    let (on_data, samples) = forward();
    let reader = here.reader(&config, Some(on_data)).expect("a reader");
    let writer = there.writer(&config).expect("a writer");
    matched(&writer, &reader);
    let mut sample = writer.sample(&vec![7; 16 << 20]).expect("a sample");
    writer.write(&mut sample, &header(5)).expect("written");
    let (got, body) = samples.recv_timeout(LONG).expect("received");
    assert_eq!((got.seq, body.len()), (5, 16 << 20));
}

#[test]
fn misuse_is_an_error_that_says_what_to_do() {
    let library = library("zerodds");
    let config = participant(domain(2), "udp");
    let absent = ParticipantConfig { interface_address: "192.0.2.1".to_owned(), ..config.clone() };
    assert!(library.participant(&absent).is_err(), "an address that is not of this host");
    let high = ParticipantConfig { domain: 233, ..config.clone() };
    let error = library.participant(&high).err().expect("no ports");
    assert!(error.status == Status::Invalid && error.message.contains("233"), "{error}");
    let tcp = library.participant(&participant(domain(3), "tcp")).expect("a participant");
    let error = tcp.writer(&endpoint("long", Payload::Octet, Wait::Poll)).err().expect("too long");
    assert!(error.status == Status::Unsupported && error.message.contains("65000"), "{error}");
    let here = library.participant(&config).expect("a participant");
    let writer = here.writer(&endpoint("misuse", Payload::Long, Wait::Poll)).expect("a writer");
    assert_eq!(writer.sample(&[0; 3]).err().expect("no whole element").status, Status::Invalid);
    let filter = Qos { time_based_filter_ns: Some(5), ..Qos::default() };
    assert_eq!(writer.set_qos(&filter).expect_err("the reader's").status, Status::Unsupported);
}
