//! The smallest round trip and the smallest stream over Dust DDS: the library, type and QoS of
//! Busmark's adapter, and nothing of Busmark. Transport and runtime are the crate's own.

use bare_common::{Header, Library, OnSample, Options, Reader, Wait, Writer};
use dust_dds::dds_async::data_reader::DataReaderAsync;
use dust_dds::domain::domain_participant::DomainParticipant;
use dust_dds::domain::domain_participant_factory::DomainParticipantFactory;
use dust_dds::infrastructure::error::DdsError;
use dust_dds::infrastructure::listener::NO_LISTENER;
use dust_dds::infrastructure::qos::{DataReaderQos, DataWriterQos, QosKind};
use dust_dds::infrastructure::qos_policy::{
    HistoryQosPolicyKind, ReliabilityQosPolicyKind, XCDR_DATA_REPRESENTATION,
    XCDR2_DATA_REPRESENTATION,
};
use dust_dds::infrastructure::sample_info::{ANY_INSTANCE_STATE, ANY_SAMPLE_STATE, ANY_VIEW_STATE};
use dust_dds::infrastructure::status::{NO_STATUS, StatusKind};
use dust_dds::infrastructure::type_support::DdsType;
use dust_dds::publication::data_writer::DataWriter;
use dust_dds::subscription::data_reader::DataReader;
use dust_dds::subscription::data_reader_listener::DataReaderListener;
use dust_dds::topic_definition::topic::Topic;

/// `busmark::Header`.
#[derive(Clone, Copy, Debug, Default, DdsType)]
#[dust_dds(name = "busmark::Header", nested)]
struct TypedHeader {
    cookie: u64,
    seq: u64,
    intended_ns: i64,
    sent_ns: i64,
    echo_sent_ns: i64,
    echo_delivered_ns: i64,
    echo_read_ns: i64,
    writer_id: u32,
    flags: u32,
}

impl From<&Header> for TypedHeader {
    #[inline]
    fn from(&Header { cookie, seq, times, writer_id, flags }: &Header) -> Self {
        let [intended_ns, sent_ns, echo_sent_ns, echo_delivered_ns, echo_read_ns] = times;
        Self {
            cookie,
            seq,
            intended_ns,
            sent_ns,
            echo_sent_ns,
            echo_delivered_ns,
            echo_read_ns,
            writer_id,
            flags,
        }
    }
}

impl From<&TypedHeader> for Header {
    #[inline]
    fn from(h: &TypedHeader) -> Self {
        let times = [h.intended_ns, h.sent_ns, h.echo_sent_ns, h.echo_delivered_ns, h.echo_read_ns];
        Self { cookie: h.cookie, seq: h.seq, times, writer_id: h.writer_id, flags: h.flags }
    }
}

/// `busmark::OctetSample`.
#[derive(Clone, Debug, DdsType)]
#[dust_dds(name = "busmark::OctetSample")]
struct OctetSample {
    header: TypedHeader,
    body: Vec<u8>,
}

/// Most samples of one take, as in the adapter.
const BATCH: i32 = 64;

fn failed(what: &str) -> impl Fn(DdsError) -> String + '_ {
    move |error| format!("{what}: {error}")
}

struct Dust {
    participant: DomainParticipant,
    domain: u32,
    options: Options,
}

impl Dust {
    fn topic(&self, name: &str) -> Result<Topic, String> {
        self.participant
            .create_topic::<OctetSample>(
                name,
                "busmark::OctetSample",
                QosKind::Default,
                NO_LISTENER,
                NO_STATUS,
            )
            .map_err(failed("topic"))
    }

    /// For a stream there is no other history than the crate's default.
    fn history(&self) -> HistoryQosPolicyKind {
        if self.options.is_stream() {
            DataWriterQos::default().history.kind
        } else {
            HistoryQosPolicyKind::KeepLast(1)
        }
    }
}

impl Library for Dust {
    const WAIT: Wait = Wait::Listener;
    /// The listener runs on the thread that a write waits for.
    const WRITES_IN_LISTENER: bool = false;
    type Writer = Out;
    type Reader<H: OnSample> = In;

    fn join(options: &Options) -> Result<Self, String> {
        let domain = options.domain()?;
        let factory = DomainParticipantFactory::get_instance();
        factory.get_mut_transport().set_interface_name(Some("lo".to_owned()));
        let participant = factory
            .create_participant(domain.cast_signed(), QosKind::Default, NO_LISTENER, NO_STATUS)
            .map_err(failed("participant"))?;
        Ok(Self { participant, domain, options: options.clone() })
    }

    fn address(&self) -> String {
        self.domain.to_string()
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Out, String> {
        let mut qos = DataWriterQos::default();
        qos.reliability.kind = ReliabilityQosPolicyKind::Reliable;
        qos.history.kind = self.history();
        let writer = self
            .participant
            .create_publisher(QosKind::Default, NO_LISTENER, NO_STATUS)
            .map_err(failed("publisher"))?
            .create_datawriter(&self.topic(topic)?, QosKind::Specific(qos), NO_LISTENER, NO_STATUS)
            .map_err(failed("writer"))?;
        let sample = OctetSample { header: TypedHeader::default(), body: body.to_vec() };
        Ok(Out { writer, sample })
    }

    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<In, String> {
        let mut qos = DataReaderQos::default();
        qos.reliability.kind = ReliabilityQosPolicyKind::Reliable;
        qos.history.kind = self.history();
        qos.representation.value = vec![XCDR_DATA_REPRESENTATION, XCDR2_DATA_REPRESENTATION];
        let reader = self
            .participant
            .create_subscriber(QosKind::Default, NO_LISTENER, NO_STATUS)
            .map_err(failed("subscriber"))?
            .create_datareader(
                &self.topic(topic)?,
                QosKind::Specific(qos),
                Some(Taker(on_sample)),
                &[StatusKind::DataAvailable],
            )
            .map_err(failed("reader"))?;
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
        self.sample.header = header.into();
        // The crate takes samples by value.
        self.writer.write(self.sample.clone(), None).is_ok()
    }

    fn matched(&mut self) -> bool {
        self.writer.get_matched_subscriptions().is_ok_and(|all| !all.is_empty())
    }
}

struct Taker<H>(H);

impl<H: OnSample> DataReaderListener<OctetSample> for Taker<H> {
    async fn on_data_available(&mut self, reader: DataReaderAsync<OctetSample>) {
        loop {
            let batch =
                reader.take(BATCH, ANY_SAMPLE_STATE, ANY_VIEW_STATE, ANY_INSTANCE_STATE).await;
            let Ok(samples) = batch else { return };
            for sample in samples.iter().filter_map(|sample| sample.data.as_ref()) {
                (self.0)(&Header::from(&sample.header));
            }
            if samples.len() < BATCH as usize {
                return;
            }
        }
    }
}

struct In(DataReader<OctetSample>);

impl Reader for In {
    fn matched(&mut self) -> bool {
        self.0.get_matched_publications().is_ok_and(|all| !all.is_empty())
    }
}

fn main() -> Result<(), String> {
    bare_common::run::<Dust>()
}
