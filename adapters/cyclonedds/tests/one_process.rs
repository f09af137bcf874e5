//! Both ends in one process: content, sizes, domains, histories, wait strategies.

mod common;

use std::time::Duration;

use busmark_adapter::testing::{body, forward, library, matched, participant};
use busmark_adapter::{Header, Payload, Qos, Status, Wait, verify_pattern};
use common::{domain, endpoint};

const LONG: Duration = Duration::from_secs(20);

fn header(seq: u64) -> Header {
    Header {
        cookie: 0xfeed_beef_0102_0304,
        seq,
        intended_ns: -1,
        sent_ns: i64::MAX,
        echo_sent_ns: i64::MIN,
        echo_delivered_ns: 3,
        echo_read_ns: 4,
        writer_id: u32::MAX,
        flags: Header::CHECKED,
    }
}

#[test]
fn every_payload_kind_arrives_as_it_was_written() {
    let library = library("cyclonedds");
    let config = participant(domain(0), "udp", &[]);
    let writing = library.participant(&config).expect("a participant");
    let reading = library.participant(&config).expect("a second one in the same domain");
    for kind in Payload::ALL.into_iter().filter(|kind| *kind != Payload::Any) {
        let config = endpoint(&format!("content_{kind:?}"), kind, Wait::Listener);
        let (on_data, samples) = forward();
        let reader = reading.reader(&config, Some(on_data)).expect("a reader");
        let writer = writing.writer(&config).expect("a writer");
        matched(&writer, &reader);
        let sizes: &[usize] = if kind == Payload::Empty { &[0] } else { &[0, 16, 1024, 1 << 20] };
        for (seq, size) in sizes.iter().enumerate() {
            let mut sample = writer.sample(&body(kind, *size)).expect("a sample");
            writer.write(&mut sample, &header(seq as u64)).expect("written");
            let (got, bytes) = samples.recv_timeout(LONG).expect("received");
            assert_eq!(got, header(seq as u64), "{kind:?}");
            assert!(bytes.len() == *size && verify_pattern(kind, &bytes), "{kind:?} {size}");
        }
    }
}

#[test]
fn two_domains_do_not_hear_each_other() {
    let library = library("cyclonedds");
    let config = endpoint("domains", Payload::Octet, Wait::Poll);
    let here = library.participant(&participant(domain(1), "udp", &[])).expect("a participant");
    let there = library.participant(&participant(domain(2), "udp", &[])).expect("a participant");
    let reader = here.reader(&config, None).expect("a reader");
    let near = here.writer(&config).expect("a writer");
    let far = there.writer(&config).expect("a writer");
    matched(&near, &reader);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!((reader.matched(), far.matched()), (Ok(1), Ok(0)));
}

#[test]
fn a_late_joiner_gets_the_whole_history_through_its_listener() {
    let library = library("cyclonedds");
    let mut config = endpoint("history", Payload::Octet, Wait::Listener);
    config.qos.transient_local = Some(true);
    let here = library.participant(&participant(domain(3), "udp", &[])).expect("a participant");
    let writer = here.writer(&config).expect("a writer");
    let mut sample = writer.sample(&body(Payload::Octet, 64)).expect("a sample");
    for seq in 0..20 {
        writer.write(&mut sample, &header(seq)).expect("written");
    }
    let (on_data, samples) = forward();
    let _reader = here.reader(&config, Some(on_data)).expect("a reader");
    for seq in 0..20 {
        assert_eq!(samples.recv_timeout(LONG).expect("received").0.seq, seq);
    }
}

#[test]
fn a_waitset_wakes_for_samples_and_not_for_the_end_of_a_writer() {
    let library = library("cyclonedds");
    let config = endpoint("waitset", Payload::Octet, Wait::Waitset);
    let here = library.participant(&participant(domain(0), "udp", &[])).expect("a participant");
    let reader = here.reader(&config, None).expect("a reader");
    let writer = here.writer(&config).expect("a writer");
    matched(&writer, &reader);
    let soon = Duration::from_millis(50);
    assert_eq!(reader.wait(soon), Err(Status::Timeout));
    let mut sample = writer.sample(&[]).expect("a sample");
    for seq in 0..3 {
        writer.write(&mut sample, &header(seq)).expect("written");
    }
    // Two are left, which is enough to wake at once.
    let mut seen = Vec::new();
    let mut sink = |r: &busmark_adapter::Received| seen.push((r.header.seq, r.source_ns > 0));
    assert_eq!(reader.wait(LONG), Ok(()));
    assert_eq!(reader.take(1, &mut sink), Ok(1));
    drop((sample, writer));
    assert_eq!(reader.wait(LONG), Ok(()));
    assert_eq!(reader.take(8, &mut sink), Ok(2));
    assert_eq!(reader.wait(soon), Err(Status::Timeout));
    assert_eq!(reader.take(8, &mut sink), Err(Status::NoData));
    assert_eq!(seen, [(0, true), (1, true), (2, true)]);
}

#[test]
fn misuse_is_an_error_that_says_what_to_do() {
    let library = library("cyclonedds");
    let config = participant(domain(1), "udp", &[]);
    let here = library.participant(&config).expect("a participant");
    let other = busmark_adapter::ParticipantConfig { profile: "tuned".to_owned(), ..config };
    let error = library.participant(&other).err().expect("one configuration per domain");
    assert!(error.status == Status::Invalid && error.message.contains("configuration"), "{error}");
    let absent = busmark_adapter::ParticipantConfig {
        interface_address: "192.0.2.1".to_owned(),
        interface_name: "none0".to_owned(),
        ..participant(domain(2), "udp", &[])
    };
    let error = library.participant(&absent).err().expect("no such interface");
    assert!(error.message.contains("none0"), "{error}");
    let mut config = endpoint("misuse", Payload::Long, Wait::Poll);
    config.qos = Qos { lifespan_ns: Some(1_000_000_000), ..config.qos };
    let writer = here.writer(&config).expect("a writer");
    assert_eq!(writer.sample(&[0; 3]).err().expect("no whole element").status, Status::Invalid);
    let shorter = Qos { lifespan_ns: Some(5), ..Qos::default() };
    assert_eq!(writer.set_qos(&shorter), Ok(()));
    let deadline = Qos { deadline_ns: Some(5), ..Qos::default() };
    assert_eq!(writer.set_qos(&deadline).expect_err("fixed").status, Status::Unsupported);
}
