//! The security profile `tls` (clause C38).

use std::sync::Arc;

use busmark_adapter::{
    EndpointConfig, ParticipantHandle, Payload, ReaderHandle, Result, Security, Status, Wait,
    fill_pattern,
};
use busmark_sockets::testing::{
    Arrived, KINDS, RunDir, WAITS, body, endpoint, eventually, library, reader, receive, write,
    writer,
};
use busmark_tls::testing::{Authority, wiretap};

fn try_participant(
    run_dir: &RunDir,
    security: Option<Security>,
    settings: &[(&str, &str)],
) -> Result<ParticipantHandle> {
    let mut config = run_dir.participant("tcp", settings);
    config.security = security.map(Box::new);
    library("tcp").participant(&config)
}

fn participant(run_dir: &RunDir, security: Option<Security>) -> ParticipantHandle {
    try_participant(run_dir, security, &[]).expect("a participant")
}

/// A reader and what it got.
fn listening(here: &ParticipantHandle, config: &EndpointConfig) -> (ReaderHandle, Arc<Arrived>) {
    let arrived = Arrived::new(config.payload);
    (reader(here, config, &arrived), arrived)
}

#[test]
fn every_payload_kind_arrives_between_two_identities() {
    let (run_dir, authority) = (RunDir::new(), Authority::new());
    let here = participant(&run_dir, Some(authority.identity("here")));
    let there = participant(&run_dir, Some(authority.encrypted("there", "secret")));
    for wait in WAITS {
        for (kind, bytes) in KINDS {
            let mut config = endpoint(wait, bytes as u64);
            config.payload = kind;
            let (reader, arrived) = listening(&there, &config);
            let writer = writer(&here, &config, &[&reader]);
            write(&writer, 1, 0, 50, &body(kind, bytes));
            receive(&reader, wait, &arrived, 50);
            let expected: Vec<_> = (0..50).map(|seq| (seq, bytes)).collect();
            assert_eq!(arrived.of(1), expected, "{wait:?} {kind:?}");
            assert_eq!(arrived.damaged(), 0, "{wait:?} {kind:?}");
        }
    }
}

#[test]
fn bodies_of_any_number_of_records_arrive_intact() {
    let (run_dir, authority) = (RunDir::new(), Authority::new());
    let here = participant(&run_dir, Some(authority.identity("p")));
    for wait in WAITS {
        for bytes in [16_000, 16_384, 16_385, 70_000, 300_000, 1 << 20] {
            let config = endpoint(wait, bytes as u64);
            let (reader, arrived) = listening(&here, &config);
            let writer = writer(&here, &config, &[&reader]);
            std::thread::scope(|scope| {
                scope.spawn(|| write(&writer, 1, 0, 10, &body(Payload::Octet, bytes)));
                receive(&reader, wait, &arrived, 10);
            });
            assert_eq!(arrived.of(1).len(), 10, "{wait:?} {bytes}");
            assert_eq!(arrived.damaged(), 0, "{wait:?} {bytes}");
        }
    }
}

#[test]
fn three_writers_and_a_small_sample_after_a_large_one_arrive() {
    let (run_dir, authority) = (RunDir::new(), Authority::new());
    let here = participant(&run_dir, Some(authority.identity("p")));
    for wait in WAITS {
        let config = endpoint(wait, 100_000);
        let (reader, arrived) = listening(&here, &config);
        let writers = [1, 2, 3].map(|id| (id, writer(&here, &config, &[&reader])));
        assert_eq!(reader.matched(), Ok(3));
        std::thread::scope(|scope| {
            for (id, writer) in &writers {
                scope.spawn(move || {
                    for seq in 0..40 {
                        let bytes = if seq % 2 == 0 { 100_000 } else { 10 };
                        write(writer, *id, seq, seq + 1, &body(Payload::Octet, bytes));
                    }
                });
            }
            receive(&reader, wait, &arrived, 120);
        });
        for (id, _) in &writers {
            let seqs: Vec<_> = arrived.of(*id).into_iter().map(|(seq, _)| seq).collect();
            assert_eq!(seqs, (0..40).collect::<Vec<_>>());
        }
        assert_eq!(arrived.damaged(), 0);
        drop(writers);
        eventually("nobody is matched", || {
            arrived.take_if(&reader, wait);
            reader.matched() == Ok(0)
        });
    }
}

#[test]
fn one_connection_carries_both_directions() {
    let (run_dir, authority) = (RunDir::new(), Authority::new());
    let shared = |name| {
        let security = Some(authority.identity(name));
        try_participant(&run_dir, security, &[("connection", "shared")]).expect("a participant")
    };
    for wait in WAITS {
        let config = endpoint(wait, 40_000);
        let sides = ["a", "b"].map(|name| {
            let here = shared(name);
            let (reader, arrived) = listening(&here, &config);
            let writer = here.writer(&config).expect("a writer");
            (reader, arrived, writer, here)
        });
        for (from, to) in [(0, 1), (1, 0)] {
            let locator = sides[to].0.locator().expect("a locator");
            sides[from].2.connect(&locator).expect("connected");
        }
        // Both directions at the same time.
        std::thread::scope(|scope| {
            for (from, to) in [(0, 1), (1, 0)] {
                let (reader, arrived, ..) = &sides[to];
                let writer = &sides[from].2;
                scope.spawn(move || write(writer, 1, 0, 300, &body(Payload::Octet, 40_000)));
                scope.spawn(move || receive(reader, wait, arrived, 300));
            }
        });
        assert_eq!(sides.each_ref().map(|side| side.1.damaged()), [0, 0]);
    }
}

#[test]
fn whoever_has_no_identity_of_the_ca_gets_no_connection() {
    let (run_dir, authority, stranger) = (RunDir::new(), Authority::new(), Authority::new());
    let secured = || Some(authority.identity("p"));
    let others = [None, Some(stranger.identity("p"))];
    for wait in WAITS {
        let config = endpoint(wait, 100);
        for other in &others {
            for (writes, reads) in [(other.clone(), secured()), (secured(), other.clone())] {
                let (reader, arrived) = listening(&participant(&run_dir, reads), &config);
                let here = participant(&run_dir, writes);
                let writer = here.writer(&config).expect("a writer");
                let error = writer.connect(&reader.locator().expect("a locator"));
                let error = error.expect_err("refused");
                assert!(error.message.contains("127.0.0.1"), "{error}");
                assert_eq!((writer.matched(), reader.matched()), (Ok(0), Ok(0)), "{error}");
                write(&writer, 1, 0, 5, &body(Payload::Octet, 100));
                arrived.take_if(&reader, wait);
                assert_eq!(arrived.count(), 0);
            }
        }
        // They have kept nobody else out.
        let here = participant(&run_dir, secured());
        let (reader, arrived) = listening(&here, &config);
        let writer = writer(&here, &config, &[&reader]);
        write(&writer, 1, 0, 5, &body(Payload::Octet, 100));
        receive(&reader, wait, &arrived, 5);
    }
}

#[test]
fn documents_that_cannot_be_used_are_refused_at_once() {
    let (run_dir, authority, stranger) = (RunDir::new(), Authority::new(), Authority::new());
    let good = authority.identity("p");
    let wrong = Security { password: "guess".into(), ..authority.encrypted("q", "secret") };
    let foreign = Security { identity_ca: good.identity_ca.clone(), ..stranger.identity("f") };
    let cases = [
        (Security { certificate: authority.path("missing"), ..good.clone() }, "missing"),
        (Security { private_key: good.certificate.clone(), ..good.clone() }, "p.pem"),
        (wrong, "q.key"),
        (foreign, "f.pem"),
        (authority.expired("old"), "old.pem"),
    ];
    for (security, file) in cases {
        let error = try_participant(&run_dir, Some(security), &[]).err().expect("refused");
        assert_eq!(error.status, Status::Invalid, "{error}");
        assert!(error.message.contains(file) && !error.message.contains("guess"), "{error}");
    }
    let other = Security { profile: "all".into(), ..good };
    let error = try_participant(&run_dir, Some(other), &[]).err().expect("refused");
    assert_eq!(error.status, Status::Unsupported, "{error}");
}

#[test]
fn an_address_in_a_certificate_must_be_the_readers() {
    let (run_dir, authority) = (RunDir::new(), Authority::new());
    let config = endpoint(Wait::Poll, 100);
    let here = participant(&run_dir, Some(authority.identity("writer")));
    for (address, fits) in [("127.0.0.1", true), ("192.0.2.1", false)] {
        let there = participant(&run_dir, Some(authority.at_address("reader", address)));
        let (reader, _) = listening(&there, &config);
        let writer = here.writer(&config).expect("a writer");
        let connected = writer.connect(&reader.locator().expect("a locator"));
        assert_eq!(connected.is_ok(), fits, "{address} {connected:?}");
    }
}

#[test]
fn the_pattern_of_a_body_is_not_readable_on_the_wire() {
    let (run_dir, authority) = (RunDir::new(), Authority::new());
    let mut pattern = vec![0; 64];
    fill_pattern(Payload::Octet, &mut pattern);
    for (security, readable) in [(None, true), (Some(authority.identity("p")), false)] {
        let here = participant(&run_dir, security);
        let config = endpoint(Wait::Poll, 1000);
        let (reader, arrived) = listening(&here, &config);
        let (address, heard) = wiretap(reader.locator().expect("a locator"));
        let writer = here.writer(&config).expect("a writer");
        writer.connect(&address).expect("connected");
        write(&writer, 1, 0, 5, &body(Payload::Octet, 1000));
        receive(&reader, Wait::Poll, &arrived, 5);
        let heard = heard.lock().expect("a lock");
        assert!(heard.len() > 5000);
        let greeted = heard.windows(8).any(|bytes| bytes == b"busmark1");
        let read = heard.windows(pattern.len()).any(|bytes| bytes == pattern);
        assert_eq!((greeted, read), (readable, readable));
    }
}

#[test]
fn a_write_without_room_times_out_and_is_delivered_once_when_it_is_written_again() {
    let (run_dir, authority) = (RunDir::new(), Authority::new());
    let here = participant(&run_dir, Some(authority.identity("p")));
    for bytes in [1000, 300_000] {
        let mut config = endpoint(Wait::Poll, bytes as u64);
        config.qos.max_blocking_ns = 20_000_000;
        let (reader, arrived) = listening(&here, &config);
        let writer = writer(&here, &config, &[&reader]);
        let mut sample = writer.sample(&body(Payload::Octet, bytes)).expect("a sample");
        let mut attempt = |seq| {
            let header = busmark_adapter::Header { seq, writer_id: 1, ..Default::default() };
            writer.write(&mut sample, &header)
        };
        // The system's buffers may grow for a while.
        let (mut seq, mut refused) = (0, 0);
        while refused < 5 {
            match attempt(seq) {
                Ok(()) => (seq, refused) = (seq + 1, 0),
                Err(status) => {
                    assert_eq!(status, Status::Timeout);
                    refused += 1;
                }
            }
        }
        eventually("written after all", || {
            arrived.take(&reader);
            attempt(seq).is_ok()
        });
        let expected: Vec<_> = (0..=seq).map(|seq| (seq, bytes)).collect();
        receive(&reader, Wait::Poll, &arrived, expected.len());
        assert_eq!(arrived.of(1), expected);
        assert_eq!(arrived.damaged(), 0);
    }
}
