//! DDS-XRCE 1.0: the header of a message, and its submessages.

use crate::bytes::{Order, array};

/// Ids of submessages (DDS-XRCE 1.0, 8.3.5).
pub mod id {
    #![allow(missing_docs)]
    pub const CREATE_CLIENT: u8 = 0;
    pub const CREATE: u8 = 1;
    pub const GET_INFO: u8 = 2;
    pub const DELETE: u8 = 3;
    pub const STATUS_AGENT: u8 = 4;
    pub const STATUS: u8 = 5;
    pub const INFO: u8 = 6;
    pub const WRITE_DATA: u8 = 7;
    pub const READ_DATA: u8 = 8;
    pub const DATA: u8 = 9;
    pub const ACKNACK: u8 = 10;
    pub const HEARTBEAT: u8 = 11;
    pub const RESET: u8 = 12;
    pub const FRAGMENT: u8 = 13;
    pub const TIMESTAMP: u8 = 14;
    pub const TIMESTAMP_REPLY: u8 = 15;
}

/// Sessions below this have the client's key in the header.
const WITHOUT_KEY: u8 = 0x80;
/// Streams from this on are reliable; 0 is no stream.
pub const RELIABLE: u8 = 0x80;

/// Header of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Id of the session between client and agent.
    pub session: u8,
    /// 0: none, below 128: best effort, else reliable.
    pub stream: u8,
    /// Within the stream.
    pub seq: u16,
    /// Where the session asks for it.
    pub client_key: Option<u32>,
    /// Bytes of the header.
    pub bytes: usize,
}

impl Header {
    /// Reads it.
    pub fn read(message: &[u8]) -> Option<Self> {
        let [session, stream] = array(message, 0)?;
        let seq = Order::Little.u16(message, 2)?;
        let keyed = session < WITHOUT_KEY;
        let client_key = if keyed { Some(Order::Big.u32(message, 4)?) } else { None };
        Some(Self { session, stream, seq, client_key, bytes: if keyed { 8 } else { 4 } })
    }
}

/// What a submessage is, with what is read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "fields have the specification's names")]
pub enum Body<'a> {
    /// `CREATE_CLIENT`: the client's key, and the session that it asks for.
    CreateClient { client_key: u32, session: u8 },
    /// `WRITE_DATA` and DATA.
    Data { request: u16, object: u16, payload: &'a [u8] },
    /// ACKNACK: all below `first_unacked` of the stream is confirmed, `missing` are asked for; of
    /// these `asked` has the numbers, see [`asked`].
    AckNack { first_unacked: u16, missing: u32, asked: u16, stream: u8 },
    /// HEARTBEAT: what the sender has of the stream.
    Heartbeat { first_unacked: u16, last: u16, stream: u8 },
    /// FRAGMENT of a message.
    Fragment { payload: &'a [u8], last: bool },
    /// CREATE, `GET_INFO`, DELETE, STATUS, INFO, `READ_DATA`.
    Request { request: u16, object: u16 },
    /// `STATUS_AGENT`, RESET, TIMESTAMP, `TIMESTAMP_REPLY`, and what is not known.
    Other,
    /// Shorter than its kind must be.
    Malformed,
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
    /// What is read of it.
    pub body: Body<'a>,
}

/// Submessages of a message, up to its end or to where it is cut off.
#[derive(Clone, Debug)]
pub struct Submessages<'a> {
    message: &'a [u8],
    at: usize,
    cut_off: bool,
}

impl<'a> Submessages<'a> {
    /// Those of a message, from here on.
    pub const fn of(message: &'a [u8], at: usize) -> Self {
        Self { message, at, cut_off: false }
    }

    /// Whether the message ended within a submessage.
    pub const fn is_cut_off(&self) -> bool {
        self.cut_off
    }
}

impl<'a> Iterator for Submessages<'a> {
    type Item = Submessage<'a>;

    fn next(&mut self) -> Option<Submessage<'a>> {
        // Each begins at a multiple of four bytes from the beginning of the message.
        let start = self.at.next_multiple_of(4);
        let rest = self.message.get(start..).unwrap_or(&[]);
        let (&[id, flags, ..], 4..) = (rest, rest.len()) else {
            self.cut_off |= !rest.is_empty();
            self.at = self.message.len();
            return None;
        };
        let declared = usize::from(Order::Little.u16(rest, 2)?);
        let there = rest.len() - 4;
        self.cut_off |= declared > there;
        let content = &rest[4..4 + declared.min(there)];
        self.at = start + 4 + content.len();
        let body = read(id, flags, content).unwrap_or(Body::Malformed);
        Some(Submessage { id, flags, bytes: 4 + declared, body })
    }
}

fn read(id: u8, flags: u8, content: &[u8]) -> Option<Body<'_>> {
    let order = Order::of_flags(flags);
    let content = if id == id::ACKNACK { within(content, order) } else { content };
    Some(match id {
        id::CREATE_CLIENT => {
            // Cookie, version, vendor, then key and session.
            if content.get(..4)? != b"XRCE" {
                return None;
            }
            Body::CreateClient {
                client_key: Order::Big.u32(content, 8)?,
                session: *content.get(12)?,
            }
        }
        id::WRITE_DATA | id::DATA => Body::Data {
            request: Order::Big.u16(content, 0)?,
            object: Order::Big.u16(content, 2)?,
            payload: &content[4..],
        },
        id::ACKNACK => Body::AckNack {
            first_unacked: order.u16(content, 0)?,
            missing: Order::Big.u16(content, 2)?.count_ones(),
            asked: asked(array(content, 2)?),
            stream: *content.get(4)?,
        },
        id::HEARTBEAT => Body::Heartbeat {
            first_unacked: order.u16(content, 0)?,
            last: order.u16(content, 2)?,
            stream: *content.get(4)?,
        },
        id::FRAGMENT => Body::Fragment { payload: content, last: flags & 2 != 0 },
        id::CREATE | id::GET_INFO | id::DELETE | id::STATUS | id::INFO | id::READ_DATA => {
            Body::Request {
                request: Order::Big.u16(content, 0)?,
                object: Order::Big.u16(content, 2)?,
            }
        }
        _ => Body::Other,
    })
}

/// An ACKNACK without the length that `ZeroDDS` writes before it.
fn within(content: &[u8], order: Order) -> &[u8] {
    match content.split_at_checked(4) {
        Some((_, rest)) if rest.len() == 5 && order.u32(content, 0) == Some(5) => rest,
        _ => content,
    }
}

/// Which numbers an ACKNACK asks for: bit 0 is the first that is not confirmed.
///
/// Clients and agents of different vendors write these 16 bits in different orders of bytes. Who
/// asks for anything lacks the first that is not confirmed, so an order in which this one is not
/// asked for is the wrong one. Where neither is wrong, what is asked for in both is left.
fn asked(bits: [u8; 2]) -> u16 {
    let orders = [u16::from_be_bytes(bits), u16::from_le_bytes(bits)];
    match orders.map(|order| order & 1 == 1) {
        [true, false] => orders[0],
        [false, true] => orders[1],
        _ => orders[0] & orders[1],
    }
}

/// Whether a whole message can be one of DDS-XRCE, which has no magic number: its submessages are of
/// known kinds, as long as these must be, and end where the message ends.
pub fn is_plausible(message: &[u8]) -> bool {
    let Some(header) = Header::read(message) else { return false };
    let mut submessages = Submessages::of(message, header.bytes);
    let mut count = 0;
    for submessage in submessages.by_ref() {
        count += 1;
        let content = submessage.bytes - 4;
        let fits = has_length_of(submessage.id, content, header.stream)
            && (submessage.id != id::STATUS_AGENT || has_cookie(message));
        if !fits || submessage.flags > 0x0F || submessage.body == Body::Malformed {
            return false;
        }
    }
    count > 0 && !submessages.is_cut_off()
}

/// Whether a submessage of this kind can have this many bytes of content on this stream.
const fn has_length_of(kind: u8, content: usize, stream: u8) -> bool {
    match kind {
        id::CREATE_CLIENT => content >= 16,
        id::STATUS_AGENT => content >= 8,
        id::GET_INFO | id::READ_DATA => content >= 4,
        id::DELETE => content == 4,
        id::STATUS => content == 6,
        id::CREATE | id::INFO => content >= 6,
        id::WRITE_DATA | id::DATA => content > 4 && stream != 0,
        id::ACKNACK => content == 5 || content == 9,
        id::HEARTBEAT => content == 5,
        id::FRAGMENT => content > 0 && stream >= RELIABLE,
        id::RESET => content == 0,
        id::TIMESTAMP => content == 8,
        id::TIMESTAMP_REPLY => content == 24,
        _ => false,
    }
}

/// Bytes of the length before a message on TCP.
pub const FRAME: u32 = 2;
/// Bytes that say of a message what is counted: header, header of a submessage, request, object.
pub const TELLING: u32 = 16;

/// Whether a message of this length can begin like this; its end need not be there.
pub fn may_begin(message: &[u8], whole_bytes: usize) -> bool {
    let Some(header) = Header::read(message) else { return false };
    let Some([kind, flags, low, high]) = array(message, header.bytes) else { return false };
    let content = usize::from(u16::from_le_bytes([low, high]));
    flags <= 0x0F
        && header.bytes + 4 + content <= whole_bytes
        && has_length_of(kind, content, header.stream)
}

/// Whether the message is one by which client and agent greet, and by which they are recognised.
pub fn is_greeting(message: &[u8]) -> bool {
    let Some(header) = Header::read(message) else { return false };
    let first = message.get(header.bytes).copied();
    matches!(first, Some(id::CREATE_CLIENT | id::STATUS_AGENT)) && has_cookie(message)
}

fn has_cookie(message: &[u8]) -> bool {
    message[..message.len().min(32)].windows(4).any(|word| word == b"XRCE")
}
