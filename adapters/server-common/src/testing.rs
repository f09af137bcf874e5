//! For the adapters' own tests: the library as it was built, a server, and traffic.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, Library, ParticipantConfig, ParticipantHandle, Payload, Qos,
    ReaderHandle, SampleHandle, ServerHandle, Status, Wait, WriterHandle,
};

/// A hang is a failure after this time; nothing is expected to take a noticeable part of it.
const WATCHDOG: Duration = Duration::from_secs(30);

/// An adapter with a running server.
pub struct Bench {
    /// The adapter.
    pub library: Library,
    /// A participant's configuration, with the server's address.
    pub config: ParticipantConfig,
    // Stopped before its folder goes.
    server: Option<ServerHandle>,
    _run_dir: tempfile::TempDir,
}

impl Bench {
    /// The adapter's library, which cargo builds beside the test, and a server with these settings.
    pub fn new(name: &str, transport: &str, settings: &[(&str, &str)]) -> Self {
        let library = library(name);
        let run_dir = tempfile::tempdir().expect("a folder");
        let mut config = ParticipantConfig {
            domain: 7,
            interface_name: "lo".into(),
            interface_address: "127.0.0.1".into(),
            transport: transport.into(),
            profile: "default".into(),
            run_dir: run_dir.path().display().to_string(),
            settings: settings.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
        };
        let (server, address) = library.server(&config).expect("a server");
        config.settings.push(("server".into(), address));
        Self { library, config, server: Some(server), _run_dir: run_dir }
    }

    /// A participant at the server.
    pub fn participant(&self) -> ParticipantHandle {
        self.library.participant(&self.config).expect("a participant")
    }

    /// Ends the server.
    pub fn stop(&mut self) {
        self.server = None;
    }
}

/// The adapter's library, which cargo builds beside the test.
pub fn library(name: &str) -> Library {
    let test = std::env::current_exe().expect("a test knows its path");
    let folders: Vec<PathBuf> = test.ancestors().skip(1).take(2).map(PathBuf::from).collect();
    let file = format!("libbusmark_{name}.so");
    let path = folders.iter().map(|folder| folder.join(&file)).find(|path| path.exists());
    Library::open(&path.expect("the library lies beside the test")).expect("the adapter loads")
}

/// An endpoint of small bodies of octets.
pub fn endpoint(wait: Wait, reliable: Option<bool>) -> EndpointConfig {
    EndpointConfig {
        topic: "test".into(),
        payload: Payload::Octet,
        wait,
        max_body_bytes: 100,
        qos: Qos { reliable, max_blocking_ns: 1_000_000_000, ..Qos::default() },
        instances: 0,
        filter_below: 0,
    }
}

/// A writer and its running number.
pub struct Sender {
    // Before its writer.
    sample: SampleHandle,
    /// The writer.
    pub writer: WriterHandle,
    next: u64,
}

impl Sender {
    /// Of this participant.
    pub fn new(participant: &ParticipantHandle, endpoint: &EndpointConfig) -> Self {
        let writer = participant.writer(endpoint).expect("a writer");
        let sample = writer.sample(b"body").expect("a sample");
        Self { sample, writer, next: 0 }
    }

    /// Writes one.
    pub fn send(&mut self) -> Result<(), Status> {
        let header = Header { seq: self.next, ..Header::default() };
        self.writer.write(&mut self.sample, &header)?;
        self.next += 1;
        Ok(())
    }
}

/// Sequence numbers that a reader finds until it has `count` or nothing has come for `quiet`.
pub fn receive(reader: &ReaderHandle, count: usize, quiet: Duration) -> Vec<u64> {
    let mut seqs = Vec::new();
    let mut last = Instant::now();
    while seqs.len() < count && last.elapsed() < quiet {
        match reader.taker().take(64, &mut |received| seqs.push(received.header.seq)) {
            Ok(_) => last = Instant::now(),
            Err(Status::NoData) => std::thread::sleep(Duration::from_millis(1)),
            Err(status) => panic!("take: {status}"),
        }
    }
    seqs
}

/// Waits until both sides count each other.
pub fn matched(writer: &WriterHandle, reader: &ReaderHandle) {
    eventually("matching", || (writer.matched(), reader.matched()) == (Ok(1), Ok(1)));
}

/// Waits for what must come true.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < WATCHDOG, "{what}: not within {} s", WATCHDOG.as_secs());
        std::thread::sleep(Duration::from_millis(2));
    }
}
