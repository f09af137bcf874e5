//! The reference adapter: the contract as a small program.
//!
//! Two transports, `memory` within a process and `pipe` between processes over named pipes, carry the
//! same samples to the same reader queues, so that every QoS is written once (`queue.rs`). Options
//! inject faults on a schedule that is a pure function of the seed (`faults.rs`): drops, duplicates,
//! reorderings, corruptions and delays, below reliability, as a faulty middleware would. The writer's
//! counters tell exactly what was done, so that whoever accounts for samples can be checked. Requests and
//! responses of services (`service.rs`) go through the same queues; for their faults there are no
//! counters, but the schedule tells each.
//!
//! Defaults where the QoS says nothing: reliable, keep all, volatile.

mod clock;
mod deadline;
mod delay;
mod endpoint;
mod faults;
mod link;
mod locator;
mod memory;
mod options;
mod pipe;
mod queue;
mod reader;
mod receiver;
mod service;
mod writer;

use busmark_adapter::{
    Adapter, Capabilities, Carrier, EndpointConfig, Feature, Level, Listener, Participant,
    ParticipantConfig, Payload, QosValue, Reach, Result, ServiceCapabilities, ServiceEnd, Side,
    Wait, log,
};

use crate::options::{OPTIONS, Options};
use crate::reader::QueueReader;
use crate::writer::LinkWriter;

const CAPABILITIES: Capabilities = Capabilities {
    name: "reference",
    title: "Reference (memory and named pipes)",
    version: env!("CARGO_PKG_VERSION"),
    middleware_version: "none",
    licence: "Apache-2.0",
    cost: "",
    install: "",
    transports: &[("memory", Carrier::Memory), ("pipe", Carrier::Local)],
    options: OPTIONS,
    waits: &[Wait::Listener, Wait::Waitset, Wait::Poll],
    reach: &[Reach::Process, Reach::Host],
    payloads: &Payload::ALL,
    qos: &[
        QosValue::BestEffort,
        QosValue::Reliable,
        QosValue::KeepLast,
        QosValue::KeepAll,
        QosValue::Volatile,
        QosValue::TransientLocal,
        QosValue::Lifespan,
        QosValue::Deadline,
        QosValue::Partition,
        QosValue::ResourceLimits,
        QosValue::TimeBasedFilter,
    ],
    qos_mutable: &[QosValue::Lifespan, QosValue::Deadline, QosValue::Partition],
    features: &[
        Feature::Locators,
        Feature::Matched,
        Feature::WriteInListener,
        Feature::KeepAllInListener,
        Feature::SourceTime,
        Feature::ReceptionTime,
        Feature::Batching,
        Feature::Faults,
        Feature::WriteMany,
        Feature::Loans,
    ],
    max_body_bytes: 16 << 20,
    security: &[],
    disclosures: &[],
    tuned: "",
    stored: (0, 0),
};

struct Reference;

impl Adapter for Reference {
    type Participant = Attachment;

    const SERVICES: Option<ServiceCapabilities> = Some(service::SERVICES);

    fn capabilities() -> Capabilities {
        CAPABILITIES
    }

    fn participant(config: &ParticipantConfig) -> Result<Attachment> {
        let options = Options::of(config)?;
        let faults = options.faults.words();
        if !faults.is_empty() {
            log("reference", Level::Warning, &format!("injects faults on purpose: {faults}"));
        }
        Ok(Attachment { config: config.clone(), options })
    }
}

struct Attachment {
    config: ParticipantConfig,
    options: Options,
}

impl Participant for Attachment {
    type Writer = LinkWriter;
    type Reader = QueueReader;

    fn writer(&self, config: &EndpointConfig) -> Result<LinkWriter> {
        LinkWriter::new(&self.config, &self.options, config)
    }

    fn reader(&self, config: &EndpointConfig, listener: Option<Listener>) -> Result<QueueReader> {
        QueueReader::new(&self.config, &self.options, config, listener)
    }

    fn service(&self, config: &EndpointConfig, side: Side) -> Result<ServiceEnd> {
        service::end(&self.config, &self.options, config, side)
    }
}

busmark_adapter::export!(Reference);
