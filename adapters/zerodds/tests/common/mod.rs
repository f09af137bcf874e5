//! The adapter as the worker opens it, and waiting that says why it gave up.
#![allow(dead_code)] // Each test file uses its part.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Header, Library, OnData, ParticipantConfig, Payload, Qos, ReaderHandle, Taker,
    Wait, WriterHandle,
};

/// Opens the library that this build made.
pub fn library() -> Library {
    let exe = std::env::current_exe().expect("a path");
    let folders: Vec<PathBuf> = exe.ancestors().skip(1).take(2).map(PathBuf::from).collect();
    let path = folders
        .iter()
        .map(|folder| folder.join("libbusmark_zerodds.so"))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("no libbusmark_zerodds.so in {folders:?}"));
    Library::open(&path).expect("an adapter")
}

/// A domain that no other test run on this host is likely to use; `offset` is below 4.
pub fn domain(offset: u32) -> u32 {
    180 + (std::process::id() % 5) * 4 + offset
}

pub fn participant(domain: u32, transport: &str) -> ParticipantConfig {
    ParticipantConfig {
        domain,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: transport.to_owned(),
        // As shipped, reliable streams wait half a second for each window: see NOTES.md.
        profile: "tuned".to_owned(),
        run_dir: std::env::temp_dir().display().to_string(),
        settings: Vec::new(),
    }
}

pub fn endpoint(topic: &str, payload: Payload, wait: Wait) -> EndpointConfig {
    let qos = Qos { reliable: Some(true), keep_all: Some(true), ..Qos::default() };
    EndpointConfig {
        topic: topic.to_owned(),
        payload,
        wait,
        max_body_bytes: 4 << 20,
        qos,
        instances: 0,
        filter_below: 0,
    }
}

/// A sample as it was received.
pub type Copied = (Header, Vec<u8>);

struct Forward(Sender<Copied>);

/// A listener, and what it receives.
pub fn forward() -> (Box<dyn OnData>, Receiver<Copied>) {
    let (sender, receiver) = channel();
    (Box::new(Forward(sender)), receiver)
}

impl OnData for Forward {
    fn on_data(&self, taker: &Taker) {
        let mut forward = |r: &busmark_adapter::Received| {
            let _ = self.0.send((*r.header, r.body.to_vec()));
        };
        while taker.take(4, &mut forward) == Ok(4) {}
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
        assert!(start.elapsed() < Duration::from_secs(20), "not matched: {counts:?}");
        std::thread::sleep(Duration::from_millis(1));
    }
}
