//! What is known of a capture beside its rows.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::contents::Content;
use crate::costs::Cost;
use crate::file::{Fault, Interface};

/// Printed as JSON beside the table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Version of this document.
    pub busmark_packets: u32,
    /// `pcap` or `pcapng`, with `.gz` where it is compressed.
    pub format: String,
    /// Packets read.
    pub packets: u64,
    /// Their bytes on the wire.
    pub wire_bytes: u64,
    /// Rows of the table.
    pub rows: u64,
    /// Time of the earliest packet.
    pub first_ns: Option<i64>,
    /// Time of the latest packet.
    pub last_ns: Option<i64>,
    /// Why reading ended before the end of the file.
    pub fault: Option<Fault>,
    /// Where packets were captured.
    pub interfaces: Vec<Interface>,
    /// By the index in the table.
    pub flows: Vec<Flow>,
    /// GUID prefixes as hexadecimal digits, by their index in the table.
    pub prefixes: Vec<String>,
    /// Indexes of those whose participants are not the run's; none where that is not known.
    pub foreign_prefixes: Vec<u32>,
    /// Names of protocols by the index in the table.
    pub protocols: Vec<&'static str>,
    /// Names of kinds by the number in the table; a vendor's own have none.
    pub kinds: BTreeMap<u16, &'static str>,
    /// How often something was noticed that limits what the table says.
    pub noticed: Noticed,
    /// The last whole sample of each writer, where that is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contents: Vec<Content>,
}

/// Packets from one end to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Flow {
    /// Index of the interface.
    pub interface: u16,
    /// `udp`, `tcp` or `serial`.
    pub transport: &'static str,
    /// Address.
    pub source: String,
    /// Port.
    pub source_port: u16,
    /// Address.
    pub destination: String,
    /// Port.
    pub destination_port: u16,
    /// Packets.
    pub packets: u64,
    /// Their bytes on the wire.
    pub wire_bytes: u64,
    /// What its packets are for. Fragments of IP whose datagram is never complete are not in it.
    pub costs: BTreeMap<&'static str, Cost>,
    /// Messages of DDS-XRCE.
    pub xrce_messages: u64,
    /// Datagrams that are no message of a known protocol.
    pub other_messages: u64,
    /// A client and an agent have greeted each other in this flow.
    pub greeted: bool,
    /// Bytes of a stream of TCP in which no message was found, though others were.
    pub lost_bytes: u64,
    /// Segments of TCP of which bytes were not captured; 0 where the stream is of another protocol.
    pub cut_off_segments: u64,
    /// Bytes of TCP that were not captured and belong to no message of known length.
    pub unread_bytes: u64,
    /// Messages of DDS-XRCE of which too little was captured to say what they are.
    pub unread_messages: u64,
    /// Bytes that have to be captured of a packet to read lengths and numbers in this flow.
    pub telling_bytes: u32,
    /// Bytes of the largest packet of which bytes were not captured.
    pub whole_bytes: u32,
}

/// Counts of what limits the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Noticed {
    /// Packets of which bytes were not captured.
    pub cut_off_packets: u64,
    /// Packets that are earlier than one before them in the file.
    pub earlier_packets: u64,
    /// By how much, at most.
    pub earlier_by_ns: i64,
    /// Packets without a time.
    pub timeless_packets: u64,
    /// Packets of a link type that is not taken apart.
    pub unknown_link_packets: u64,
    /// Packets that are neither UDP nor TCP.
    pub other_packets: u64,
    /// Packets that were on another interface before, and are not read again.
    pub copied_packets: u64,
    /// IP datagrams of which fragments are missing.
    pub incomplete_datagrams: u64,
    /// Messages that are shorter than they must be.
    pub malformed_messages: u64,
    /// Bytes of TCP that the capture does not have.
    pub missing_stream_bytes: u64,
    /// Frames of a serial line whose checksum is wrong.
    pub damaged_frames: u64,
    /// Packets of flows, and GUID prefixes, for which there was no more room.
    pub beyond_bounds: u64,
}
