//! A server that answers by itself, for a process of its own, and how its ends are connected from afar.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{
    AnyService, EndpointConfig, Error, ParticipantHandle, ReaderHandle, ServiceHandle, Side,
    Status, Wait, WriterHandle,
};

use super::service::Server;
use super::verdict::{Stop, Verdict, fail};

/// An end of the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// The server itself, natively.
    Service,
    /// By two topics: of the requests.
    Reader,
    /// By two topics: of the responses.
    Writer,
}

impl Which {
    pub fn name(self) -> &'static str {
        match self {
            Self::Service => "service",
            Self::Reader => "reader",
            Self::Writer => "writer",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        [Self::Service, Self::Reader, Self::Writer].into_iter().find(|which| which.name() == name)
    }
}

/// What may have a locator, and may connect to one.
pub(crate) trait ByLocator {
    fn raw_locator(&self) -> Result<String, Status>;
    fn raw_connect(&self, locator: &str) -> Result<(), Error>;

    /// The locator; empty where this is not the side that has one.
    fn locator(&self) -> Verdict<String> {
        match self.raw_locator() {
            Err(Status::Unsupported) => Ok(String::new()),
            other => Ok(other?),
        }
    }

    fn connect(&self, locator: &str) -> Verdict<()> {
        Ok(self.raw_connect(locator)?)
    }
}

macro_rules! wires {
    ($($handle:ty)*) => {$(
        impl ByLocator for $handle {
            fn raw_locator(&self) -> Result<String, Status> {
                self.locator()
            }

            fn raw_connect(&self, locator: &str) -> Result<(), Error> {
                self.connect(locator)
            }
        }
    )*};
}

wires!(ServiceHandle ReaderHandle WriterHandle);

/// A server that answers each request with the request's own body.
pub(crate) struct Echo {
    any: Arc<AnyService>,
    done: Arc<AtomicBool>,
    thread: JoinHandle<Verdict<()>>,
}

impl Echo {
    pub fn start(participant: &ParticipantHandle, config: &EndpointConfig) -> Verdict<Self> {
        let any = Arc::new(AnyService::new(participant, config, Side::Server, 0)?);
        let done = Arc::new(AtomicBool::new(false));
        let (serving, ended, wait) = (Arc::clone(&any), Arc::clone(&done), config.wait);
        let thread = std::thread::Builder::new()
            .name("echo".to_owned())
            .spawn(move || serve(&serving, &ended, wait))?;
        Ok(Self { any, done, thread })
    }

    fn wire(&self, which: Which) -> Verdict<&dyn ByLocator> {
        match (which, self.any.native(), self.any.endpoints()) {
            (Which::Service, Some(service), _) => Ok(service),
            (Which::Reader, _, Some((_, reader))) => Ok(reader),
            (Which::Writer, _, Some((writer, _))) => Ok(writer),
            _ => fail(format!("the server has no {}", which.name())),
        }
    }

    pub fn locator(&self, which: Which) -> Verdict<String> {
        self.wire(which)?.locator()
    }

    pub fn connect(&self, which: Which, locator: &str) -> Verdict<()> {
        self.wire(which)?.connect(locator)
    }

    /// Stops answering.
    pub fn end(self) -> Verdict<()> {
        self.done.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| Err(Stop::Failed("the server panicked".to_owned())))
    }
}

fn serve(any: &AnyService, done: &AtomicBool, wait: Wait) -> Verdict<()> {
    while !done.load(Ordering::Relaxed) {
        let mut requests = Vec::new();
        match any.take(16, &mut |r| requests.push((r.request, *r.header, r.body.to_vec()))) {
            Ok(_) | Err(Status::NoData) => (),
            Err(status) => return fail(format!("take: {status}")),
        }
        for (request, header, body) in &requests {
            // A client that has gone needs no response.
            let mut handle = *request;
            let _ = any.send(&mut any.sample(body)?, &Server::response(header), &mut handle);
        }
        if requests.is_empty() && wait == Wait::Waitset {
            let _ = any.wait(Duration::from_millis(20));
        } else if requests.is_empty() {
            std::thread::sleep(Duration::from_micros(500));
        }
    }
    Ok(())
}
