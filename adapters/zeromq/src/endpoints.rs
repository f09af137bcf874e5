//! How sockets of a participant are made, where they bind, and the locators made of it.

use std::ffi::c_int;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use busmark_adapter::{Error, Result, Status};

use crate::ffi;
use crate::options::{Settings, Transport};
use crate::socket::{Context, Socket};

/// Makes sockets.
pub struct Maker {
    /// What they are set to.
    pub settings: Settings,
    context: Arc<Context>,
}

impl Maker {
    /// For one participant.
    pub fn new(settings: Settings) -> Result<Self> {
        let context = match settings.transport {
            Transport::Inproc => Context::of_process()?,
            Transport::Tcp | Transport::Ipc => Context::new(settings.io_threads)?,
        };
        Ok(Self { settings, context })
    }

    /// A socket as the library makes it.
    pub fn plain_socket(&self, kind: c_int) -> Result<Socket> {
        Socket::new(&self.context, kind)
    }

    /// A socket for samples.
    pub fn socket(&self, kind: c_int) -> Result<Socket> {
        let socket = self.plain_socket(kind)?;
        socket.set(ffi::LINGER, self.settings.linger)?;
        // A locator is good for one connection: its port may belong to somebody else afterwards. A
        // writer that kept trying would also keep the lost reader's subscription.
        socket.set(ffi::RECONNECT_IVL, -1)?;
        socket.set(ffi::SNDBUF, self.settings.send_buffer)?;
        socket.set(ffi::RCVBUF, self.settings.receive_buffer)?;
        if self.settings.interface.is_ipv6() {
            socket.set(ffi::IPV6, 1)?;
        }
        Ok(socket)
    }

    /// A place to bind that nobody else has.
    pub fn end_point(&self) -> String {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let process = std::process::id();
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        match self.settings.transport {
            Transport::Tcp => format!("tcp://{}:*", bracketed(self.settings.interface)),
            Transport::Ipc => format!("ipc://{}/zmq-{process}-{number}", self.settings.run_dir),
            Transport::Inproc => format!("inproc://busmark-{process}-{number}"),
        }
    }

    /// The text by which to connect to a bound end point.
    pub fn target(&self, end_point: &str) -> String {
        match (self.settings.transport, end_point.strip_prefix("tcp://")) {
            // The source address keeps the connection on the interface.
            (Transport::Tcp, Some(address)) => {
                format!("tcp://{}:0;{address}", bracketed(self.settings.interface))
            }
            _ => end_point.to_owned(),
        }
    }

    fn scheme(&self) -> &'static str {
        match self.settings.transport {
            Transport::Tcp => "tcp://",
            Transport::Ipc => "ipc://",
            Transport::Inproc => "inproc://",
        }
    }
}

fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    }
}

/// By which a writer finds a reader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locator {
    /// Domain of the reader's participant.
    pub domain: u32,
    /// How often the reader subscribes: so often its subscriptions arrive.
    pub subscriptions: u32,
    /// Where samples go.
    pub data: String,
}

impl Locator {
    /// As text.
    pub fn text(&self) -> String {
        let Self { domain, subscriptions, data } = self;
        format!("{domain}|{subscriptions}|{data}")
    }

    /// From text, for a writer of this participant.
    pub fn parse(text: &str, maker: &Maker) -> Result<Self> {
        let wrong = || not_a_locator(text);
        let mut parts = text.splitn(3, '|');
        let mut part = || parts.next().ok_or_else(wrong);
        let locator = Self {
            domain: part()?.parse().map_err(|_| wrong())?,
            subscriptions: part()?.parse().map_err(|_| wrong())?,
            data: part()?.to_owned(),
        };
        if !locator.data.starts_with(maker.scheme()) {
            return Err(wrong());
        }
        if locator.domain != maker.settings.domain {
            let own = maker.settings.domain;
            let text = format!("the reader is of domain {}, the writer of {own}", locator.domain);
            return Err(Status::Invalid.error(text));
        }
        Ok(locator)
    }
}

fn not_a_locator(text: &str) -> Error {
    Status::Invalid.error(format!("{text:?} is not a locator of zeromq"))
}

/// By which a reader finds a writer that binds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriterLocator {
    /// Domain of the writer's participant.
    pub domain: u32,
    /// Where samples come from.
    pub data: String,
    /// Where the writer says whether a subscription has arrived.
    pub hall: String,
}

impl WriterLocator {
    /// Begins every one of them, so that a reader's is none.
    const KIND: &str = "writer";

    /// As text.
    pub fn text(&self) -> String {
        let Self { domain, data, hall } = self;
        format!("{}|{domain}|{data}|{hall}", Self::KIND)
    }

    /// From text, for a reader of this participant.
    pub fn parse(text: &str, maker: &Maker) -> Result<Self> {
        let parts: Vec<&str> = text.split('|').collect();
        let [Self::KIND, domain, data, hall] = parts[..] else { return Err(not_a_locator(text)) };
        if ![data, hall].iter().all(|place| place.starts_with(maker.scheme())) {
            return Err(not_a_locator(text));
        }
        let domain = domain.parse().map_err(|_| not_a_locator(text))?;
        let own = maker.settings.domain;
        if domain != own {
            let text = format!("the writer is of domain {domain}, the reader of {own}");
            return Err(Status::Invalid.error(text));
        }
        Ok(Self { domain, data: data.to_owned(), hall: hall.to_owned() })
    }
}
