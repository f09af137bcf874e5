//! The table of packets: its columns, and names of what is coded in them.

use std::sync::Arc;

use arrow_array::builder::{
    BooleanBuilder, Int64Builder, UInt8Builder, UInt16Builder, UInt32Builder, UInt64Builder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Schema};

macro_rules! columns {
    ($($(#[doc = $doc:literal])+ $name:ident: $native:ty, $builder:ident, $kind:ident;)+) => {
        /// A row: a submessage, or a packet that completes none. What it does not have is null.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Row {
            $($(#[doc = $doc])+ pub $name: Option<$native>,)+
        }

        /// Rows that wait to be written.
        #[derive(Default)]
        pub struct Builders {
            rows: usize,
            $($name: $builder,)+
        }

        impl Builders {
            /// Adds a row.
            pub fn push(&mut self, row: &Row) {
                self.rows += 1;
                $(self.$name.append_option(row.$name);)+
            }

            /// Rows so far.
            pub const fn len(&self) -> usize {
                self.rows
            }

            /// Whether there are none.
            pub const fn is_empty(&self) -> bool {
                self.rows == 0
            }

            /// The rows as a batch; there are none afterwards.
            pub fn finish(&mut self, schema: &Arc<Schema>) -> Result<RecordBatch, ArrowError> {
                self.rows = 0;
                let columns: Vec<ArrayRef> = vec![$(Arc::new(self.$name.finish()),)+];
                RecordBatch::try_new(Arc::clone(schema), columns)
            }
        }

        /// The schema of the table.
        pub fn schema() -> Schema {
            Schema::new(vec![$(Field::new(stringify!($name), DataType::$kind, true),)+])
        }
    };
}

columns! {
    /// Number of the packet in the file, from 1; of a message in several segments, of the last.
    packet: u32, UInt32Builder, UInt32;
    /// Number of the row within the packet, from 0.
    part: u16, UInt16Builder, UInt16;
    /// Time of the packet since the epoch.
    time_ns: i64, Int64Builder, Int64;
    /// Time of the packet with the first byte of the message, its length on TCP included.
    begun_ns: i64, Int64Builder, Int64;
    /// Index of the interface.
    interface: u16, UInt16Builder, UInt16;
    /// Index of the flow: interface, transport, source, destination.
    flow: u32, UInt32Builder, UInt32;
    /// Index of the protocol's name.
    protocol: u8, UInt8Builder, UInt8;
    /// Bytes of the packet on the wire, all headers included.
    wire_bytes: u32, UInt32Builder, UInt32;
    /// Bytes of the packet in the file.
    captured_bytes: u32, UInt32Builder, UInt32;
    /// Bytes of the message of RTPS or DDS-XRCE.
    message_bytes: u32, UInt32Builder, UInt32;
    /// Index of the submessage's kind.
    kind: u16, UInt16Builder, UInt16;
    /// Bytes of the submessage, its header included.
    bytes: u32, UInt32Builder, UInt32;
    /// Flags of the submessage.
    flags: u8, UInt8Builder, UInt8;
    /// Index of the GUID prefix from which it comes (RTPS).
    source: u32, UInt32Builder, UInt32;
    /// Index of the GUID prefix for which it is (RTPS).
    destination: u32, UInt32Builder, UInt32;
    /// Entity id of the writer (RTPS); object id (DDS-XRCE).
    writer: u32, UInt32Builder, UInt32;
    /// Entity id of the reader (RTPS), 0 for all; request id (DDS-XRCE).
    reader: u32, UInt32Builder, UInt32;
    /// Whether the writer belongs to discovery (RTPS).
    builtin: bool, BooleanBuilder, Boolean;
    /// Session (DDS-XRCE).
    session: u8, UInt8Builder, UInt8;
    /// Stream that the sequence numbers are of (DDS-XRCE).
    stream: u8, UInt8Builder, UInt8;
    /// Key of the client (DDS-XRCE).
    client_key: u32, UInt32Builder, UInt32;
    /// First sequence number; of ACKNACK the first that is not confirmed. Without wrapping around.
    first_seq: i64, Int64Builder, Int64;
    /// Last sequence number.
    last_seq: i64, Int64Builder, Int64;
    /// Sequence numbers or fragments that are asked for.
    missing: u32, UInt32Builder, UInt32;
    /// Numbers that an ACKNACK asks for beyond doubt, as bits: the lowest is `first_seq` (DDS-XRCE).
    asked: u16, UInt16Builder, UInt16;
    /// Count of a HEARTBEAT, an ACKNACK or a request for fragments (RTPS).
    count: u32, UInt32Builder, UInt32;
    /// Number of the first fragment (RTPS).
    fragment: u32, UInt32Builder, UInt32;
    /// Fragments that the sample has (RTPS).
    fragments: u32, UInt32Builder, UInt32;
    /// Bytes of the serialised payload, without encapsulation.
    payload_bytes: u32, UInt32Builder, UInt32;
    /// By which the payload is recognised on another hop.
    payload_hash: u64, UInt64Builder, UInt64;
    /// The same sequence number went the same way before.
    repeated: bool, BooleanBuilder, Boolean;
    /// Time of the sample by its sender (RTPS).
    source_ns: i64, Int64Builder, Int64;
    /// Flags of the segment (TCP).
    tcp_flags: u8, UInt8Builder, UInt8;
    /// Bytes of the segment's payload (TCP).
    tcp_bytes: u32, UInt32Builder, UInt32;
    /// Place in the stream behind the message, or behind the segment where it completes none (TCP).
    stream_end: i64, Int64Builder, Int64;
    /// Place in the stream behind the segment (TCP).
    segment_end: i64, Int64Builder, Int64;
    /// Place in the opposite stream up to which the segment acknowledges (TCP).
    acked: i64, Int64Builder, Int64;
    /// The segment has bytes that were there before (TCP).
    retransmission: bool, BooleanBuilder, Boolean;
    /// The segment came before others that it follows (TCP).
    out_of_order: bool, BooleanBuilder, Boolean;
    /// Packets that carried what ends with this one: of a stream all since the message before, of a
    /// datagram all fragments of IP.
    carrying_packets: u32, UInt32Builder, UInt32;
    /// Their bytes on the wire.
    carrying_bytes: u64, UInt64Builder, UInt64;
    /// Cookie of Busmark's run.
    cookie: u64, UInt64Builder, UInt64;
    /// Number of the writer within Busmark's run.
    sample_writer: u32, UInt32Builder, UInt32;
    /// Number of the sample within that writer.
    sample_seq: u64, UInt64Builder, UInt64;
    /// Flags of the sample.
    sample_flags: u32, UInt32Builder, UInt32;
    /// Bits: 1 bytes were not captured, 2 the message is malformed.
    faults: u8, UInt8Builder, UInt8;
}

/// Names of protocols, by their index.
pub const PROTOCOLS: [&str; 8] =
    ["other", "udp", "tcp", "rtps", "xrce", "busmark", "fragment", "copy"];

/// Indexes of [`PROTOCOLS`].
pub mod protocol {
    #![allow(missing_docs)]
    pub const OTHER: u8 = 0;
    pub const UDP: u8 = 1;
    pub const TCP: u8 = 2;
    pub const RTPS: u8 = 3;
    pub const XRCE: u8 = 4;
    pub const OWN: u8 = 5;
    pub const FRAGMENT: u8 = 6;
    pub const COPY: u8 = 7;
}

/// Kinds of RTPS are their ids, kinds of DDS-XRCE their ids and this.
pub const XRCE_KINDS: u16 = 256;
/// A sample of Busmark's.
pub const SAMPLE_KIND: u16 = 512;

/// Name of a kind that has one.
pub fn kind_name(kind: u16) -> Option<&'static str> {
    const XRCE: [&str; 16] = [
        "CREATE_CLIENT",
        "CREATE",
        "GET_INFO",
        "DELETE",
        "STATUS_AGENT",
        "STATUS",
        "INFO",
        "WRITE_DATA",
        "READ_DATA",
        "DATA",
        "ACKNACK",
        "HEARTBEAT",
        "RESET",
        "FRAGMENT",
        "TIMESTAMP",
        "TIMESTAMP_REPLY",
    ];
    if kind == SAMPLE_KIND {
        return Some("SAMPLE");
    }
    if let Some(id) = kind.checked_sub(XRCE_KINDS) {
        return XRCE.get(usize::from(id)).copied();
    }
    Some(match kind {
        0x00 => "HEADER_EXTENSION",
        0x01 => "PAD",
        0x06 => "ACKNACK",
        0x07 => "HEARTBEAT",
        0x08 => "GAP",
        0x09 => "INFO_TS",
        0x0c => "INFO_SRC",
        0x0d => "INFO_REPLY_IP4",
        0x0e => "INFO_DST",
        0x0f => "INFO_REPLY",
        0x12 => "NACK_FRAG",
        0x13 => "HEARTBEAT_FRAG",
        0x15 => "DATA",
        0x16 => "DATA_FRAG",
        0x30 => "SEC_BODY",
        0x31 => "SEC_PREFIX",
        0x32 => "SEC_POSTFIX",
        0x33 => "SRTPS_PREFIX",
        0x34 => "SRTPS_POSTFIX",
        _ => return None,
    })
}

/// Bits of the column `faults`.
pub mod fault {
    /// Bytes were not captured.
    pub const CUT_OFF: u8 = 1;
    /// The message is malformed.
    pub const MALFORMED: u8 = 2;
}
