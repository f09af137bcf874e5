//! What the adapter `cyclonedds` declares and sends: the types of `idl/busmark.idl`.

use busmark_adapter::{Capabilities, Carrier, Feature, Payload, Qos, QosValue};
use cyclonedds_rust_sys::dds_topic_descriptor_t;

use crate::{COMMON, types};

#[cfg(not(user_type))]
const PAYLOADS: &[Payload] = &Payload::ALL;
#[cfg(user_type)]
const PAYLOADS: &[Payload] = &Payload::WITH_TYPE;

/// The values that have their effect here. Not among them: transport priority, by which the library
/// only chooses the thread that delivers, and which never reaches the socket; and latency budget, which
/// gathers nothing and only makes a thread of the library's send (the option `publish_mode`).
const HONOURED: &[QosValue] = &[
    QosValue::BestEffort,
    QosValue::Reliable,
    QosValue::KeepLast,
    QosValue::KeepAll,
    QosValue::Volatile,
    QosValue::TransientLocal,
    QosValue::Lifespan,
    QosValue::Deadline,
    QosValue::Partition,
    QosValue::OwnershipStrength,
    QosValue::OrderBySource,
    QosValue::ResourceLimits,
    QosValue::TimeBasedFilter,
    QosValue::LivelinessLease,
];

/// The values of an enabled writer that can change. The library refuses every policy by which
/// endpoints match, and the reader's cache never learns of a new time-based filter.
const MUTABLE: &[QosValue] = &[QosValue::Lifespan, QosValue::OwnershipStrength];

/// What governance documents are made for; the library does what they say. Not `authentication`: where
/// nothing but that is asked, the library keeps participants whose handshake has failed.
const PROFILES: &[&str] = &[
    "access_control",
    "discovery",
    "rtps_sign",
    "rtps_encrypt",
    "data_sign",
    "data_encrypt",
    "metadata_encrypt",
    "all",
];

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "cyclonedds",
    title: "Eclipse Cyclone DDS",
    transports: &[("udp", Carrier::Udp), ("tcp", Carrier::Tcp)],
    payloads: PAYLOADS,
    qos: HONOURED,
    qos_mutable: MUTABLE,
    // Synchronous: a writer delivers to readers of its own process on the thread that writes.
    // Not KeepAllInListener: the receive thread, which calls on_data, also reads the acknowledgements
    // that a blocked writer waits for.
    features: &[
        Feature::Matched,
        Feature::MatchEvents,
        Feature::WriteInListener,
        Feature::Synchronous,
        Feature::SourceTime,
        Feature::Keys,
        Feature::ContentFilter,
        Feature::Entities,
        Feature::Security,
    ],
    security: PROFILES,
    ..COMMON
};

/// Nothing is announced besides.
pub const PARTICIPANT_DATA: &str = "";
/// As the library ships: a writer that ends disposes its instances.
pub const AUTODISPOSE: Option<bool> = None;
/// The library's default for a reliable writer.
pub const MAX_BLOCKING_NS: i64 = 100_000_000;

/// As above.
pub fn endpoint_data() -> String {
    String::new()
}

/// The name of a topic on the wire.
pub fn topic(name: &str) -> String {
    name.to_owned()
}

/// The topic descriptor of a payload kind, or of the keyed type.
pub fn descriptor(kind: Payload, keyed: bool) -> Option<&'static dds_topic_descriptor_t> {
    types::descriptor(kind, keyed)
}

/// What a case leaves open is the library's default.
pub fn settled(qos: &Qos) -> Qos {
    qos.clone()
}
