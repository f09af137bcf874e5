//! A session of a peer, and how two of them find each other.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Error, Listener, Participant, ParticipantConfig, Result, ServiceEnd, Side,
    Status,
};
use zenoh::config::{Locator, ZenohId};
use zenoh::internal::runtime::{Runtime, RuntimeBuilder, ZRuntime};
use zenoh::key_expr::KeyExpr;
use zenoh::{Session, Wait};

use crate::options::Settings;
use crate::reader::ZenohReader;
use crate::service::{ZenohClient, ZenohServer};
use crate::tls::{Documents, PROTOCOL};
use crate::writer::ZenohWriter;

/// How long connecting may take, with everything that goes with it.
pub const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// What failed, in zenoh's words.
pub fn failed(what: &str, error: impl std::fmt::Display) -> Error {
    Status::Failed.error(format!("{what}: {error}"))
}

/// A session.
pub struct ZenohParticipant(Arc<Peer>);

/// What endpoints need of their session.
pub struct Peer {
    /// Closed when the last of its endpoints and its participant have gone.
    pub session: Session,
    /// Its options.
    pub settings: Settings,
    runtime: Runtime,
    domain: u32,
    /// Whether it has security documents.
    secured: bool,
    /// Where it listens.
    locator: String,
    /// Numbers of its endpoints.
    next: AtomicU64,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.session.close().wait();
        let _ = self.runtime.close().wait();
    }
}

impl ZenohParticipant {
    /// Listens on the interface, or in the run directory.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = Settings::new(config)?;
        let zenoh = zenoh_config(config, &settings)?;
        let (runtime, session) = ZRuntime::Application
            .block_in_place(open(zenoh))
            .map_err(|error| failed("session", error))?;
        let locator = runtime
            .get_locators()
            .first()
            .map(ToString::to_string)
            .ok_or_else(|| Status::Failed.error("the session does not listen"))?;
        let (domain, secured) = (config.domain, config.security.is_some());
        let next = AtomicU64::new(0);
        Ok(Self(Arc::new(Peer { session, settings, runtime, domain, secured, locator, next })))
    }
}

/// As `zenoh::open`, but keeps what connects to other sessions later.
async fn open(config: zenoh::Config) -> zenoh::Result<(Runtime, Session)> {
    let mut runtime = RuntimeBuilder::new(config).build().await?;
    let session = zenoh::session::init(runtime.clone().into()).await?;
    runtime.start().await?;
    Ok((runtime, session))
}

/// Zenoh's configuration as shipped, with one place to listen and without scouting. A file
/// is read where the option `config` names one.
fn zenoh_config(config: &ParticipantConfig, settings: &Settings) -> Result<zenoh::Config> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let documents = Documents::read(config)?;
    let link = if documents.is_some() { PROTOCOL } else { "tcp" };
    let end_point = if config.transport == "unix" {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        format!("unixsock-stream/{}/zenoh-{}-{number}", config.run_dir, std::process::id())
    } else {
        match config.interface()? {
            IpAddr::V4(address) => format!("{link}/{address}:0"),
            IpAddr::V6(address) => format!("{link}/[{address}]:0"),
        }
    };
    let Settings { batching, batch_size, send_buffer, receive_buffer, .. } = settings;
    let mut values: Vec<(String, String)> = [
        ("mode", "\"peer\"".to_owned()),
        ("connect/endpoints", "[]".to_owned()),
        ("listen/endpoints", format!("[{end_point:?}]")),
        ("scouting/multicast/enabled", "false".to_owned()),
        ("scouting/gossip/enabled", "false".to_owned()),
        ("transport/link/tx/batch_size", batch_size.to_string()),
        ("transport/link/tx/queue/batching/enabled", batching.to_string()),
    ]
    .map(|(key, value)| (key.to_owned(), value))
    .into();
    for (key, bytes) in [("so_sndbuf", send_buffer), ("so_rcvbuf", receive_buffer)] {
        if *bytes > 0 {
            values.push((format!("transport/link/{link}/{key}"), bytes.to_string()));
        }
    }
    values.extend(documents.iter().flat_map(Documents::values));
    let mut zenoh = match &settings.config {
        Some(file) => zenoh::Config::from_file(file)
            .map_err(|error| Status::Invalid.error(format!("option config: {file}: {error}")))?,
        None => zenoh::Config::default(),
    };
    for (key, value) in values {
        zenoh.insert_json5(&key, &value).map_err(|error| failed(&key, error))?;
    }
    Ok(zenoh)
}

impl Peer {
    /// The key of a topic.
    pub fn key(&self, config: &EndpointConfig) -> Result<KeyExpr<'static>> {
        key(&format!("busmark/{}/data/{}", self.domain, config.topic))
    }

    /// The key of a service, which no topic has.
    pub fn service_key(&self, config: &EndpointConfig) -> Result<KeyExpr<'static>> {
        key(&format!("busmark/{}/service/{}", self.domain, config.topic))
    }

    /// The key under which endpoints of a topic say that they are there, and ends of a service.
    pub fn presence(&self, config: &EndpointConfig, role: &str) -> String {
        format!("busmark/{}/present/{}/{role}", self.domain, config.topic)
    }

    /// Name that differs from any other endpoint's.
    pub fn endpoint_name(&self) -> String {
        format!("{}-{}", self.session.zid(), self.next.fetch_add(1, Ordering::Relaxed))
    }

    /// By which writers find a reader, and clients a server, that its session and the rest of the text tell
    /// apart.
    pub fn locator_of(&self, name: &str) -> String {
        format!("{}|{}|{}|{name}", self.domain, self.session.zid(), self.locator)
    }

    /// Connects to the session of a reader or server, unless it is. Returns the other's name.
    pub fn connect(&self, text: &str) -> Result<String> {
        let wrong = || Status::Invalid.error(format!("{text:?} is not a locator of zenoh"));
        let parts: Vec<&str> = text.splitn(4, '|').collect();
        let [domain, zid, locator, name] = parts[..] else { return Err(wrong()) };
        let zid: ZenohId = zid.parse().map_err(|_| wrong())?;
        let locators: [Locator; 1] = [locator.parse().map_err(|_| wrong())?];
        let domain: u32 = domain.parse().map_err(|_| wrong())?;
        if domain != self.domain {
            let text =
                format!("{locator} is of domain {domain}, this participant of {}", self.domain);
            return Err(Status::Invalid.error(text));
        }
        // A session with TLS connects without it, too, where a locator says so.
        if self.secured && locators[0].protocol().as_str() != PROTOCOL {
            let text = format!("the session at {locator} is not secured, and this one is");
            return Err(Status::Unavailable.error(text));
        }
        let start = Instant::now();
        // Both sides may connect at once; one of the two attempts is given up then.
        while !ZRuntime::Application
            .block_in_place(self.runtime.connect_peer(&zid.into(), &locators))
        {
            if start.elapsed() > CONNECT_LIMIT {
                let text = format!("no session answers at {locator}, or not to this participant");
                return Err(Status::Unavailable.error(text));
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Ok(name.to_owned())
    }
}

/// A key expression without wild cards.
pub fn key(text: &str) -> Result<KeyExpr<'static>> {
    let wrong = |error| Status::Invalid.error(format!("{text:?} is not a key: {error}"));
    if text.contains('*') {
        return Err(wrong("it has wild cards".into()));
    }
    KeyExpr::new(text.to_owned()).map_err(wrong)
}

impl Participant for ZenohParticipant {
    type Writer = ZenohWriter;
    type Reader = ZenohReader;

    fn writer(&self, config: &EndpointConfig) -> Result<ZenohWriter> {
        ZenohWriter::new(Arc::clone(&self.0), config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<ZenohReader> {
        ZenohReader::new(Arc::clone(&self.0), config, listener)
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        let peer = Arc::clone(&self.0);
        Ok(match side {
            Side::Client => ServiceEnd::new(ZenohClient::new(peer, config)?),
            Side::Server => ServiceEnd::new(ZenohServer::new(peer, config)?),
        })
    }
}
