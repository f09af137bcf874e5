//! The transport between processes, reader's side: a thread that reads from all writers' pipes.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread::JoinHandle;

use busmark_adapter::{Header, Result, Status};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags, open, unlink};

use crate::endpoint::Quality;
use crate::link::Client;
use crate::memory::Greeter;
use crate::pipe::{ABOUT, CLIENT, PREFIX, fifo_path, make_fifo};
use crate::queue::{Message, Queue};

/// Bytes asked from a pipe at once.
const CHUNK: usize = 64 << 10;

struct Shared {
    queue: Arc<Queue>,
    partition: String,
    /// Receiver of a server.
    greeter: Option<Greeter>,
    matched: AtomicU32,
    closing: AtomicBool,
}

/// A writer's pipe and what has come through it.
struct Stream {
    pipe: File,
    bytes: Vec<u8>,
    reliable: bool,
    joined: bool,
    /// Whose requests come through it.
    client: Option<Arc<Client>>,
}

/// Owns the reader's pipe and its thread.
pub struct Receiver {
    path: PathBuf,
    doorbell: File,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

fn open_pipe(path: &PathBuf, access: OFlags) -> Result<File> {
    open(path, access | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()).map(File::from).map_err(
        |error| Status::Failed.error(format!("cannot open the pipe {}: {error}", path.display())),
    )
}

impl Receiver {
    pub fn start(
        run_dir: &str,
        queue: &Arc<Queue>,
        quality: &Quality,
        greeter: Option<Greeter>,
    ) -> Result<Self> {
        let path = fifo_path(run_dir, "reader");
        make_fifo(&path)?;
        let shared = Arc::new(Shared {
            queue: Arc::clone(queue),
            partition: quality.partition.clone(),
            greeter,
            matched: AtomicU32::new(0),
            closing: AtomicBool::new(false),
        });
        // For reading and writing, so that it never ends and this side can ring it.
        let started = open_pipe(&path, OFlags::RDWR).and_then(|doorbell| {
            let bell = doorbell.try_clone().map_err(failed)?;
            let run = Arc::clone(&shared);
            let thread = std::thread::Builder::new()
                .name("reference-recv".to_owned())
                .spawn(move || run.receive(bell))
                .map_err(failed)?;
            Ok((doorbell, thread))
        });
        match started {
            Ok((doorbell, thread)) => Ok(Self { path, doorbell, shared, thread: Some(thread) }),
            Err(error) => {
                let _ = unlink(&path);
                Err(error)
            }
        }
    }

    pub fn path(&self) -> &str {
        self.path.to_str().unwrap_or_default()
    }

    pub fn matched(&self) -> u32 {
        self.shared.matched.load(Ordering::Acquire)
    }
}

fn failed(error: std::io::Error) -> busmark_adapter::Error {
    Status::Resources.error(format!("the reader cannot be started: {error}"))
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::Release);
        self.shared.queue.close();
        let _ = self.doorbell.write_all(b"\n");
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        let _ = unlink(&self.path);
    }
}

impl Shared {
    /// Reads from the doorbell and from every writer's pipe until the reader closes.
    fn receive(&self, mut bell: File) {
        let mut rung = Vec::new();
        let mut streams: Vec<Stream> = Vec::new();
        let mut chunk = vec![0; CHUNK];
        while !self.closing.load(Ordering::Acquire) {
            let mut fds: Vec<_> = std::iter::once(&bell)
                .chain(streams.iter().map(|s| &s.pipe))
                .map(|file| PollFd::new(file, PollFlags::IN))
                .collect();
            let _ = poll(&mut fds, None);
            let ready: Vec<bool> = fds.iter().map(|fd| !fd.revents().is_empty()).collect();
            drop(fds);
            let mut index = 0;
            streams.retain_mut(|stream| {
                index += 1;
                !ready[index] || self.read(stream, &mut chunk)
            });
            if ready[0] {
                answer(&mut bell, &mut rung, &mut streams);
            }
            let joined = streams.iter().filter(|s| s.joined).count();
            self.matched.store(joined as u32, Ordering::Release);
        }
    }

    /// Reads what is there; false when the writer is gone.
    fn read(&self, stream: &mut Stream, chunk: &mut [u8]) -> bool {
        match stream.pipe.read(chunk) {
            Ok(0) => return false,
            Ok(n) => stream.bytes.extend_from_slice(&chunk[..n]),
            Err(error) => return error.kind() == ErrorKind::WouldBlock,
        }
        let mut at = 0;
        while let Some(length) = frame_length(&stream.bytes[at..]) {
            self.handle(stream, at, length);
            at += length;
        }
        stream.bytes.drain(..at);
        true
    }

    fn handle(&self, stream: &mut Stream, at: usize, length: usize) {
        let frame = &stream.bytes[at..at + length];
        let body = &frame[PREFIX..];
        if word(frame) == ABOUT {
            stream.reliable = body.first() == Some(&b'1');
            stream.joined = body.get(1..) == Some(self.partition.as_bytes());
            return;
        }
        if word(frame) == CLIENT {
            let locator = String::from_utf8_lossy(body).parse().ok();
            let greeted = self.greeter.as_ref().zip(locator);
            // One that has gone already asks nothing.
            stream.client = greeted.and_then(|(greet, locator)| greet(&locator).ok());
            return;
        }
        let Some(header) = Header::from_bytes(&frame[32..]).filter(|_| stream.joined) else {
            return;
        };
        let message = Message {
            header,
            body: body.into(),
            expires_ns: long(&frame[8..]),
            source_ns: long(&frame[16..]),
            request: long(&frame[24..]) as u64,
            from: stream.client.clone(),
        };
        if !stream.reliable {
            self.queue.offer(message);
        } else if self.queue.reserve(None).is_ok() {
            // Waited for room; meanwhile the pipe fills and the writer waits in turn.
            self.queue.push_reserved(message);
        }
    }
}

/// Opens the pipes of new writers.
fn answer(bell: &mut File, rung: &mut Vec<u8>, streams: &mut Vec<Stream>) {
    let mut chunk = [0; 4096];
    if let Ok(n) = bell.read(&mut chunk) {
        rung.extend_from_slice(&chunk[..n]);
    }
    while let Some(end) = rung.iter().position(|b| *b == b'\n') {
        let line: Vec<u8> = rung.drain(..=end).collect();
        let path = String::from_utf8_lossy(&line[..end]).into_owned();
        if path.is_empty() {
            continue;
        }
        if let Ok(pipe) = open_pipe(&PathBuf::from(path), OFlags::RDONLY) {
            streams.push(Stream {
                pipe,
                bytes: Vec::new(),
                reliable: false,
                joined: false,
                client: None,
            });
        }
    }
}

/// Length of the first frame, once all of it is there.
fn frame_length(bytes: &[u8]) -> Option<usize> {
    if bytes.len() < PREFIX {
        return None;
    }
    let length = PREFIX + word(&bytes[4..]) as usize;
    (bytes.len() >= length).then_some(length)
}

fn word(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |b| u32::from_ne_bytes(*b))
}

fn long(bytes: &[u8]) -> i64 {
    bytes.first_chunk().map_or(0, |b| i64::from_ne_bytes(*b))
}
