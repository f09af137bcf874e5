//! The smallest round trip and the smallest stream over `RustDDS`: the library, type, sockets and QoS of
//! Busmark's adapter, and nothing of Busmark. A reader waits by the crate's event source.

use std::collections::HashSet;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bare_common::{Header, Library, OnSample, Options, Reader, TURN_MS, Wait, Writer};
use rustdds::mio1::{Events, Interest, Poll, Token, event::Source};
use rustdds::no_key::{DataReader, DataWriter, SimpleDataReader};
use rustdds::policy::{History, Reliability, ResourceLimits};
use rustdds::{
    CDRDeserializerAdapter, CDRSerializerAdapter, DomainParticipant, DomainParticipantBuilder,
    DomainParticipantStatusEvent as Event, DomainParticipantStatusListener, GUID, QosPolicies,
    QosPolicyBuilder, RTPSEntity, ReadCondition, StatusEvented, Topic, TopicKind,
};
use serde::{Deserialize, Serialize, Serializer};

/// `busmark::Header`.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct TypedHeader {
    cookie: u64,
    seq: u64,
    times: [i64; 5],
    writer_id: u32,
    flags: u32,
}

impl From<&Header> for TypedHeader {
    #[inline]
    fn from(&Header { cookie, seq, times, writer_id, flags }: &Header) -> Self {
        Self { cookie, seq, times, writer_id, flags }
    }
}

impl From<&TypedHeader> for Header {
    #[inline]
    fn from(&TypedHeader { cookie, seq, times, writer_id, flags }: &TypedHeader) -> Self {
        Self { cookie, seq, times, writer_id, flags }
    }
}

/// `busmark::OctetSample`.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OctetSample {
    header: TypedHeader,
    #[serde(with = "serde_bytes")]
    body: Vec<u8>,
}

/// The crate takes samples by value and drops them once they are encoded: this is one more reference.
struct Lent(Arc<OctetSample>);

impl Serialize for Lent {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

/// What a reader of a stream stores, in samples and in bytes of body.
const STREAM_SAMPLES: usize = 8192;
const STREAM_BYTES: usize = 256 << 20;
/// Samples of a stream that may be unacknowledged. As shipped 8192: they overrun the reader's socket, and
/// what is lost is repaired by 8 KiB in 10 ms.
const STREAM_WINDOW: i32 = 64;
const MAX_BLOCKING: Duration = Duration::from_millis(100);
/// Samples that are taken at once where the crate leaves it to us, as in the adapter.
const BATCH: usize = 100;

fn failed<E: std::fmt::Debug>(what: &str) -> impl Fn(E) -> String + '_ {
    move |error| format!("{what}: {error:?}")
}

fn limits(samples: i32) -> ResourceLimits {
    ResourceLimits {
        max_samples: samples,
        max_instances: samples,
        max_samples_per_instance: samples,
    }
}

/// Endpoints of this side that the other side has matched.
struct Matches {
    listener: DomainParticipantStatusListener,
    local: HashSet<GUID>,
}

impl Matches {
    fn has(shared: &Mutex<Self>, local: GUID) -> bool {
        let mut matches = shared.lock().unwrap_or_else(PoisonError::into_inner);
        let Matches { listener, local: known } = &mut *matches;
        while let Some(event) = listener.try_recv_status() {
            match event {
                Event::RemoteReaderMatched { local_writer: guid, remote_reader: remote }
                | Event::RemoteWriterMatched { local_reader: guid, remote_writer: remote }
                    if guid.prefix != remote.prefix =>
                {
                    known.insert(guid);
                }
                _ => {}
            }
        }
        known.contains(&local)
    }
}

struct Rust {
    participant: DomainParticipant,
    matches: Arc<Mutex<Matches>>,
    domain: u32,
    options: Options,
}

impl Rust {
    fn topic(&self, name: &str) -> Result<Topic, String> {
        let (name, kind) = (name.to_owned(), "busmark::OctetSample".to_owned());
        let none = QosPolicies::qos_none();
        let topic = self.participant.create_topic(name, kind, &none, TopicKind::NoKey);
        topic.map_err(failed("topic"))
    }

    fn qos(&self) -> QosPolicyBuilder {
        let all = self.options.is_stream();
        QosPolicyBuilder::new()
            .reliability(Reliability::Reliable { max_blocking_time: MAX_BLOCKING.into() })
            .history(if all { History::KeepAll } else { History::KeepLast { depth: 1 } })
    }
}

impl Library for Rust {
    const WAIT: Wait = Wait::Waitset;
    type Writer = Out;
    type Reader<H: OnSample> = In<H>;

    fn join(options: &Options) -> Result<Self, String> {
        let domain = options.domain()?;
        let number = u16::try_from(domain).map_err(failed("domain"))?;
        let participant = DomainParticipantBuilder::new(number)
            .with_only_networks([Ipv4Addr::LOCALHOST])
            .same_host_loopback(true)
            .build()
            .map_err(failed("participant"))?;
        let listener = participant.status_listener();
        let matches = Arc::new(Mutex::new(Matches { listener, local: HashSet::new() }));
        Ok(Self { participant, matches, domain, options: options.clone() })
    }

    fn address(&self) -> String {
        self.domain.to_string()
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Out, String> {
        let publisher = self.participant.create_publisher(&QosPolicies::qos_none());
        let publisher = publisher.map_err(failed("publisher"))?;
        let mut qos = self.qos();
        if self.options.is_stream() {
            qos = qos.resource_limits(limits(STREAM_WINDOW));
        }
        let writer = publisher.create_datawriter_no_key(&self.topic(topic)?, Some(qos.build()));
        let sample = OctetSample { header: TypedHeader::default(), body: body.to_vec() };
        Ok(Out {
            writer: writer.map_err(failed("writer"))?,
            sample: Arc::new(sample),
            matches: Arc::clone(&self.matches),
        })
    }

    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<In<H>, String> {
        let subscriber = self.participant.create_subscriber(&QosPolicies::qos_none());
        let subscriber = subscriber.map_err(failed("subscriber"))?;
        let topic = self.topic(topic)?;
        let mut incoming = if self.options.is_stream() {
            let most = (STREAM_BYTES / self.options.size.max(1)).clamp(64, STREAM_SAMPLES);
            let samples = i32::try_from(most).map_err(failed("limits"))?;
            let qos = self.qos().resource_limits(limits(samples));
            let reader = subscriber.create_simple_datareader_no_key(&topic, Some(qos.build()));
            Incoming::All(reader.map_err(failed("reader"))?)
        } else {
            let reader = subscriber.create_datareader_no_key(&topic, Some(self.qos().build()));
            Incoming::Last(reader.map_err(failed("reader"))?)
        };
        let poll = Poll::new().map_err(failed("poll"))?;
        let source: &mut dyn Source = match &mut incoming {
            Incoming::Last(reader) => reader,
            Incoming::All(reader) => reader,
        };
        poll.registry().register(source, Token(0), Interest::READABLE).map_err(failed("poll"))?;
        let events = Events::with_capacity(1);
        Ok(In { incoming, poll, events, matches: Arc::clone(&self.matches), on_sample })
    }
}

struct Out {
    writer: DataWriter<Lent, CDRSerializerAdapter<Lent>>,
    sample: Arc<OctetSample>,
    matches: Arc<Mutex<Matches>>,
}

impl Writer for Out {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        let Some(sample) = Arc::get_mut(&mut self.sample) else { return false };
        sample.header = header.into();
        self.writer.write(Lent(Arc::clone(&self.sample)), None).is_ok()
    }

    fn finish(&mut self, limit: Duration) {
        let _ = self.writer.wait_for_acknowledgments(limit);
    }

    fn matched(&mut self) -> bool {
        Matches::has(&self.matches, self.writer.guid())
    }
}

type Decoder = CDRDeserializerAdapter<OctetSample>;

/// For round trips the crate's reader, for streams its simple one, as in the adapter.
enum Incoming {
    Last(DataReader<OctetSample, Decoder>),
    All(SimpleDataReader<OctetSample, Decoder>),
}

struct In<H> {
    incoming: Incoming,
    poll: Poll,
    events: Events,
    matches: Arc<Mutex<Matches>>,
    on_sample: H,
}

impl<H: OnSample> In<H> {
    #[inline]
    fn take(&mut self) -> bool {
        let mut came = false;
        match &mut self.incoming {
            Incoming::Last(reader) => {
                let Ok(samples) = reader.take(usize::MAX, ReadCondition::any()) else {
                    return false;
                };
                for sample in samples {
                    (self.on_sample)(&Header::from(&sample.value().header));
                    came = true;
                }
            }
            Incoming::All(reader) => {
                reader.drain_read_notifications();
                for _ in 0..BATCH {
                    let Ok(Some(sample)) = reader.try_take_one() else { break };
                    (self.on_sample)(&Header::from(&sample.into_value().header));
                    came = true;
                }
            }
        }
        came
    }
}

impl<H: OnSample> Reader for In<H> {
    #[inline]
    fn turn(&mut self) -> bool {
        const LIMIT: Duration = Duration::from_millis(TURN_MS as u64);
        if self.take() {
            return true;
        }
        self.poll.poll(&mut self.events, Some(LIMIT)).is_ok() && self.take()
    }

    fn matched(&mut self) -> bool {
        let guid = match &self.incoming {
            Incoming::Last(reader) => reader.guid(),
            Incoming::All(reader) => reader.guid(),
        };
        Matches::has(&self.matches, guid)
    }
}

fn main() -> Result<(), String> {
    bare_common::run::<Rust>()
}
