//! The transport between processes, writer's side: one named pipe per writer and reader.
//!
//! A reader listens on its own pipe (`receiver.rs`), whose path is in its locator. A writer makes
//! another pipe in the run directory, writes its path into the reader's, and opens it as soon as
//! the reader has; the name is removed then. Frames follow: the first describes the writer, a client of
//! a service says in the second where it reads its responses, each other is a sample. The kernel notifies a writer without a reader (the host ignores SIGPIPE, as
//! Rust programs do).

use std::fs::File;
use std::io::{IoSlice, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use busmark_adapter::{Header, Result, Status};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, mkfifoat, open, unlink};
use rustix::io::Errno;

use crate::locator::Locator;
use crate::memory::Card;
use crate::queue::Message;

/// How long a reader may take to open the pipe, and a closing writer to hand over its last sample.
const PATIENCE: Duration = Duration::from_secs(5);

/// What a frame holds.
pub const SAMPLE: u32 = 0;
/// … "1" or "0" for reliable, then the partition.
pub const ABOUT: u32 = 1;
/// … the locator of a client's queue.
pub const CLIENT: u32 = 2;

/// Length of a frame before its body: kind, length of the body, expiry, source time, number of the
/// request, header.
pub const PREFIX: usize = 4 + 4 + 8 + 8 + 8 + Header::BYTES;

/// A new name in the run directory.
pub fn fifo_path(run_dir: &str, side: &str) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let n = NEXT.fetch_add(1, Ordering::Relaxed);
    PathBuf::from(run_dir).join(format!("reference-{side}-{}-{n}.fifo", std::process::id()))
}

pub fn make_fifo(path: &PathBuf) -> Result<()> {
    mkfifoat(rustix::fs::CWD, path, Mode::RUSR | Mode::WUSR).map_err(|error| {
        Status::Failed.error(format!("cannot make the pipe {}: {error}", path.display()))
    })
}

fn prefix(kind: u32, bytes: usize, message: Option<&Message>) -> [u8; PREFIX] {
    let mut out = [0; PREFIX];
    out[..4].copy_from_slice(&kind.to_ne_bytes());
    out[4..8].copy_from_slice(&(bytes as u32).to_ne_bytes());
    if let Some(message) = message {
        out[8..16].copy_from_slice(&message.expires_ns.to_ne_bytes());
        out[16..24].copy_from_slice(&message.source_ns.to_ne_bytes());
        out[24..32].copy_from_slice(&message.request.to_ne_bytes());
        out[32..].copy_from_slice(message.header.as_bytes());
    }
    out
}

/// Bytes that the pipe has not taken yet.
#[derive(Default)]
struct Rest {
    bytes: Vec<u8>,
    sent: usize,
    broken: bool,
    closing: bool,
}

struct Shared {
    pipe: File,
    rest: Mutex<Rest>,
    changed: Condvar,
}

/// A writer's connection to a reader of any process of this host.
pub struct PipeLink {
    shared: Arc<Shared>,
    card: Arc<Card>,
    reader_partition: String,
    reliable: bool,
    pusher: Option<JoinHandle<()>>,
}

impl PipeLink {
    pub fn connect(
        locator: &Locator,
        run_dir: &str,
        card: &Arc<Card>,
        reliable: bool,
    ) -> Result<Self> {
        let gone =
            |error| Status::Unavailable.error(format!("the reader's pipe {}: {error}", locator.at));
        let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut reader = File::from(open(&locator.at, flags, Mode::empty()).map_err(gone)?);
        let path = fifo_path(run_dir, "writer");
        make_fifo(&path)?;
        let pipe = writeln!(reader, "{}", path.display())
            .map_err(|error| Status::Unavailable.error(format!("the reader's pipe: {error}")))
            .and_then(|()| open_when_reader_has(&path));
        let _ = unlink(&path);
        let shared = Arc::new(Shared {
            pipe: File::from(pipe?),
            rest: Mutex::default(),
            changed: Condvar::new(),
        });
        let run = Arc::clone(&shared);
        let pusher = std::thread::Builder::new()
            .name("reference-push".to_owned())
            .spawn(move || run.push())
            .map_err(|error| Status::Resources.error(format!("no thread for a pipe: {error}")))?;
        let reader_partition = locator.partition.clone();
        let card = Arc::clone(card);
        let link = Self { shared, card, reader_partition, reliable, pusher: Some(pusher) };
        let partition = link.card.partition.lock().unwrap_or_else(PoisonError::into_inner).clone();
        link.tell(&partition);
        Ok(link)
    }

    /// Tells the reader about this writer.
    pub fn tell(&self, partition: &str) {
        let text = format!("{}{partition}", u8::from(self.reliable));
        let rest = self.shared.lock();
        self.shared.append(rest, &prefix(ABOUT, text.len(), None), text.as_bytes());
    }

    /// Tells the server where this client reads its responses.
    pub fn greet(&self, locator: &str) {
        let rest = self.shared.lock();
        self.shared.append(rest, &prefix(CLIENT, locator.len(), None), locator.as_bytes());
    }

    /// Until all that was sent is in the pipe.
    pub fn wait_for_room(&self, until: Option<Instant>) -> std::result::Result<(), Status> {
        let mut rest = self.shared.lock();
        while !rest.bytes.is_empty() && !rest.broken {
            let left = until.map_or(PATIENCE, |u| u.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return Err(Status::Timeout);
            }
            let woken = self.shared.changed.wait_timeout(rest, left);
            rest = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }

    pub fn send(&self, message: &Message) {
        let rest = self.shared.lock();
        let prefix = prefix(SAMPLE, message.body.len(), Some(message));
        self.shared.append(rest, &prefix, &message.body);
    }

    /// Best effort: while an earlier sample is stuck, this one is lost.
    pub fn send_if_free(&self, message: &Message) {
        if self.shared.lock().bytes.is_empty() {
            self.send(message);
        }
    }

    pub fn is_joined(&self) -> bool {
        self.card.is_in(&self.reader_partition)
    }

    pub fn is_open(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut fds = [PollFd::new(&self.shared.pipe, PollFlags::OUT)];
        poll(&mut fds, Some(&now)).is_ok() && !fds[0].revents().contains(PollFlags::ERR)
    }
}

/// Opens the pipe for writing as soon as the reader has opened it.
fn open_when_reader_has(path: &PathBuf) -> Result<rustix::fd::OwnedFd> {
    let begin = Instant::now();
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    loop {
        match open(path, flags, Mode::empty()) {
            Ok(pipe) => return Ok(pipe),
            Err(Errno::NXIO) if begin.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_micros(200));
            }
            Err(Errno::NXIO) => {
                return Err(Status::Timeout.error("the reader does not open the writer's pipe"));
            }
            Err(error) => return Err(Status::Failed.error(format!("cannot open a pipe: {error}"))),
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Rest> {
        self.rest.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a frame behind what is waiting; what does not fit is left to the pusher.
    fn append(&self, mut rest: MutexGuard<'_, Rest>, prefix: &[u8], body: &[u8]) {
        if rest.broken {
            return;
        }
        let mut sent = 0;
        if rest.bytes.is_empty() {
            let frame = [IoSlice::new(prefix), IoSlice::new(body)];
            match (&self.pipe).write_vectored(&frame) {
                Ok(n) => sent = n,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => (),
                Err(_) => {
                    rest.broken = true;
                    return;
                }
            }
        }
        if sent < prefix.len() + body.len() {
            rest.bytes.extend_from_slice(&prefix[sent.min(prefix.len())..]);
            rest.bytes.extend_from_slice(&body[sent.saturating_sub(prefix.len())..]);
            self.changed.notify_all();
        }
    }

    /// Pushes the rest into the pipe as the reader makes room.
    fn push(&self) {
        let mut closing_since: Option<Instant> = None;
        loop {
            let mut rest = self.lock();
            while rest.bytes.is_empty() && !rest.closing {
                rest = self.changed.wait(rest).unwrap_or_else(PoisonError::into_inner);
            }
            if rest.closing {
                let since = *closing_since.get_or_insert_with(Instant::now);
                if rest.bytes.is_empty() || rest.broken || since.elapsed() > PATIENCE {
                    return;
                }
            }
            match (&self.pipe).write(&rest.bytes[rest.sent..]) {
                Ok(n) => rest.sent += n,
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => (),
                Err(_) => rest.broken = true,
            }
            if rest.sent == rest.bytes.len() || rest.broken {
                rest.bytes.clear();
                rest.sent = 0;
                self.changed.notify_all();
                continue;
            }
            drop(rest);
            wait_for(self.pipe.as_fd(), PollFlags::OUT);
        }
    }
}

/// Sleeps until the descriptor is ready, a tenth of a second at most.
fn wait_for(fd: BorrowedFd<'_>, what: PollFlags) {
    let step = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };
    let _ = poll(&mut [PollFd::new(&fd, what)], Some(&step));
}

impl Drop for PipeLink {
    fn drop(&mut self) {
        self.shared.lock().closing = true;
        self.shared.changed.notify_all();
        if let Some(thread) = self.pusher.take() {
            let _ = thread.join();
        }
    }
}
