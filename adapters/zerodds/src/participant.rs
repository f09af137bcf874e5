//! A domain participant: makes topics, publishers, subscribers and the endpoints under them.

use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Entity, Listener, OwnEndpoints, Participant, ParticipantConfig, Payload,
    Result, Status,
};
use zerodds_dcps::qos::PartitionQosPolicy;
use zerodds_dcps::{
    DataReader, DataWriter, DomainParticipant, DomainParticipantFactory, DomainParticipantQos,
    Publisher, PublisherQos, Subscriber, SubscriberQos, Topic, TopicQos,
};

use crate::config::{Settings, Waiting};
use crate::entities;
use crate::error::error;
use crate::qos;
use crate::reader::{self, ZeroReader};
use crate::types::{
    AnySample, Char, EmptySample, KeyedSample, SequenceSample, StructElement, Topical,
};
#[cfg(feature = "user-type")]
use crate::user_type::UserSample;
use crate::writer::{self, ZeroWriter};

/// A participant with threads and sockets of its own.
pub struct ZeroParticipant {
    participant: DomainParticipant,
    waiting: Waiting,
    quiet_group: Option<(Ipv4Addr, SocketAddrV4)>,
    largest_body: u64,
    /// Its endpoints, as others see them.
    own: Arc<OwnEndpoints<Entity>>,
}

/// Over TCP the library makes one piece of a sample, whose length RTPS says in 16 bits.
const LARGEST_OVER_TCP: u64 = 65_000;

impl ZeroParticipant {
    /// Joins the domain of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let settings = Settings::new(config)?;
        let participant = DomainParticipantFactory::instance()
            .create_participant_with_config(
                settings.domain,
                DomainParticipantQos::default(),
                settings.runtime,
            )
            .map_err(|e| error(&e, "participant"))?;
        Ok(Self {
            participant,
            waiting: settings.waiting,
            quiet_group: settings.quiet_group,
            largest_body: if config.transport == "tcp" { LARGEST_OVER_TCP } else { u64::MAX },
            own: Arc::default(),
        })
    }

    fn topic<T: Topical>(&self, config: &EndpointConfig) -> Result<Topic<T>> {
        if config.max_body_bytes > self.largest_body {
            let (asked, most) = (config.max_body_bytes, self.largest_body);
            let text = format!("over tcp the library carries {most} bytes, {asked} were asked for");
            return Err(Status::Unsupported.error(text));
        }
        self.participant
            .create_topic::<T>(&config.topic, TopicQos::default())
            .map_err(|e| error(&e, &format!("topic {:?}", config.topic)))
    }

    fn make_writer<T: Topical>(
        &self,
        config: &EndpointConfig,
    ) -> Result<(Publisher, DataWriter<T>)> {
        let topic = self.topic::<T>(config)?;
        let partition = PartitionQosPolicy { names: qos::partition(&config.qos) };
        let publisher =
            self.participant.create_publisher(PublisherQos { partition, ..Default::default() });
        let writer = publisher
            .create_datawriter::<T>(&topic, qos::writer(&config.qos))
            .map_err(|e| error(&e, &format!("writer of {:?}", config.topic)))?;
        Ok((publisher, writer))
    }

    fn writer_of<T: Topical>(&self, config: &EndpointConfig) -> Result<ZeroWriter> {
        let (publisher, writer) = self.make_writer::<T>(config)?;
        writer::typed(config, &self.own, publisher, writer)
    }

    /// Every instance is registered before the first write (C27).
    fn keyed_writer(&self, config: &EndpointConfig) -> Result<ZeroWriter> {
        let (publisher, writer) = self.make_writer::<KeyedSample>(config)?;
        for instance in 0..config.instances {
            writer
                .register_instance(&KeyedSample::of(instance))
                .map_err(|e| error(&e, &format!("instance {instance}")))?;
        }
        writer::typed(config, &self.own, publisher, writer)
    }

    fn subscriber(&self, config: &EndpointConfig) -> Subscriber {
        let partition = PartitionQosPolicy { names: qos::partition(&config.qos) };
        self.participant.create_subscriber(SubscriberQos { partition, ..Default::default() })
    }

    fn reader_of<T: Topical>(
        &self,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<ZeroReader> {
        let topic = self.topic::<T>(config)?;
        let subscriber = self.subscriber(config);
        let reader = subscriber
            .create_datareader::<T>(&topic, qos::reader(&config.qos))
            .map_err(|e| error(&e, &format!("reader of {:?}", config.topic)))?;
        reader::typed(config, &self.own, self.waiting, subscriber, reader, listener)
    }

    /// A keyed reader, with the library's content filter where one is asked for (C28).
    fn keyed_reader(
        &self,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<ZeroReader> {
        if config.filter_below == 0 {
            return self.reader_of::<KeyedSample>(config, listener);
        }
        let topic = self.topic::<KeyedSample>(config)?;
        let filtered = self
            .participant
            .create_contentfilteredtopic(
                &format!("{}_below_{}", config.topic, config.filter_below),
                &topic,
                "instance < %0",
                vec![config.filter_below.to_string()],
            )
            .map_err(|e| error(&e, &format!("content filter of {:?}", config.topic)))?;
        let subscriber = self.subscriber(config);
        let reader: DataReader<KeyedSample> = subscriber
            .create_datareader_with_cft(&filtered, qos::reader(&config.qos))
            .map_err(|e| error(&e, &format!("filtered reader of {:?}", config.topic)))?;
        reader::typed(config, &self.own, self.waiting, subscriber, reader, listener)
    }
}

impl Participant for ZeroParticipant {
    type Writer = ZeroWriter;
    type Reader = ZeroReader;

    fn writer(&self, config: &EndpointConfig) -> Result<ZeroWriter> {
        match config.payload {
            _ if config.instances > 0 => self.keyed_writer(config),
            Payload::Empty => self.writer_of::<EmptySample>(config),
            Payload::Octet => self.writer_of::<SequenceSample<u8>>(config),
            Payload::Char => self.writer_of::<SequenceSample<Char>>(config),
            Payload::Short => self.writer_of::<SequenceSample<i16>>(config),
            Payload::Float => self.writer_of::<SequenceSample<f32>>(config),
            Payload::Long => self.writer_of::<SequenceSample<i32>>(config),
            Payload::Struct => self.writer_of::<SequenceSample<StructElement>>(config),
            Payload::Any => self.writer_of::<AnySample>(config),
            #[cfg(feature = "user-type")]
            Payload::Type => self.writer_of::<UserSample>(config),
            // Refused before, for it is not declared.
            #[cfg(not(feature = "user-type"))]
            Payload::Type => Err(Status::Unsupported.error("no user's type")),
        }
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<ZeroReader> {
        match config.payload {
            _ if config.instances > 0 => self.keyed_reader(config, listener),
            Payload::Empty => self.reader_of::<EmptySample>(config, listener),
            Payload::Octet => self.reader_of::<SequenceSample<u8>>(config, listener),
            Payload::Char => self.reader_of::<SequenceSample<Char>>(config, listener),
            Payload::Short => self.reader_of::<SequenceSample<i16>>(config, listener),
            Payload::Float => self.reader_of::<SequenceSample<f32>>(config, listener),
            Payload::Long => self.reader_of::<SequenceSample<i32>>(config, listener),
            Payload::Struct => self.reader_of::<SequenceSample<StructElement>>(config, listener),
            Payload::Any => self.reader_of::<AnySample>(config, listener),
            #[cfg(feature = "user-type")]
            Payload::Type => self.reader_of::<UserSample>(config, listener),
            #[cfg(not(feature = "user-type"))]
            Payload::Type => Err(Status::Unsupported.error("no user's type")),
        }
    }

    fn entities(&self) -> Result<Vec<Entity>> {
        entities::list(&self.participant, &self.own)
    }
}

impl ZeroParticipant {
    /// Endpoints are gone by now (C15); topics, publishers and subscribers go here. This ends the
    /// threads and says good-bye to the others.
    fn close(&self) {
        let _ = self.participant.delete_contained_entities();
        let _ = DomainParticipantFactory::instance().delete_participant(&self.participant);
    }
}

impl Drop for ZeroParticipant {
    fn drop(&mut self) {
        let nudge = self.quiet_group.and_then(|(interface, group)| {
            UdpSocket::bind((interface, 0)).ok().map(|socket| (socket, group))
        });
        let Some((socket, group)) = nudge else { return self.close() };
        // The library wakes its own threads by a message to the group, which is not sent where
        // multicast is off: the thread that waits there would see a second later that it shall end.
        let closed = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let wake = || {
                while !closed.load(Ordering::Relaxed) {
                    let _ = socket.send_to(&NOTHING, group);
                    std::thread::sleep(NUDGE_PERIOD);
                }
            };
            let _ = std::thread::Builder::new().spawn_scoped(scope, wake);
            self.close();
            closed.store(true, Ordering::Relaxed);
        });
    }
}

/// An RTPS message without a submessage: who receives it, of whatever vendor, has nothing to do.
const NOTHING: [u8; 20] = *b"RTPS\x02\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

const NUDGE_PERIOD: Duration = Duration::from_millis(5);
