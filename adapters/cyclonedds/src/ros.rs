//! What the adapter `ros-cyclonedds` declares and sends: names, types and defaults of ROS 2.
//!
//! They are what `rmw_cyclonedds_cpp` gives to the library, so that ROS's nodes and this adapter's
//! endpoints match.

use std::mem::offset_of;

use busmark_adapter::{Capabilities, Carrier, Feature, Header, Payload, QosValue};
pub use busmark_ros::settled;
use cyclonedds_rust_sys::dds_topic_descriptor_t;

use crate::COMMON;
use crate::options::OPTIONS;
use crate::types::{ADR, Descriptor, HEADER, Native, RTS, SUBTYPE_1BY, TYPE_SEQ, describe, join};

/// What the adapter declares.
pub const CAPABILITIES: Capabilities = Capabilities {
    name: "ros-cyclonedds",
    title: "Cyclone DDS as ROS 2 speaks it",
    transports: &[("udp", Carrier::Udp), ("shipped", Carrier::Udp)],
    // Without the one of TCP.
    options: OPTIONS.split_at(OPTIONS.len() - 1).0,
    payloads: &[Payload::Octet],
    // The policies that a node of ROS can choose.
    qos: &[
        QosValue::BestEffort,
        QosValue::Reliable,
        QosValue::KeepLast,
        QosValue::KeepAll,
        QosValue::Volatile,
        QosValue::TransientLocal,
        QosValue::Lifespan,
        QosValue::Deadline,
        QosValue::LivelinessLease,
    ],
    qos_mutable: &[],
    // As of the adapter cyclonedds, without what ROS has not.
    features: &[
        Feature::Matched,
        Feature::MatchEvents,
        Feature::WriteInListener,
        Feature::Synchronous,
        Feature::SourceTime,
    ],
    security: &[],
    ..COMMON
};

/// The security enclave of a context, which ROS announces with the participant.
pub const PARTICIPANT_DATA: &str = "enclave=/;";
/// A writer that ends leaves its instances.
pub const AUTODISPOSE: Option<bool> = Some(false);
/// A reliable writer waits until there is room.
pub const MAX_BLOCKING_NS: i64 = i64::MAX;

/// The hash of the type's description, which ROS announces with endpoints.
pub fn endpoint_data() -> String {
    format!("typehash={};", busmark_ros::HASH)
}

/// The name of a topic on the wire, with ROS's prefix.
pub fn topic(name: &str) -> String {
    format!("rt/{}", busmark_ros::topic(name))
}

/// `busmark_msgs/msg/Sample`: the members of the header, and the body.
static SAMPLE_OPS: [u32; 21] = join(&[
    // Without its end.
    HEADER.split_at(HEADER.len() - 1).0,
    &[ADR | TYPE_SEQ | SUBTYPE_1BY, offset_of!(Native, body) as u32, RTS],
]);
static SAMPLE: Descriptor = describe(c"busmark_msgs::msg::dds_::Sample_", &SAMPLE_OPS, 11);

// The members of the header are the message's own.
const _: () = assert!(offset_of!(Native, header) == 0 && offset_of!(Native, body) >= Header::BYTES);

/// The topic descriptor of the message.
pub fn descriptor(kind: Payload, keyed: bool) -> Option<&'static dds_topic_descriptor_t> {
    (kind == Payload::Octet && !keyed).then_some(&SAMPLE.0)
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;

    #[test]
    fn the_type_has_the_name_that_adapters_of_ros_share() {
        let descriptor = descriptor(Payload::Octet, false).expect("the message");
        // SAFETY: the name is a constant of the adapter.
        let name = unsafe { CStr::from_ptr(descriptor.m_typename) };
        assert_eq!(name.to_str(), Ok(busmark_ros::TYPE));
    }
}
