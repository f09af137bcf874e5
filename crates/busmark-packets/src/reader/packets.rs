//! A packet: its link, its flow, and whose message it is.

use super::{Reader, Tally};
use crate::costs::Carried;
use crate::file::Record;
use crate::flows::{Key, Transport};
use crate::link::{self, Endpoint, Parts};
use crate::rows::{Row, fault, protocol};
use crate::table::Sink;
use crate::tcp::Stamp;
use crate::{own, rtps, xrce};

impl<S: Sink> Reader<S> {
    /// Reads a packet of this link type.
    pub fn packet(&mut self, link: u16, record: &Record, data: &[u8]) {
        self.part = 0;
        self.tally = Tally::default();
        self.summary.packets += 1;
        self.summary.wire_bytes += u64::from(record.wire_bytes);
        let time_ns = self.time(record);
        let cut_off = data.len() < record.wire_bytes as usize;
        self.summary.noticed.cut_off_packets += u64::from(cut_off);
        let row = Row {
            packet: Some(self.number),
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
                let row = self.carried(row);
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
        self.settle(time_ns);
    }

    /// With what carried a datagram: the packet, or all fragments of IP.
    fn carried(&mut self, row: Row) -> Row {
        let mut carried = self.fragments.take_carried();
        if carried == Carried::default() {
            carried.add(row.wire_bytes.unwrap_or(0).into());
        }
        self.tally.carried = carried;
        row.with_carried(carried)
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
    pub(super) fn flow(&mut self, key: Key, row: &Row) -> Option<u32> {
        let Some(id) = self.flows.find(key) else {
            self.summary.noticed.beyond_bounds += 1;
            return None;
        };
        self.tally.flow = Some(id);
        let flow = self.flows.get_mut(id)?;
        flow.packets += 1;
        flow.wire_bytes += u64::from(row.wire_bytes.unwrap_or(0));
        Some(id)
    }

    pub(super) fn is_agent(&self, end: Endpoint) -> bool {
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
            return self.sample(row, &sample, Some(whole_bytes));
        }
        if self.samples_within(row, payload) {
            return;
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
    pub(super) fn greeting(&mut self, id: u32, key: Key, message: &[u8]) {
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

    /// A sample, with the bytes of its header and body where they are known.
    pub(super) fn sample(&mut self, row: Row, sample: &own::Sample, bytes: Option<usize>) {
        self.emit(Row {
            protocol: Some(protocol::OWN),
            kind: Some(crate::rows::SAMPLE_KIND),
            payload_bytes: bytes.map(|bytes| bytes as u32),
            ..row.with_sample(sample)
        });
    }

    /// Samples within a datagram of a protocol that is not read; whether there are any.
    fn samples_within(&mut self, row: Row, payload: &[u8]) -> bool {
        let Some(cookie) = self.options.cookie else { return false };
        let mut rest = payload;
        while let Some((at, sample)) = own::search(rest, cookie) {
            self.sample_of_other(
                &row,
                &sample,
                self.options.sample_bytes.get(&sample.writer).copied(),
            );
            rest = &rest[at + own::HEADER..];
        }
        rest.len() < payload.len()
    }

    /// A sample in a protocol that is not read.
    pub(super) fn sample_of_other(
        &mut self,
        row: &Row,
        sample: &own::Sample,
        bytes: Option<usize>,
    ) {
        self.emit(Row {
            kind: Some(crate::rows::SAMPLE_KIND),
            payload_bytes: bytes.map(|bytes| bytes as u32),
            ..row.with_sample(sample)
        });
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
    /// With what carried it.
    pub(super) fn with_carried(self, carried: Carried) -> Self {
        Self {
            carrying_packets: Some(carried.packets as u32),
            carrying_bytes: Some(carried.bytes),
            ..self
        }
    }

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
