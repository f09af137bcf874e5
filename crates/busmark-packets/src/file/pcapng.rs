//! The block format: sections with interfaces, packets and statistics.

use super::source::Source;
use super::{Fault, Interface, LARGEST_BLOCK, LARGEST_PACKET, MOST_INTERFACES, Record};
use crate::bytes::Order;

/// Type of the block with which a section begins; the same in both byte orders.
pub(super) const SECTION: [u8; 4] = [0x0A, 0x0D, 0x0D, 0x0A];
const SECTION_TYPE: u32 = 0x0A0D_0D0A;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const STATISTICS: u32 = 5;
const ENHANCED_PACKET: u32 = 6;

/// How the times of an interface are to be read.
#[derive(Clone, Copy)]
struct Clock {
    /// Ticks of a second.
    resolution: u64,
    offset_s: i64,
}

impl Clock {
    fn ns(self, high: u32, low: u32) -> Option<i64> {
        let ticks = i128::from(u64::from(high) << 32 | u64::from(low));
        let resolution = i128::from(self.resolution.max(1));
        let whole = ticks / resolution + i128::from(self.offset_s);
        let part = ticks % resolution * 1_000_000_000 / resolution;
        i64::try_from(whole * 1_000_000_000 + part).ok()
    }
}

/// The section that is being read.
pub(super) struct State {
    order: Order,
    /// Index of the section's first interface in the list of all.
    first: usize,
    clocks: Vec<Clock>,
    block: Vec<u8>,
    blocks: u64,
}

impl State {
    /// Reads the rest of the first section's header; its type has been read.
    pub(super) fn begin(source: &mut Source) -> Result<Self, Fault> {
        let mut state = Self {
            order: Order::Little,
            first: 0,
            clocks: Vec::new(),
            block: Vec::new(),
            blocks: 1,
        };
        state.section(source, 0, 0)?;
        Ok(state)
    }

    /// The next packet.
    pub(super) fn next(
        &mut self,
        source: &mut Source,
        interfaces: &mut Vec<Interface>,
        data: &mut Vec<u8>,
    ) -> Result<Option<Record>, Fault> {
        loop {
            let begin = source.offset;
            let mut kind = [0; 4];
            match source.fill(&mut kind)? {
                0 => return Ok(None),
                4 => (),
                got => {
                    let what = format!(
                        "the file ends within the type of a block: {got} of 4 bytes are there"
                    );
                    return Err(Fault::new(begin, "truncated", what));
                }
            }
            self.blocks += 1;
            if kind == SECTION {
                self.section(source, begin, interfaces.len())?;
                continue;
            }
            self.body(source, begin)?;
            let kind = self.order.u32(&kind, 0).unwrap_or(0);
            let corrupt = |what: String| Fault::new(begin, "corrupt", what);
            match kind {
                INTERFACE => self.interface(interfaces).map_err(corrupt)?,
                STATISTICS => self.statistics(interfaces),
                ENHANCED_PACKET | OLD_PACKET | SIMPLE_PACKET => {
                    return self.packet(kind, interfaces, data).map(Some).map_err(corrupt);
                }
                SECTION_TYPE => return Err(corrupt("a section in the other byte order".into())),
                _ => (),
            }
        }
    }

    /// Reads a section's header after its type.
    fn section(&mut self, source: &mut Source, begin: u64, interfaces: usize) -> Result<(), Fault> {
        let mut head = [0; 8];
        let at_begin = |fault| Fault { offset: begin, ..fault };
        source.exact(&mut head, "the header of a section").map_err(at_begin)?;
        self.order = match u32::from_le_bytes([head[4], head[5], head[6], head[7]]) {
            0x1A2B_3C4D => Order::Little,
            0x4D3C_2B1A => Order::Big,
            _ => return Err(Fault::new(begin, "corrupt", "a section without its byte-order mark")),
        };
        let length = self.order.u32(&head, 0).unwrap_or(0) as usize;
        if !(28..=LARGEST_BLOCK).contains(&length) || !length.is_multiple_of(4) {
            let what = format!("a section's header claims {length} bytes");
            return Err(Fault::new(begin, "corrupt", what));
        }
        self.block.resize(length - 12, 0);
        source.exact(&mut self.block, "the header of a section").map_err(at_begin)?;
        self.closing(begin, length)?;
        self.first = interfaces;
        self.clocks.clear();
        Ok(())
    }

    /// Reads a block's length and body; the body is in `self.block` without the closing length.
    fn body(&mut self, source: &mut Source, begin: u64) -> Result<(), Fault> {
        let mut head = [0; 4];
        let at_begin = |fault| Fault { offset: begin, ..fault };
        source.exact(&mut head, "the length of a block").map_err(at_begin)?;
        let length = self.order.u32(&head, 0).unwrap_or(0) as usize;
        if !(12..=LARGEST_BLOCK).contains(&length) || !length.is_multiple_of(4) {
            let what = format!("block {} claims {length} bytes", self.blocks);
            return Err(Fault::new(begin, "corrupt", what));
        }
        self.block.resize(length - 8, 0);
        let name = format_args!("block {}", self.blocks).to_string();
        source.exact(&mut self.block, &name).map_err(at_begin)?;
        self.closing(begin, length)
    }

    fn closing(&mut self, begin: u64, length: usize) -> Result<(), Fault> {
        let body = self.block.len().saturating_sub(4);
        let closing = self.order.u32(&self.block, body).unwrap_or(0) as usize;
        self.block.truncate(body);
        if closing == length {
            return Ok(());
        }
        let what = format!(
            "block {} begins with the length {length} and ends with {closing}",
            self.blocks
        );
        Err(Fault::new(begin, "corrupt", what))
    }

    fn interface(&mut self, interfaces: &mut Vec<Interface>) -> Result<(), String> {
        if interfaces.len() >= MOST_INTERFACES {
            return Err(format!("more than {MOST_INTERFACES} interfaces"));
        }
        let short = || "the description of an interface is too short".to_owned();
        let mut described = Interface {
            link_type: self.order.u16(&self.block, 0).ok_or_else(short)?,
            snap_length: self.order.u32(&self.block, 4).ok_or_else(short)?,
            ..Interface::default()
        };
        let mut clock = Clock { resolution: 1_000_000, offset_s: 0 };
        for (code, value) in options(self.order, &self.block[8..]) {
            match (code, value) {
                (2, name) => {
                    let name = String::from_utf8_lossy(name);
                    described.name = Some(name.trim_end_matches('\0').chars().take(64).collect());
                }
                (9, [resolution, ..]) => clock.resolution = ticks(*resolution)?,
                (14, value) => clock.offset_s = self.order.u64(value, 0).unwrap_or(0) as i64,
                _ => (),
            }
        }
        interfaces.push(described);
        self.clocks.push(clock);
        Ok(())
    }

    fn statistics(&self, interfaces: &mut [Interface]) {
        let Some(id) = self.order.u32(&self.block, 0) else { return };
        let Some(interface) = interfaces.get_mut(self.first.saturating_add(id as usize)) else {
            return;
        };
        let mut dropped = None;
        for (code, value) in options(self.order, self.block.get(12..).unwrap_or(&[])) {
            let number = self.order.u64(value, 0);
            match code {
                4 => interface.received = number,
                // Dropped by the interface, and by the system for want of room.
                5 | 7 => {
                    dropped = Some(dropped.unwrap_or(0_u64).saturating_add(number.unwrap_or(0)));
                }
                _ => (),
            }
        }
        if dropped.is_some() {
            interface.dropped = dropped;
        }
    }

    fn packet(
        &self,
        kind: u32,
        interfaces: &[Interface],
        data: &mut Vec<u8>,
    ) -> Result<Record, String> {
        let order = self.order;
        let block = self.block.as_slice();
        let short = || format!("block {} is too short for a packet", self.blocks);
        let word = |at| order.u32(block, at).ok_or_else(short);
        let (id, captured, wire_bytes, from) = match kind {
            SIMPLE_PACKET => {
                let wire = word(0)?;
                let snap = interfaces.get(self.first).map_or(0, |interface| interface.snap_length);
                let kept = if snap == 0 { wire } else { wire.min(snap) };
                (0, kept.min(block.len().saturating_sub(4) as u32) as usize, wire, 4)
            }
            OLD_PACKET => (
                usize::from(order.u16(block, 0).ok_or_else(short)?),
                word(12)? as usize,
                word(16)?,
                20,
            ),
            _ => (word(0)? as usize, word(12)? as usize, word(16)?, 20),
        };
        if captured > LARGEST_PACKET {
            return Err(format!("block {} claims a packet of {captured} bytes", self.blocks));
        }
        let bytes = block.get(from..from + captured).ok_or_else(|| {
            format!(
                "block {} claims a packet of {captured} bytes and has {}",
                self.blocks,
                block.len().saturating_sub(from)
            )
        })?;
        let clock = *self.clocks.get(id).ok_or_else(|| {
            format!("block {} names interface {id}, which was not described", self.blocks)
        })?;
        data.clear();
        data.extend_from_slice(bytes);
        let time_ns = if kind == SIMPLE_PACKET { None } else { clock.ns(word(4)?, word(8)?) };
        let mut direction = 0;
        let rest = block.get(from + captured.next_multiple_of(4)..).unwrap_or(&[]);
        if kind == ENHANCED_PACKET {
            for (code, value) in options(order, rest) {
                if code == 2 {
                    direction = (order.u32(value, 0).unwrap_or(0) & 3) as u8;
                }
            }
        }
        let wire_bytes = wire_bytes.max(captured as u32);
        Ok(Record { time_ns, interface: self.first + id, wire_bytes, direction })
    }
}

/// Ticks of a second, of the option `if_tsresol`.
fn ticks(resolution: u8) -> Result<u64, String> {
    let exponent = u32::from(resolution & 0x7F);
    let base: u64 = if resolution & 0x80 == 0 { 10 } else { 2 };
    base.checked_pow(exponent).ok_or_else(|| format!("a time resolution of {base}^-{exponent} s"))
}

/// Code and value of each option; ends at the first that is cut off.
fn options(order: Order, mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let code = order.u16(rest, 0)?;
        let length = usize::from(order.u16(rest, 2)?);
        if code == 0 {
            return None;
        }
        let value = rest.get(4..4 + length)?;
        rest = rest.get(4 + length.next_multiple_of(4)..).unwrap_or(&[]);
        Some((code, value))
    })
}
