//! What the broker does, and what becomes of endpoints without it.

use std::time::Duration;

use busmark_adapter::{ParticipantConfig, Qos, Status, Wait};
use busmark_server::testing::{
    Bench, Process, Sender, endpoint, eventually, library, matched, receive,
};

const QUIET: Duration = Duration::from_secs(2);

#[test]
fn a_retained_sample_reaches_late_readers_unless_they_are_volatile_and_goes_with_its_writer() {
    let bench = Bench::new("mqtt", "tcp", &[("retain", "true")]);
    let here = bench.participant();
    let endpoint = endpoint(Wait::Poll, Some(true));
    let mut sender = Sender::new(&here, &endpoint);
    for _ in 0..5 {
        sender.send().expect("written");
    }
    // Now the broker has acknowledged them: what follows does not see them pass.
    sender.writer.flush().expect("acknowledged");
    let first = here.reader(&endpoint, None).expect("a reader");
    assert_eq!(receive(&first, 1, QUIET), [4]);
    let mut volatile = endpoint.clone();
    volatile.qos = Qos { transient_local: Some(false), ..endpoint.qos.clone() };
    let deaf = here.reader(&volatile, None).expect("a reader");
    drop(sender);
    let late = here.reader(&endpoint, None).expect("a reader");
    for reader in [&deaf, &late] {
        assert_eq!(receive(reader, 1, Duration::from_millis(100)), []);
    }
}

/// Writes far more than the reader takes, then counts what it finds.
fn lagging(max_queued_messages: &str, reliable: bool) -> usize {
    let count = 30_000;
    let bench = Bench::new("mqtt", "tcp", &[("max_queued_messages", max_queued_messages)]);
    let here = bench.participant();
    let endpoint = endpoint(Wait::Poll, Some(reliable));
    let reader = here.reader(&endpoint, None).expect("a reader");
    let mut sender = Sender::new(&here, &endpoint);
    matched(&sender.writer, &reader);
    for _ in 0..count {
        sender.send().expect("written");
    }
    let seqs = receive(&reader, count, QUIET);
    assert!(seqs.is_sorted());
    count - seqs.len()
}

#[test]
fn as_shipped_the_broker_drops_acknowledged_samples_of_a_reader_that_lags() {
    assert!(lagging("1000", true) > 0);
    assert_eq!(lagging("0", true), 0);
}

#[test]
fn every_way_to_publish_delivers_once_and_in_order() {
    for settings in [
        &[("exactly_once", "true")][..],
        &[("publish", "thread")],
        &[("nodelay", "true"), ("max_inflight", "1")],
    ] {
        let bench = Bench::new("mqtt", "tcp", settings);
        let here = bench.participant();
        for wait in [Wait::Poll, Wait::Waitset] {
            let endpoint = endpoint(wait, Some(true));
            let reader = here.reader(&endpoint, None).expect("a reader");
            let mut sender = Sender::new(&here, &endpoint);
            matched(&sender.writer, &reader);
            for _ in 0..200 {
                sender.send().expect("written");
            }
            assert_eq!(receive(&reader, 200, QUIET), (0..200).collect::<Vec<_>>(), "{settings:?}");
        }
    }
}

#[test]
fn endpoints_notice_that_the_broker_is_gone() {
    let mut bench = Bench::new("mqtt", "tcp", &[]);
    let here = bench.participant();
    let endpoint = endpoint(Wait::Waitset, Some(true));
    let reader = here.reader(&endpoint, None).expect("a reader");
    let mut sender = Sender::new(&here, &endpoint);
    matched(&sender.writer, &reader);
    bench.stop();
    eventually("writes fail", || sender.send() == Err(Status::Failed));
    eventually("waits fail", || reader.wait(Duration::from_millis(10)) == Err(Status::Failed));
    eventually("nobody is matched", || {
        (sender.writer.matched(), reader.matched()) == (Ok(0), Ok(0))
    });
    let error = bench.library.participant(&bench.config).err().expect("an error");
    assert_eq!(error.status, Status::Unavailable, "{error}");
}

#[test]
fn a_server_that_does_not_fit_is_refused() {
    let library = library("mqtt");
    for (transport, server) in
        [("tcp", ""), ("tcp", "nowhere"), ("tcp", "unix:/x"), ("unix", "a:1")]
    {
        let mut config = ParticipantConfig {
            transport: transport.into(),
            profile: "default".into(),
            ..ParticipantConfig::default()
        };
        config.settings.push(("server".into(), server.into()));
        let error = library.participant(&config).err().expect("an error");
        assert_eq!(error.status, Status::Invalid, "{error}");
    }
}

const SERVER: &str = "BUSMARK_TEST_SERVER";

/// What the second process of the next test does: it writes, and waits to be killed.
#[test]
fn as_a_second_process() {
    let Ok(address) = std::env::var(SERVER) else { return };
    let library = library("mqtt");
    let config = ParticipantConfig {
        domain: 7,
        interface_address: "127.0.0.1".into(),
        transport: "tcp".into(),
        profile: "default".into(),
        settings: vec![("server".into(), address)],
        ..ParticipantConfig::default()
    };
    let here = library.participant(&config).expect("a participant");
    let mut sender = Sender::new(&here, &endpoint(Wait::Poll, Some(true)));
    eventually("a reader", || sender.writer.matched() == Ok(1));
    sender.send().expect("written");
    std::thread::sleep(Duration::from_secs(60));
}

#[test]
fn a_writer_whose_process_is_killed_is_not_matched_any_more() {
    let bench = Bench::new("mqtt", "tcp", &[]);
    let here = bench.participant();
    let endpoint = endpoint(Wait::Poll, Some(true));
    let reader = here.reader(&endpoint, None).expect("a reader");
    let address = &bench.config.settings.last().expect("the server").1;
    let child = Process::of_test("as_a_second_process", SERVER, address);
    eventually("the writer is matched", || reader.matched() == Ok(1));
    assert_eq!(receive(&reader, 1, Duration::from_secs(20)), [0]);
    drop(child);
    eventually("the writer is gone", || reader.matched() == Ok(0));
}
