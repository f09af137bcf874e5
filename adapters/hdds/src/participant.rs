//! A domain participant: makes the endpoints of every type.

use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::Arc;

use busmark_adapter::{
    EndpointConfig, Listener, Participant, ParticipantConfig, Payload, Result, Status,
};
use hdds::dds::DomainState;

use crate::environment::{self, Environment};
use crate::error::error;
use crate::options::OPTIONS;
use crate::reader::{self, HddsReader};
use crate::types::{
    AnySample, Char, EmptySample, KeyedSample, SequenceSample, StructElement, Topical,
};
use crate::writer::{self, HddsWriter};

/// The last domain whose ports exist (RTPS 9.6.2.3).
const MAX_DOMAIN: u32 = 232;

/// A participant with threads and sockets of its own.
pub struct HddsParticipant {
    participant: Arc<hdds::Participant>,
}

impl HddsParticipant {
    /// Joins the domain of `config`.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        if config.domain > MAX_DOMAIN {
            let text =
                format!("domain {} has no UDP ports; the last is {MAX_DOMAIN}", config.domain);
            return Err(Status::Invalid.error(text));
        }
        environment::choose(settings(config)?)?;
        let participant = hdds::Participant::builder("busmark")
            .domain_id(config.domain)
            .build()
            .map_err(|e| error(&e, "participant"))?;
        Ok(Self { participant })
    }

    fn writer_of<T: Topical>(&self, config: &EndpointConfig) -> Result<HddsWriter> {
        writer::typed::<T>(&self.participant, config)
    }

    fn reader_of<T: Topical>(
        &self,
        config: &EndpointConfig,
        listener: Option<Listener>,
    ) -> Result<HddsReader> {
        reader::typed::<T>(&self.participant, config, listener)
    }
}

fn settings(config: &ParticipantConfig) -> Result<Environment> {
    let interface = &config.interface_address;
    if interface.parse::<Ipv4Addr>().is_err() {
        let text = format!("interface_address {interface:?} is not an IPv4 address");
        return Err(Status::Invalid.error(text));
    }
    let peers = config.option(OPTIONS, "peers");
    for peer in peers.split(',').map(str::trim).filter(|peer| !peer.is_empty()) {
        if peer.parse::<SocketAddrV4>().is_err() {
            let text = format!("option peers: {peer:?} is no ADDRESS:PORT of IPv4");
            return Err(Status::Invalid.error(text));
        }
    }
    Ok(Environment { interface: interface.clone(), peers: peers.to_owned() })
}

/// What a reader is registered with instead of the process's own table, by which the library hands it
/// the samples of writers of the same process a second time, beside those that come over UDP.
pub fn nobody() -> Arc<DomainState> {
    Arc::new(DomainState::new(0))
}

impl Participant for HddsParticipant {
    type Writer = HddsWriter;
    type Reader = HddsReader;

    fn writer(&self, config: &EndpointConfig) -> Result<HddsWriter> {
        match config.payload {
            _ if config.instances > 0 => self.writer_of::<KeyedSample>(config),
            Payload::Empty => self.writer_of::<EmptySample>(config),
            Payload::Octet => self.writer_of::<SequenceSample<u8>>(config),
            Payload::Char => self.writer_of::<SequenceSample<Char>>(config),
            Payload::Short => self.writer_of::<SequenceSample<i16>>(config),
            Payload::Float => self.writer_of::<SequenceSample<f32>>(config),
            Payload::Long => self.writer_of::<SequenceSample<i32>>(config),
            Payload::Struct => self.writer_of::<SequenceSample<StructElement>>(config),
            Payload::Any => self.writer_of::<AnySample>(config),
        }
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<HddsReader> {
        match config.payload {
            _ if config.instances > 0 => self.reader_of::<KeyedSample>(config, listener),
            Payload::Empty => self.reader_of::<EmptySample>(config, listener),
            Payload::Octet => self.reader_of::<SequenceSample<u8>>(config, listener),
            Payload::Char => self.reader_of::<SequenceSample<Char>>(config, listener),
            Payload::Short => self.reader_of::<SequenceSample<i16>>(config, listener),
            Payload::Float => self.reader_of::<SequenceSample<f32>>(config, listener),
            Payload::Long => self.reader_of::<SequenceSample<i32>>(config, listener),
            Payload::Struct => self.reader_of::<SequenceSample<StructElement>>(config, listener),
            Payload::Any => self.reader_of::<AnySample>(config, listener),
        }
    }
}
