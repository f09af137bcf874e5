//! The adapter contract (`abi/busmark_adapter.h`) as safe Rust, from both sides.
//!
//! An adapter implements [`Adapter`], [`Participant`], [`Writer`] and [`Reader`] and ends with
//! `busmark_adapter::export!(MyAdapter);`. It
//!
//! - needs no `unsafe` of its own beyond what its middleware needs;
//! - must pass the conformance suite (`busmark adapter check NAME`), whose tests carry the numbers of
//!   the clauses in the header;
//! - declares in [`Capabilities`] exactly what it does: what is not declared is "unsupported" in a
//!   plan, what is declared is tested.
//!
//! The worker opens adapters with [`Library::open`] and drives them through [`ParticipantHandle`],
//! [`WriterHandle`] and [`ReaderHandle`], which keep the order of destruction (clause C15).
//!
//! This is the only crate of Busmark with `unsafe` code: the border itself.

pub mod abi;
mod announced;
mod any;
mod any_service;
mod batch;
mod capabilities;
mod config;
mod entity;
mod error;
mod events;
#[doc(hidden)]
pub mod export;
mod files;
mod handles;
mod host;
mod hot_cell;
mod last_error;
mod limits;
mod listener;
mod load;
mod misconduct;
mod own;
mod payload;
mod qos;
mod reading;
mod security;
mod service;
mod service_handles;
mod setting;
mod strings;
#[cfg(feature = "testing")]
pub mod testing;
mod traits;
mod unanswered;
mod xml;

pub use abi::{Header, Struct};
pub use announced::{Announced, Durability, Guid, Liveliness, Scope};
pub use any::{ANY_OVERHEAD, decode_any, encode_any};
pub use any_service::{AnyService, AnyServiceSample, ServiceByTopics, service_topics};
pub use batch::Batch;
pub use capabilities::{
    Capabilities, CapabilityReport, Carrier, Disclosure, Feature, OptionReport, OptionSpec, Reach,
    ServiceCapabilities, Wait,
};
pub use config::{Counters, EndpointConfig, ParticipantConfig};
pub use entity::{Entity, EntityKind};
pub use error::{Error, Result, Status};
pub use events::{Match, MatchClock};
pub use files::read_file;
pub use handles::{ParticipantHandle, SampleHandle, ServerHandle, WriterHandle};
pub use host::{Level, LogLine, host_name, log};
pub use hot_cell::{HotCell, HotGuard};
pub use last_error::LastError;
pub use listener::{Listener, Sink, Source};
pub use load::{Library, LoadError};
pub use misconduct::{Oversize, misconduct};
pub use own::{Listed, OwnEndpoints};
pub use payload::{Payload, fill_pattern, fill_pattern_from, verify_pattern, verify_pattern_from};
pub use qos::{Qos, QosValue};
pub use reading::{OnData, ReaderHandle, Received, Taker};
pub use security::{Security, SecurityTexts};
pub use service::{Service, ServiceEnd, Side};
pub use service_handles::{ServiceHandle, ServiceSample};
pub use setting::{Setting, not_granted};
pub use traits::{Adapter, Participant, Reader, Server, Writer};
pub use unanswered::{Claim, Unanswered};
pub use xml::escape_xml;

/// Version of the contract that this crate speaks.
pub const ABI_VERSION: u32 = 1;
