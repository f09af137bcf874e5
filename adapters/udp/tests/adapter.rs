//! The adapter as the worker drives it: through its library, over both transports.

use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use busmark_adapter::{
    Header, OnData, ParticipantHandle, Payload, Qos, Status, Taker, Wait, verify_pattern,
};
use busmark_sockets::testing::{
    Arrived, KINDS, RunDir, WAITS, WATCHDOG, body, endpoint, eventually, library, reader, receive,
    stream, write, writer,
};

const TRANSPORTS: [&str; 2] = ["unicast", "multicast"];
/// So few at a time fit every buffer: on loopback nothing else loses datagrams.
const FEW: u64 = 20;

fn participant(transport: &str, run_dir: &RunDir) -> ParticipantHandle {
    library("udp").participant(&run_dir.participant(transport, &[])).expect("a participant")
}

/// A topic that no other test uses: in a group all would hear each other.
fn topic() -> String {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    format!("test_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

fn own_endpoint(wait: Wait, bytes: u64) -> busmark_adapter::EndpointConfig {
    busmark_adapter::EndpointConfig { topic: topic(), ..endpoint(wait, bytes) }
}

#[test]
fn every_payload_kind_arrives_intact() {
    let run_dir = RunDir::new();
    for transport in TRANSPORTS {
        let participant = participant(transport, &run_dir);
        for wait in WAITS {
            for (kind, bytes) in KINDS {
                let mut endpoint = own_endpoint(wait, bytes as u64);
                endpoint.payload = kind;
                let arrived = Arrived::new(kind);
                let reader = reader(&participant, &endpoint, &arrived);
                let writer = writer(&participant, &endpoint, &[&reader]);
                write(&writer, 1, 0, FEW, &body(kind, bytes));
                receive(&reader, wait, &arrived, FEW as usize);
                let expected: Vec<_> = (0..FEW).map(|seq| (seq, bytes)).collect();
                assert_eq!(arrived.of(1), expected, "{transport} {wait:?} {kind:?}");
                assert_eq!(arrived.damaged(), 0, "{transport} {wait:?} {kind:?}");
            }
        }
    }
}

#[test]
fn the_largest_datagram_arrives_and_a_larger_one_is_refused() {
    let run_dir = RunDir::new();
    let participant = participant("unicast", &run_dir);
    let largest = library("udp").capabilities().max_body_bytes;
    for wait in WAITS {
        let endpoint = own_endpoint(wait, largest);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint, &arrived);
        let writer = writer(&participant, &endpoint, &[&reader]);
        let bytes = usize::try_from(largest).expect("a size");
        write(&writer, 1, 0, 1, &body(Payload::Octet, bytes));
        receive(&reader, wait, &arrived, 1);
        assert_eq!((arrived.of(1), arrived.damaged()), (vec![(0, bytes)], 0));
        let error = writer.sample(&vec![0; bytes + 1]).err().expect("an error");
        assert_eq!(error.status, Status::Invalid);
    }
    let error = participant.writer(&own_endpoint(Wait::Poll, largest + 1)).err().expect("an error");
    assert_eq!(error.status, Status::Invalid, "{error}");
}

/// Long enough for the receiver to change to batches and back.
#[test]
fn many_samples_keep_their_order() {
    const ROUNDS: u64 = 300;
    let run_dir = RunDir::new();
    let participant = participant("unicast", &run_dir);
    for wait in WAITS {
        let endpoint = own_endpoint(wait, 100);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint, &arrived);
        let writer = writer(&participant, &endpoint, &[&reader]);
        let bytes = body(Payload::Octet, 100);
        let mut sent = 0;
        for round in 0..ROUNDS {
            // Bursts of one to a hundred, with stretches of single ones.
            let burst = if round % 100 < 50 { 1 } else { 1 + round * 7 % 100 };
            write(&writer, 1, sent, sent + burst, &bytes);
            sent += burst;
            receive(&reader, wait, &arrived, sent as usize);
        }
        let expected: Vec<_> = (0..sent).map(|seq| (seq, 100)).collect();
        assert_eq!(arrived.of(1), expected, "{wait:?}");
        assert_eq!(reader.counters().lost, Some(0));
    }
}

#[test]
fn three_writers_reach_one_reader() {
    let run_dir = RunDir::new();
    for transport in TRANSPORTS {
        let participant = participant(transport, &run_dir);
        for wait in WAITS {
            let endpoint = own_endpoint(wait, 100);
            let arrived = Arrived::new(Payload::Octet);
            let reader = reader(&participant, &endpoint, &arrived);
            for id in [1, 2, 3] {
                let writer = writer(&participant, &endpoint, &[&reader]);
                write(&writer, id, 0, FEW, &body(Payload::Octet, 100));
            }
            receive(&reader, wait, &arrived, 3 * FEW as usize);
            for id in [1, 2, 3] {
                assert_eq!(arrived.of(id).len(), FEW as usize, "{transport} {wait:?}");
            }
        }
    }
}

/// By unicast each gets a datagram of its own, by multicast one datagram reaches all: nobody gets
/// two.
#[test]
fn one_writer_reaches_three_readers_once() {
    let run_dir = RunDir::new();
    for transport in TRANSPORTS {
        let participant = participant(transport, &run_dir);
        for wait in WAITS {
            let endpoint = own_endpoint(wait, 100);
            let all = [1, 2, 3].map(|_| {
                let arrived = Arrived::new(Payload::Octet);
                (reader(&participant, &endpoint, &arrived), arrived)
            });
            let readers: Vec<_> = all.iter().map(|(reader, _)| reader).collect();
            let writer = writer(&participant, &endpoint, &readers);
            write(&writer, 1, 0, FEW, &body(Payload::Octet, 100));
            for (reader, arrived) in &all {
                receive(reader, wait, arrived, FEW as usize);
                let expected: Vec<_> = (0..FEW).map(|seq| (seq, 100)).collect();
                assert_eq!(arrived.of(1), expected, "{transport} {wait:?}");
            }
        }
    }
}

#[test]
fn domains_and_topics_do_not_hear_each_other_in_groups() {
    let run_dir = RunDir::new();
    let here = participant("multicast", &run_dir);
    let mut config = run_dir.participant("multicast", &[]);
    config.domain += 1;
    let there = library("udp").participant(&config).expect("a participant");
    let one = own_endpoint(Wait::Waitset, 100);
    let two = own_endpoint(Wait::Waitset, 100);
    let all = [(&here, &one), (&there, &one), (&here, &two)].map(|(participant, endpoint)| {
        let arrived = Arrived::new(Payload::Octet);
        (reader(participant, endpoint, &arrived), arrived)
    });
    for (id, ((reader, _), from)) in (1..).zip(all.iter().zip([&here, &there, &here])) {
        let writer = writer(from, &one, &[reader]);
        write(&writer, id, 0, FEW, &body(Payload::Octet, 100));
    }
    for (id, (reader, arrived)) in (1..).zip(&all) {
        receive(reader, Wait::Waitset, arrived, FEW as usize);
        assert_eq!(reader.wait(Duration::from_millis(1)), Err(Status::Timeout));
        assert_eq!(arrived.of(id).len(), FEW as usize);
    }
}

#[test]
fn a_wait_without_samples_times_out_and_what_is_no_sample_does_not_end_it() {
    let run_dir = RunDir::new();
    let participant = participant("unicast", &run_dir);
    let endpoint = own_endpoint(Wait::Waitset, 100);
    let arrived = Arrived::new(Payload::Octet);
    let reader = reader(&participant, &endpoint, &arrived);
    let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let locator = reader.locator().expect("a locator");
    let (address, _domain) = locator.split_once('/').expect("an address and a domain");
    stranger.connect(address).expect("a connection");
    for timeout in [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(30)] {
        assert_eq!(reader.wait(timeout), Err(Status::Timeout), "{timeout:?}");
        for bytes in [0, 1, Header::BYTES - 1, Header::BYTES + 101, 60_000] {
            stranger.send(&vec![0; bytes]).expect("a datagram");
        }
        assert_eq!(reader.wait(timeout), Err(Status::Timeout), "{timeout:?}");
        assert_eq!(reader.take(16, &mut |_| {}), Err(Status::NoData));
    }
    let writer = writer(&participant, &endpoint, &[&reader]);
    write(&writer, 1, 0, 1, &body(Payload::Octet, 100));
    assert_eq!(reader.wait(WATCHDOG), Ok(()));
    assert_eq!(reader.wait(Duration::ZERO), Ok(()));
    receive(&reader, Wait::Waitset, &arrived, 1);
    assert_eq!(arrived.count(), 1);
}

struct Counting {
    calls: Arc<AtomicUsize>,
    gone: Arc<AtomicBool>,
}

impl OnData for Counting {
    fn on_data(&self, taker: &Taker) {
        assert!(!self.gone.load(Ordering::SeqCst), "called after the reader was gone");
        while let Ok(16) = taker.take(16, &mut |r| assert!(verify_pattern(Payload::Octet, r.body)))
        {
        }
        self.calls.fetch_add(1, Ordering::SeqCst);
    }
}

#[test]
fn a_listener_is_not_called_after_its_reader_is_gone() {
    let run_dir = RunDir::new();
    for transport in TRANSPORTS {
        let participant = participant(transport, &run_dir);
        for _ in 0..20 {
            let endpoint = own_endpoint(Wait::Listener, 100);
            let (calls, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
            let on_data = Counting { calls: Arc::clone(&calls), gone: Arc::clone(&gone) };
            let reader = participant.reader(&endpoint, Some(Box::new(on_data))).expect("a reader");
            let writer = writer(&participant, &endpoint, &[&reader]);
            let stop = Arc::new(AtomicBool::new(false));
            let writing = std::thread::spawn({
                let stop = Arc::clone(&stop);
                move || {
                    while !stop.load(Ordering::SeqCst) {
                        write(&writer, 1, 0, 10, &body(Payload::Octet, 100));
                    }
                }
            });
            eventually("the listener is called", || calls.load(Ordering::SeqCst) > 3);
            drop(reader);
            gone.store(true, Ordering::SeqCst);
            let after = calls.load(Ordering::SeqCst);
            sleep(Duration::from_millis(2));
            stop.store(true, Ordering::SeqCst);
            writing.join().expect("writes continue without a reader");
            assert_eq!(calls.load(Ordering::SeqCst), after);
        }
    }
}

#[test]
fn a_reader_that_is_gone_costs_nobody_else_a_sample() {
    let run_dir = RunDir::new();
    let participant = participant("unicast", &run_dir);
    let endpoint = own_endpoint(Wait::Waitset, 100);
    let arrived = Arrived::new(Payload::Octet);
    let gone = reader(&participant, &endpoint, &Arrived::new(Payload::Octet));
    let stays = reader(&participant, &endpoint, &arrived);
    let writer = writer(&participant, &endpoint, &[&gone, &stays]);
    drop(gone);
    write(&writer, 1, 0, FEW, &body(Payload::Octet, 100));
    receive(&stays, Wait::Waitset, &arrived, FEW as usize);
    assert_eq!(arrived.of(1).len(), FEW as usize);
}

#[test]
fn datagrams_that_found_a_full_buffer_are_counted() {
    const MANY: u64 = 2000;
    let run_dir = RunDir::new();
    let mut config = run_dir.participant("unicast", &[]);
    config.settings = vec![("receive_buffer_bytes".into(), "10000".into())];
    let participant = library("udp").participant(&config).expect("a participant");
    let endpoint = own_endpoint(Wait::Poll, 1000);
    let arrived = Arrived::new(Payload::Octet);
    let reader = reader(&participant, &endpoint, &arrived);
    let writer = writer(&participant, &endpoint, &[&reader]);
    write(&writer, 1, 0, MANY, &body(Payload::Octet, 1000));
    while arrived.take(&reader) > 0 {}
    let lost = reader.counters().lost.expect("a count");
    assert!(lost > 0);
    assert_eq!(arrived.count() as u64 + lost, MANY);
}

#[test]
fn buffers_beyond_the_kernels_limit_are_refused_with_a_remedy() {
    for transport in TRANSPORTS {
        stream::large_buffers_are_refused("udp", transport);
    }
}

#[test]
fn the_tuned_profile_takes_what_the_kernel_grants() {
    let run_dir = RunDir::new();
    let mut config = run_dir.participant("unicast", &[]);
    config.profile = "tuned".into();
    let participant = library("udp").participant(&config).expect("a participant");
    let endpoint = own_endpoint(Wait::Waitset, 100);
    let arrived = Arrived::new(Payload::Octet);
    let reader = reader(&participant, &endpoint, &arrived);
    let writer = writer(&participant, &endpoint, &[&reader]);
    write(&writer, 1, 0, FEW, &body(Payload::Octet, 100));
    receive(&reader, Wait::Waitset, &arrived, FEW as usize);
}

#[test]
fn what_is_not_declared_is_refused() {
    let run_dir = RunDir::new();
    let participant = participant("unicast", &run_dir);
    let mut endpoint = own_endpoint(Wait::Waitset, 100);
    let reader = reader(&participant, &endpoint, &Arrived::new(Payload::Octet));
    let writer = writer(&participant, &endpoint, &[&reader]);
    assert_eq!(reader.matched(), Err(Status::Unsupported));
    assert_eq!(writer.matched(), Err(Status::Unsupported));
    let error = writer.connect("nonsense").expect_err("an error");
    assert_eq!(error.status, Status::Invalid, "{error}");
    for qos in [
        Qos { reliable: Some(true), ..Qos::default() },
        Qos { keep_all: Some(true), ..Qos::default() },
        Qos { keep_all: Some(false), depth: 1, ..Qos::default() },
    ] {
        endpoint.qos = qos;
        let error = participant.writer(&endpoint).err().expect("an error");
        assert_eq!(error.status, Status::Unsupported, "{error}");
    }
}
