//! The smallest round trip and the smallest stream over iceoryx2: the library, services, buffers and
//! wake-ups of Busmark's adapter, and nothing of Busmark. A body is copied into each loan, as there.

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use bare_common::{Header, Library, OnSample, Options, Reader, TURN_MS, Wait, Writer};
use iceoryx2::config::Config;
use iceoryx2::port::BackpressureAction;
use iceoryx2::port::listener::Listener;
use iceoryx2::port::notifier::Notifier;
use iceoryx2::port::publisher::Publisher;
use iceoryx2::port::subscriber::Subscriber;
use iceoryx2::port::update_connections::UpdateConnections;
use iceoryx2::prelude::{
    BackpressureStrategy, EventId, FileName, LogLevel, Node, NodeBuilder, Path, PortFactory,
    SemanticString, ServiceName, SignalHandlingMode, ZeroCopySend, ipc, set_log_level,
};
use iceoryx2::service::port_factory::{event, publish_subscribe};

type Service = ipc::Service;

/// The user header.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default)]
struct UserHeader(Header);

// SAFETY: integers without padding, repr(C) below, the same in both processes.
unsafe impl ZeroCopySend for UserHeader {
    unsafe fn type_name() -> &'static str {
        "busmark::Header"
    }
}

// Sizes of the adapter.
const MAX_PUBLISHERS: usize = 16;
const MAX_SUBSCRIBERS: usize = 8;
const MAX_NODES: usize = 64;
/// Samples that a reader of a stream stores; fewer of such as would need more than that much memory.
const STREAM_BUFFER: usize = 1024;
const STREAM_BYTES: usize = 512 << 20;
/// How long a publisher waits for room.
const BLOCKING: Duration = Duration::from_secs(5);

fn failed(what: &str) -> impl Fn(&dyn Debug) -> String + '_ {
    move |error| format!("{what}: {error:?}")
}

struct Iceoryx2 {
    // Dropped before what it leaves.
    node: Node<Service>,
    options: Options,
    _left: Option<Left>,
}

/// The library leaves the counter from which nodes have their numbers, under this prefix.
struct Left(String);

impl Drop for Left {
    fn drop(&mut self) {
        for entry in std::fs::read_dir("/dev/shm").into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.starts_with(&self.0) && name.ends_with("global_mgmt") {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// The services of a topic.
struct Topic {
    samples: publish_subscribe::PortFactory<Service, [u8], UserHeader>,
    events: event::PortFactory<Service>,
}

impl Iceoryx2 {
    fn topic(&self, name: &str) -> Result<Arc<Topic>, String> {
        let name = ServiceName::new(name).map_err(|e| failed("topic")(&e))?;
        let builder = self.node.service_builder(&name).publish_subscribe::<[u8]>();
        let builder = builder.user_header::<UserHeader>().history_size(0);
        let builder = if self.options.is_stream() {
            let most = STREAM_BYTES / (self.options.size.max(1) * MAX_SUBSCRIBERS);
            let buffer = STREAM_BUFFER.min(most).max(2);
            builder.subscriber_max_buffer_size(buffer).enable_safe_overflow(false)
        } else {
            builder.subscriber_max_buffer_size(1).enable_safe_overflow(true)
        };
        let samples = builder.open_or_create().map_err(|e| failed("service")(&e))?;
        let events = self.node.service_builder(&name).event();
        let events = events.notifier_created_event(EventId::new(0)).open_or_create();
        Ok(Arc::new(Topic { samples, events: events.map_err(|e| failed("events")(&e))? }))
    }
}

impl Library for Iceoryx2 {
    const WAIT: Wait = Wait::Waitset;
    type Writer = Out;
    type Reader<H: OnSample> = In<H>;

    /// The address is a folder for the library's files; shared memory has its name.
    fn join(options: &Options) -> Result<Self, String> {
        set_log_level(LogLevel::Fatal);
        let wrong = failed("--address");
        let mut config = Config::default();
        let mut hasher = DefaultHasher::new();
        options.address.hash(&mut hasher);
        config.global.set_root_path(&Path::new(options.address.as_bytes()).map_err(|e| wrong(&e))?);
        let prefix = format!("bare_{:08x}_", hasher.finish() >> 32);
        config.global.prefix = FileName::new(prefix.as_bytes()).map_err(|e| wrong(&e))?;
        let defaults = &mut config.defaults;
        defaults.publish_subscribe.max_publishers = MAX_PUBLISHERS;
        defaults.publish_subscribe.max_subscribers = MAX_SUBSCRIBERS;
        defaults.publish_subscribe.max_nodes = MAX_NODES;
        defaults.event.max_notifiers = MAX_PUBLISHERS;
        defaults.event.max_listeners = MAX_SUBSCRIBERS;
        defaults.event.max_nodes = MAX_NODES;
        let node = NodeBuilder::new()
            .config(&config)
            .signal_handling_mode(SignalHandlingMode::Disabled)
            .create::<Service>()
            .map_err(|e| failed("node")(&e))?;
        // The other side ends first.
        let left = options.is_passive().then_some(Left(prefix));
        Ok(Self { node, options: options.clone(), _left: left })
    }

    fn address(&self) -> String {
        self.options.address.clone()
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Out, String> {
        let topic = self.topic(topic)?;
        let mut builder =
            topic.samples.publisher_builder().initial_max_slice_len(body.len().max(1));
        if self.options.is_stream() {
            builder = builder.backpressure_strategy(BackpressureStrategy::RetryUntilDelivered);
        }
        let publisher = builder.set_backpressure_handler(|full| {
            if full.elapsed_time < BLOCKING {
                BackpressureAction::Retry
            } else {
                BackpressureAction::DiscardDataAndFail
            }
        });
        let publisher = publisher.create().map_err(|e| failed("publisher")(&e))?;
        let notifier = topic.events.notifier_builder().create();
        let notifier = notifier.map_err(|e| failed("notifier")(&e))?;
        Ok(Out { publisher, notifier, topic, body: body.to_vec() })
    }

    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<In<H>, String> {
        let topic = self.topic(topic)?;
        let listener = topic.events.listener_builder().create();
        let listener = listener.map_err(|e| failed("listener")(&e))?;
        let subscriber = topic.samples.subscriber_builder().create();
        let subscriber = subscriber.map_err(|e| failed("subscriber")(&e))?;
        Ok(In { subscriber, listener, topic, on_sample })
    }
}

struct Out {
    publisher: Publisher<Service, [u8], UserHeader>,
    notifier: Notifier<Service>,
    topic: Arc<Topic>,
    body: Vec<u8>,
}

// SAFETY: the ports count references without atomic operations; all of them are inside this value,
// which one thread has at a time (here even the same thread always), and loans do not outlive a call.
unsafe impl Send for Out {}

impl Writer for Out {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        let Ok(mut loan) = self.publisher.loan_slice_uninit(self.body.len()) else { return false };
        loan.user_header_mut().0 = *header;
        let loan = loan.write_from_slice(&self.body);
        let sent = loan.send().is_ok();
        if self.topic.events.dynamic_config().number_of_listeners() > 0 {
            // A reader that has just gone is no failure of this write.
            let _ = self.notifier.notify();
        }
        sent
    }

    fn matched(&mut self) -> bool {
        self.topic.samples.dynamic_config().number_of_subscribers() > 0
    }
}

struct In<H> {
    subscriber: Subscriber<Service, [u8], UserHeader>,
    listener: Listener<Service>,
    topic: Arc<Topic>,
    on_sample: H,
}

impl<H: OnSample> In<H> {
    #[inline]
    fn take(&mut self) -> bool {
        let mut came = false;
        while let Ok(Some(sample)) = self.subscriber.receive() {
            let header = sample.user_header().0;
            (self.on_sample)(&header);
            came = true;
        }
        came
    }
}

impl<H: OnSample> Reader for In<H> {
    #[inline]
    fn turn(&mut self) -> bool {
        const LIMIT: Duration = Duration::from_millis(TURN_MS as u64);
        self.take() || (self.listener.timed_wait(|_| {}, LIMIT).is_ok() && self.take())
    }

    /// The library connects to a new publisher when something is received next, or when it is asked.
    fn matched(&mut self) -> bool {
        let writers = self.topic.samples.dynamic_config().number_of_publishers();
        self.subscriber.update_connections().is_ok() && writers > 0
    }
}

fn main() -> Result<(), String> {
    bare_common::run::<Iceoryx2>()
}
