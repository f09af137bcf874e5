//! From a capture to rows.
#![allow(
    clippy::large_types_passed_by_value,
    reason = "a row is filled in step by step, and copied"
)]

mod messages;
mod packets;
mod streams;

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};

use crate::contents::Contents;
use crate::copies::Copies;
use crate::costs::{Carried, Content, Costs, Purpose};
use crate::domains::Domains;
use crate::file::{Capture, Fault, Record};
use crate::flows::{Flows, Transport};
use crate::fragments::Fragments;
use crate::link::Endpoint;
use crate::rows::{self, Row};
use crate::rtps::{self, Prefix};
use crate::seen::Window;
use crate::summary::Summary;
use crate::table::Sink;
use crate::xrce;
use crate::xrce_stream::Streams;

/// GUID prefixes that are remembered.
const MOST_PREFIXES: usize = 1 << 16;
/// Writers whose sequence numbers are remembered; then all are forgotten.
const MOST_WRITERS: usize = 1 << 14;
/// Senders on flows whose costs are counted apart; costs of further ones count as the run's.
const MOST_SENDERS: usize = 1 << 17;
/// Agents that are remembered.
const MOST_AGENTS: usize = 4096;
/// Bytes of packets that wait for earlier ones, where packets are sorted by time.
const MOST_SORTED: usize = 256 << 20;

/// What a user may know of a capture.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Only samples of this run of Busmark's are recognised.
    pub cookie: Option<u64>,
    /// Topics of the run have this in their names.
    pub topic: Option<String>,
    /// Ports at which agents of DDS-XRCE are, for captures without the beginning of sessions.
    pub agent_ports: Vec<u16>,
    /// Header and body of all samples of a writer, for streams of a protocol that is not read.
    pub sample_bytes: HashMap<u32, usize>,
    /// Times for which costs are counted apart.
    pub window: Option<(i64, i64)>,
    /// Only rows that carry samples or say what has arrived are emitted.
    pub samples_only: bool,
    /// The last whole sample of each writer of RTPS is kept.
    pub contents: bool,
    /// Packets are read in the order of time, as far as [`MOST_SORTED`] bytes reach.
    pub sorted: bool,
}

/// Reads packets and writes rows.
pub struct Reader<S> {
    options: Options,
    sink: S,
    flows: Flows,
    fragments: Fragments,
    streams: Streams,
    prefixes: HashMap<Prefix, u32>,
    names: Vec<String>,
    windows: HashMap<(u32, u32, u32, bool), Window>,
    agents: HashSet<Endpoint>,
    copies: Copies,
    contents: Contents,
    /// Number in the file of the packet that is read.
    number: u32,
    part: u16,
    tally: Tally,
    domains: Domains,
    by_prefix: HashMap<(u32, u32), Costs>,
    has_samples: bool,
    summary: Summary,
}

/// A packet's cost, while it is read.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    /// Whose it is; `None`: nothing is counted.
    flow: Option<u32>,
    /// Who sent it (RTPS).
    prefix: Option<u32>,
    carried: Carried,
    content: Content,
    /// For a packet whose content says nothing.
    otherwise: Option<Purpose>,
}

/// A packet that waits for earlier ones.
struct Waiting {
    time_ns: i64,
    number: u32,
    record: Record,
    packet: Vec<u8>,
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.time_ns, self.number).cmp(&(other.time_ns, other.number))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

fn link_type(capture: &Capture, record: &Record) -> u16 {
    capture.interfaces().get(record.interface).map_or(0, |interface| interface.link_type)
}

impl<S: Sink> Reader<S> {
    /// Rows go to `sink`.
    pub fn new(options: Options, sink: S) -> Self {
        Self {
            options,
            sink,
            flows: Flows::default(),
            fragments: Fragments::default(),
            streams: Streams::default(),
            prefixes: HashMap::new(),
            names: Vec::new(),
            windows: HashMap::new(),
            agents: HashSet::new(),
            copies: Copies::default(),
            contents: Contents::default(),
            number: 0,
            part: 0,
            tally: Tally::default(),
            domains: Domains::default(),
            by_prefix: HashMap::new(),
            has_samples: false,
            summary: Summary::default(),
        }
    }

    /// Reads a whole capture; a fault ends reading, and is in the summary.
    pub fn read(mut self, capture: &mut Capture, stop: impl Fn(&S) -> bool) -> (Summary, S) {
        let mut data = Vec::new();
        let (mut waiting, mut held, mut number) = (BinaryHeap::new(), 0, 0_u32);
        let mut last_ns = 0;
        while !stop(&self.sink) {
            match capture.next(&mut data) {
                Ok(None) => break,
                Ok(Some(_)) if number == u32::MAX => {
                    self.summary.fault = Some(Fault {
                        offset: 0,
                        kind: "corrupt",
                        what: format!("the file has more than {} packets", u32::MAX),
                    });
                    break;
                }
                Ok(Some(record)) => {
                    number += 1;
                    if !self.options.sorted {
                        self.number = number;
                        self.packet(link_type(capture, &record), &record, &data);
                        continue;
                    }
                    // A packet without a time stays behind the one before it.
                    last_ns = record.time_ns.unwrap_or(last_ns);
                    held += data.len() + size_of::<Waiting>();
                    let packet = std::mem::take(&mut data);
                    waiting.push(Reverse(Waiting { time_ns: last_ns, number, record, packet }));
                    while held > MOST_SORTED {
                        held -= self.earliest(&mut waiting, capture);
                    }
                }
                Err(fault) => {
                    self.summary.fault = Some(fault);
                    break;
                }
            }
        }
        while !waiting.is_empty() && !stop(&self.sink) {
            self.earliest(&mut waiting, capture);
        }
        self.end(capture)
    }

    /// Reads the earliest packet that waits; returns how many bytes it held.
    fn earliest(&mut self, waiting: &mut BinaryHeap<Reverse<Waiting>>, of: &Capture) -> usize {
        let Some(Reverse(one)) = waiting.pop() else { return 0 };
        self.number = one.number;
        self.packet(link_type(of, &one.record), &one.record, &one.packet);
        one.packet.len() + size_of::<Waiting>()
    }

    fn end(mut self, capture: &Capture) -> (Summary, S) {
        self.release_streams();
        self.summary.format = capture.format();
        self.summary.interfaces = capture.interfaces().to_vec();
        self.close();
        (self.summary, self.sink)
    }

    /// Fills in what is known at the end only.
    pub(crate) fn close(&mut self) {
        self.settle_all();
        let summary = &mut self.summary;
        summary.busmark_packets = 1;
        summary.flows = self.flows.summaries();
        summary.prefixes = std::mem::take(&mut self.names);
        summary.protocols = rows::PROTOCOLS.to_vec();
        let named = |kind: u16| Some((kind, rows::kind_name(kind)?));
        summary.kinds = (0..=rows::SAMPLE_KIND).filter_map(named).collect();
        summary.contents = self.contents.take();
        summary.noticed.incomplete_datagrams = self.fragments.incomplete();
        summary.noticed.damaged_frames = self.flows.damaged_frames();
        summary.noticed.beyond_bounds += self.streams.forgotten;
    }

    /// Bytes that wait in buffers.
    pub fn held(&self) -> usize {
        self.flows.held() + self.streams.held() + self.contents.held()
    }

    fn emit(&mut self, mut row: Row) {
        row.part = Some(self.part);
        self.part = self.part.saturating_add(1);
        self.tally.content.add(&row);
        self.tally.prefix = self.tally.prefix.or(row.source);
        if row.sample_seq.is_some() {
            self.has_samples = true;
            if let Some(flow) = row.flow.and_then(|flow| self.flows.get_mut(flow)) {
                flow.ours = true;
            }
            if let Some(source) = row.source {
                self.domains.mark(source);
            }
        }
        if self.options.samples_only && !carries_sample(&row) && !confirms(&row) {
            return;
        }
        self.summary.rows += 1;
        self.sink.row(&row);
    }

    /// Counts the cost of a packet that has been read.
    fn settle(&mut self, time_ns: i64) {
        let Tally { flow, prefix, carried, content, otherwise } = self.tally;
        let inside = self.options.window.is_some_and(|(from, to)| (from..to).contains(&time_ns));
        let purpose = content.purpose().or(otherwise).unwrap_or(Purpose::Other);
        let Some(id) = flow else { return };
        let room = self.by_prefix.len() < MOST_SENDERS;
        let costs = match prefix.map(|prefix| (id, prefix)) {
            Some(key) if room || self.by_prefix.contains_key(&key) => {
                Some(self.by_prefix.entry(key).or_default())
            }
            _ => self.flows.get_mut(id).map(|flow| &mut flow.costs),
        };
        if let Some(costs) = costs {
            costs.add(purpose, carried, inside);
        }
    }

    /// Costs of each flow, where it is known who has to do with the run.
    fn settle_all(&mut self) {
        let samples = self.has_samples && self.options.cookie.is_some();
        let known = samples || self.domains.is_named();
        let own = self.domains.own();
        let others = self.domains.ends_of_others(&own);
        if known {
            let all = 0..self.names.len() as u32;
            self.summary.foreign_prefixes = all.filter(|one| !own.contains(one)).collect();
        }
        let mut costs = Vec::new();
        for ((id, prefix), cost) in std::mem::take(&mut self.by_prefix) {
            let Some(flow) = self.flows.get_mut(id) else { continue };
            let to_others =
                flow.key.transport == Transport::Udp && others.contains(&flow.key.destination);
            let ours = own.contains(&prefix) && !to_others;
            flow.ours |= ours;
            costs.push((id, cost, known && !ours));
        }
        if samples {
            self.flows.set_apart();
        }
        for (id, cost, foreign) in costs {
            if let Some(flow) = self.flows.get_mut(id) {
                flow.costs.merge(&cost, foreign.then_some(Purpose::Foreign));
            }
        }
    }

    fn prefix(&mut self, prefix: Prefix) -> Option<u32> {
        if let Some(&index) = self.prefixes.get(&prefix) {
            return Some(index);
        }
        if self.names.len() >= MOST_PREFIXES {
            self.summary.noticed.beyond_bounds += 1;
            return None;
        }
        let index = self.names.len() as u32;
        self.prefixes.insert(prefix, index);
        let number = prefix.iter().fold(0_u128, |sum, byte| sum << 8 | u128::from(*byte));
        self.names.push(format!("{number:024x}"));
        Some(index)
    }

    /// Whether this number of a writer went the same way before.
    fn is_repeated(&mut self, key: (u32, u32, u32, bool), number: i64) -> bool {
        if self.windows.len() >= MOST_WRITERS && !self.windows.contains_key(&key) {
            self.windows.clear();
            self.summary.noticed.beyond_bounds += 1;
        }
        self.windows.entry(key).or_default().is_repeated(number)
    }

    fn add_agent(&mut self, agent: Endpoint) {
        if self.agents.len() < MOST_AGENTS {
            self.agents.insert(agent);
        }
    }
}

/// Whether it says what has arrived: of samples of users, or of bytes of a stream of TCP.
fn confirms(row: &Row) -> bool {
    const RTPS: u16 = rtps::id::ACKNACK as u16;
    const XRCE: u16 = rows::XRCE_KINDS + xrce::id::ACKNACK as u16;
    row.acked.is_some() || (matches!(row.kind, Some(RTPS | XRCE)) && row.builtin != Some(true))
}

/// Whether a row is a sample of Busmark's, or a fragment that may belong to one.
fn carries_sample(row: &Row) -> bool {
    let fragment = row.kind == Some(u16::from(rtps::id::DATA_FRAG)) && row.builtin != Some(true);
    row.sample_seq.is_some() || fragment
}
