//! The classic format: a header, then packets with a header each.

use super::source::Source;
use super::{Fault, Interface, LARGEST_PACKET, Record};
use crate::bytes::Order;

const HEADER_REST: usize = 20;
const RECORD: usize = 16;

/// Byte order and unit of time.
pub(super) struct State {
    order: Order,
    unit_ns: i64,
    record: u64,
}

impl State {
    /// Reads the header; `None` where the magic number is another format's.
    pub(super) fn begin(
        magic: [u8; 4],
        source: &mut Source,
        interfaces: &mut Vec<Interface>,
    ) -> Result<Option<Self>, Fault> {
        let (order, unit_ns) = match u32::from_le_bytes(magic) {
            0xA1B2_C3D4 => (Order::Little, 1000),
            0xA1B2_3C4D => (Order::Little, 1),
            0xD4C3_B2A1 => (Order::Big, 1000),
            0x4D3C_B2A1 => (Order::Big, 1),
            _ => return Ok(None),
        };
        let mut rest = [0; HEADER_REST];
        source.exact(&mut rest, "the header of the file")?;
        interfaces.push(Interface {
            // The upper bits say whether frames end with a check sequence.
            link_type: (order.u32(&rest, 16).unwrap_or(0) & 0xFFFF) as u16,
            snap_length: order.u32(&rest, 12).unwrap_or(0),
            ..Interface::default()
        });
        Ok(Some(Self { order, unit_ns, record: 0 }))
    }

    /// The next packet.
    pub(super) fn next(
        &mut self,
        source: &mut Source,
        data: &mut Vec<u8>,
    ) -> Result<Option<Record>, Fault> {
        let begin = source.offset;
        let mut head = [0; RECORD];
        self.record += 1;
        match source.fill(&mut head)? {
            0 => return Ok(None),
            RECORD => (),
            got => {
                let what = format!(
                    "the file ends within the header of packet {}: {got} of 16 bytes are there",
                    self.record
                );
                return Err(Fault::new(begin, "truncated", what));
            }
        }
        let word = |at| self.order.u32(&head, at).unwrap_or(0);
        let (captured, wire_bytes) = (word(8) as usize, word(12));
        if captured > LARGEST_PACKET {
            let what = format!(
                "packet {} claims {captured} bytes, more than any interface delivers",
                self.record
            );
            return Err(Fault::new(begin, "corrupt", what));
        }
        data.resize(captured, 0);
        source
            .exact(data, &format!("packet {}", self.record))
            .map_err(|fault| Fault { offset: begin, ..fault })?;
        let time = i64::from(word(0)) * 1_000_000_000 + i64::from(word(4)) * self.unit_ns;
        let wire_bytes = wire_bytes.max(captured as u32);
        Ok(Some(Record { time_ns: Some(time), interface: 0, wire_bytes, direction: 0 }))
    }
}
