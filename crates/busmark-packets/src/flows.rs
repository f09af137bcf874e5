//! Flows: packets from one end to another, and what is remembered of each.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, Ipv4Addr};

use crate::costs::{Carried, Costs, Purpose};
use crate::link::Endpoint;
use crate::serial::Line;
use crate::summary;
use crate::tcp::{Assembly, Framing, Protocol, Scanning};
use crate::xrce;

/// Flows that are remembered; packets of further ones have no flow.
pub const MOST: usize = 1 << 16;
/// Bytes that streams of all flows may hold together.
pub const MOST_HELD: usize = 64 << 20;

/// What carries a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transport {
    /// Datagrams.
    Udp,
    /// Streams.
    Tcp,
    /// Bytes of a line.
    Serial,
}

/// What distinguishes flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    /// Where it was captured: a packet that passes two interfaces is in two flows.
    pub interface: u16,
    /// What carries it.
    pub transport: Transport,
    /// From where.
    pub source: Endpoint,
    /// To where.
    pub destination: Endpoint,
}

impl Key {
    /// The other direction.
    #[must_use]
    pub const fn reverse(self) -> Self {
        Self { source: self.destination, destination: self.source, ..self }
    }

    /// One direction of a serial line: 1 received, 2 sent, 0 unknown.
    pub fn of_line(interface: u16, direction: u8) -> Self {
        let end = |port| Endpoint { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), port };
        let (source, destination) = if direction == 2 { (2, 1) } else { (1, 2) };
        let (source, destination) = (end(source), end(destination));
        Self { interface, transport: Transport::Serial, source, destination }
    }
}

/// A direction of a connection.
#[derive(Default)]
pub struct Stream {
    /// Its bytes in order.
    pub assembly: Assembly,
    /// Its messages.
    pub framing: Framing,
    /// Samples in it where it is of no protocol that is read.
    pub scanning: Scanning,
    /// Time of the latest byte in order.
    pub latest_ns: i64,
    /// Packets of what has begun and is not complete.
    pub carried: Carried,
}

impl Stream {
    fn held(&self) -> usize {
        self.assembly.held() + self.framing.held() + self.scanning.held()
    }
}

/// What is remembered of a flow.
pub struct Flow {
    /// What it is.
    pub key: Key,
    /// The other direction, once it was there.
    pub reverse: Option<u32>,
    /// Counts.
    pub packets: u64,
    /// Counts.
    pub wire_bytes: u64,
    /// Messages of DDS-XRCE.
    pub xrce_messages: u64,
    /// Datagrams that no protocol knows.
    pub other_messages: u64,
    /// Client and agent have greeted.
    pub greeted: bool,
    /// State of TCP; away while its segment is read.
    pub stream: Option<Box<Stream>>,
    /// State of a serial line.
    pub line: Option<Box<Line>>,
    /// Bytes in which no message was found.
    pub lost_bytes: u64,
    /// Bytes that are not there and belong to no message of known length.
    pub unread_bytes: u64,
    /// Messages of which too little was captured.
    pub unread_messages: u64,
    /// Segments of which bytes were not captured.
    pub cut_off_segments: u64,
    /// Bytes of the largest packet with such a segment.
    pub largest_packet: u32,
    /// Bytes of the largest headers before such a segment.
    pub largest_headers: u32,
    /// Its stream is of no protocol that is known.
    pub foreign: bool,
    /// A sample of the run passed in it, or a message of one of its participants.
    pub ours: bool,
    /// What its packets are for.
    pub costs: Costs,
    held: usize,
}

/// All flows.
#[derive(Default)]
pub struct Flows {
    list: Vec<Flow>,
    by_key: HashMap<Key, u32>,
    held: usize,
}

impl Flows {
    /// The flow of this key, new where there was none; `None` where there is no more room.
    pub fn find(&mut self, key: Key) -> Option<u32> {
        if let Some(&id) = self.by_key.get(&key) {
            return Some(id);
        }
        if self.list.len() >= MOST {
            return None;
        }
        let id = self.list.len() as u32;
        let reverse = self.by_key.get(&key.reverse()).copied();
        if let Some(other) = reverse.and_then(|other| self.list.get_mut(other as usize)) {
            other.reverse = Some(id);
        }
        self.list.push(Flow {
            key,
            reverse,
            packets: 0,
            wire_bytes: 0,
            xrce_messages: 0,
            other_messages: 0,
            greeted: false,
            stream: None,
            line: None,
            lost_bytes: 0,
            unread_bytes: 0,
            unread_messages: 0,
            cut_off_segments: 0,
            largest_packet: 0,
            largest_headers: 0,
            foreign: false,
            ours: false,
            costs: Costs::default(),
            held: 0,
        });
        self.by_key.insert(key, id);
        Some(id)
    }

    /// Forgets that this key and its reverse had flows: a new connection begins.
    pub fn renew(&mut self, key: Key) {
        for key in [key, key.reverse()] {
            if let Some(id) = self.by_key.remove(&key) {
                self.drop_stream(id);
            }
        }
    }

    /// This flow.
    pub fn get_mut(&mut self, id: u32) -> Option<&mut Flow> {
        self.list.get_mut(id as usize)
    }

    /// The opposite flow.
    pub fn reverse(&self, id: u32) -> Option<u32> {
        self.list.get(id as usize)?.reverse
    }

    /// The stream of a flow, taken out of it.
    pub fn take_stream(&mut self, id: u32) -> Option<Box<Stream>> {
        let flow = self.get_mut(id)?;
        Some(flow.stream.take().unwrap_or_default())
    }

    /// Puts a stream back; it is emptied where streams hold too much.
    pub fn put_stream(&mut self, id: u32, stream: Box<Stream>) {
        let held = stream.held();
        let Some(flow) = self.list.get_mut(id as usize) else { return };
        self.held = self.held + held - flow.held;
        flow.held = held;
        flow.lost_bytes = stream.framing.lost_bytes;
        flow.unread_bytes = stream.framing.unread_bytes;
        flow.foreign = stream.framing.protocol() == Protocol::Foreign;
        flow.stream = Some(stream);
        if self.held > MOST_HELD {
            self.drop_stream(id);
        }
    }

    fn drop_stream(&mut self, id: u32) {
        if let Some(flow) = self.list.get_mut(id as usize) {
            self.held -= flow.held;
            flow.held = 0;
            flow.stream = None;
        }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Bytes in memory.
    pub const fn held(&self) -> usize {
        self.held
    }

    /// Frames of serial lines whose checksum was wrong.
    pub fn damaged_frames(&self) -> u64 {
        self.list.iter().filter_map(|flow| Some(flow.line.as_ref()?.damaged)).sum()
    }

    /// Counts what has nothing to do with the run apart: flows of no end of which the run has another.
    pub fn set_apart(&mut self) {
        let ends: HashSet<(Transport, Endpoint)> = self
            .list
            .iter()
            .filter(|flow| flow.ours)
            .flat_map(Flow::ends)
            // A group is everybody's.
            .filter(|(_, end)| !end.address.is_multicast())
            .collect();
        for flow in &mut self.list {
            if !flow.ours && !flow.ends().iter().any(|end| ends.contains(end)) {
                flow.costs.count_as(Purpose::Unattributed);
            }
        }
    }

    /// Counts of all flows.
    pub fn summaries(&self) -> Vec<summary::Flow> {
        self.list.iter().map(Flow::summary).collect()
    }
}

impl Flow {
    fn ends(&self) -> [(Transport, Endpoint); 2] {
        let Key { transport, source, destination, .. } = self.key;
        [(transport, source), (transport, destination)]
    }

    fn summary(&self) -> summary::Flow {
        let Key { interface, transport, source, destination } = self.key;
        let (transport, name) = match transport {
            Transport::Udp => ("udp", None),
            Transport::Tcp => ("tcp", None),
            Transport::Serial => ("serial", Some("line")),
        };
        let address = |end: Endpoint| name.map_or_else(|| end.address.to_string(), str::to_owned);
        summary::Flow {
            interface,
            transport,
            source: address(source),
            source_port: source.port,
            destination: address(destination),
            destination_port: destination.port,
            packets: self.packets,
            wire_bytes: self.wire_bytes,
            costs: self.costs.named(),
            xrce_messages: self.xrce_messages,
            other_messages: self.other_messages,
            greeted: self.greeted,
            lost_bytes: self.lost_bytes,
            cut_off_segments: if self.foreign { 0 } else { self.cut_off_segments },
            unread_bytes: self.unread_bytes,
            unread_messages: self.unread_messages,
            telling_bytes: self.largest_headers + xrce::FRAME + xrce::TELLING,
            whole_bytes: self.largest_packet,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_of_other_programs_are_no_cost_of_the_run() {
        let end = |port| Endpoint { address: IpAddr::V4(Ipv4Addr::LOCALHOST), port };
        let mut flows = Flows::default();
        let mut flow = |transport, source, destination, ours| {
            let (source, destination) = (end(source), end(destination));
            let key = Key { interface: 0, transport, source, destination };
            let id = flows.find(key).unwrap();
            let flow = flows.get_mut(id).unwrap();
            flow.ours = ours;
            flow.costs.add(Purpose::Other, Carried { packets: 1, bytes: 100 }, true);
        };
        flow(Transport::Tcp, 5000, 1883, true);
        flow(Transport::Tcp, 1883, 5000, false); // its other direction
        flow(Transport::Tcp, 5001, 1883, false); // another client of the broker
        flow(Transport::Tcp, 6000, 80, false);
        flow(Transport::Udp, 5000, 80, false); // a port of another transport
        flows.set_apart();
        let purposes: Vec<Vec<&str>> =
            flows.summaries().iter().map(|flow| flow.costs.keys().copied().collect()).collect();
        assert_eq!(purposes, [["other"], ["other"], ["other"], ["unattributed"], ["unattributed"]]);
    }
}
