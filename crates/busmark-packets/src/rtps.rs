//! RTPS 2.5: the header of a message, and its submessages.

use std::net::IpAddr;

use crate::bytes::{Order, array};
use crate::link::Endpoint;

/// Bytes of a message's header.
pub const HEADER: usize = 20;

/// First part of a GUID: the participant.
pub type Prefix = [u8; 12];

/// Ids of submessages (RTPS 2.5, 9.4.5.1.1); from 0x80 on they are a vendor's own.
pub mod id {
    #![allow(missing_docs)]
    pub const HEADER_EXTENSION: u8 = 0x00;
    pub const PAD: u8 = 0x01;
    pub const ACKNACK: u8 = 0x06;
    pub const HEARTBEAT: u8 = 0x07;
    pub const GAP: u8 = 0x08;
    pub const INFO_TS: u8 = 0x09;
    pub const INFO_SRC: u8 = 0x0c;
    pub const INFO_DST: u8 = 0x0e;
    pub const NACK_FRAG: u8 = 0x12;
    pub const HEARTBEAT_FRAG: u8 = 0x13;
    pub const DATA: u8 = 0x15;
    pub const DATA_FRAG: u8 = 0x16;
    /// What is between `SEC_PREFIX` and `SEC_POSTFIX`, encrypted (DDS Security 1.1, 7.3.7.3).
    pub const SEC_BODY: u8 = 0x30;
}

/// Whether the entity belongs to discovery (RTPS 2.5, 9.3.1.2).
pub const fn is_builtin(entity: u32) -> bool {
    entity & 0xC0 == 0xC0
}

/// Whether the entity serves authentication (`ParticipantStatelessMessage`) or the exchange of keys
/// (`ParticipantVolatileMessageSecure`; DDS Security 1.1, table 10).
pub const fn is_handshake(entity: u32) -> bool {
    matches!(entity, 0x0002_01c3 | 0x0002_01c4 | 0xff02_02c3 | 0xff02_02c4)
}

/// Whether a writer announces endpoints: their topics are in its samples.
pub const fn names_topics(writer: u32) -> bool {
    matches!(writer, 0x0000_03c2 | 0x0000_04c2)
}

/// Header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Major and minor version.
    pub version: [u8; 2],
    /// Vendor of the sender's middleware.
    pub vendor: [u8; 2],
    /// The sender.
    pub prefix: Prefix,
}

impl Header {
    /// Reads it; `None` where these bytes are no message of RTPS.
    pub fn read(message: &[u8]) -> Option<Self> {
        if message.get(..4)? != b"RTPS" {
            return None;
        }
        Some(Self {
            version: array(message, 4)?,
            vendor: array(message, 6)?,
            prefix: array(message, 8)?,
        })
    }
}

/// What a submessage is, with what is read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "fields have the specification's names")]
pub enum Body<'a> {
    /// DATA and `DATA_FRAG`.
    Data {
        /// Entity id, 0 for all readers.
        reader: u32,
        /// Entity id.
        writer: u32,
        /// Number of the sample.
        seq: i64,
        /// Serialised payload, its encapsulation included; `None` without one.
        payload: Option<&'a [u8]>,
        /// Where it is a fragment.
        fragment: Option<Fragment>,
    },
    /// HEARTBEAT: what the writer has.
    Heartbeat { reader: u32, writer: u32, first: i64, last: i64, count: u32 },
    /// ACKNACK: all below `base` is confirmed, `missing` are asked for.
    AckNack { reader: u32, writer: u32, base: i64, missing: u32, last: i64, count: u32 },
    /// GAP: from `first` to `last`, numbers that are not sent.
    Gap { reader: u32, writer: u32, first: i64, last: i64 },
    /// `NACK_FRAG`: fragments of a sample that are asked for.
    NackFrag { reader: u32, writer: u32, seq: i64, first_fragment: u32, missing: u32, count: u32 },
    /// `HEARTBEAT_FRAG`: fragments of a sample that there are.
    HeartbeatFrag { reader: u32, writer: u32, seq: i64, last_fragment: u32, count: u32 },
    /// `INFO_TS`: time of what follows; `None` ends it.
    Time(Option<i64>),
    /// `INFO_DST`: whom what follows is for.
    Destination(Prefix),
    /// `INFO_SRC`: who has sent what follows.
    Source(Prefix),
    /// Known, and nothing is read of it; or a vendor's own.
    Other,
    /// Shorter than its kind must be.
    Malformed,
}

/// Which fragments a `DATA_FRAG` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Number of the first, from 1.
    pub first: u32,
    /// How many.
    pub count: u16,
    /// Bytes of each but the last.
    pub bytes: u16,
    /// Bytes of the whole sample.
    pub sample_bytes: u32,
}

/// A submessage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submessage<'a> {
    /// What kind; see [`id`].
    pub id: u8,
    /// Bit 0 is the byte order.
    pub flags: u8,
    /// Its header included.
    pub bytes: usize,
    /// How many of these are there.
    pub captured: usize,
    /// What is read of it.
    pub body: Body<'a>,
}

/// Submessages of a message, up to its end or to where it is cut off.
#[derive(Clone, Debug)]
pub struct Submessages<'a> {
    rest: &'a [u8],
    cut_off: bool,
}

impl<'a> Submessages<'a> {
    /// Those of this message, whose header has been read.
    pub fn of(message: &'a [u8]) -> Self {
        Self { rest: message.get(HEADER..).unwrap_or(&[]), cut_off: false }
    }

    /// Whether the message ended within a submessage.
    pub const fn is_cut_off(&self) -> bool {
        self.cut_off
    }
}

impl<'a> Iterator for Submessages<'a> {
    type Item = Submessage<'a>;

    fn next(&mut self) -> Option<Submessage<'a>> {
        let (&[id, flags, ..], 4..) = (self.rest, self.rest.len()) else {
            self.cut_off |= !self.rest.is_empty();
            self.rest = &[];
            return None;
        };
        let order = Order::of_flags(flags);
        let declared = usize::from(order.u16(self.rest, 2)?);
        // Length 0 means up to the end of the message, but for the two kinds that may be empty.
        let to_the_end = declared == 0 && !matches!(id, id::PAD | id::INFO_TS);
        let there = self.rest.len() - 4;
        let length = if to_the_end { there } else { declared.min(there) };
        self.cut_off |= declared > there;
        let content = &self.rest[4..4 + length];
        self.rest = &self.rest[4 + length..];
        let body = read(id, flags, order, content).unwrap_or(Body::Malformed);
        let bytes = 4 + declared.max(length);
        Some(Submessage { id, flags, bytes, captured: 4 + length, body })
    }
}

fn read(id: u8, flags: u8, order: Order, content: &[u8]) -> Option<Body<'_>> {
    let word = |at| order.u32(content, at);
    let entity = |at| Order::Big.u32(content, at);
    let number = |at| sequence_number(order, content, at);
    Some(match id {
        id::DATA | id::DATA_FRAG => return data(id, flags, order, content),
        id::HEARTBEAT => Body::Heartbeat {
            reader: entity(0)?,
            writer: entity(4)?,
            first: number(8)?,
            last: number(16)?,
            count: word(24)?,
        },
        id::ACKNACK => {
            let set = Set::read(order, content, 16)?;
            let base = number(8)?;
            let last = base.saturating_add(i64::from(set.bits)).saturating_sub(1);
            let count = word(set.end)?;
            Body::AckNack {
                reader: entity(0)?,
                writer: entity(4)?,
                base,
                missing: set.ones,
                last,
                count,
            }
        }
        id::GAP => {
            let set = Set::read(order, content, 24)?;
            let base = number(16)?;
            let last = base.saturating_add(i64::from(set.leading)).saturating_sub(1);
            Body::Gap { reader: entity(0)?, writer: entity(4)?, first: number(8)?, last }
        }
        id::NACK_FRAG => {
            let set = Set::read(order, content, 20)?;
            Body::NackFrag {
                reader: entity(0)?,
                writer: entity(4)?,
                seq: number(8)?,
                first_fragment: word(16)?,
                missing: set.ones,
                count: word(set.end)?,
            }
        }
        id::HEARTBEAT_FRAG => Body::HeartbeatFrag {
            reader: entity(0)?,
            writer: entity(4)?,
            seq: number(8)?,
            last_fragment: word(16)?,
            count: word(20)?,
        },
        id::INFO_TS if flags & 2 != 0 => Body::Time(None),
        id::INFO_TS => {
            let (seconds, fraction) = (word(0)?.cast_signed(), word(4)?);
            let ns = (u64::from(fraction) * 1_000_000_000) >> 32;
            Body::Time(Some(i64::from(seconds) * 1_000_000_000 + ns as i64))
        }
        id::INFO_DST => Body::Destination(array(content, 0)?),
        id::INFO_SRC => Body::Source(array(content, 8)?),
        _ => Body::Other,
    })
}

fn data(id: u8, flags: u8, order: Order, content: &[u8]) -> Option<Body<'_>> {
    let to_qos = usize::from(order.u16(content, 2)?);
    let fragment = if id == id::DATA_FRAG {
        Some(Fragment {
            first: order.u32(content, 20)?,
            count: order.u16(content, 24)?,
            bytes: order.u16(content, 26)?,
            sample_bytes: order.u32(content, 28)?,
        })
    } else {
        None
    };
    // Payload of data or of a key; a fragment always has one.
    let has_payload = fragment.is_some() || flags & 0x0C != 0;
    let mut payload = None;
    if has_payload {
        let mut at = 4 + to_qos;
        if flags & 2 != 0 {
            at = after_parameters(order, content, at)?;
        }
        payload = Some(content.get(at..)?);
    }
    Some(Body::Data {
        reader: Order::Big.u32(content, 4)?,
        writer: Order::Big.u32(content, 8)?,
        seq: sequence_number(order, content, 12)?,
        payload,
        fragment,
    })
}

/// Place behind a list of parameters.
fn after_parameters(order: Order, content: &[u8], mut at: usize) -> Option<usize> {
    const SENTINEL: u16 = 1;
    loop {
        let id = order.u16(content, at)?;
        let length = usize::from(order.u16(content, at + 2)?);
        if id == SENTINEL {
            return Some(at + 4);
        }
        at = at.checked_add(4 + length)?;
    }
}

/// What a list of parameters of discovery says of its participant (RTPS 2.5, 9.6.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Announced<'a> {
    /// Name of a topic that it writes or reads.
    Topic(&'a [u8]),
    /// Where it receives datagrams.
    Receives(Endpoint),
}

/// What this payload announces, as far as it is there; nothing where it is no list of parameters.
pub fn announced(payload: &[u8]) -> Vec<Announced<'_>> {
    // PL_CDR and PL_CDR2 in either order.
    let is_list = matches!(payload, [0, 2 | 3 | 10 | 11, _, _, ..]);
    let mut found = Vec::new();
    let mut rest = payload.get(4..).filter(|_| is_list).unwrap_or_default();
    let order = Order::of_flags(payload.get(1).copied().unwrap_or(0));
    while let (Some(id), Some(length)) = (order.u16(rest, 0), order.u16(rest, 2)) {
        let Some(value) = rest.get(4..4 + usize::from(length)) else { break };
        match id {
            1 => break,
            5 => found.extend(topic(order, value)),
            0x2f | 0x31 | 0x32 => found.extend(receives(order, value)),
            _ => (),
        }
        rest = &rest[4 + usize::from(length)..];
    }
    found
}

fn topic(order: Order, value: &[u8]) -> Option<Announced<'_>> {
    let length = order.u32(value, 0)? as usize;
    Some(Announced::Topic(value.get(4..length.checked_add(4)?)?))
}

fn receives(order: Order, value: &[u8]) -> Option<Announced<'_>> {
    let port = u16::try_from(order.u32(value, 4)?).ok()?;
    let address = match order.u32(value, 0)? {
        1 => IpAddr::from(array::<4>(value, 20)?),
        2 => IpAddr::from(array::<16>(value, 8)?),
        _ => return None,
    };
    Some(Announced::Receives(Endpoint { address, port }))
}

fn sequence_number(order: Order, content: &[u8], at: usize) -> Option<i64> {
    let high = order.u32(content, at)?.cast_signed();
    let low = order.u32(content, at + 4)?;
    Some(i64::from(high) << 32 | i64::from(low))
}

/// A set of numbers: how many bits, how many of them one, and where it ends.
struct Set {
    bits: u32,
    ones: u32,
    /// Ones from the first bit on.
    leading: u32,
    end: usize,
}

impl Set {
    fn read(order: Order, content: &[u8], at: usize) -> Option<Self> {
        let bits = order.u32(content, at)?;
        if bits > 256 {
            return None;
        }
        let words = bits.div_ceil(32) as usize;
        let (mut ones, mut leading) = (0, 0);
        for index in 0..words {
            let used = (bits - index as u32 * 32).min(32);
            let mask = if used == 32 { u32::MAX } else { !(u32::MAX >> used) };
            let word = order.u32(content, at + 4 + index * 4)? & mask;
            if leading == index as u32 * 32 {
                leading += word.leading_ones();
            }
            ones += word.count_ones();
        }
        Some(Self { bits, ones, leading, end: at + 4 + words * 4 })
    }
}
