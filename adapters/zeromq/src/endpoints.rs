//! How sockets of a participant are made, where they bind, and the locators made of it.

use std::ffi::c_int;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use busmark_adapter::{Error, Result, Security, Status};

use crate::curve::{self, Curve};
use crate::ffi;
use crate::options::{Settings, Transport};
use crate::socket::{Context, Socket};

/// Makes sockets.
pub struct Maker {
    /// What they are set to.
    pub settings: Settings,
    // Ends before its context.
    curve: Option<Curve>,
    context: Arc<Context>,
}

impl Maker {
    /// For one participant.
    pub fn new(settings: Settings, security: Option<&Security>) -> Result<Self> {
        let context = match settings.transport {
            Transport::Inproc => Context::of_process()?,
            Transport::Tcp | Transport::Ipc => Context::new(settings.io_threads)?,
        };
        if security.is_some() && settings.transport == Transport::Inproc {
            let text =
                "libzmq applies CURVE to tcp and ipc; over inproc nothing leaves the process";
            return Err(Status::Unsupported.error(text));
        }
        let curve = security.map(|security| Curve::new(security, &context)).transpose()?;
        Ok(Self { settings, curve, context })
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

    /// Binds to a place that nobody else has; the end point.
    pub fn bind(&self, socket: &Socket) -> Result<String> {
        if let Some(curve) = &self.curve {
            curve.serve(socket)?;
        }
        socket.bind(&self.end_point())
    }

    /// The public key of what binds here.
    pub fn key(&self) -> Option<String> {
        self.curve.as_ref().map(|curve| curve.public_text.clone())
    }

    /// Begins to connect to an end point whose side has this key.
    pub fn connect(&self, socket: &Socket, end_point: &str, key: Option<&str>) -> Result<()> {
        match (&self.curve, key) {
            (None, None) => {}
            (Some(curve), Some(key)) => {
                let key = curve::decode(ffi::zmq()?, key);
                let wrong = || Status::Invalid.error("the other side's key is not one of CURVE");
                curve.call(socket, &key.ok_or_else(wrong)?)?;
            }
            (None, Some(_)) => {
                let text = "the other side has CURVE, and this participant has no security";
                return Err(Status::Invalid.error(text));
            }
            (Some(_), None) => {
                let text = "this participant has CURVE, and the other side has no security";
                return Err(Status::Invalid.error(text));
            }
        }
        socket.connect(&self.target(end_point))
    }

    /// A place to bind that nobody else has.
    fn end_point(&self) -> String {
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

    /// Gives up the connection to a bound end point that has been lost, as the monitor names it. The library
    /// would keep its queue.
    pub fn give_up(&self, socket: &Socket, end_point: &str) {
        // Releases differ in whether they name the source address.
        if !socket.disconnect(end_point) {
            socket.disconnect(&self.target(end_point));
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

/// Begins the locator of what has CURVE, and is followed by its public key.
const CURVE: &str = "curve=";

/// With the key in front. `|` is no character of Z85.
fn with_key(key: Option<&str>, rest: &str) -> String {
    key.map_or_else(|| rest.to_owned(), |key| format!("{CURVE}{key}|{rest}"))
}

/// The key, if there is one, and the rest.
fn key_of(text: &str) -> (Option<String>, &str) {
    match text.strip_prefix(CURVE).and_then(|text| text.split_once('|')) {
        Some((key, rest)) => (Some(key.to_owned()), rest),
        None => (None, text),
    }
}

/// By which a writer finds a reader, or a client a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locator {
    /// Domain of the other side's participant.
    pub domain: u32,
    /// How often a reader subscribes: so often its subscriptions arrive.
    pub subscriptions: u32,
    /// Where samples or requests go.
    pub data: String,
    /// Its public key, if it has CURVE.
    pub key: Option<String>,
}

impl Locator {
    /// As text.
    pub fn text(&self) -> String {
        let Self { domain, subscriptions, data, key } = self;
        with_key(key.as_deref(), &format!("{domain}|{subscriptions}|{data}"))
    }

    /// From text, for an endpoint of this participant.
    pub fn parse(text: &str, maker: &Maker) -> Result<Self> {
        let wrong = || not_a_locator(text);
        let (key, rest) = key_of(text);
        let mut parts = rest.splitn(3, '|');
        let mut part = || parts.next().ok_or_else(wrong);
        let locator = Self {
            domain: part()?.parse().map_err(|_| wrong())?,
            subscriptions: part()?.parse().map_err(|_| wrong())?,
            data: part()?.to_owned(),
            key,
        };
        if !locator.data.starts_with(maker.scheme()) {
            return Err(wrong());
        }
        if locator.domain != maker.settings.domain {
            let own = maker.settings.domain;
            let text = format!("the other side is of domain {}, this one of {own}", locator.domain);
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
    /// Its public key, if it has CURVE.
    pub key: Option<String>,
}

impl WriterLocator {
    /// Begins every one of them, so that a reader's is none.
    const KIND: &str = "writer";

    /// As text.
    pub fn text(&self) -> String {
        let Self { domain, data, hall, key } = self;
        with_key(key.as_deref(), &format!("{}|{domain}|{data}|{hall}", Self::KIND))
    }

    /// From text, for a reader of this participant.
    pub fn parse(text: &str, maker: &Maker) -> Result<Self> {
        let (key, rest) = key_of(text);
        let parts: Vec<&str> = rest.split('|').collect();
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
        Ok(Self { domain, data: data.to_owned(), hall: hall.to_owned(), key })
    }
}
