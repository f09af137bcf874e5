//! A pipe through the middleware under test: a stream of bytes in each direction, in pieces, on two
//! topics. So a round is driven over the bus: commands, answers and recorded rows are the same bytes that
//! the worker's standard input and output would carry.
//!
//! Pieces are acknowledged, a few at a time are on their way, and what does not come is sent again: what
//! is lost is repaired also where the middleware does not. While nothing is said, nothing is sent.

mod ends;
mod piece;

use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use busmark_adapter::{CapabilityReport, EndpointConfig, ParticipantHandle, Status, Wait};

use self::ends::{End, WINDOW};
use super::topics::{self, Ear, Speaker};
use crate::protocol::Failure;

/// Samples that a reader keeps: all that can be on their way, acknowledgements too.
const DEPTH: i32 = 8 * WINDOW as i32;
/// The other end has so long to be found before the first piece is sent; then pieces are sent again.
const FOUND: Duration = Duration::from_secs(5);
/// How often it is looked whether it was found.
const LOOK: Duration = Duration::from_millis(2);
/// The last pieces have so long to be acknowledged.
const LINGER: Duration = Duration::from_secs(2);

/// Which of the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The participant, which carries out commands.
    Participant,
    /// The gateway, through which the controller speaks.
    Gateway,
}

/// One end of a pipe.
pub struct Pipe {
    shared: Arc<Shared>,
    pump: Option<JoinHandle<()>>,
    _ear: Ear,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    end: End,
    /// Nothing more is read.
    stopped: bool,
    /// Nobody uses it any more.
    left: bool,
    failure: Option<String>,
    /// Why the last piece could not be written.
    trouble: Option<String>,
    damaged: u64,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_for<'a>(&self, state: MutexGuard<'a, State>, time: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, time).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The topics to the participant and from it.
fn names(number: u64) -> (String, String) {
    (format!("busmark_control_{number:016x}_to"), format!("busmark_control_{number:016x}_from"))
}

fn endpoint(adapter: &CapabilityReport, topic: &str) -> EndpointConfig {
    let usual = topics::endpoint(adapter, topic);
    // By the listener, for a thread of ours would wake up now and then in the middle of a measurement.
    let wait = if adapter.waits.contains(&Wait::Listener) { Wait::Listener } else { usual.wait };
    let mut qos = usual.qos;
    // Nobody joins late: what was sent before the other end was there is sent again.
    qos.transient_local = None;
    qos.depth = DEPTH;
    EndpointConfig { wait, qos, ..usual }
}

impl Pipe {
    /// The end on this side of the pipe with this number, which nobody else on the bus has. With
    /// `patience` it fails where nothing is acknowledged for this time.
    pub fn open(
        participant: &ParticipantHandle,
        number: u64,
        side: Side,
        patience: Option<Duration>,
    ) -> Result<Self, Failure> {
        let adapter = participant.library().capabilities();
        topics::check(adapter)?;
        let (to, from) = names(number);
        let (own, others) = if side == Side::Gateway { (to, from) } else { (from, to) };
        let state = State {
            end: End::new(),
            stopped: false,
            left: false,
            failure: None,
            trouble: None,
            damaged: 0,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), changed: Condvar::new() });
        let hears = Arc::clone(&shared);
        let ear = Ear::of(participant, &endpoint(adapter, &others), number, move |heard| {
            let mut state = hears.lock();
            if !(heard.ours && state.end.heard(&heard.body, Instant::now())) {
                state.damaged += 1;
            }
            drop(state);
            hears.changed.notify_all();
        })?;
        let writer = participant.writer(&endpoint(adapter, &own))?;
        let speaker = Speaker::of(writer, number, side as u32 + 1);
        let pump = Pump { shared: Arc::clone(&shared), speaker, patience, topic: own };
        let pump = std::thread::Builder::new()
            .name("control".to_owned())
            .spawn(move || pump.work())
            .map_err(|error| Failure::new("resources", format!("no thread: {error}")))?;
        Ok(Self { shared, pump: Some(pump), _ear: ear })
    }

    /// What comes.
    pub fn reader(&self) -> Reading {
        Reading(Arc::clone(&self.shared))
    }

    /// What goes.
    pub fn writer(&self) -> Writing {
        Writing(Arc::clone(&self.shared))
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // What was said is heard, but for an end of the stream: whoever hears of that may be gone.
        self.writer().flushed();
        self.shared.lock().left = true;
        self.shared.changed.notify_all();
        if let Some(pump) = self.pump.take() {
            let _ = pump.join();
        }
    }
}

/// Bytes that come, in order.
pub struct Reading(Arc<Shared>);

impl Reading {
    /// Nothing more is read, as if the other end had ended.
    pub fn stop(&self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_all();
    }
}

impl Clone for Reading {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl Read for Reading {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        loop {
            let count = state.end.get(into);
            if count > 0 || into.is_empty() || state.end.has_ended() || state.stopped {
                return Ok(count);
            }
            if let Some(failure) = &state.failure {
                return Err(io::Error::new(io::ErrorKind::TimedOut, failure.clone()));
            }
            state = self.0.wait(state);
        }
    }
}

/// Bytes that go.
pub struct Writing(Arc<Shared>);

impl Writing {
    /// There are no more; waits for a while until all are acknowledged.
    pub fn finish(&self) {
        self.0.lock().end.end();
        self.0.changed.notify_all();
        self.flushed();
    }

    /// Waits for a while until everything is acknowledged.
    fn flushed(&self) {
        let until = Instant::now() + LINGER;
        let mut state = self.0.lock();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            if state.end.is_done() || state.failure.is_some() || left.is_zero() {
                return;
            }
            state = self.0.wait_for(state, left);
        }
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock();
        loop {
            if let Some(failure) = &state.failure {
                return Err(io::Error::new(io::ErrorKind::BrokenPipe, failure.clone()));
            }
            let count = state.end.put(bytes);
            if count > 0 || bytes.is_empty() {
                self.0.changed.notify_all();
                return Ok(count);
            }
            state = self.0.wait(state);
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes pieces, on a thread of its own: a listener may not.
struct Pump {
    shared: Arc<Shared>,
    speaker: Speaker,
    patience: Option<Duration>,
    topic: String,
}

impl Pump {
    fn work(mut self) {
        self.find();
        let shared = Arc::clone(&self.shared);
        let mut state = shared.lock();
        loop {
            let now = Instant::now();
            let pieces = state.end.pieces(now);
            if !pieces.is_empty() {
                drop(state);
                let trouble = self.write(&pieces);
                state = shared.lock();
                state.trouble = trouble;
                // Whoever waits for room has some.
                shared.changed.notify_all();
                continue;
            }
            if state.left {
                return;
            }
            if self.patience.is_some_and(|patience| state.end.silent(now) > patience) {
                state.failure = Some(self.stuck(&state));
                shared.changed.notify_all();
                return;
            }
            state = match state.end.due() {
                Some(at) => shared.wait_for(state, at.saturating_duration_since(now) + LOOK),
                None => shared.wait(state),
            };
        }
    }

    /// Waits until there is somebody to write to, so that the first piece need not be sent twice.
    fn find(&self) {
        let until = Instant::now() + FOUND;
        while matches!(self.speaker.matched(), Ok(0)) && Instant::now() < until {
            if self.shared.lock().left {
                return;
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Writes them; why the last that failed could not be written.
    fn write(&mut self, pieces: &[Vec<u8>]) -> Option<String> {
        let mut trouble = None;
        for piece in pieces {
            if let Err(failure) = self.speaker.write(piece) {
                trouble = Some(failure.message);
            }
        }
        trouble
    }

    fn stuck(&self, state: &State) -> String {
        let seconds = self.patience.unwrap_or_default().as_secs_f64();
        let found = match self.speaker.matched() {
            Ok(0) | Err(Status::Failed) => ": no reader of this topic was found",
            _ => "",
        };
        let trouble = state.trouble.as_ref().map(|text| format!("; {text}")).unwrap_or_default();
        let damaged = match state.damaged {
            0 => String::new(),
            count => format!("; {count} samples came that are no pieces of this pipe"),
        };
        format!(
            "the bus is stuck: nothing that was written on {} was acknowledged for {seconds:.1} \
             s{found}{trouble}{damaged}",
            self.topic
        )
    }
}

/// Carries bytes between a pipe and whoever started the gateway, until either has no more.
pub fn relay(
    pipe: &Pipe,
    mut input: impl Read + Send + 'static,
    mut output: impl Write,
) -> Result<(), Failure> {
    let (mut to, stopped) = (pipe.writer(), pipe.reader());
    std::thread::spawn(move || {
        let mut buffer = vec![0; 1 << 15];
        while let Ok(count @ 1..) = input.read(&mut buffer) {
            if to.write_all(&buffer[..count]).is_err() {
                return;
            }
        }
        to.finish();
        stopped.stop();
    });
    let (mut from, mut buffer) = (pipe.reader(), vec![0; 1 << 16]);
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(count) => output
                .write_all(&buffer[..count])
                .and_then(|()| output.flush())
                .map_err(|error| Failure::new("protocol", format!("the controller: {error}")))?,
            Err(error) => return Err(Failure::new("timeout", error.to_string())),
        }
    }
}
