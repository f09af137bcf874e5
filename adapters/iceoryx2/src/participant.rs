//! A node: makes the services of topics and the ports on them.

use std::fs::DirEntry;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use busmark_adapter::{
    EndpointConfig, Error, Listener, Participant, ParticipantConfig, Payload, Result, ServiceEnd,
    Side, Status,
};
use iceoryx2::config::Config;
use iceoryx2::prelude::{
    CallbackProgression, EventId, FileName, LogLevel, Node, NodeBuilder, NodeState, Path,
    PortFactory, SemanticString, Service, ServiceName, SignalHandlingMode, ipc, local,
    set_log_level,
};
use iceoryx2::service::port_factory::{event, publish_subscribe};

use crate::elements::{
    Any, Char, Element, Float, Long, Nothing, Octet, SampleHeader, Short, Structure,
};
use crate::limits::Limits;
use crate::options::Settings;
use crate::reader::{IoxReader, Receiver};
use crate::sample::largest;
use crate::service;
use crate::writer::{IoxWriter, Sender};

/// Nodes that a topic may have, and listeners and notifiers: as many as endpoints or more.
pub const MAX_NODES: usize = 64;

/// What failed, in the library's words.
pub fn failed(what: &str, error: impl std::fmt::Debug) -> Error {
    Status::Failed.error(format!("{what}: {error:?}"))
}

/// A node of the library.
pub struct IoxParticipant {
    // Dropped before what it leaves.
    node: AnyNode,
    settings: Settings,
    _left: Left,
}

enum AnyNode {
    Shared(Node<ipc::Service>),
    Local(Node<local::Service>),
}

/// What the library makes and leaves: folders, in shared memory the counter from which nodes have their
/// numbers, and at times what a process that crashed had there.
struct Left(Config);

/// Where the system keeps shared memory.
const SHARED_MEMORY: &str = "/dev/shm";

impl Left {
    fn in_shared_memory(&self) -> Vec<PathBuf> {
        let prefix = self.0.global.prefix.to_string();
        let entries = std::fs::read_dir(SHARED_MEMORY).into_iter().flatten().flatten();
        let ours = |entry: &DirEntry| entry.file_name().to_string_lossy().starts_with(&prefix);
        entries.filter(ours).map(|entry| entry.path()).collect()
    }
}

impl Drop for Left {
    fn drop(&mut self) {
        // In this order: a node makes itself known before it makes anything in shared memory but
        // the counter, and the counter it keeps or makes again; its number is unique together with
        // the number of the process.
        let files = self.in_shared_memory();
        let mut alone = true;
        let _ = Node::<ipc::Service>::list(&self.0, |state| {
            alone &= matches!(state, NodeState::Dead(_));
            CallbackProgression::Continue
        });
        if alone {
            for file in files {
                let _ = std::fs::remove_file(file);
            }
        }
        for folder in [self.0.global.service_dir(), self.0.global.node_dir()] {
            // Fails as long as another participant has a file in it.
            let _ = std::fs::remove_dir(folder.to_string());
        }
    }
}

impl IoxParticipant {
    /// A node of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        // The library logs by default; its errors say what failed.
        set_log_level(LogLevel::Fatal);
        let settings = Settings::new(config)?;
        let iox = library_config(config, &settings)?;
        let node = match config.transport.as_str() {
            "local" => AnyNode::Local(node(&iox)?),
            _ => AnyNode::Shared(node(&iox)?),
        };
        Ok(Self { node, settings, _left: Left(iox) })
    }
}

/// Another participant that goes away may take an empty folder along just before this one uses it.
fn node<S: Service>(iox: &Config) -> Result<Node<S>> {
    const TRIES: u32 = 5;
    let mut tries = 0;
    loop {
        let builder =
            NodeBuilder::new().config(iox).signal_handling_mode(SignalHandlingMode::Disabled);
        match builder.create::<S>() {
            Ok(node) => return Ok(node),
            Err(error) if tries == TRIES => return Err(failed("node", error)),
            Err(_) => tries += 1,
        }
    }
}

/// The library's configuration as shipped, with all files in the run directory and all names of
/// shared memory under a prefix that only participants of the same domain and run have. No file of the
/// user's is read.
fn library_config(config: &ParticipantConfig, settings: &Settings) -> Result<Config> {
    let wrong = |error| failed(&format!("run directory {:?}", config.run_dir), error);
    let mut iox = Config::default();
    iox.global.set_root_path(&Path::new(config.run_dir.as_bytes()).map_err(wrong)?);
    // FNV-1a, 32 bits: the same in every process, and in the controller, which removes by it what killed
    // participants have left (control/rundir.py).
    let run = config
        .run_dir
        .bytes()
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    let prefix = format!("busmark_{run:08x}_{}_", config.domain);
    iox.global.prefix = FileName::new(prefix.as_bytes()).map_err(wrong)?;
    let defaults = &mut iox.defaults;
    defaults.publish_subscribe.max_publishers = settings.max_publishers;
    defaults.publish_subscribe.max_subscribers = settings.max_subscribers;
    defaults.publish_subscribe.max_nodes = MAX_NODES;
    defaults.event.max_notifiers = settings.max_publishers;
    defaults.event.max_listeners = settings.max_subscribers;
    defaults.event.max_nodes = MAX_NODES;
    Ok(iox)
}

/// The services of a topic, with elements of one kind.
pub struct Topic<S: Service, T: Element> {
    /// Service of samples.
    pub samples: publish_subscribe::PortFactory<S, [T], SampleHeader>,
    /// Service of wake-ups.
    pub events: event::PortFactory<S>,
    /// Buffers.
    pub limits: Limits,
    /// Elements of the largest body.
    pub max_elements: usize,
    inspection: Inspection,
}

/// When crashed nodes are looked for: not at each question who is there.
pub struct Inspection {
    /// Last time, since `start`.
    looked_ms: AtomicU64,
    start: Instant,
}

impl Default for Inspection {
    fn default() -> Self {
        Self { looked_ms: AtomicU64::new(0), start: Instant::now() }
    }
}

impl Inspection {
    /// Whether it is time again, of which one thread learns.
    pub fn is_due(&self) -> bool {
        const EVERY: Duration = Duration::from_millis(500);
        let now = self.start.elapsed().as_millis() as u64;
        let before = self.looked_ms.load(Ordering::Relaxed);
        let due = now >= before + EVERY.as_millis() as u64;
        let order = Ordering::Relaxed;
        due && self.looked_ms.compare_exchange(before, now, order, order).is_ok()
    }
}

/// Who is there, from any thread.
pub trait Census: Send + Sync {
    /// Writers of the topic.
    fn writers(&self) -> u32;
    /// Its readers.
    fn readers(&self) -> u32;
}

impl<S: Service, T: Element> Topic<S, T> {
    fn new(node: &Node<S>, config: &EndpointConfig, settings: &Settings) -> Result<Arc<Self>> {
        let limits = Limits::new(config, settings);
        let name = ServiceName::new(&config.topic)
            .map_err(|error| Status::Invalid.error(format!("topic {}: {error:?}", config.topic)))?;
        let mut builder = node
            .service_builder(&name)
            .publish_subscribe::<[T]>()
            .user_header::<SampleHeader>()
            .history_size(limits.history);
        if let Some(buffer) = limits.buffer {
            builder = builder.subscriber_max_buffer_size(buffer);
        }
        if let Some(overflow) = limits.overflow {
            builder = builder.enable_safe_overflow(overflow);
        }
        let what = format!("service {}", config.topic);
        let samples = builder.open_or_create().map_err(|error| failed(&what, error))?;
        let events = node
            .service_builder(&name)
            .event()
            // Wakes readers, so that they connect to the writer.
            .notifier_created_event(EventId::new(0))
            .open_or_create()
            .map_err(|error| failed(&what, error))?;
        Ok(Arc::new(Self {
            samples,
            events,
            limits,
            max_elements: largest(config) / size_of::<T>(),
            inspection: Inspection::default(),
        }))
    }

    /// Pieces of memory that a writer's loans may come from.
    pub fn pieces(&self) -> usize {
        let c = self.samples.static_config();
        c.max_subscribers() * (c.subscriber_max_buffer_size() + c.subscriber_max_borrowed_samples())
            + c.history_size()
            + 2
    }

    /// Endpoints of a process that crashed are counted until somebody cleans up after it.
    fn look_for_the_dead(&self) {
        if self.inspection.is_due() {
            let _ = self.samples.try_cleanup_dead_nodes();
        }
    }
}

impl<S: Service, T: Element> Census for Topic<S, T> {
    fn writers(&self) -> u32 {
        self.look_for_the_dead();
        self.samples.dynamic_config().number_of_publishers() as u32
    }

    fn readers(&self) -> u32 {
        self.look_for_the_dead();
        self.samples.dynamic_config().number_of_subscribers() as u32
    }
}

/// Calls `$make::<S, T>` with the type of the payload's elements.
macro_rules! with_element {
    ($payload:expr, $make:ident::<$service:ty>($($argument:expr),*)) => {
        match $payload {
            Payload::Empty => $make::<$service, Nothing>($($argument),*),
            Payload::Octet => $make::<$service, Octet>($($argument),*),
            Payload::Char => $make::<$service, Char>($($argument),*),
            Payload::Short => $make::<$service, Short>($($argument),*),
            Payload::Float => $make::<$service, Float>($($argument),*),
            Payload::Long => $make::<$service, Long>($($argument),*),
            Payload::Struct => $make::<$service, Structure>($($argument),*),
            Payload::Any => $make::<$service, Any>($($argument),*),
            // Refused before, for it is not declared.
            Payload::Type => Err(Status::Unsupported.error("no user's type")),
        }
    };
}

fn writer<S: Service + 'static, T: Element>(
    node: &Node<S>,
    config: &EndpointConfig,
    settings: &Settings,
) -> Result<IoxWriter> {
    let topic = Topic::<S, T>::new(node, config, settings)?;
    let sender = Sender::new(Arc::clone(&topic), settings.in_place)?;
    Ok(IoxWriter::new(config, topic.limits.history > 0, Box::new(sender), topic))
}

fn reader<S: Service + 'static, T: Element>(
    node: &Node<S>,
    config: &EndpointConfig,
    settings: &Settings,
) -> Result<IoxReader> {
    let topic = Topic::<S, T>::new(node, config, settings)?;
    let receiver = Receiver::new(&topic, config)?;
    Ok(IoxReader::new(Box::new(receiver), topic))
}

impl Participant for IoxParticipant {
    type Writer = IoxWriter;
    type Reader = IoxReader;

    fn writer(&self, config: &EndpointConfig) -> Result<IoxWriter> {
        let settings = &self.settings;
        match &self.node {
            AnyNode::Shared(node) => {
                with_element!(config.payload, writer::<ipc::Service>(node, config, settings))
            }
            AnyNode::Local(node) => {
                with_element!(config.payload, writer::<local::Service>(node, config, settings))
            }
        }
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<IoxReader> {
        if listener.is_some() {
            return Err(Status::Unsupported.error("iceoryx2 does not call back"));
        }
        let settings = &self.settings;
        match &self.node {
            AnyNode::Shared(node) => {
                with_element!(config.payload, reader::<ipc::Service>(node, config, settings))
            }
            AnyNode::Local(node) => {
                with_element!(config.payload, reader::<local::Service>(node, config, settings))
            }
        }
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        match &self.node {
            AnyNode::Shared(node) => service::end(node, config, side),
            AnyNode::Local(node) => service::end(node, config, side),
        }
    }
}
