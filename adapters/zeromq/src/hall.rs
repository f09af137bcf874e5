//! How readers join a writer that binds.
//!
//! A publisher heeds a subscription once it has arrived and a thread has called into the socket since, and
//! the library tells the subscriber nothing. So a reader that has connected subscribes, after its topic, to
//! a token of its own, and asks at another socket of the writer (REP) whether that has come: subscriptions
//! of a connection arrive in order. A thread of the writer looks and answers. It sleeps while nobody joins.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use busmark_adapter::{HotCell, Result, Status};

use crate::endpoints::{Maker, WriterLocator};
use crate::ffi;
use crate::options::Transport;
use crate::socket::{Message, Socket};

/// For a subscription to arrive, and for the answer.
const LIMIT: Duration = Duration::from_secs(5);
/// Pieces in which an answer is waited for.
const SLICE_MS: i32 = 50;
/// How every token begins; topics begin with a hash.
const TOKEN: &[u8] = b"\0busmark-join";
const YES: &[u8] = b"yes";
const NO: &[u8] = b"no";
const STOP: &[u8] = b"stop";

/// Who uses a writer over `inproc`, which the monitor does not know.
#[derive(Debug, Default)]
pub struct Presence {
    /// Readers that have joined and not gone.
    pub readers: AtomicU32,
    /// The writer has gone.
    pub closed: AtomicBool,
}

/// Writers of this process, by the end points of their halls.
static HALLS: Mutex<Option<HashMap<String, Arc<Presence>>>> = Mutex::new(None);

fn halls() -> MutexGuard<'static, Option<HashMap<String, Arc<Presence>>>> {
    HALLS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where readers ask; open as long as the writer lives.
pub struct Hall {
    /// Where they connect to.
    pub place: String,
    /// Presence of readers over `inproc`.
    pub presence: Arc<Presence>,
    /// Ends the thread.
    stopper: Mutex<Socket>,
    thread: Option<JoinHandle<()>>,
}

impl Hall {
    /// Hall of the writer that sends through this socket.
    pub fn open(maker: &Maker, sends: &Arc<HotCell<Socket>>) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let socket = maker.socket(ffi::REP)?;
        let place = maker.bind(&socket)?;
        let back_door = format!("inproc://hall-{}", NEXT.fetch_add(1, Ordering::Relaxed));
        socket.bind(&back_door)?;
        let stopper = maker.plain_socket(ffi::REQ)?;
        stopper.set(ffi::LINGER, 0)?;
        stopper.connect(&back_door)?;
        let presence = Arc::new(Presence::default());
        let porter = Porter {
            socket,
            message: Message::empty()?,
            sends: Arc::clone(sends),
            presence: Arc::clone(&presence),
            arrived: Vec::new(),
        };
        let thread = std::thread::Builder::new()
            .name("busmark-zmq".to_owned())
            .spawn(move || porter.serve())
            .map_err(|error| Status::Resources.error(format!("no thread for readers: {error}")))?;
        halls().get_or_insert_default().insert(place.clone(), Arc::clone(&presence));
        Ok(Self { place, presence, stopper: Mutex::new(stopper), thread: Some(thread) })
    }
}

impl Drop for Hall {
    fn drop(&mut self) {
        self.presence.closed.store(true, Ordering::Release);
        if let Some(halls) = halls().as_mut() {
            halls.remove(&self.place);
        }
        let stopper = self.stopper.lock().unwrap_or_else(PoisonError::into_inner);
        if stopper.send(STOP, 0).is_ok()
            && let Some(thread) = self.thread.take()
        {
            let _ = thread.join();
        }
    }
}

/// Answers readers.
struct Porter {
    socket: Socket,
    message: Message,
    sends: Arc<HotCell<Socket>>,
    presence: Arc<Presence>,
    /// Tokens that have come and that nobody has asked for yet.
    arrived: Vec<Vec<u8>>,
}

impl Porter {
    fn serve(mut self) {
        loop {
            match self.socket.receive(&mut self.message, 0) {
                Ok(()) => {}
                // A signal.
                Err(Status::Timeout) => continue,
                Err(_) => return,
            }
            let asked = self.message.bytes().to_vec();
            while self.message.has_more() {
                if self.socket.receive(&mut self.message, 0).is_err() {
                    return;
                }
            }
            if asked == STOP && self.presence.closed.load(Ordering::Acquire) {
                return;
            }
            let answer = if self.has_come(&asked) { YES } else { NO };
            let _ = self.socket.send(answer, 0);
        }
    }

    /// Waits for the token among the subscriptions.
    fn has_come(&mut self, token: &[u8]) -> bool {
        let start = Instant::now();
        loop {
            // The writing thread may have the socket; it has it for the time of a write only.
            if let Some(socket) = self.sends.get() {
                while socket.receive(&mut self.message, ffi::DONTWAIT).is_ok() {
                    if let [1, subscription @ ..] = self.message.bytes()
                        && subscription.starts_with(TOKEN)
                    {
                        self.arrived.push(subscription.to_vec());
                    }
                }
            }
            if let Some(at) = self.arrived.iter().position(|arrived| arrived == token) {
                self.arrived.swap_remove(at);
                return true;
            }
            if start.elapsed() >= LIMIT || self.presence.closed.load(Ordering::Acquire) {
                return false;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A token that nobody else has.
pub fn token() -> Vec<u8> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // Processes of several hosts may have the same number; the keys of a hasher are random.
    let random = RandomState::new().build_hasher().finish();
    [TOKEN, &std::process::id().to_le_bytes()[..], &number.to_le_bytes(), &random.to_le_bytes()]
        .concat()
}

/// Asks a writer whether this token has come; over `inproc` the writer's presence.
pub fn ask(maker: &Maker, writer: &WriterLocator, token: &[u8]) -> Result<Option<Arc<Presence>>> {
    let place = &writer.hall;
    let presence = match maker.settings.transport {
        Transport::Tcp | Transport::Ipc => None,
        Transport::Inproc => {
            let known = halls().as_ref().and_then(|halls| halls.get(place).cloned());
            let nobody = || format!("no writer of this process is bound to {place}");
            Some(known.ok_or_else(|| Status::Unavailable.error(nobody()))?)
        }
    };
    let socket = maker.socket(ffi::REQ)?;
    socket.set(ffi::LINGER, 0)?;
    socket.set(ffi::RCVTIMEO, SLICE_MS)?;
    socket.set(ffi::SNDTIMEO, SLICE_MS)?;
    maker.connect(&socket, place, writer.key.as_deref())?;
    // The writer's own limit comes first, where there is one.
    let end = Instant::now() + LIMIT + Duration::from_secs(1);
    let nobody = |status: Status| match status {
        Status::Timeout => {
            let text = format!("nobody answers at {place} within {} s", LIMIT.as_secs() + 1);
            Status::Unavailable.error(text)
        }
        other => other.error(format!("no answer from {place}")),
    };
    until(end, || socket.send(token, 0)).map_err(nobody)?;
    let mut answer = Message::empty()?;
    until(end, || socket.receive(&mut answer, 0)).map_err(nobody)?;
    if answer.bytes() == YES {
        return Ok(presence);
    }
    let text =
        format!("the subscription did not reach {} within {} s", writer.data, LIMIT.as_secs());
    Err(Status::Unavailable.error(text))
}

/// Repeats what may time out.
fn until(
    end: Instant,
    mut attempt: impl FnMut() -> std::result::Result<(), Status>,
) -> std::result::Result<(), Status> {
    loop {
        match attempt() {
            Err(Status::Timeout) if Instant::now() < end => {}
            outcome => return outcome,
        }
    }
}
