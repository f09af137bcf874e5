//! Services: requests of MQTT 5 with a response topic and correlation data.
//!
//! A client has one topic for all of its responses, and the number of a request is its correlation data.
//! The server publishes to the topic that the request names, with the data that it had.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Error, Header, Match, Qos, Result, Service, Sink, Status, Unanswered,
};
use busmark_server::{Sample, Shape};

use crate::client::{Client, Handler, Version};
use crate::participant::Membership;
use crate::presence::Count;
use crate::properties::{Properties, Received, Text};
use crate::shared::{Inbox, Shared, Tag};
use crate::writer::limit;

type Hot<T> = std::result::Result<T, Status>;

/// MQTT stamps no messages.
const UNSTAMPED: (i64, i64) = (0, 0);

/// MQTT's quality of service of requests and responses: at least once, unless best effort is asked for.
fn qos(qos: &Qos) -> i32 {
    i32::from(qos.reliable != Some(false))
}

/// A client of MQTT 5 for one end of a service.
fn connect(here: &Membership, ends: &str, handler: Arc<dyn Handler>) -> Result<Client> {
    Client::connect_by(Version::V5, &here.route, false, Some(ends), handler)
}

fn shared<T: Tag>(
    here: &Membership,
    config: &EndpointConfig,
    client: Client,
    inbox: Arc<Inbox<T>>,
) -> Result<Shared<T>> {
    client.announce()?;
    let window = here.route.settings.max_inflight;
    Shared::new(client, inbox, qos(&config.qos), window, limit(&config.qos))
}

/// A client.
pub struct MqttClient {
    shared: Shared<u64>,
    servers: Count,
    requests: CString,
    responses: CString,
    next: AtomicU64,
    shape: Shape,
}

/// The number of the request that a response is to.
impl Tag for u64 {
    fn of(properties: Received) -> Option<Self> {
        let number = properties.correlation()?.as_slice().try_into().ok()?;
        Some(u64::from_be_bytes(number))
    }
}

impl MqttClient {
    pub(crate) fn new(here: &Membership, config: &EndpointConfig) -> Result<Self> {
        let names = here.names(&config.topic)?;
        let shape = Shape::new(config);
        let servers = here.presence.count(names.ends(true))?;
        let inbox = Arc::new(Inbox::new(shape));
        let client = connect(here, &names.ends(false), inbox.clone())?;
        let responses = names.responses(client.name());
        client.subscribe(std::slice::from_ref(&responses), qos(&config.qos))?;
        Ok(Self {
            shared: shared(here, config, client, inbox)?,
            servers,
            requests: names.requests(),
            responses,
            next: AtomicU64::new(0),
            shape,
        })
    }
}

impl Service for MqttClient {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Ok(Sample::new(&self.shape, body))
    }

    #[inline]
    fn send(&self, sample: &mut Sample, header: &Header, request: &mut u64) -> Hot<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let properties = Properties::asking(&self.responses, &number.to_be_bytes());
        let properties = properties.map_err(|error| self.shared.failure.keep(error))?;
        self.shared.publish(&self.requests, sample.stamped(header), &properties)?;
        *request = number;
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.shared.take(max, |number, header, body| {
            sink.deliver_request(number, &header, body, UNSTAMPED);
            Ok(())
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.shared.wait(timeout)
    }

    fn matched(&self) -> Hot<Match> {
        Ok(Match { count: self.servers.get(), changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        self.shared.last_error()
    }
}

/// A server.
pub struct MqttServer {
    shared: Shared<Way>,
    clients: Count,
    unanswered: Unanswered<Way>,
    shape: Shape,
}

/// The way of a response.
pub struct Way {
    topic: Text,
    properties: Properties,
}

impl Tag for Way {
    fn of(properties: Received) -> Option<Self> {
        let topic = properties.response_topic()?;
        let correlation = properties.correlation()?;
        let properties = Properties::answering(correlation.as_slice()).ok()?;
        Some(Self { topic, properties })
    }
}

impl MqttServer {
    pub(crate) fn new(here: &Membership, config: &EndpointConfig) -> Result<Self> {
        let names = here.names(&config.topic)?;
        let shape = Shape::new(config);
        let clients = here.presence.count(names.ends(false))?;
        let inbox = Arc::new(Inbox::new(shape));
        let client = connect(here, &names.ends(true), inbox.clone())?;
        client.subscribe(&[names.requests()], qos(&config.qos))?;
        let shared = shared(here, config, client, inbox)?;
        Ok(Self { shared, clients, unanswered: Unanswered::default(), shape })
    }
}

impl Service for MqttServer {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        Ok(Sample::new(&self.shape, body))
    }

    #[inline]
    fn send(&self, sample: &mut Sample, header: &Header, request: &mut u64) -> Hot<()> {
        let way = self.unanswered.claim(*request).ok_or(Status::Invalid)?;
        let Way { topic, properties } = &*way;
        self.shared.publish(topic.as_c_str(), sample.stamped(header), properties)?;
        drop(way.answered());
        Ok(())
    }

    #[inline]
    fn take(&self, max: usize, sink: &mut Sink) -> Hot<usize> {
        self.shared.take(max, |way, header, body| {
            let handle = self.unanswered.insert(way).ok_or(Status::Resources)?;
            sink.deliver_request(handle, &header, body, UNSTAMPED);
            Ok(())
        })
    }

    #[inline]
    fn wait(&self, timeout: Duration) -> Hot<()> {
        self.shared.wait(timeout)
    }

    fn forget(&self, request: u64) -> Hot<()> {
        drop(self.unanswered.claim(request).ok_or(Status::Invalid)?.answered());
        Ok(())
    }

    fn matched(&self) -> Hot<Match> {
        Ok(Match { count: self.clients.get(), changed_ns: 0 })
    }

    fn last_error(&self) -> Option<Error> {
        self.shared.last_error()
    }
}
