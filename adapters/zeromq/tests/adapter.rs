//! What the contract does not ask: options, patterns, and what is left of connections.

use std::os::fd::{BorrowedFd, RawFd};
use std::sync::atomic::Ordering;
use std::time::Duration;

use busmark_adapter::testing::{RunDir, WATCHDOG, all, body, connect, eventually, probed, receive};
use busmark_adapter::{
    EndpointConfig, Header, ParticipantConfig, Payload, Qos, ReaderHandle, Status, WriterHandle,
    testing,
};

fn endpoint(payload: Payload, max_body_bytes: u64) -> EndpointConfig {
    EndpointConfig { payload, qos: all(), ..testing::endpoint("test", max_body_bytes) }
}

/// Samples of this size go through.
fn carries(writer: &WriterHandle, reader: &ReaderHandle, kind: Payload, bytes: usize) {
    let body = body(kind, bytes);
    for seq in 0..3 {
        testing::write(writer, &body, seq..seq + 1);
        assert!(receive(reader) == (seq, body.clone()), "{kind:?} {bytes}");
    }
}

#[test]
fn shared_bodies_arrive_like_copied_ones() {
    let Some(library) = probed("zeromq") else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let shared = run_dir.participant(transport, &[("zero_copy_from_bytes", "100")]);
        let participant = library.participant(&shared).expect("a participant");
        for kind in [Payload::Octet, Payload::Struct, Payload::Any] {
            let endpoint = endpoint(kind, 1 << 20);
            let reader = participant.reader(&endpoint, None).expect("a reader");
            let writer = participant.writer(&endpoint).expect("a writer");
            connect(&writer, &reader);
            for bytes in [0, 96, 112, 1 << 20] {
                carries(&writer, &reader, kind, bytes);
            }
        }
    }
    assert_eq!(run_dir.files(), 0);
}

#[test]
fn push_and_pull_carry_samples_to_one_reader_and_refuse_a_second() {
    let Some(library) = probed("zeromq") else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let config = run_dir.participant(transport, &[("pattern", "push_pull")]);
        let participant = library.participant(&config).expect("a participant");
        let endpoint = endpoint(Payload::Octet, 100);
        let first = participant.reader(&endpoint, None).expect("a reader");
        let second = participant.reader(&endpoint, None).expect("a reader");
        let writer = participant.writer(&endpoint).expect("a writer");
        connect(&writer, &first);
        let error = writer.connect(&second.locator().expect("a locator")).err();
        assert_eq!(error.map(|error| error.status), Some(Status::Resources), "{transport}");
        carries(&writer, &first, Payload::Octet, 100);
        let keyed = EndpointConfig { instances: 3, ..endpoint.clone() };
        assert!(participant.writer(&keyed).is_err());
        let qos = Qos { reliable: Some(false), ..Qos::default() };
        assert!(participant.reader(&EndpointConfig { qos, ..endpoint }, None).is_err());
    }
}

#[test]
fn a_reader_that_goes_is_no_longer_counted_and_does_not_block_its_writer() {
    let Some(library) = probed("zeromq") else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let participant =
            library.participant(&run_dir.participant(transport, &[])).expect("a participant");
        let endpoint = endpoint(Payload::Octet, 100);
        let stays = participant.reader(&endpoint, None).expect("a reader");
        let goes = participant.reader(&endpoint, None).expect("a reader");
        let writer = participant.writer(&endpoint).expect("a writer");
        connect(&writer, &stays);
        connect(&writer, &goes);
        eventually("two readers", || writer.matched() == Ok(2) && goes.matched() == Ok(1));
        drop(goes);
        eventually("one reader", || writer.matched() == Ok(1));
        let mut sample = writer.sample(&[0; 100]).expect("a sample");
        for seq in 0..5000 {
            // More than any queue of the lost reader holds.
            let written = writer.write(&mut sample, &Header { seq, ..Header::default() });
            assert_eq!(written, Ok(()), "{transport}, sample {seq}");
            reader_takes_all(&stays);
        }
        drop((sample, writer));
        // The library reads no further, and so learns of no end, where a reader's queue is full.
        eventually("no writer", || {
            reader_takes_all(&stays);
            stays.matched() == Ok(0)
        });
    }
}

const BOUND: (&str, &str) = ("bind", "writer");

#[test]
fn writers_that_bind_serve_readers_that_come_and_go() {
    let Some(library) = probed("zeromq") else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let config = run_dir.participant(transport, &[BOUND]);
        let participant = library.participant(&config).expect("a participant");
        let endpoint = endpoint(Payload::Octet, 100);
        let writers = [0, 1].map(|_| participant.writer(&endpoint).expect("a writer"));
        let stays = participant.reader(&endpoint, None).expect("a reader");
        let goes = participant.reader(&endpoint, None).expect("a reader");
        assert_eq!(stays.locator(), Err(Status::Unsupported));
        assert_eq!(writers[0].connect("x").map_err(|e| e.status), Err(Status::Unsupported));
        for writer in &writers {
            let locator = writer.locator().expect("a locator");
            stays.connect(&locator).expect("a connection");
            goes.connect(&locator).expect("a connection");
        }
        carries(&writers[0], &stays, Payload::Octet, 100);
        carries(&writers[1], &stays, Payload::Octet, 100);
        eventually("two of each", || {
            writers[0].matched() == Ok(2) && stays.matched() == Ok(2) && goes.matched() == Ok(2)
        });
        drop(goes);
        eventually("one reader", || writers[0].matched() == Ok(1));
        let mut sample = writers[0].sample(&[0; 100]).expect("a sample");
        for seq in 0..5000 {
            let written = writers[0].write(&mut sample, &Header { seq, ..Header::default() });
            assert_eq!(written, Ok(()), "{transport}, sample {seq}");
            reader_takes_all(&stays);
        }
        drop(sample);
        let [gone, left] = writers;
        let locator = gone.locator().expect("a locator");
        drop(gone);
        eventually("one writer", || {
            reader_takes_all(&stays);
            stays.matched() == Ok(1)
        });
        carries(&left, &stays, Payload::Octet, 100);
        let late = participant.reader(&endpoint, None).expect("a reader");
        let refused = late.connect(&locator).map_err(|error| error.status);
        assert_eq!(refused, Err(Status::Unavailable), "{transport}: its writer has gone");
    }
    assert_eq!(run_dir.files(), 0);
}

/// A subscription that is still on its way would lose the first samples of a running stream.
#[test]
fn a_reader_that_joins_a_running_stream_misses_nothing_after_its_connect() {
    let Some(library) = probed("zeromq") else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let config = run_dir.participant(transport, &[BOUND]);
        let participant = library.participant(&config).expect("a participant");
        let endpoint = endpoint(Payload::Octet, 100);
        let writer = participant.writer(&endpoint).expect("a writer");
        let stop = std::sync::atomic::AtomicBool::new(false);
        let next = std::sync::atomic::AtomicU64::new(0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut sample = writer.sample(&[0; 100]).expect("a sample");
                while !stop.load(Ordering::SeqCst) {
                    let seq = next.fetch_add(1, Ordering::SeqCst);
                    let header = Header { seq, ..Header::default() };
                    writer.write(&mut sample, &header).expect("a write");
                    std::thread::sleep(Duration::from_micros(100));
                }
            });
            for _ in 0..5 {
                let reader = participant.reader(&endpoint, None).expect("a reader");
                reader.connect(&writer.locator().expect("a locator")).expect("a connection");
                let begun = next.load(Ordering::SeqCst);
                let mut seqs = Vec::new();
                while seqs.len() < 50 {
                    reader.wait(WATCHDOG).expect("a sample");
                    let _ = reader.take(16, &mut |received| seqs.push(received.header.seq));
                }
                assert!(seqs[0] <= begun, "{transport}: {} comes first, {begun} was next", seqs[0]);
                assert!(seqs.windows(2).all(|pair| pair[1] == pair[0] + 1), "{seqs:?}");
            }
            stop.store(true, Ordering::SeqCst);
        });
    }
}

/// More pairs than the library has sockets (`ZMQ_MAX_SOCKETS`, 1023) pass through one participant.
#[test]
fn endpoints_that_are_gone_leave_their_sockets_to_others() {
    let Some(library) = probed("zeromq") else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let config = run_dir.participant(transport, &[]);
        let participant = library.participant(&config).expect("a participant");
        let endpoint = endpoint(Payload::Octet, 100);
        for _ in 0..400 {
            let reader = participant.reader(&endpoint, None).expect("a reader");
            let writer = participant.writer(&endpoint).expect("a writer");
            connect(&writer, &reader);
        }
    }
}

fn reader_takes_all(reader: &ReaderHandle) {
    while reader.take(16, &mut |_| ()).is_ok() {}
}

#[test]
fn another_domain_and_places_where_nobody_listens_are_refused() {
    let Some(library) = probed("zeromq") else { return };
    let run_dir = RunDir::new();
    let here = library.participant(&run_dir.participant("inproc", &[])).expect("a participant");
    let elsewhere = ParticipantConfig { domain: 8, ..run_dir.participant("inproc", &[]) };
    let there = library.participant(&elsewhere).expect("a participant");
    let endpoint = endpoint(Payload::Octet, 100);
    let reader = there.reader(&endpoint, None).expect("a reader");
    let writer = here.writer(&endpoint).expect("a writer");
    let status = |locator: &str| writer.connect(locator).map_err(|error| error.status);
    assert_eq!(status(&reader.locator().expect("a locator")), Err(Status::Invalid));
    assert_eq!(status("7|1|inproc://nobody"), Err(Status::Unavailable));
    assert_eq!(status("7|1|tcp://127.0.0.1:1"), Err(Status::Invalid));
    assert_eq!(writer.matched(), Ok(0));
}

/// The traffic classes of this process's connections.
fn traffic_classes() -> Vec<u8> {
    let descriptors = std::fs::read_dir("/proc/self/fd").expect("descriptors");
    let number = |entry: std::io::Result<std::fs::DirEntry>| -> Option<RawFd> {
        entry.ok()?.file_name().to_str()?.parse().ok()
    };
    descriptors
        .filter_map(number)
        .filter_map(|fd| {
            // SAFETY: only asked for an option; a descriptor that was closed meanwhile gives an error.
            let fd = unsafe { BorrowedFd::borrow_raw(fd) };
            rustix::net::sockopt::ip_tos(fd).ok()
        })
        .collect()
}

#[test]
fn a_priority_is_the_code_point_of_its_connection() {
    let Some(library) = probed("zeromq") else { return };
    let run_dir = RunDir::new();
    let participant = library.participant(&run_dir.participant("tcp", &[])).expect("a participant");
    let mut endpoint = endpoint(Payload::Octet, 100);
    // Expedited forwarding (RFC 3246); no other test asks for it.
    endpoint.qos.transport_priority = Some(46);
    let reader = participant.reader(&endpoint, None).expect("a reader");
    let writer = participant.writer(&endpoint).expect("a writer");
    connect(&writer, &reader);
    carries(&writer, &reader, Payload::Octet, 100);
    let mut classes = traffic_classes();
    classes.retain(|class| *class == 46 << 2);
    assert!(classes.len() >= 2, "both ends of the connection: {classes:?}");
    endpoint.qos.transport_priority = Some(64);
    assert_eq!(participant.writer(&endpoint).err().map(|e| e.status), Some(Status::Invalid));
    let local = library.participant(&run_dir.participant("ipc", &[])).expect("a participant");
    endpoint.qos.transport_priority = Some(1);
    assert_eq!(local.writer(&endpoint).err().map(|e| e.status), Some(Status::Unsupported));
}
