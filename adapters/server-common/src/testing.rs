//! For the adapters' own tests: the library as it was built, a server, and traffic.

use std::time::{Duration, Instant};

use busmark_adapter::testing::{self, RunDir};
pub use busmark_adapter::testing::{Process, eventually, library, matched};
use busmark_adapter::{
    EndpointConfig, Header, Library, ParticipantConfig, ParticipantHandle, Qos, ReaderHandle,
    SampleHandle, ServerHandle, Status, Wait, WriterHandle,
};

/// An adapter with a running server.
pub struct Bench {
    /// The adapter.
    pub library: Library,
    /// A participant's configuration, with the server's address.
    pub config: ParticipantConfig,
    // Stopped before its folder goes.
    server: Option<ServerHandle>,
    _run_dir: RunDir,
}

impl Bench {
    /// The adapter's library, which cargo builds beside the test, and a server with these settings.
    pub fn new(name: &str, transport: &str, settings: &[(&str, &str)]) -> Self {
        let library = library(name);
        let run_dir = RunDir::new();
        let mut config = run_dir.participant(transport, settings);
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

/// An endpoint of small bodies of octets.
pub fn endpoint(wait: Wait, reliable: Option<bool>) -> EndpointConfig {
    let qos = Qos { reliable, max_blocking_ns: 1_000_000_000, ..Qos::default() };
    EndpointConfig { wait, qos, ..testing::endpoint("test", 100) }
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
    /// Sender of this participant.
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
