//! What packets are for, and how many bytes each purpose takes of a flow.

use serde::Serialize;

use crate::rows::{Row, SAMPLE_KIND, XRCE_KINDS};
use crate::rtps::{id, is_handshake};
use crate::xrce;

/// Packets that carried something, and their bytes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// How many.
    pub packets: u64,
    /// On the wire.
    pub bytes: u64,
}

impl Carried {
    /// Adds a packet.
    pub const fn add(&mut self, bytes: u64) {
        self.packets += 1;
        self.bytes += bytes;
    }
}

/// What a packet is for. A packet is counted once, by the first of these that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A sample, or a piece of one, for the first time.
    Data,
    /// Bytes or samples that went the same way before.
    Retransmission,
    /// Participants authenticate each other, and exchange keys as far as that can be seen (RTPS).
    Handshake,
    /// Discovery and liveliness of participants and endpoints (RTPS).
    Discovery,
    /// What a writer says that it has.
    Heartbeat,
    /// What a reader says that it has, or lacks.
    Acknowledgement,
    /// Numbers that are not sent.
    Gap,
    /// Submessages that cannot be read, for they are encrypted (RTPS).
    Encrypted,
    /// Acknowledges bytes of TCP, and has none of its own.
    TcpAcknowledgement,
    /// Anything else, such as the beginning and the end of connections.
    Other,
    /// RTPS from or to participants that are not the run's.
    Foreign,
    /// Packets of connections on which no sample of the run passed, and which share no end with one
    /// on which some did.
    Unattributed,
}

/// Names of purposes, in their order.
pub const PURPOSES: [&str; 12] = [
    "data",
    "retransmission",
    "handshake",
    "discovery",
    "heartbeat",
    "acknowledgement",
    "gap",
    "encrypted",
    "tcp_acknowledgement",
    "other",
    "foreign",
    "unattributed",
];

/// What the rows of one packet say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Content(u16);

impl Content {
    const ORDER: [Purpose; 8] = [
        Purpose::Data,
        Purpose::Retransmission,
        Purpose::Handshake,
        Purpose::Discovery,
        Purpose::Heartbeat,
        Purpose::Acknowledgement,
        Purpose::Gap,
        Purpose::Encrypted,
    ];

    /// Adds a row of the packet.
    pub fn add(&mut self, row: &Row) {
        if let Some(purpose) = purpose(row) {
            self.0 |= 1 << purpose as u8;
        }
    }

    /// Whether nothing in it has a purpose of its own.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The first that it has.
    pub fn purpose(self) -> Option<Purpose> {
        Self::ORDER.into_iter().find(|purpose| self.0 & 1 << *purpose as u8 != 0)
    }
}

fn purpose(row: &Row) -> Option<Purpose> {
    if row.builtin == Some(true) {
        let handshake = row.writer.is_some_and(is_handshake);
        return Some(if handshake { Purpose::Handshake } else { Purpose::Discovery });
    }
    let carries = |repeated: Option<bool>| match repeated {
        Some(true) => Purpose::Retransmission,
        _ => Purpose::Data,
    };
    if row.sample_seq.is_some() || row.kind == Some(SAMPLE_KIND) {
        return Some(carries(row.repeated));
    }
    let kind = row.kind?;
    if kind >= XRCE_KINDS {
        return Some(match (kind - XRCE_KINDS) as u8 {
            xrce::id::WRITE_DATA | xrce::id::DATA | xrce::id::FRAGMENT => carries(row.repeated),
            xrce::id::HEARTBEAT => Purpose::Heartbeat,
            xrce::id::ACKNACK => Purpose::Acknowledgement,
            _ => return None,
        });
    }
    Some(match kind as u8 {
        id::DATA | id::DATA_FRAG => carries(row.repeated),
        id::HEARTBEAT | id::HEARTBEAT_FRAG => Purpose::Heartbeat,
        id::ACKNACK | id::NACK_FRAG => Purpose::Acknowledgement,
        id::GAP => Purpose::Gap,
        id::SEC_BODY => Purpose::Encrypted,
        _ => return None,
    })
}

/// Packets and bytes of one purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Cost {
    /// In the whole capture.
    pub packets: u64,
    /// In the whole capture, on the wire.
    pub wire_bytes: u64,
    /// In the window.
    pub window_packets: u64,
    /// In the window, on the wire.
    pub window_wire_bytes: u64,
}

/// Costs of a flow, by purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Costs([Cost; PURPOSES.len()]);

impl Costs {
    /// Adds packets; `inside`: they are in the window.
    pub const fn add(&mut self, purpose: Purpose, carried: Carried, inside: bool) {
        let cost = &mut self.0[purpose as usize];
        cost.packets += carried.packets;
        cost.wire_bytes += carried.bytes;
        if inside {
            cost.window_packets += carried.packets;
            cost.window_wire_bytes += carried.bytes;
        }
    }

    /// Adds other costs, each to its purpose or all to one.
    pub fn merge(&mut self, other: &Self, purpose: Option<Purpose>) {
        for (number, cost) in other.0.iter().enumerate() {
            let sum = &mut self.0[purpose.map_or(number, |purpose| purpose as usize)];
            sum.packets += cost.packets;
            sum.wire_bytes += cost.wire_bytes;
            sum.window_packets += cost.window_packets;
            sum.window_wire_bytes += cost.window_wire_bytes;
        }
    }

    /// Counts all as one purpose.
    pub fn count_as(&mut self, purpose: Purpose) {
        let all = std::mem::take(self);
        self.merge(&all, Some(purpose));
    }

    /// Those that there are, by name.
    pub fn named(&self) -> std::collections::BTreeMap<&'static str, Cost> {
        let there = PURPOSES.into_iter().zip(self.0);
        there.filter(|(_, cost)| cost.packets > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_is_for_the_first_purpose_that_it_has() {
        let row = |kind: u8, builtin| Row {
            kind: Some(kind.into()),
            builtin: Some(builtin),
            ..Row::default()
        };
        let of = |rows: &[Row]| {
            let mut content = Content::default();
            for row in rows {
                content.add(row);
            }
            content.purpose()
        };
        assert_eq!(of(&[row(id::INFO_TS, false)]), None);
        assert_eq!(of(&[row(id::HEARTBEAT, true)]), Some(Purpose::Discovery));
        assert_eq!(of(&[row(id::ACKNACK, false)]), Some(Purpose::Acknowledgement));
        let both = [row(id::HEARTBEAT, false), row(id::DATA, false)];
        assert_eq!(of(&both), Some(Purpose::Data));
        // BuiltinParticipantStatelessMessageWriter.
        let stateless = Row { writer: Some(0x0002_01c3), ..row(id::DATA, true) };
        assert_eq!(of(&[stateless]), Some(Purpose::Handshake));
        assert_eq!(of(&[row(id::SEC_BODY, false)]), Some(Purpose::Encrypted));
        assert_eq!(of(&[row(id::SEC_BODY, false), stateless]), Some(Purpose::Handshake));
        let again = Row { repeated: Some(true), ..both[1] };
        assert_eq!(of(&[both[0], again]), Some(Purpose::Retransmission));
    }
}
