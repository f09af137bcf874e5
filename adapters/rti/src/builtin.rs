//! Structures of the library's built-in topics and of QoS, as far as they are read (C37).
//!
//! Members and their order are in RTI's public reference of the C API; where they lie, a run shows
//! (`NOTES.md`). A test compares what comes of them with what was asked for.

use std::mem::offset_of;

use busmark_adapter::Guid;

use crate::ffi::{Duration, Text};
use crate::sequence::SEQUENCE_BYTES;

/// A sequence of the library, within a structure.
#[repr(C, align(8))]
pub struct Seq([u8; SEQUENCE_BYTES]);

/// `DDS_BuiltinTopicKey_t`: numbers whose bytes, the highest first, are the GUID.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Key([u32; 4]);

impl Key {
    /// As RTPS has it.
    pub fn guid(self) -> Guid {
        let mut guid = [0; 16];
        for (bytes, word) in guid.chunks_exact_mut(4).zip(self.0) {
            bytes.copy_from_slice(&word.to_be_bytes());
        }
        Guid(guid)
    }
}

/// `DDS_DurabilityQosPolicy`.
#[repr(C)]
pub struct Durability {
    /// Volatile, transient local, transient, persistent.
    pub kind: i32,
    direct_communication: u8,
    writer_depth: i32,
}

/// `DDS_DurabilityServiceQosPolicy`.
#[repr(C)]
pub struct DurabilityService {
    cleanup_delay: Duration,
    history: [i32; 2],
    resource_limits: [i32; 3],
}

/// `DDS_LivelinessQosPolicy`.
#[repr(C)]
pub struct Liveliness {
    /// Automatic, manual by participant, manual by topic.
    pub kind: i32,
    /// Without end as shipped.
    pub lease: Duration,
    assertions_per_lease: i32,
}

/// `DDS_ReliabilityQosPolicy`.
#[repr(C)]
pub struct Reliability {
    /// Best effort, reliable.
    pub kind: i32,
    /// For writers.
    pub max_blocking_time: Duration,
    acknowledgment_kind: i32,
}

/// `DDS_DestinationOrderQosPolicy`.
#[repr(C)]
pub struct DestinationOrder {
    /// By reception, by source.
    pub kind: i32,
    scope: i32,
    tolerance: Duration,
}

/// `DDS_PresentationQosPolicy`.
#[repr(C)]
pub struct Presentation {
    /// Instance, topic, group.
    pub scope: i32,
    /// A boolean.
    pub coherent: u8,
    /// A boolean.
    pub ordered: u8,
    drop_incomplete: u8,
}

/// `DDS_HistoryQosPolicy`.
#[repr(C)]
pub struct History {
    /// Keep last, keep all.
    pub kind: i32,
    /// For keep last.
    pub depth: i32,
}

/// `DDS_ParticipantBuiltinTopicData`.
#[repr(C)]
pub struct Participant {
    /// Its GUID.
    pub key: Key,
    user_data: Seq,
    /// Such as the host's name.
    pub property: Seq,
    protocol_version: [u8; 2],
    /// Its number, the higher byte first.
    pub vendor: [u8; 2],
    between: [u8; 236],
    /// Or NULL.
    pub name: Text,
}

/// `DDS_PublicationBuiltinTopicData`.
#[repr(C)]
pub struct Publication {
    /// Its GUID.
    pub key: Key,
    /// Whose it is.
    pub participant: Key,
    /// A text.
    pub topic: Text,
    /// A text.
    pub type_name: Text,
    _unknown: i32,
    /// As announced, as are those that follow.
    pub durability: Durability,
    durability_service: DurabilityService,
    /// A period.
    pub deadline: Duration,
    /// A time.
    pub latency_budget: Duration,
    /// Kind and lease.
    pub liveliness: Liveliness,
    /// Kind and time.
    pub reliability: Reliability,
    /// A time.
    pub lifespan: Duration,
    user_data: Seq,
    /// Shared, exclusive.
    pub ownership: i32,
    /// For exclusive ownership.
    pub ownership_strength: i32,
    /// By which time stamp.
    pub destination_order: DestinationOrder,
    /// From the publisher.
    pub presentation: Presentation,
    /// From the publisher.
    pub partition: Seq,
    topic_data: Seq,
    group_data: Seq,
    type_code: Text,
    /// Numbers of encodings.
    pub representation: Seq,
    between: [u8; 384],
    /// Or NULL.
    pub name: Text,
}

/// `DDS_SubscriptionBuiltinTopicData`.
#[repr(C)]
pub struct Subscription {
    /// Its GUID.
    pub key: Key,
    /// Whose it is.
    pub participant: Key,
    /// A text.
    pub topic: Text,
    /// A text.
    pub type_name: Text,
    /// As announced, as are those that follow.
    pub durability: Durability,
    /// A period.
    pub deadline: Duration,
    /// A time.
    pub latency_budget: Duration,
    /// Kind and lease.
    pub liveliness: Liveliness,
    /// Kind.
    pub reliability: Reliability,
    /// Shared, exclusive.
    pub ownership: i32,
    /// By which time stamp.
    pub destination_order: DestinationOrder,
    user_data: Seq,
    /// A separation.
    pub time_based_filter: Duration,
    /// From the subscriber.
    pub presentation: Presentation,
    /// From the subscriber.
    pub partition: Seq,
    topic_data: Seq,
    group_data: Seq,
    type_consistency: [u32; 2],
    types: [Text; 2],
    /// Numbers of encodings.
    pub representation: Seq,
    between: [u8; 472],
    /// Or NULL.
    pub name: Text,
}

/// `DDS_DataWriterQos`, the part that is read.
#[repr(C)]
pub struct WriterQos {
    /// As it was made or changed, as are those that follow.
    pub durability: Durability,
    durability_service: DurabilityService,
    /// A period.
    pub deadline: Duration,
    /// A time.
    pub latency_budget: Duration,
    /// Kind and lease.
    pub liveliness: Liveliness,
    /// Kind and time.
    pub reliability: Reliability,
    /// By which time stamp.
    pub destination_order: DestinationOrder,
    /// Kind and depth.
    pub history: History,
    /// The first of the limits.
    pub max_samples: i32,
    other_limits: [i32; 5],
    /// On the wire.
    pub transport_priority: i32,
    /// A time.
    pub lifespan: Duration,
    user_data: Seq,
    /// Shared, exclusive.
    pub ownership: i32,
    /// For exclusive ownership.
    pub ownership_strength: i32,
    data_lifecycle: [u32; 6],
    /// Numbers of encodings.
    pub representation: Seq,
}

/// `DDS_DataReaderQos`, the part that is read.
#[repr(C)]
pub struct ReaderQos {
    /// As it was made or changed, as are those that follow.
    pub durability: Durability,
    /// A period.
    pub deadline: Duration,
    /// A time.
    pub latency_budget: Duration,
    /// Kind and lease.
    pub liveliness: Liveliness,
    /// Kind.
    pub reliability: Reliability,
    /// By which time stamp.
    pub destination_order: DestinationOrder,
    /// Kind and depth.
    pub history: History,
    /// The first of the limits.
    pub max_samples: i32,
    other_limits: [i32; 6],
    user_data: Seq,
    /// Shared, exclusive.
    pub ownership: i32,
    /// A separation.
    pub time_based_filter: Duration,
    autopurge_nowriter_samples: Duration,
    /// When samples of an instance that was disposed go, without end as shipped.
    pub autopurge_disposed_samples: Duration,
    autopurge_instances: [Duration; 2],
    _padding: u32,
    /// Numbers of encodings.
    pub representation: Seq,
}

/// `DDS_PublisherQos` and `DDS_SubscriberQos`, the part that is read.
#[repr(C)]
pub struct GroupQos {
    /// For all samples.
    pub presentation: Presentation,
    /// Names.
    pub partition: Seq,
}

/// Any QoS: the known part, and room for the rest.
#[repr(C, align(8))]
pub struct QosRoom(pub [u64; 2048]);

const _: () = {
    assert!(offset_of!(Participant, property) == 88 && offset_of!(Participant, name) == 400);
    assert!(offset_of!(Participant, vendor) == 162);
    assert!(offset_of!(Publication, ownership) == 224 && offset_of!(Publication, partition) == 256);
    assert!(offset_of!(Publication, representation) == 480 && offset_of!(Publication, name) == 936);
    assert!(offset_of!(Subscription, time_based_filter) == 200);
    assert!(offset_of!(Subscription, partition) == 216);
    assert!(offset_of!(Subscription, representation) == 456);
    assert!(offset_of!(Subscription, name) == 1000);
    assert!(offset_of!(WriterQos, transport_priority) == 136);
    assert!(offset_of!(WriterQos, ownership) == 224);
    assert!(offset_of!(WriterQos, representation) == 256);
    assert!(offset_of!(ReaderQos, ownership) == 184);
    assert!(offset_of!(ReaderQos, autopurge_disposed_samples) == 204);
    assert!(offset_of!(ReaderQos, representation) == 232);
    assert!(offset_of!(GroupQos, partition) == 8);
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_guid_of_four_numbers() {
        let guid = Key([0x0110_a1f9, 0x446d_b162, 0xa93f_5f6d, 0x1c1]).guid();
        assert_eq!(guid.to_string(), "0110a1f9446db162a93f5f6d000001c1");
    }
}
