//! What the contract does not ask: options, patterns, and what is left of connections.

use std::os::fd::{BorrowedFd, RawFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, Library, ParticipantConfig, Payload, Qos, ReaderHandle, Status, Wait,
    WriterHandle, fill_pattern, verify_pattern,
};

/// A hang is a failure after this time; nothing is expected to take a noticeable part of it.
const WATCHDOG: Duration = Duration::from_secs(30);

/// The library, unless this host has no libzmq.
fn library() -> Option<Library> {
    let test = std::env::current_exe().expect("a test knows its path");
    let folder = test.parent().expect("a test lies in a folder");
    let library = Library::open(&folder.join("libbusmark_zeromq.so")).expect("the adapter loads");
    match library.probe() {
        Ok(()) => Some(library),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

struct RunDir(PathBuf);

impl RunDir {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("busmark-zmq-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn config(transport: &str, run_dir: &RunDir, options: &[(&str, &str)]) -> ParticipantConfig {
    let pair = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    ParticipantConfig {
        domain: 7,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: transport.to_owned(),
        profile: "default".to_owned(),
        run_dir: run_dir.0.display().to_string(),
        settings: options.iter().map(pair).collect(),
    }
}

fn endpoint(payload: Payload, max_body_bytes: u64) -> EndpointConfig {
    EndpointConfig {
        topic: "test".to_owned(),
        payload,
        wait: Wait::Waitset,
        max_body_bytes,
        qos: Qos { reliable: Some(true), keep_all: Some(true), ..Qos::default() },
        instances: 0,
        filter_below: 0,
    }
}

fn connect(writer: &WriterHandle, reader: &ReaderHandle) {
    writer.connect(&reader.locator().expect("a locator")).expect("a connection");
}

fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < WATCHDOG, "never: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// One sample of this size goes through.
fn carries(writer: &WriterHandle, reader: &ReaderHandle, kind: Payload, bytes: usize) {
    let mut body = vec![0; bytes];
    fill_pattern(kind, &mut body);
    let mut sample = writer.sample(&body).expect("a sample");
    for seq in 0..3 {
        writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("a write");
        reader.wait(WATCHDOG).expect("a sample");
        let mut got = None;
        reader
            .take(1, &mut |received| {
                got = Some((received.header.seq, received.body.len()));
                assert!(verify_pattern(kind, received.body));
            })
            .expect("a sample");
        assert_eq!(got, Some((seq, bytes)), "{kind:?}");
    }
}

#[test]
fn shared_bodies_arrive_like_copied_ones() {
    let Some(library) = library() else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let shared = config(transport, &run_dir, &[("zero_copy_from_bytes", "100")]);
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
    assert_eq!(std::fs::read_dir(&run_dir.0).expect("the folder").count(), 0);
}

#[test]
fn push_and_pull_carry_samples_to_one_reader_and_refuse_a_second() {
    let Some(library) = library() else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let config = config(transport, &run_dir, &[("pattern", "push_pull")]);
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
    let Some(library) = library() else { return };
    let run_dir = RunDir::new();
    for transport in ["tcp", "ipc", "inproc"] {
        let participant =
            library.participant(&config(transport, &run_dir, &[])).expect("a participant");
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

fn reader_takes_all(reader: &ReaderHandle) {
    while reader.take(16, &mut |_| ()).is_ok() {}
}

#[test]
fn another_domain_and_places_where_nobody_listens_are_refused() {
    let Some(library) = library() else { return };
    let run_dir = RunDir::new();
    let here = library.participant(&config("inproc", &run_dir, &[])).expect("a participant");
    let elsewhere = ParticipantConfig { domain: 8, ..config("inproc", &run_dir, &[]) };
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
    let Some(library) = library() else { return };
    let run_dir = RunDir::new();
    let participant = library.participant(&config("tcp", &run_dir, &[])).expect("a participant");
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
    let local = library.participant(&config("ipc", &run_dir, &[])).expect("a participant");
    endpoint.qos.transport_priority = Some(1);
    assert_eq!(local.writer(&endpoint).err().map(|e| e.status), Some(Status::Unsupported));
}
