//! What bare loops share: the command line, the sample's header, ping-pong and stream over any
//! publish/subscribe library, the clock and the printed figures. None of Busmark's code.
//!
//! A loop is the smallest program that uses its library as Busmark's adapter does: it implements
//! [`Library`], [`Writer`] and [`Reader`] and calls [`run`]; over services it implements [`Services`].

mod call;
mod header;
mod options;
mod ping;
mod stream;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

pub use crate::header::Header;
pub use crate::options::{Options, Role, Wait};

/// Longest time that a [`Reader::turn`] waits, in milliseconds.
pub const TURN_MS: u32 = 20;

/// What a reader does with a sample: on the library's thread with a listener, else within
/// [`Reader::turn`].
pub trait OnSample: FnMut(&Header) + Send + 'static {}

impl<F: FnMut(&Header) + Send + 'static> OnSample for F {}

/// One process's attachment to the middleware.
pub trait Library: Sized {
    /// How its readers wait: the way that Busmark's adapter is compared in.
    const WAIT: Wait;
    /// Whether a listener may write. If not, another thread writes the answers.
    const WRITES_IN_LISTENER: bool = true;
    /// Writer of samples.
    type Writer: Writer;
    /// Reader of samples, which it hands to an `H`.
    type Reader<H: OnSample>: Reader;

    /// Attaches this process. The active side has `options.address` from the passive one.
    fn join(options: &Options) -> Result<Self, String>;

    /// By which the other side finds this one.
    fn address(&self) -> String;

    /// A writer of samples with this body.
    fn writer(&self, topic: &str, body: &[u8]) -> Result<Self::Writer, String>;

    /// A reader.
    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<Self::Reader<H>, String>;
}

/// Writes samples of one body.
pub trait Writer: Send + 'static {
    /// Whether the library took the sample. Hot.
    fn write(&mut self, header: &Header) -> bool;

    /// Whether the reader is known.
    fn matched(&mut self) -> bool {
        true
    }

    /// Sees to it that what was written arrives, within this time.
    fn finish(&mut self, _limit: Duration) {}
}

/// Hands samples over.
pub trait Reader {
    /// Waits for samples, at most [`TURN_MS`], and hands them over; false if there were none. With a
    /// listener it is not called. Hot.
    fn turn(&mut self) -> bool {
        false
    }

    /// Whether the writer is known.
    fn matched(&mut self) -> bool {
        true
    }
}

/// A library with services.
pub trait Services: Sized {
    /// What one client does: sends a request and waits for its response. Hot.
    type Client: FnMut(&Header) -> Result<(), String>;

    /// A client that has found the server of `options.address`.
    fn client(options: &Options) -> Result<Self::Client, String>;

    /// Says where it is by [`tell`], and answers each request with a body of this size, up to the one
    /// that is the last.
    fn serve(options: &Options) -> Result<(), String>;
}

/// The program: what the command line asks for.
pub fn run<L: Library>() -> Result<(), String> {
    of_library::<L>(&Options::parse(std::env::args().skip(1))?)
}

/// The same of a library that has services, too.
pub fn run_with_services<L: Library + Services>() -> Result<(), String> {
    let options = Options::parse(std::env::args().skip(1))?;
    match options.role {
        Role::Call | Role::Serve => of_services::<L>(&options),
        _ => of_library::<L>(&options),
    }
}

/// The same of a library that has services alone.
pub fn run_services<S: Services>() -> Result<(), String> {
    of_services::<S>(&Options::parse(std::env::args().skip(1))?)
}

fn of_services<S: Services>(options: &Options) -> Result<(), String> {
    match options.role {
        Role::Call => call::call::<S>(options),
        Role::Serve => S::serve(options),
        _ => Err("this loop is of services only: serve, call".to_owned()),
    }
}

fn of_library<L: Library>(options: &Options) -> Result<(), String> {
    if options.wait != L::WAIT {
        return Err(format!("this loop waits by {:?} only", L::WAIT));
    }
    match options.role {
        Role::Ping => ping::ping::<L>(options),
        Role::Pong => ping::pong::<L>(options),
        Role::Pub => stream::publish::<L>(options),
        Role::Sub => stream::subscribe::<L>(options),
        Role::Call | Role::Serve => Err("this loop is over no services".to_owned()),
    }
}

/// Monotonic, of this process.
#[inline]
#[must_use]
pub fn now_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Tells the other side where this one is.
pub fn tell(address: &str) {
    println!("{{\"address\":\"{address}\"}}");
}

/// Waits until `condition` holds.
fn until(what: &str, mut condition: impl FnMut() -> bool) -> Result<(), String> {
    const PATIENCE: Duration = Duration::from_secs(10);
    let start = Instant::now();
    while !condition() {
        if start.elapsed() > PATIENCE {
            return Err(format!("gave up after {} s: {what}", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}
