//! What the server does, and what becomes of endpoints without it.

use std::time::Duration;

use busmark_adapter::{ParticipantConfig, Status, Wait};
use busmark_server::testing::{Bench, Sender, endpoint, eventually, library, matched, receive};

const QUIET: Duration = Duration::from_secs(2);

#[test]
fn sending_at_once_and_gathering_both_deliver_in_order() {
    for send_asap in ["true", "false"] {
        let bench = Bench::new("nats", "tcp", &[("send_asap", send_asap)]);
        let here = bench.participant();
        for wait in [Wait::Poll, Wait::Waitset] {
            let endpoint = endpoint(wait, None);
            let reader = here.reader(&endpoint, None).expect("a reader");
            let mut sender = Sender::new(&here, &endpoint);
            matched(&sender.writer, &reader);
            for _ in 0..200 {
                sender.send().expect("written");
            }
            assert_eq!(receive(&reader, 200, QUIET), (0..200).collect::<Vec<_>>());
        }
    }
}

#[test]
fn what_a_lagging_reader_loses_is_counted() {
    let count = 100_000;
    let bench = Bench::new("nats", "tcp", &[]);
    let here = bench.participant();
    let endpoint = endpoint(Wait::Poll, None);
    let reader = here.reader(&endpoint, None).expect("a reader");
    let mut sender = Sender::new(&here, &endpoint);
    matched(&sender.writer, &reader);
    for _ in 0..count {
        sender.send().expect("written");
    }
    sender.writer.flush().expect("flushed");
    // The client holds 65536 messages for a subscription that nobody reads.
    eventually("dropped messages", || reader.counters().lost.is_some_and(|lost| lost > 0));
    let found = receive(&reader, count, QUIET).len();
    assert_eq!(reader.counters().lost, Some((count - found) as u64));
}

#[test]
fn an_endpoint_larger_than_the_servers_limit_is_refused() {
    // As it ships.
    let bench = Bench::new("nats", "tcp", &[("max_payload", "1048576")]);
    let here = bench.participant();
    let mut large = endpoint(Wait::Poll, None);
    large.max_body_bytes = (1 << 20) - 64;
    assert!(here.writer(&large).is_ok());
    large.max_body_bytes += 1;
    let error = here.writer(&large).err().expect("an error");
    assert_eq!(error.status, Status::Invalid, "{error}");
    let error = here.reader(&large, None).err().expect("an error");
    assert!(error.message.contains("max_payload"), "{error}");
}

#[test]
fn endpoints_notice_that_the_server_is_gone() {
    let mut bench = Bench::new("nats", "tcp", &[]);
    let here = bench.participant();
    let endpoint = endpoint(Wait::Waitset, None);
    let reader = here.reader(&endpoint, None).expect("a reader");
    let mut sender = Sender::new(&here, &endpoint);
    matched(&sender.writer, &reader);
    bench.stop();
    eventually("writes fail", || sender.send() == Err(Status::Failed));
    eventually("waits fail", || reader.wait(Duration::from_millis(10)) == Err(Status::Failed));
    let error = bench.library.participant(&bench.config).err().expect("an error");
    assert_eq!(error.status, Status::Unavailable, "{error}");
}

#[test]
fn a_server_that_does_not_fit_is_refused() {
    let library = library("nats");
    for server in ["", "nowhere", "unix:/x"] {
        let config = ParticipantConfig {
            transport: "tcp".into(),
            profile: "default".into(),
            settings: vec![("server".into(), server.into())],
            ..ParticipantConfig::default()
        };
        let error = library.participant(&config).err().expect("an error");
        assert_eq!(error.status, Status::Invalid, "{error}");
    }
}
