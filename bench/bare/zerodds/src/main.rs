//! The smallest round trip and the smallest stream over `ZeroDDS`: the library, type, configuration and
//! QoS of Busmark's adapter, and nothing of Busmark.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bare_common::{Header, Library, OnSample, Options, Reader, Wait, Writer};
use zerodds_dcps::dds_type::{DecodeError, EncodeError};
use zerodds_dcps::listener::DataReaderListener;
use zerodds_dcps::psm_constants::status::DATA_AVAILABLE;
use zerodds_dcps::qos::{HistoryKind, HistoryQosPolicy, ReliabilityKind};
use zerodds_dcps::runtime::{RuntimeConfig, UserTransportKind};
use zerodds_dcps::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DdsType, DomainParticipant,
    DomainParticipantFactory, DomainParticipantQos, InstanceHandle, PublisherQos, SubscriberQos,
    Topic, TopicQos,
};

/// `busmark::OctetSample`.
#[derive(Clone, Debug)]
struct OctetSample {
    header: Header,
    body: Vec<u8>,
}

const LENGTH: usize = 4;

impl DdsType for OctetSample {
    const TYPE_NAME: &'static str = "busmark::OctetSample";

    fn encode(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let length = u32::try_from(self.body.len())
            .map_err(|_| EncodeError::Invalid { what: "a body that is too long" })?;
        out.reserve(Header::BYTES + LENGTH + self.body.len());
        out.extend_from_slice(self.header.as_bytes());
        out.extend_from_slice(&length.to_le_bytes());
        out.extend_from_slice(&self.body);
        Ok(())
    }

    fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let short = DecodeError::Invalid { what: "the stream ends inside a value" };
        let parts = || {
            let header = Header::from_bytes(bytes)?;
            let (length, body) = bytes[Header::BYTES..].split_at_checked(LENGTH)?;
            let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
            Some(Self { header, body: body.get(..length)?.to_vec() })
        };
        parts().ok_or(short)
    }

    fn encode_xcdr1(&self, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.encode(out)
    }

    fn decode_xcdr1(bytes: &[u8]) -> Result<Self, DecodeError> {
        Self::decode(bytes)
    }
}

// `DataRepresentationId` of XCDR versions 1 and 2.
const XCDR1: i16 = 0;
const XCDR2: i16 = 2;

fn failed<E: std::fmt::Display>(what: &str) -> impl Fn(E) -> String + '_ {
    move |error| format!("{what}: {error}")
}

struct Zero {
    participant: DomainParticipant,
    domain: u32,
    options: Options,
}

impl Zero {
    fn topic(&self, name: &str) -> Result<Topic<OctetSample>, String> {
        self.participant.create_topic(name, TopicQos::default()).map_err(failed("topic"))
    }

    fn history(&self) -> HistoryQosPolicy {
        let all = self.options.is_stream();
        let kind = if all { HistoryKind::KeepAll } else { HistoryKind::KeepLast };
        HistoryQosPolicy { kind, depth: 1 }
    }
}

impl Library for Zero {
    const WAIT: Wait = Wait::Listener;
    type Writer = Out;
    type Reader<H: OnSample> = In;

    /// Discovery by unicast among the domain's ports on loopback.
    fn join(options: &Options) -> Result<Self, String> {
        let domain = options.domain()?;
        let mut config = RuntimeConfig {
            multicast_interface: Ipv4Addr::LOCALHOST,
            user_transport: Some(UserTransportKind::UdpV4),
            spdp_multicast_send: false,
            user_multicast: false,
            initial_peer_specs: vec!["127.0.0.1".to_owned()],
            initial_peer_max_participants: 40,
            max_reassembly_sample_bytes: (16 << 20) + 1024,
            ..RuntimeConfig::default()
        };
        if options.is_stream() {
            // As shipped, half a second: so long a stream rests when its window is full.
            config.reader_heartbeat_response_delay = Duration::ZERO;
            config.nack_response_delay = Duration::ZERO;
        }
        let qos = DomainParticipantQos::default();
        let participant = DomainParticipantFactory::instance()
            .create_participant_with_config(domain.cast_signed(), qos, config)
            .map_err(failed("participant"))?;
        Ok(Self { participant, domain, options: options.clone() })
    }

    fn address(&self) -> String {
        self.domain.to_string()
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Out, String> {
        let mut qos = DataWriterQos {
            data_representation: Some(vec![XCDR1]),
            history: self.history(),
            ..DataWriterQos::default()
        };
        qos.reliability.kind = ReliabilityKind::Reliable;
        let publisher = self.participant.create_publisher(PublisherQos::default());
        let writer = publisher.create_datawriter(&self.topic(topic)?, qos);
        let sample = OctetSample { header: Header::default(), body: body.to_vec() };
        Ok(Out { writer: writer.map_err(failed("writer"))?, sample })
    }

    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<In, String> {
        let mut qos = DataReaderQos {
            data_representation: Some(vec![XCDR1, XCDR2]),
            history: self.history(),
            ..DataReaderQos::default()
        };
        qos.reliability.kind = ReliabilityKind::Reliable;
        let subscriber = self.participant.create_subscriber(SubscriberQos::default());
        let reader = subscriber.create_datareader(&self.topic(topic)?, qos);
        let reader = Arc::new(reader.map_err(failed("reader"))?);
        let taker = Taker { reader: Arc::clone(&reader), on_sample: Mutex::new(on_sample) };
        reader.set_listener(Some(Arc::new(taker)), DATA_AVAILABLE);
        Ok(In(reader))
    }
}

struct Out {
    writer: DataWriter<OctetSample>,
    sample: OctetSample,
}

impl Writer for Out {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        self.sample.header = *header;
        self.writer.write(&self.sample).is_ok()
    }

    fn finish(&mut self, limit: Duration) {
        let _ = self.writer.wait_for_acknowledgments(limit);
    }

    fn matched(&mut self) -> bool {
        self.writer.matched_subscription_count() > 0
    }
}

struct Taker<H> {
    reader: Arc<DataReader<OctetSample>>,
    on_sample: Mutex<H>,
}

impl<H: OnSample> DataReaderListener for Taker<H> {
    fn on_data_available(&self, _: InstanceHandle) {
        let Ok(samples) = self.reader.take_with_info() else { return };
        // Calls for one reader do not overlap: nobody waits.
        let mut on_sample = self.on_sample.lock().unwrap_or_else(PoisonError::into_inner);
        for sample in samples.iter().filter(|sample| sample.info.valid_data) {
            on_sample(&sample.data.header);
        }
    }
}

struct In(Arc<DataReader<OctetSample>>);

impl Reader for In {
    fn matched(&mut self) -> bool {
        self.0.matched_publication_count() > 0
    }
}

impl Drop for In {
    fn drop(&mut self) {
        self.0.set_listener(None, 0);
    }
}

fn main() -> Result<(), String> {
    bare_common::run::<Zero>()
}
