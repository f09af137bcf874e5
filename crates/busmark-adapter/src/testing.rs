//! For the adapters' own tests: the library as it was built, driven as the worker drives it.

pub mod services;
mod wiretap;

use std::fmt::Debug;
use std::ops::Range;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::{
    EndpointConfig, Header, Library, OnData, ParticipantConfig, Payload, Qos, ReaderHandle,
    Received, Status, Taker, Wait, WriterHandle, fill_pattern,
};

pub use wiretap::wiretap;

/// A hang is a failure after this time; nothing is expected to take a noticeable part of it.
pub const WATCHDOG: Duration = Duration::from_secs(60);

/// The adapter's library, which cargo builds beside the test.
pub fn library(name: &str) -> Library {
    let test = std::env::current_exe().expect("a test knows its path");
    let file = format!("libbusmark_{name}.so");
    let path =
        test.ancestors().skip(1).take(2).map(|folder| folder.join(&file)).find(|p| p.exists());
    let path = path.unwrap_or_else(|| panic!("no {file} beside {}", test.display()));
    Library::open(&path).expect("the adapter loads")
}

/// The same; `None`, and why, where this host lacks the middleware.
pub fn probed(name: &str) -> Option<Library> {
    let library = library(name);
    match library.probe() {
        Ok(()) => Some(library),
        Err(error) => {
            eprintln!("skipped: {error}");
            None
        }
    }
}

/// A domain that no other test run on this host is likely to use: each takes `count` from `first` on, of
/// which this is the one at `offset`.
pub fn domain(first: u32, count: u32, offset: u32) -> u32 {
    assert!(offset < count, "a domain of another run");
    first + std::process::id() % 5 * count + offset
}

/// A participant on loopback.
pub fn participant(domain: u32, transport: &str, options: &[(&str, &str)]) -> ParticipantConfig {
    ParticipantConfig {
        domain,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: transport.to_owned(),
        profile: "default".to_owned(),
        run_dir: std::env::temp_dir().display().to_string(),
        settings: options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        security: None,
    }
}

/// An endpoint of octets, with a waitset and the middleware's own QoS.
pub fn endpoint(topic: &str, max_body_bytes: u64) -> EndpointConfig {
    EndpointConfig {
        topic: topic.to_owned(),
        payload: Payload::Octet,
        wait: Wait::Waitset,
        max_body_bytes,
        qos: Qos::default(),
        instances: 0,
        filter_below: 0,
    }
}

/// Reliable, and all is kept.
pub fn all() -> Qos {
    Qos { reliable: Some(true), keep_all: Some(true), ..Qos::default() }
}

/// Reliable, and the last `depth` samples are kept.
pub fn last(depth: i32) -> Qos {
    Qos { reliable: Some(true), keep_all: Some(false), depth, ..Qos::default() }
}

/// A run directory for one test, removed afterwards.
pub struct RunDir(pub PathBuf);

impl RunDir {
    /// A new one.
    pub fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("busmark-test-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Self(path)
    }

    /// A participant on loopback with this run directory, in domain 7.
    pub fn participant(&self, transport: &str, options: &[(&str, &str)]) -> ParticipantConfig {
        let run_dir = self.0.display().to_string();
        ParticipantConfig { run_dir, ..participant(7, transport, options) }
    }

    /// How many files are in it.
    pub fn files(&self) -> usize {
        std::fs::read_dir(&self.0).expect("the run directory").count()
    }
}

impl Default for RunDir {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for RunDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Asks until what is asked is true; `what` tells what was waited for in vain.
pub fn eventually(what: &str, mut ask: impl FnMut() -> bool) {
    until(what, || (ask(), ()));
}

/// The same, with what was seen last.
fn until<T: Debug>(what: &str, mut ask: impl FnMut() -> (bool, T)) {
    let start = Instant::now();
    loop {
        let (is_true, seen) = ask();
        if is_true {
            return;
        }
        assert!(start.elapsed() < WATCHDOG, "never: {what}; at last {seen:?}");
        sleep(Duration::from_millis(1));
    }
}

/// Waits until each sees the other, and nobody else.
pub fn matched(writer: &WriterHandle, reader: &ReaderHandle) {
    until("a match", || {
        let counts = (writer.matched(), reader.matched());
        (counts == (Ok(1), Ok(1)), counts)
    });
}

/// Connects a writer to a reader that has a locator.
pub fn connect(writer: &WriterHandle, reader: &ReaderHandle) {
    writer.connect(&reader.locator().expect("a locator")).expect("a connection");
}

/// A body with the pattern of this kind.
pub fn body(kind: Payload, bytes: usize) -> Vec<u8> {
    let mut body = vec![0; bytes];
    fill_pattern(kind, &mut body);
    body
}

/// Writes samples of this body with these numbers.
pub fn write(writer: &WriterHandle, body: &[u8], seqs: Range<u64>) {
    let mut sample = writer.sample(body).expect("a sample");
    for seq in seqs {
        writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("a write");
    }
}

/// The next sample, as `copy` makes it of what the reader shows; or how taking it failed.
pub fn next<T>(reader: &ReaderHandle, copy: impl Fn(&Received) -> T) -> Result<T, Status> {
    let start = Instant::now();
    loop {
        assert!(start.elapsed() < WATCHDOG, "nothing arrived");
        let _ = reader.wait(Duration::from_millis(50));
        let mut found = None;
        match (reader.take(1, &mut |received| found = Some(copy(received))), found) {
            (Ok(_), Some(found)) => return Ok(found),
            (Err(Status::NoData), None) => (),
            (other, _) => return Err(other.expect_err("one sample is taken at most")),
        }
    }
}

/// Number and body of the next sample.
pub fn receive(reader: &ReaderHandle) -> (u64, Vec<u8>) {
    next(reader, |received| (received.header.seq, received.body.to_vec())).expect("a sample")
}

/// A sample as it was received.
pub type Copied = (Header, Vec<u8>);

struct Forward(Sender<Copied>);

impl OnData for Forward {
    fn on_data(&self, taker: &Taker) {
        let mut forward = |r: &Received| {
            let _ = self.0.send((*r.header, r.body.to_vec()));
        };
        while taker.take(4, &mut forward) == Ok(4) {}
    }
}

/// A listener, and what it receives.
pub fn forward() -> (Box<dyn OnData>, Receiver<Copied>) {
    let (sender, receiver) = channel();
    (Box::new(Forward(sender)), receiver)
}

/// A second process of this test's, killed when it is dropped.
pub struct Process(Child);

impl Process {
    /// Runs the test of this name in a process in which the variable is set.
    pub fn of_test(name: &str, variable: &str, value: &str) -> Self {
        let child = Command::new(std::env::current_exe().expect("a test knows its path"))
            .args([name, "--exact", "--nocapture"])
            .env(variable, value)
            .stdout(Stdio::null())
            .spawn();
        Self(child.expect("a second process"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Threads of this process whose names begin with one of `prefixes`.
pub fn threads(prefixes: &[&str]) -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").expect("tasks").flatten();
    tasks
        .filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok())
        .filter(|name| prefixes.iter().any(|prefix| name.starts_with(prefix)))
        .count()
}
