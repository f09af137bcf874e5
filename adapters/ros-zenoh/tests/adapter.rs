//! What the contract does not ask: options, sessions that have just met, samples of several threads.

mod common;

use busmark_adapter::testing::{all, body, eventually, library, matched, receive, write};
use busmark_adapter::{ParticipantConfig, Payload, Qos, Status, verify_pattern};

use common::{endpoint, served};

#[test]
fn every_option_and_size_carries_samples() {
    let library = library("ros_zenoh");
    let buffers = [("send_buffer_bytes", "65536"), ("receive_buffer_bytes", "65536")];
    for (transport, options) in [("tcp", &[][..]), ("tcp", &buffers), ("shipped", &[])] {
        let (_router, _, config) = served(&library, options);
        let config = ParticipantConfig { transport: transport.to_owned(), ..config };
        let here = library.participant(&config).expect("a participant");
        let there = library.participant(&config).expect("a participant");
        let endpoint = endpoint("sizes", all());
        let reader = there.reader(&endpoint, None).expect("a reader");
        let writer = here.writer(&endpoint).expect("a writer");
        matched(&writer, &reader);
        // Several pieces from 64 KiB on.
        for (seq, bytes) in [0, 1, 1000, 65_535, 4 << 20].into_iter().enumerate() {
            let seq = seq as u64;
            write(&writer, &body(Payload::Octet, bytes), seq..seq + 1);
            let (got, body) = receive(&reader);
            assert_eq!((got, body.len()), (seq, bytes), "{transport} {options:?}");
            assert!(verify_pattern(Payload::Octet, &body), "{bytes}");
        }
    }
}

#[test]
fn the_first_samples_after_a_match_arrive() {
    let library = library("ros_zenoh");
    let (_router, _, config) = served(&library, &[]);
    let endpoint = endpoint("first", all());
    for round in 0..10 {
        let here = library.participant(&config).expect("a participant");
        let there = library.participant(&config).expect("a participant");
        let reader = there.reader(&endpoint, None).expect("a reader");
        let writer = here.writer(&endpoint).expect("a writer");
        matched(&writer, &reader);
        write(&writer, &body(Payload::Octet, 10), 0..5);
        for seq in 0..5 {
            assert_eq!(receive(&reader).0, seq, "round {round}");
        }
    }
}

/// ROS's subscriptions drop some of them: they go by the time stamps of a session.
#[test]
fn samples_that_publishers_of_one_session_write_at_once_all_arrive() {
    const WRITERS: u64 = 4;
    const EACH: u64 = 500;
    let library = library("ros_zenoh");
    let (_router, _, config) = served(&library, &[]);
    let endpoint = endpoint("at_once", all());
    let here = library.participant(&config).expect("a participant");
    let there = library.participant(&config).expect("a participant");
    let reader = there.reader(&endpoint, None).expect("a reader");
    let writers: Vec<_> = (0..WRITERS).map(|_| here.writer(&endpoint).expect("a writer")).collect();
    eventually("matches", || {
        u64::from(reader.matched().unwrap_or(0)) == WRITERS
            && writers.iter().all(|writer| writer.matched() == Ok(1))
    });
    std::thread::scope(|scope| {
        for (number, writer) in (0..).zip(&writers) {
            let numbers = number * EACH..(number + 1) * EACH;
            scope.spawn(move || write(writer, &body(Payload::Octet, 10), numbers));
        }
        let mut seqs: Vec<u64> = (0..WRITERS * EACH).map(|_| receive(&reader).0).collect();
        seqs.sort_unstable();
        assert!(seqs.into_iter().eq(0..WRITERS * EACH));
    });
}

#[test]
fn a_late_subscription_gets_what_the_publisher_keeps() {
    let library = library("ros_zenoh");
    let (_router, _, config) = served(&library, &[]);
    let qos = Qos { transient_local: Some(true), ..busmark_adapter::testing::last(3) };
    let endpoint = endpoint("late", qos);
    let here = library.participant(&config).expect("a participant");
    let writer = here.writer(&endpoint).expect("a writer");
    write(&writer, &body(Payload::Octet, 10), 0..5);
    let there = library.participant(&config).expect("a participant");
    let reader = there.reader(&endpoint, None).expect("a reader");
    for seq in 2..5 {
        assert_eq!(receive(&reader).0, seq);
    }
}

#[test]
fn a_router_that_is_not_there_is_an_error_that_says_so() {
    let library = library("ros_zenoh");
    let (router, address, config) = served(&library, &[]);
    drop(router);
    let error = library.participant(&config).err().expect("no router");
    assert_eq!(error.status, Status::Unavailable, "{error}");
    assert!(error.message.contains(&address), "{error}");
    for (server, says) in [("", "where"), ("127.0.0.1:7447", "tcp/")] {
        let settings = vec![("server".to_owned(), server.to_owned())];
        let config = ParticipantConfig { settings, ..config.clone() };
        let error = library.participant(&config).err().expect("no address");
        assert_eq!(error.status, Status::Invalid, "{error}");
        assert!(error.message.contains(says), "{error}");
    }
}
