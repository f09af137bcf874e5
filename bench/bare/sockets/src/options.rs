//! The command line.

use std::io;

use rustix::thread::{CpuSet, sched_setaffinity};

/// Over what the bytes travel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    Udp,
    Tcp,
    Uds,
}

/// How a loop waits for bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Blocking, on a thread of its own.
    Listener,
    /// Blocking with a time limit, on the main thread.
    Waitset,
    /// Asking again and again, on the main thread.
    Poll,
}

/// What the user asked for.
#[derive(Clone)]
pub struct Options {
    pub transport: Transport,
    pub wait: Wait,
    /// Whether system calls are made through a function, like the C library's.
    pub library: bool,
    /// Whether pings and pongs share a connection (TCP).
    pub shared: bool,
    /// Bytes of the body; the header's come on top.
    pub size: usize,
    pub count: usize,
    pub warmup: usize,
    pub cpu: Option<usize>,
    pub address: Option<String>,
}

impl Options {
    pub fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut options = Self {
            transport: Transport::Udp,
            wait: Wait::Listener,
            library: true,
            shared: false,
            size: 64,
            count: 10_000,
            warmup: 1_000,
            cpu: None,
            address: None,
        };
        for pair in arguments.chunks(2) {
            let [key, value] = pair else { return Err(format!("{} needs a value", pair[0])) };
            let number =
                || value.parse::<usize>().map_err(|_| format!("{key}: not a number: {value}"));
            match (key.as_str(), value.as_str()) {
                ("--transport", "udp") => options.transport = Transport::Udp,
                ("--transport", "tcp") => options.transport = Transport::Tcp,
                ("--transport", "uds") => options.transport = Transport::Uds,
                ("--wait", "listener") => options.wait = Wait::Listener,
                ("--wait", "waitset") => options.wait = Wait::Waitset,
                ("--wait", "poll") => options.wait = Wait::Poll,
                ("--calls", "library") => options.library = true,
                ("--calls", "inlined") => options.library = false,
                ("--connection", "separate") => options.shared = false,
                ("--connection", "shared") => options.shared = true,
                ("--size", _) => options.size = number()?,
                ("--count", _) => options.count = number()?.max(1),
                ("--warmup", _) => options.warmup = number()?,
                ("--cpu", _) => options.cpu = Some(number()?),
                ("--address", _) => options.address = Some(value.clone()),
                _ => return Err(format!("unknown: {key} {value}\n{}", crate::USAGE)),
            }
        }
        if options.shared && options.transport != Transport::Tcp {
            return Err("--connection shared is for --transport tcp".into());
        }
        Ok(options)
    }

    /// Keeps this process on the CPU that was asked for.
    pub fn pin(&self) -> Result<(), String> {
        let Some(cpu) = self.cpu else { return Ok(()) };
        let mut set = CpuSet::new();
        set.set(cpu);
        sched_setaffinity(None, &set).map_err(|error| format!("CPU {cpu}: {error}"))
    }

    /// The address of the other side.
    pub fn peer(&self) -> io::Result<&str> {
        let missing = || io::Error::new(io::ErrorKind::InvalidInput, "--address is missing");
        self.address.as_deref().ok_or_else(missing)
    }
}
