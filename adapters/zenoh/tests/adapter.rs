//! What the contract does not ask: options, several peers, and readers that stop reading.

use std::fmt::Debug;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, Library, ParticipantConfig, Payload, Qos, ReaderHandle, Status, Wait,
    WriterHandle, fill_pattern, verify_pattern,
};

/// A hang is a failure after this time; nothing is expected to take a noticeable part of it.
const WATCHDOG: Duration = Duration::from_secs(60);

fn library() -> Library {
    let test = std::env::current_exe().expect("a test knows its path");
    let folder = test.parent().expect("a test lies in a folder");
    Library::open(&folder.join("libbusmark_zenoh.so")).expect("the adapter loads")
}

struct RunDir(PathBuf);

impl RunDir {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("busmark-zenoh-{}-{number}", std::process::id());
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

fn write(writer: &WriterHandle, seq: u64, kind: Payload, bytes: usize) {
    let mut body = vec![0; bytes];
    fill_pattern(kind, &mut body);
    let mut sample = writer.sample(&body).expect("a sample");
    writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("a write");
}

fn receive(reader: &ReaderHandle, kind: Payload, what: impl Debug) -> (u64, usize) {
    assert_eq!(reader.wait(WATCHDOG), Ok(()), "{what:?}");
    let mut got = None;
    reader
        .take(1, &mut |received| {
            assert!(verify_pattern(kind, received.body));
            got = Some((received.header.seq, received.body.len()));
        })
        .expect("a sample");
    got.expect("a sample")
}

#[test]
fn every_option_carries_samples() {
    let library = library();
    let run_dir = RunDir::new();
    let options: [&[(&str, &str)]; 5] = [
        &[],
        &[("express", "true"), ("priority", "1")],
        &[("batching", "false")],
        &[("batch_size", "1024")],
        &[("send_buffer_bytes", "65536"), ("receive_buffer_bytes", "65536")],
    ];
    for transport in ["tcp", "unix"] {
        for options in options {
            let config = config(transport, &run_dir, options);
            let here = library.participant(&config).expect("a participant");
            let there = library.participant(&config).expect("a participant");
            let endpoint = endpoint(Payload::Octet, 60_000);
            let reader = there.reader(&endpoint, None).expect("a reader");
            let writer = here.writer(&endpoint).expect("a writer");
            connect(&writer, &reader);
            for (seq, bytes) in [0, 1, 1023, 1024, 60_000].into_iter().enumerate() {
                write(&writer, seq as u64, Payload::Octet, bytes);
                let got = receive(&reader, Payload::Octet, (transport, options, bytes));
                assert_eq!(got, (seq as u64, bytes), "{options:?}");
            }
        }
    }
    assert_eq!(std::fs::read_dir(&run_dir.0).expect("the folder").count(), 0, "left behind");
}

#[test]
fn both_directions_between_two_peers_connect_at_once() {
    let library = library();
    let run_dir = RunDir::new();
    for round in 0..5 {
        let config = config("tcp", &run_dir, &[]);
        let (one, two) = (
            library.participant(&config).expect("a participant"),
            library.participant(&config).expect("a participant"),
        );
        let there = EndpointConfig { topic: "there".into(), ..endpoint(Payload::Octet, 100) };
        let back = EndpointConfig { topic: "back".into(), ..endpoint(Payload::Octet, 100) };
        let asked = two.reader(&there, None).expect("a reader");
        let answered = one.reader(&back, None).expect("a reader");
        let question = one.writer(&there).expect("a writer");
        let reply = two.writer(&back).expect("a writer");
        std::thread::scope(|scope| {
            scope.spawn(|| connect(&question, &asked));
            connect(&reply, &answered);
        });
        write(&question, round, Payload::Octet, 100);
        write(&reply, round, Payload::Octet, 100);
        assert_eq!(receive(&asked, Payload::Octet, "the question"), (round, 100));
        assert_eq!(receive(&answered, Payload::Octet, "the answer"), (round, 100));
        drop(asked);
        eventually("no reader of questions", || question.matched() == Ok(0));
        assert_eq!(reply.matched(), Ok(1));
    }
}

#[test]
fn a_reader_whose_channel_is_full_can_be_dropped() {
    let library = library();
    let run_dir = RunDir::new();
    let config = config("tcp", &run_dir, &[("fifo_capacity", "4")]);
    let here = library.participant(&config).expect("a participant");
    let there = library.participant(&config).expect("a participant");
    let endpoint = endpoint(Payload::Octet, 100);
    let reader = there.reader(&endpoint, None).expect("a reader");
    let writer = here.writer(&endpoint).expect("a writer");
    connect(&writer, &reader);
    for seq in 0..100 {
        write(&writer, seq, Payload::Octet, 100);
    }
    drop(reader);
    eventually("no reader", || writer.matched() == Ok(0));
}

#[test]
fn another_domain_and_topics_that_are_no_keys_are_refused() {
    let library = library();
    let run_dir = RunDir::new();
    let here = library.participant(&config("tcp", &run_dir, &[])).expect("a participant");
    let elsewhere = ParticipantConfig { domain: 8, ..config("tcp", &run_dir, &[]) };
    let there = library.participant(&elsewhere).expect("a participant");
    let endpoint = endpoint(Payload::Octet, 100);
    let reader = there.reader(&endpoint, None).expect("a reader");
    let writer = here.writer(&endpoint).expect("a writer");
    let error = writer.connect(&reader.locator().expect("a locator")).err();
    assert_eq!(error.map(|error| error.status), Some(Status::Invalid));
    for topic in ["**", "a/*/b", "a//b", "a?b"] {
        let endpoint = EndpointConfig { topic: topic.to_owned(), ..endpoint.clone() };
        let error = here.writer(&endpoint).err().expect(topic);
        assert_eq!(error.status, Status::Invalid, "{topic}: {error}");
    }
}
