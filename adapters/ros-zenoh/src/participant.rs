//! A context of ROS with one node: a session of zenoh that meets others at a router.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use busmark_adapter::{
    EndpointConfig, Error, Listener, Participant, ParticipantConfig, Result, Status,
};
use zenoh::liveliness::LivelinessToken;
use zenoh::{Config, Session, Wait};

use crate::graph::Graph;
use crate::options::Settings;
use crate::reader::RosReader;
use crate::token::Node;
use crate::writer::RosWriter;

/// What ROS's configuration of sessions changes of zenoh's, but for where they connect and listen: peers that
/// learn of each other at their router, by gossip, and then connect directly; long time limits, for many nodes
/// that start at once.
const SHIPPED: [(&str, &str); 12] = [
    ("scouting/multicast/enabled", "false"),
    ("scouting/gossip/target", r#"{ "router": ["router", "peer"], "peer": ["router"] }"#),
    (
        "scouting/gossip/autoconnect_strategy",
        r#"{ "peer": { "to_router": "always", "to_peer": "greater-zid" } }"#,
    ),
    ("timestamping/enabled", "true"),
    ("queries_default_timeout", "60000"),
    ("transport/unicast/open_timeout", "60000"),
    ("transport/unicast/accept_timeout", "60000"),
    ("transport/unicast/accept_pending", "10000"),
    ("transport/unicast/max_sessions", "10000"),
    ("transport/link/tx/lease", "60000"),
    ("transport/link/tx/keep_alive", "2"),
    ("transport/link/tx/queue/congestion_control/block/wait_before_close", "60000000"),
];

/// Milliseconds for the connection to the router. ROS tries without end.
const CONNECT_MS: &str = "5000";

/// What failed, in zenoh's words.
pub fn failed(what: &str, error: impl std::fmt::Display) -> Error {
    Status::Failed.error(format!("{what}: {error}"))
}

/// A free port of the interface, as a list of one place to listen.
pub fn listening(config: &ParticipantConfig) -> Result<String> {
    Ok(match config.interface()? {
        IpAddr::V4(address) => format!("[\"tcp/{address}:0\"]"),
        IpAddr::V6(address) => format!("[\"tcp/[{address}]:0\"]"),
    })
}

/// A session with these values in its configuration.
pub fn opened(mut config: Config, values: &[(String, String)]) -> Result<Session> {
    for (key, value) in values {
        config.insert_json5(key, value).map_err(|error| failed(key, error))?;
    }
    zenoh::open(config).wait().map_err(|error| failed("session", error))
}

/// A context with a node.
pub struct RosParticipant(Arc<Context>);

/// What endpoints need of their context.
pub struct Context {
    /// Closed when the last of its endpoints and its participant have gone.
    pub session: Session,
    /// Its node.
    pub node: Node,
    /// What is there.
    pub graph: Graph,
    _token: LivelinessToken,
    /// Numbers of its endpoints.
    next: AtomicU64,
}

impl Context {
    /// A number that no other endpoint has.
    pub fn next(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        let _ = self.session.close().wait();
    }
}

impl RosParticipant {
    /// Connects to the router.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let settings = Settings::new(config)?;
        let session = session(config, &settings)?;
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let node = Node {
            domain: config.domain,
            zid: session.zid().to_string(),
            name: format!("busmark_{}_{number}", std::process::id()),
        };
        let graph = Graph::new(&session, config.domain)?;
        let own = announce(&session, node.token())?;
        let next = AtomicU64::new(1);
        let context = Context { session, node, graph, _token: own, next };
        Ok(Self(Arc::new(context)))
    }
}

fn session(config: &ParticipantConfig, settings: &Settings) -> Result<Session> {
    let router = &settings.router;
    if router.is_empty() {
        let text = "option server: where is the router? Sessions of ROS meet at one";
        return Err(Status::Invalid.error(text));
    }
    if !router.starts_with("tcp/") || router.contains('"') {
        let text = format!("option server: {router:?} is not tcp/ADDRESS:PORT");
        return Err(Status::Invalid.error(text));
    }
    let base = match &settings.config {
        Some(file) => Config::from_file(file)
            .map_err(|error| Status::Invalid.error(format!("option config: {file}: {error}")))?,
        None => Config::default(),
    };
    let mut values = Vec::new();
    if settings.config.is_none() {
        values.extend(SHIPPED.map(|(key, value)| (key.to_owned(), value.to_owned())));
    }
    values.extend(
        [
            ("mode", "\"peer\"".to_owned()),
            ("connect/endpoints", format!("[{router:?}]")),
            ("connect/timeout_ms", CONNECT_MS.to_owned()),
            ("connect/exit_on_failure", "true".to_owned()),
            ("listen/endpoints", listening(config)?),
        ]
        .map(|(key, value)| (key.to_owned(), value)),
    );
    for (key, bytes) in
        [("so_sndbuf", settings.send_buffer), ("so_rcvbuf", settings.receive_buffer)]
    {
        if bytes > 0 {
            values.push((format!("transport/link/tcp/{key}"), bytes.to_string()));
        }
    }
    opened(base, &values).map_err(|error| {
        let text = format!("no router at {router}, or another failure: {}", error.message);
        Status::Unavailable.error(text)
    })
}

/// Says that something is there, until it is dropped.
pub fn announce(session: &Session, key: String) -> Result<LivelinessToken> {
    let token = session.liveliness().declare_token(key).wait();
    token.map_err(|error| failed("liveliness token", error))
}

impl Participant for RosParticipant {
    type Writer = RosWriter;
    type Reader = RosReader;

    fn writer(&self, config: &EndpointConfig) -> Result<RosWriter> {
        RosWriter::new(Arc::clone(&self.0), config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<RosReader> {
        RosReader::new(Arc::clone(&self.0), config, listener)
    }
}
