//! Messages cut out of a stream: DDS-XRCE, RTPS in two forms, and Busmark's own samples.

use crate::bytes::Order;
use crate::{own, rtps, xrce};

/// Bytes of a message that are kept; what is longer is decoded as far as that.
pub const MOST_KEPT: usize = 128 << 10;
/// Bytes that a message may have; more is no message.
const LARGEST: usize = 64 << 20;
/// Beginnings of segments at which a message is looked for before a stream is left alone.
const TRIES: u32 = 16;

/// What a stream carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Not known yet.
    #[default]
    Unknown,
    /// DDS-XRCE: length of two bytes, message.
    Xrce,
    /// RTPS whose first submessage has the length of the message (Cyclone DDS).
    RtpsLength,
    /// RTPS behind a header `RTCP` of 14 bytes (Fast DDS).
    RtpsHeader,
    /// Busmark's adapters on sockets: length of four bytes, header, body, mark.
    Own,
    /// None of these.
    Foreign,
}

/// When bytes came.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamp {
    /// Time of their packet.
    pub time_ns: i64,
    /// Its number.
    pub packet: u32,
}

/// A message of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// How it was framed.
    pub protocol: Protocol,
    /// Its bytes, without the frame; fewer than it has where some were not captured.
    pub bytes: &'a [u8],
    /// Bytes that it has.
    pub whole_bytes: usize,
    /// When its frame began.
    pub begun: Stamp,
    /// Offset of the stream behind it.
    pub end: i64,
}

enum Cut {
    /// More bytes are needed to say.
    Wait,
    /// Bytes of the frame before the message, and of the message.
    Frame(usize, usize),
    /// Bytes that are no message and are passed over.
    Pass(usize),
    /// Not this protocol.
    Lost,
}

/// Cuts one direction of a connection.
#[derive(Default)]
pub struct Framing {
    protocol: Protocol,
    buffer: Vec<u8>,
    begun: Stamp,
    /// Bytes of the message in the buffer that lie behind what is kept of it.
    beyond: usize,
    tries: u32,
    /// A greeting, or messages before a hole, have said that the stream carries DDS-XRCE.
    expects_xrce: bool,
    /// The run whose samples alone are recognised.
    cookie: Option<u64>,
    /// Bytes in which no message was found.
    pub lost_bytes: u64,
    /// Bytes that are not there, and of which no length tells to which message they belong.
    pub unread_bytes: u64,
}

impl Framing {
    /// Bytes in memory.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// Whether a message has begun and is not complete.
    pub fn is_under_way(&self) -> bool {
        self.beyond > 0 || !self.buffer.is_empty()
    }

    /// What the stream carries as far as is known.
    pub const fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Messages of DDS-XRCE are recognised by their beginning alone from here on.
    pub const fn expect_xrce(&mut self) {
        self.expects_xrce = true;
    }

    /// Samples of this run alone are recognised from here on, or of any.
    pub const fn expect_run(&mut self, cookie: Option<u64>) {
        self.cookie = cookie;
    }

    /// Takes bytes in order; every message that they complete goes to `sink`.
    pub fn add(&mut self, data: &[u8], end: i64, stamp: Stamp, sink: &mut dyn FnMut(&Message<'_>)) {
        if self.protocol == Protocol::Foreign {
            return;
        }
        let mut data = data;
        if self.beyond > 0 {
            let passed = self.beyond.min(data.len());
            self.beyond -= passed;
            data = &data[passed..];
            if self.beyond > 0 {
                return;
            }
            self.cut_off_message(end - data.len() as i64, sink);
        }
        if self.buffer.is_empty() {
            self.begun = stamp;
        }
        let mut buffer = std::mem::take(&mut self.buffer);
        let before = buffer.len();
        buffer.extend_from_slice(data);
        let used = self.cut(&buffer, before, end, stamp, sink);
        buffer.drain(..used);
        self.buffer = buffer;
    }

    /// Bytes that are missing in the stream.
    pub fn hole(&mut self, length: i64, end: i64, sink: &mut dyn FnMut(&Message<'_>)) {
        let length = length.max(0) as usize;
        if self.beyond > 0 {
            let passed = self.beyond.min(length);
            self.beyond -= passed;
            if self.beyond == 0 {
                self.cut_off_message(end, sink);
            }
            if length > passed {
                self.resume(length - passed);
            }
            return;
        }
        if self.protocol == Protocol::Unknown && ends_with(&self.buffer, length) {
            self.protocol = Protocol::Xrce;
        }
        // Within a message whose length is known, the rest of it is passed over.
        if let Cut::Frame(head, bytes) = self.front(&self.buffer)
            && self.buffer.len() >= head
            && self.buffer.len() < head + bytes
        {
            let missing = head + bytes - self.buffer.len();
            if length < missing {
                self.beyond = missing - length;
                return;
            }
            let behind = length - missing;
            self.cut_off_message(end - behind as i64, sink);
            if behind == 0 {
                return;
            }
            return self.resume(behind);
        }
        self.resume(length);
    }

    /// The message in the buffer, of which bytes are missing.
    fn cut_off_message(&mut self, end: i64, sink: &mut dyn FnMut(&Message<'_>)) {
        let buffer = std::mem::take(&mut self.buffer);
        if let Cut::Frame(head, bytes) = self.front(&buffer)
            && let Some(kept) = buffer.get(head..)
        {
            let (protocol, begun) = (self.protocol, self.begun);
            sink(&Message { protocol, bytes: kept, whole_bytes: bytes, begun, end });
        }
    }

    /// Looks for a message again, at the beginning of the next segment.
    fn resume(&mut self, missing: usize) {
        self.expects_xrce |= self.protocol == Protocol::Xrce;
        self.unread_bytes += missing as u64;
        self.lost_bytes += self.buffer.len() as u64;
        self.buffer.clear();
        self.beyond = 0;
        self.tries = 0;
        self.protocol = Protocol::Unknown;
    }

    /// Cuts messages off the front; returns how many bytes they have. `before` bytes were there
    /// earlier.
    fn cut(
        &mut self,
        buffer: &[u8],
        before: usize,
        end: i64,
        stamp: Stamp,
        sink: &mut dyn FnMut(&Message<'_>),
    ) -> usize {
        let mut at = 0;
        while at < buffer.len() {
            let rest = &buffer[at..];
            if self.protocol == Protocol::Unknown {
                self.protocol = recognise(rest, self.cookie);
                if self.protocol == Protocol::Unknown && self.expects_xrce && begins_xrce(rest) {
                    self.protocol = Protocol::Xrce;
                }
            }
            match self.front(rest) {
                Cut::Frame(head, bytes) if rest.len() >= head + bytes => {
                    let message = &rest[head..head + bytes];
                    let whole_bytes = message.len();
                    let end = end - (rest.len() - head - bytes) as i64;
                    let (protocol, begun) = (self.protocol, self.begun);
                    sink(&Message { protocol, bytes: message, whole_bytes, begun, end });
                    self.tries = 0;
                    at += head + bytes;
                }
                Cut::Frame(head, bytes) if rest.len() > head + MOST_KEPT => {
                    self.beyond = head + bytes - rest.len();
                    return at;
                }
                Cut::Pass(bytes) if rest.len() >= bytes => at += bytes,
                Cut::Frame(..) | Cut::Wait | Cut::Pass(_) => return at,
                Cut::Lost => {
                    self.protocol = Protocol::Unknown;
                    self.tries += 1;
                    if self.tries > TRIES && !self.expects_xrce {
                        self.protocol = Protocol::Foreign;
                    }
                    self.lost_bytes += rest.len() as u64;
                    // A message may begin with the segment that has come last.
                    if at < before && self.protocol != Protocol::Foreign {
                        self.lost_bytes -= (buffer.len() - before) as u64;
                        at = before;
                        self.begun = stamp;
                        continue;
                    }
                    return buffer.len();
                }
            }
            if at >= before {
                self.begun = stamp;
            }
        }
        at
    }

    fn front(&self, rest: &[u8]) -> Cut {
        match self.protocol {
            Protocol::Unknown => undecided(rest),
            Protocol::Xrce => xrce_frame(rest),
            Protocol::RtpsLength => rtps_length_frame(rest),
            Protocol::RtpsHeader => rtps_header_frame(rest),
            Protocol::Own => own::frame(rest).map_or(Cut::Wait, |frame| match frame {
                own::Frame::Sample(bytes) => Cut::Frame(own::LENGTH, bytes),
                own::Frame::Greeting(bytes) => Cut::Pass(bytes),
                own::Frame::Broken => Cut::Lost,
            }),
            Protocol::Foreign => Cut::Lost,
        }
    }
}

/// What a stream carries that begins like this.
fn recognise(rest: &[u8], cookie: Option<u64>) -> Protocol {
    if rest.starts_with(b"RTPS") {
        return Protocol::RtpsLength;
    }
    if rest.starts_with(b"RTCP") {
        return Protocol::RtpsHeader;
    }
    if own::begins(rest, cookie) {
        return Protocol::Own;
    }
    // A greeting is enough, also where its end was not captured.
    if rest.get(2..).is_some_and(xrce::is_greeting) {
        return Protocol::Xrce;
    }
    match Order::Little.u16(rest, 0) {
        Some(length) if rest.get(2..2 + usize::from(length)).is_some_and(xrce::is_plausible) => {
            Protocol::Xrce
        }
        _ => Protocol::Unknown,
    }
}

/// Whether a frame of DDS-XRCE begins here, by what is there of it.
fn begins_xrce(rest: &[u8]) -> bool {
    Order::Little
        .u16(rest, 0)
        .is_some_and(|length| xrce::may_begin(&rest[2..], usize::from(length)))
}

/// Whether it is a frame of DDS-XRCE that ends where the bytes that are not there end.
fn ends_with(rest: &[u8], missing: usize) -> bool {
    let length = Order::Little.u16(rest, 0).map(usize::from);
    length.is_some_and(|length| 2 + length == rest.len() + missing) && begins_xrce(rest)
}

/// Whether more bytes may still make a message of what no protocol knows.
fn undecided(rest: &[u8]) -> Cut {
    let Some(length) = Order::Little.u16(rest, 0) else { return Cut::Wait };
    if b"RTPS".starts_with(rest) || b"RTCP".starts_with(rest) {
        return Cut::Wait;
    }
    if own::may_begin(rest) {
        return Cut::Wait;
    }
    let there = rest.len() - 2;
    let length = usize::from(length);
    // The least is a header and a submessage without content; an id of a submessage is below 16.
    let may_be =
        length >= 8 && there < length && rest.get(2 + 4).is_none_or(|_| may_be_xrce(&rest[2..]));
    if may_be { Cut::Wait } else { Cut::Lost }
}

fn may_be_xrce(message: &[u8]) -> bool {
    let Some(header) = xrce::Header::read(message) else { return message.len() < 8 };
    let fits = |at: usize, most: u8| message.get(at).is_none_or(|byte| *byte <= most);
    fits(header.bytes, xrce::id::TIMESTAMP_REPLY) && fits(header.bytes + 1, 0x0F)
}

fn xrce_frame(rest: &[u8]) -> Cut {
    let Some(length) = Order::Little.u16(rest, 0).map(usize::from) else { return Cut::Wait };
    if length < 8 {
        return Cut::Lost;
    }
    match rest.get(2..2 + length) {
        Some(message) if !xrce::is_plausible(message) => Cut::Lost,
        _ => Cut::Frame(2, length),
    }
}

fn rtps_length_frame(rest: &[u8]) -> Cut {
    const MESSAGE_LENGTH: u8 = 0x81;
    let start = &rest[..rest.len().min(4)];
    if !b"RTPS".starts_with(start) {
        return Cut::Lost;
    }
    let Some(&[kind, flags]) = rest.get(rtps::HEADER..rtps::HEADER + 2) else { return Cut::Wait };
    if kind != MESSAGE_LENGTH {
        return Cut::Lost;
    }
    match Order::of_flags(flags).u32(rest, rtps::HEADER + 4).map(|length| length as usize) {
        None => Cut::Wait,
        Some(length) if (rtps::HEADER + 8..=LARGEST).contains(&length) => Cut::Frame(0, length),
        Some(_) => Cut::Lost,
    }
}

fn rtps_header_frame(rest: &[u8]) -> Cut {
    const HEAD: usize = 14;
    let start = &rest[..rest.len().min(4)];
    if !b"RTCP".starts_with(start) {
        return Cut::Lost;
    }
    // The length counts this header as well.
    match Order::Little.u32(rest, 4).map(|length| length as usize) {
        None => Cut::Wait,
        Some(length) if (HEAD..=LARGEST).contains(&length) => Cut::Frame(HEAD, length - HEAD),
        Some(_) => Cut::Lost,
    }
}
