//! Messages whose content is known, written as the specifications say.
#![allow(dead_code, reason = "each test uses a part")]

pub const PREFIX: [u8; 12] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/// Numbers in the byte order of a submessage.
pub struct Order(pub bool);

impl Order {
    pub fn flag(&self) -> u8 {
        u8::from(self.0)
    }

    pub fn u16(&self, value: u16) -> [u8; 2] {
        if self.0 { value.to_le_bytes() } else { value.to_be_bytes() }
    }

    pub fn u32(&self, value: u32) -> [u8; 4] {
        if self.0 { value.to_le_bytes() } else { value.to_be_bytes() }
    }

    pub fn number(&self, value: i64) -> Vec<u8> {
        [self.u32((value >> 32) as u32), self.u32(value as u32)].concat()
    }
}

pub fn rtps_header() -> Vec<u8> {
    [&b"RTPS"[..], &[2, 5], &[1, 16], &PREFIX].concat()
}

pub fn submessage(order: &Order, id: u8, flags: u8, content: &[u8]) -> Vec<u8> {
    let mut bytes = vec![id, flags | order.flag()];
    bytes.extend(order.u16(content.len() as u16));
    bytes.extend(content);
    bytes
}

pub fn data(order: &Order, writer: u32, seq: i64, qos: bool, payload: &[u8]) -> Vec<u8> {
    let mut content = [order.u16(0), order.u16(16)].concat();
    content.extend([0; 4]);
    content.extend(writer.to_be_bytes());
    content.extend(order.number(seq));
    if qos {
        content.extend([order.u16(0x71), order.u16(4)].concat());
        content.extend([9; 4]);
        content.extend([order.u16(1), order.u16(0)].concat());
    }
    content.extend([0, order.flag(), 0, 0]);
    content.extend(payload);
    submessage(order, 0x15, 4 | if qos { 2 } else { 0 }, &content)
}

pub fn heartbeat(order: &Order, writer: u32, first: i64, last: i64, count: u32) -> Vec<u8> {
    let mut content = vec![0; 4];
    content.extend(writer.to_be_bytes());
    content.extend(order.number(first));
    content.extend(order.number(last));
    content.extend(order.u32(count));
    submessage(order, 0x07, 0, &content)
}

pub fn acknack(order: &Order, writer: u32, base: i64, bits: &[bool], count: u32) -> Vec<u8> {
    let mut content = vec![0, 0, 4, 7];
    content.extend(writer.to_be_bytes());
    content.extend(order.number(base));
    content.extend(order.u32(bits.len() as u32));
    for word in bits.chunks(32) {
        let set = word.iter().enumerate().filter(|(_, bit)| **bit);
        content.extend(order.u32(set.fold(0, |sum, (at, _)| sum | 1 << (31 - at))));
    }
    content.extend(order.u32(count));
    submessage(order, 0x06, 0, &content)
}

/// A message of DDS-XRCE of these submessages; `content` and the length are as they come.
pub fn xrce(session: u8, stream: u8, seq: u16, parts: &[(u8, u8, Vec<u8>)]) -> Vec<u8> {
    let mut message = vec![session, stream];
    message.extend(seq.to_le_bytes());
    if session < 128 {
        message.extend([0xAA, 0xBB, 0xCC, 0xDD]);
    }
    for (id, flags, content) in parts {
        message.resize(message.len().next_multiple_of(4), 0);
        message.extend([*id, *flags]);
        message.extend((content.len() as u16).to_le_bytes());
        message.extend(content);
    }
    message
}

pub fn write_data(payload: &[u8]) -> (u8, u8, Vec<u8>) {
    (7, 1, [&[0, 1, 0, 0x15], payload].concat())
}

pub fn xrce_acknack(order: &Order, first: u16, bitmap: u16, stream: u8) -> (u8, u8, Vec<u8>) {
    let content = [&order.u16(first)[..], &bitmap.to_be_bytes(), &[stream]].concat();
    (10, order.flag(), content)
}

/// An Ethernet frame with a datagram.
pub fn udp(source: u16, destination: u16, payload: &[u8]) -> Vec<u8> {
    let builder = etherparse::PacketBuilder::ethernet2([0; 6], [0; 6])
        .ipv4([127, 0, 0, 1], [127, 0, 0, 1], 64)
        .udp(source, destination);
    let mut frame = Vec::new();
    builder.write(&mut frame, payload).unwrap();
    frame
}

/// An Ethernet frame with a segment.
pub fn tcp(source: u16, destination: u16, seq: u32, ack: u32, payload: &[u8]) -> Vec<u8> {
    let builder = etherparse::PacketBuilder::ethernet2([0; 6], [0; 6])
        .ipv4([127, 0, 0, 1], [127, 0, 0, 1], 64)
        .tcp(source, destination, seq, 1000)
        .ack(ack);
    let mut frame = Vec::new();
    builder.write(&mut frame, payload).unwrap();
    frame
}

/// A pcap file of these frames, with nanoseconds.
pub fn pcap(link: u32, frames: &[Vec<u8>]) -> Vec<u8> {
    snapped(link, frames, usize::MAX)
}

/// The same, with no more than these bytes of each.
pub fn snapped(link: u32, frames: &[Vec<u8>], snap: usize) -> Vec<u8> {
    let mut file = Vec::new();
    for word in [0xA1B2_3C4D, 0x0004_0002, 0, 0, 262_144, link] {
        file.extend(u32::to_le_bytes(word));
    }
    for (index, frame) in frames.iter().enumerate() {
        let kept = &frame[..frame.len().min(snap)];
        for word in [1_700_000_000, index as u32 * 1000, kept.len() as u32, frame.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(kept);
    }
    file
}

/// Reads these bytes as a capture.
pub fn read(
    file: Vec<u8>,
) -> Result<(busmark_packets::Summary, Vec<busmark_packets::rows::Row>), busmark_packets::file::Fault>
{
    let mut capture = busmark_packets::file::Capture::read(std::io::Cursor::new(file))?;
    let reader = busmark_packets::Reader::new(busmark_packets::Options::default(), Vec::new());
    Ok(reader.read(&mut capture, |_| false))
}
