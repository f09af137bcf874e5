//! A segment of TCP: its place in a stream, and the messages or samples that it completes.

use super::Reader;
use crate::costs::{Carried, Content, Purpose};
use crate::flows::{Key, Stream, Transport};
use crate::link::{Endpoint, Segment};
use crate::own;
use crate::rows::{Row, fault, protocol};
use crate::table::Sink;
use crate::tcp::{Found, Message, Piece, Protocol, Stamp};

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 16;

impl<S: Sink> Reader<S> {
    pub(super) fn tcp(
        &mut self,
        row: Row,
        source: Endpoint,
        destination: Endpoint,
        segment: &Segment,
        payload: &[u8],
    ) {
        let interface = row.interface.unwrap_or(0);
        let key = Key { interface, transport: Transport::Tcp, source, destination };
        if segment.flags & SYN != 0 {
            self.begin_connection(key, segment);
        }
        let mut row = Row {
            flow: self.flow(key, &row),
            protocol: Some(protocol::TCP),
            tcp_flags: Some(segment.flags),
            tcp_bytes: Some(segment.bytes),
            ..row
        };
        let Some(id) = row.flow else { return self.emit(row) };
        if segment.flags & ACK != 0
            && let Some(reverse) = self.flows.reverse(id)
            && let Some(mut stream) = self.flows.take_stream(reverse)
        {
            row.acked = Some(stream.assembly.offset(segment.ack));
            self.flows.put_stream(reverse, stream);
        }
        let Some(mut stream) = self.flows.take_stream(id) else { return self.emit(row) };
        stream.framing.expect_run(self.options.cookie);
        let agents = self.is_agent(source) || self.is_agent(destination);
        if let Some(flow) = self.flows.get_mut(id) {
            if agents || flow.greeted {
                stream.framing.expect_xrce();
            }
            if payload.len() < segment.bytes as usize {
                let packet = row.wire_bytes.unwrap_or(0);
                flow.cut_off_segments += 1;
                flow.largest_packet = flow.largest_packet.max(packet);
                let headers = packet.saturating_sub(segment.bytes);
                flow.largest_headers = flow.largest_headers.max(headers);
            }
        }
        let mut pieces = Vec::new();
        let stamp = (row.time_ns.unwrap_or(0), row.packet.unwrap_or(0));
        let noted = stream.assembly.add(segment, payload, stamp, &mut pieces);
        if segment.bytes > 0 {
            row.stream_end = Some(noted.end);
            row.segment_end = Some(noted.end);
            row.retransmission = Some(noted.retransmission);
            row.out_of_order = Some(noted.out_of_order);
        }
        let own = Carried { packets: 1, bytes: row.wire_bytes.unwrap_or(0).into() };
        if segment.bytes > 0 && !noted.retransmission {
            stream.carried.add(own.bytes);
        }
        row = row.with_carried(stream.carried);
        for piece in pieces {
            self.piece(&row, id, &mut stream, piece);
        }
        self.stream_cost(segment, noted.retransmission, own, &mut stream);
        if self.part == 0 {
            let known = match stream.framing.protocol() {
                Protocol::Xrce => protocol::XRCE,
                Protocol::RtpsLength | Protocol::RtpsHeader => protocol::RTPS,
                Protocol::Own => protocol::OWN,
                Protocol::Unknown | Protocol::Foreign => protocol::TCP,
            };
            self.emit(Row { protocol: Some(known), ..row });
        }
        self.flows.put_stream(id, stream);
    }

    /// What a segment costs: with those before it where it completes something; later, where it
    /// is within something.
    fn stream_cost(&mut self, segment: &Segment, again: bool, own: Carried, stream: &mut Stream) {
        let completes = !self.tally.content.is_empty();
        let read = !matches!(stream.framing.protocol(), Protocol::Unknown | Protocol::Foreign);
        let within =
            if read { stream.framing.is_under_way() } else { stream.scanning.is_under_way() };
        if segment.bytes == 0 {
            let plain = segment.flags & (SYN | FIN | RST) == 0;
            self.tally.otherwise = plain.then_some(Purpose::TcpAcknowledgement);
            self.tally.carried = own;
        } else if again {
            self.tally.content = Content::default();
            self.tally.otherwise = Some(Purpose::Retransmission);
            self.tally.carried = own;
        } else if completes || !within {
            self.tally.carried = std::mem::take(&mut stream.carried);
        }
    }

    /// A connection between the same ends as one before begins with another number.
    fn begin_connection(&mut self, key: Key, segment: &Segment) {
        let Some(id) = self.flows.find(key) else { return };
        let Some(stream) = self.flows.take_stream(id) else { return };
        let another = stream.assembly.is_another(segment.seq);
        self.flows.put_stream(id, stream);
        if another {
            self.flows.renew(key);
        }
    }

    fn piece(&mut self, row: &Row, id: u32, stream: &mut Stream, piece: Piece) {
        match piece {
            Piece::Bytes { data, end, time_ns, packet } => {
                stream.latest_ns = stream.latest_ns.max(time_ns);
                // A message is there when its last byte and all before are there.
                let last = if time_ns == stream.latest_ns { Some(packet) } else { row.packet };
                let row = Row { time_ns: Some(stream.latest_ns), packet: last, ..*row };
                let stamp = Stamp { time_ns, packet };
                stream.framing.add(&data, end, stamp, &mut |message| {
                    self.stream_message(&row, id, message);
                });
                self.scan(&row, stream, &data, end, stamp);
            }
            Piece::Hole { bytes, end } => {
                self.summary.noticed.missing_stream_bytes += bytes.cast_unsigned();
                stream.framing.hole(bytes, end, &mut |message| {
                    self.stream_message(row, id, message);
                });
                let mut found = None;
                stream.scanning.hole(end, &mut |one| found = Some(*one));
                if let Some(one) = found {
                    self.found(row, &one);
                }
            }
        }
    }

    /// Looks for samples of the run in a stream of a protocol that is not read.
    fn scan(&mut self, row: &Row, stream: &mut Stream, data: &[u8], end: i64, stamp: Stamp) {
        let Some(cookie) = self.options.cookie else { return };
        if !matches!(stream.framing.protocol(), Protocol::Unknown | Protocol::Foreign) {
            return stream.scanning.clear();
        }
        let mut found = Vec::new();
        let whole = |writer| self.options.sample_bytes.get(&writer).copied();
        stream.scanning.add(cookie, data, end, stamp, &whole, &mut |one| found.push(*one));
        for one in &found {
            self.found(row, one);
        }
    }

    fn found(&mut self, row: &Row, one: &Found) {
        let begun_ns = Some(one.begun.time_ns);
        let row = Row { begun_ns, stream_end: Some(one.end), ..*row };
        self.sample_of_other(&row, &one.sample, one.bytes);
    }

    /// At the end of the file, what waits behind a hole is read: the capture does not have the hole.
    pub(super) fn release_streams(&mut self) {
        for id in 0..self.flows.len() as u32 {
            let Some(key) =
                self.flows.get_mut(id).filter(|flow| flow.stream.is_some()).map(|flow| flow.key)
            else {
                continue;
            };
            let Some(mut stream) = self.flows.take_stream(id) else { continue };
            let row = Row { interface: Some(key.interface), flow: Some(id), ..Row::default() };
            let mut pieces = Vec::new();
            while stream.assembly.held() > 0 {
                stream.assembly.skip_hole(&mut pieces);
            }
            for piece in pieces {
                // Its packet has a row already.
                self.part = 1;
                self.piece(&row, id, &mut stream, piece);
            }
            if let Some(one) = stream.scanning.take_rest() {
                let (time_ns, packet) = (Some(one.begun.time_ns), Some(one.begun.packet));
                self.sample_of_other(&Row { packet, time_ns, ..row }, &one.sample, None);
            }
            self.flows.put_stream(id, stream);
        }
    }

    fn stream_message(&mut self, row: &Row, id: u32, message: &Message<'_>) {
        let cut_off = if message.bytes.len() < message.whole_bytes { fault::CUT_OFF } else { 0 };
        let row = Row {
            begun_ns: Some(message.begun.time_ns),
            stream_end: Some(message.end),
            faults: Some(row.faults.unwrap_or(0) | cut_off),
            ..*row
        };
        match message.protocol {
            Protocol::Xrce => {
                let key = self.flows.get_mut(id).map(|flow| flow.key);
                if let Some(key) = key {
                    self.greeting(id, key, message.bytes);
                }
                self.xrce_message(row, id, message.bytes, message.whole_bytes);
            }
            Protocol::RtpsLength | Protocol::RtpsHeader => {
                self.rtps_message(row, message.bytes, message.whole_bytes);
            }
            Protocol::Own => match own::header(message.bytes, self.options.cookie) {
                Some(sample) => {
                    // Behind them is a mark of one byte.
                    self.sample(row, &sample, Some(message.whole_bytes.saturating_sub(1)));
                }
                None => self.emit(Row { protocol: Some(protocol::OWN), ..row }),
            },
            Protocol::Unknown | Protocol::Foreign => (),
        }
    }
}
