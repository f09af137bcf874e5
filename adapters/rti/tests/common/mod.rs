//! The adapter as the worker opens it, and waiting that says why it gave up.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Library, ParticipantConfig, Payload, Qos, ReaderHandle, Wait, WriterHandle,
};

/// Opens the library that this build made; `None`, with a word, where the vendor's is not installed.
pub fn library() -> Option<Library> {
    let exe = std::env::current_exe().expect("a path");
    let folders: Vec<PathBuf> = exe.ancestors().skip(1).take(2).map(PathBuf::from).collect();
    let path = folders
        .iter()
        .map(|folder| folder.join("libbusmark_rti.so"))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("no libbusmark_rti.so in {folders:?}"));
    let library = Library::open(&path).expect("an adapter");
    match library.probe() {
        Ok(()) => Some(library),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// A domain that no other test run on this host is likely to use.
pub fn participant() -> ParticipantConfig {
    ParticipantConfig {
        domain: 60 + std::process::id() % 160,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: "udp".to_owned(),
        profile: "default".to_owned(),
        run_dir: std::env::temp_dir().display().to_string(),
        settings: Vec::new(),
    }
}

/// A reliable endpoint that takes when it is told to.
pub fn endpoint(topic: &str) -> EndpointConfig {
    EndpointConfig {
        topic: topic.to_owned(),
        payload: Payload::Octet,
        wait: Wait::Poll,
        max_body_bytes: 64,
        qos: Qos { reliable: Some(true), keep_all: Some(true), ..Qos::default() },
        instances: 0,
        filter_below: 0,
    }
}

/// Waits until each sees the other.
pub fn matched(writer: &WriterHandle, reader: &ReaderHandle) {
    let start = Instant::now();
    loop {
        let counts = (writer.matched(), reader.matched());
        if counts == (Ok(1), Ok(1)) {
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "not matched: {counts:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Numbers of the first `count` samples that come.
pub fn gather(reader: &ReaderHandle, count: usize) -> Vec<u64> {
    let start = Instant::now();
    let mut seqs = Vec::new();
    while seqs.len() < count && start.elapsed() < Duration::from_secs(30) {
        let _ = reader.take(16, &mut |r: &busmark_adapter::Received| seqs.push(r.header.seq));
        std::thread::sleep(Duration::from_millis(1));
    }
    seqs
}
