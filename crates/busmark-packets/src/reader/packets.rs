//! A packet: its link, its flow, and whose message it is.

use super::Reader;
use crate::file::Record;
use crate::flows::{Key, Stream, Transport};
use crate::link::{self, Endpoint, Parts, Segment};
use crate::rows::{Row, fault, protocol};
use crate::table::Sink;
use crate::tcp::{Message, Piece, Protocol, Stamp};
use crate::{own, rtps, xrce};

const SYN: u8 = 2;
const ACK: u8 = 16;

impl<S: Sink> Reader<S> {
    /// Reads a packet of this link type.
    pub fn packet(&mut self, link: u16, record: &Record, data: &[u8]) {
        self.part = 0;
        self.summary.packets += 1;
        self.summary.wire_bytes += u64::from(record.wire_bytes);
        let time_ns = self.time(record);
        let cut_off = data.len() < record.wire_bytes as usize;
        self.summary.noticed.cut_off_packets += u64::from(cut_off);
        let row = Row {
            packet: Some(self.summary.packets as u32),
            time_ns: Some(time_ns),
            interface: Some(record.interface as u16),
            wire_bytes: Some(record.wire_bytes),
            captured_bytes: Some(data.len() as u32),
            faults: Some(if cut_off { fault::CUT_OFF } else { 0 }),
            ..Row::default()
        };
        if link == link::SERIAL {
            return self.serial(row, record, data);
        }
        let known = link::is_known(link);
        self.summary.noticed.unknown_link_packets += u64::from(!known);
        if let Some(packet) = link::ip_packet(link, data) {
            let place = (record.interface as u16, link::place(link, data));
            if self.copies.is_copy(packet, time_ns, place) {
                self.summary.noticed.copied_packets += 1;
                return self.emit(Row { protocol: Some(protocol::COPY), ..row });
            }
        }
        match link::take_apart(link, data, &mut self.fragments) {
            Parts::Udp { source, destination, payload, missing } => {
                self.udp(row, source, destination, &payload, missing);
            }
            Parts::Tcp { source, destination, segment, payload } => {
                self.tcp(row, source, destination, &segment, &payload);
            }
            Parts::Fragment => self.emit(Row { protocol: Some(protocol::FRAGMENT), ..row }),
            Parts::Other => {
                self.summary.noticed.other_packets += u64::from(known);
                self.emit(Row { protocol: Some(protocol::OTHER), ..row });
            }
        }
    }

    fn time(&mut self, record: &Record) -> i64 {
        let summary = &mut self.summary;
        let Some(time_ns) = record.time_ns else {
            summary.noticed.timeless_packets += 1;
            return summary.last_ns.unwrap_or(0);
        };
        if let Some(last) = summary.last_ns
            && time_ns < last
        {
            summary.noticed.earlier_packets += 1;
            let by = last.saturating_sub(time_ns);
            summary.noticed.earlier_by_ns = summary.noticed.earlier_by_ns.max(by);
        }
        summary.first_ns = Some(summary.first_ns.map_or(time_ns, |first| first.min(time_ns)));
        summary.last_ns = Some(summary.last_ns.map_or(time_ns, |last| last.max(time_ns)));
        time_ns
    }

    /// The flow of a packet, with the packet counted.
    fn flow(&mut self, key: Key, row: &Row) -> Option<u32> {
        let Some(id) = self.flows.find(key) else {
            self.summary.noticed.beyond_bounds += 1;
            return None;
        };
        let flow = self.flows.get_mut(id)?;
        flow.packets += 1;
        flow.wire_bytes += u64::from(row.wire_bytes.unwrap_or(0));
        Some(id)
    }

    fn is_agent(&self, end: Endpoint) -> bool {
        self.agents.contains(&end) || self.options.agent_ports.contains(&end.port)
    }

    fn udp(
        &mut self,
        row: Row,
        source: Endpoint,
        destination: Endpoint,
        payload: &[u8],
        missing: u32,
    ) {
        let interface = row.interface.unwrap_or(0);
        let key = Key { interface, transport: Transport::Udp, source, destination };
        let row = Row { flow: self.flow(key, &row), protocol: Some(protocol::UDP), ..row };
        let whole_bytes = payload.len() + missing as usize;
        if rtps::Header::read(payload).is_some() {
            return self.rtps_message(row, payload, whole_bytes);
        }
        let Some(id) = row.flow else { return self.emit(row) };
        let agents = self.is_agent(source) || self.is_agent(destination);
        if self.is_xrce(id, payload, missing, agents) {
            self.greeting(id, key, payload);
            return self.xrce_message(row, id, payload, whole_bytes);
        }
        if let Some(sample) = own::header(payload, self.options.cookie) {
            return self.sample(row, &sample, whole_bytes - own::HEADER);
        }
        if let Some(flow) = self.flows.get_mut(id) {
            flow.other_messages += u64::from(!payload.is_empty());
        }
        self.emit(row);
    }

    /// Whether a datagram is a message of DDS-XRCE. Without a greeting before, a flow in which one
    /// datagram is none has none.
    fn is_xrce(&mut self, id: u32, payload: &[u8], missing: u32, agents: bool) -> bool {
        if agents {
            return missing > 0 && payload.len() >= 8 || xrce::is_plausible(payload);
        }
        let Some(flow) = self.flows.get_mut(id) else { return false };
        if flow.xrce_messages > 0 && missing > 0 {
            return true;
        }
        flow.other_messages == 0 && xrce::is_plausible(payload)
    }

    /// Remembers the agent of a greeting.
    fn greeting(&mut self, id: u32, key: Key, message: &[u8]) {
        if !xrce::is_greeting(message) {
            return;
        }
        let Some(header) = xrce::Header::read(message) else { return };
        let first = message.get(header.bytes).copied();
        let agent =
            if first == Some(xrce::id::CREATE_CLIENT) { key.destination } else { key.source };
        self.add_agent(agent);
        for id in [Some(id), self.flows.reverse(id)].into_iter().flatten() {
            if let Some(flow) = self.flows.get_mut(id) {
                flow.greeted = true;
            }
        }
    }

    fn sample(&mut self, row: Row, sample: &own::Sample, body_bytes: usize) {
        self.emit(Row {
            protocol: Some(protocol::OWN),
            kind: Some(crate::rows::SAMPLE_KIND),
            payload_bytes: Some((own::HEADER + body_bytes) as u32),
            ..row.with_sample(sample)
        });
    }

    fn tcp(
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
            row.retransmission = Some(noted.retransmission);
            row.out_of_order = Some(noted.out_of_order);
        }
        for piece in pieces {
            self.piece(&row, id, &mut stream, piece);
        }
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
            }
            Piece::Hole { bytes, end } => {
                self.summary.noticed.missing_stream_bytes += bytes.cast_unsigned();
                stream.framing.hole(bytes, end, &mut |message| {
                    self.stream_message(row, id, message);
                });
            }
        }
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
                    let body = message.whole_bytes.saturating_sub(own::HEADER + 1);
                    self.sample(row, &sample, body);
                }
                None => self.emit(Row { protocol: Some(protocol::OWN), ..row }),
            },
            Protocol::Unknown | Protocol::Foreign => (),
        }
    }

    fn serial(&mut self, row: Row, record: &Record, data: &[u8]) {
        let key = Key::of_line(row.interface.unwrap_or(0), record.direction);
        let row = Row { flow: self.flow(key, &row), protocol: Some(protocol::XRCE), ..row };
        let Some(id) = row.flow else { return self.emit(row) };
        let mut line = self.flows.get_mut(id).and_then(|flow| flow.line.take()).unwrap_or_default();
        let stamp = Stamp { time_ns: row.time_ns.unwrap_or(0), packet: row.packet.unwrap_or(0) };
        line.add(data, stamp, &mut |message| {
            self.greeting(id, key, message.bytes);
            let row = Row { begun_ns: Some(message.begun.time_ns), ..row };
            self.xrce_message(row, id, message.bytes, message.bytes.len());
        });
        if let Some(flow) = self.flows.get_mut(id) {
            flow.line = Some(line);
        }
        if self.part == 0 {
            self.emit(row);
        }
    }
}

impl Row {
    /// With what Busmark's header says.
    pub(super) fn with_sample(self, sample: &own::Sample) -> Self {
        Self {
            cookie: Some(sample.cookie),
            sample_writer: Some(sample.writer),
            sample_seq: Some(sample.seq),
            sample_flags: Some(sample.flags),
            ..self
        }
    }
}
