//! From a frame to what UDP or TCP carries.

use std::net::IpAddr;

use etherparse::{EtherType, LaxNetSlice, LaxSlicedPacket, UdpSlice};

use crate::bytes::{Order, array};
use crate::fragments::{Fragment, Fragments};

/// Values of the registry of link types, tcpdump.org.
mod link_type {
    pub const NULL: u16 = 0;
    pub const ETHERNET: u16 = 1;
    pub const RAW_12: u16 = 12;
    pub const RAW_14: u16 = 14;
    pub const RAW: u16 = 101;
    pub const LOOP: u16 = 108;
    pub const LINUX_SLL: u16 = 113;
    pub const USER0: u16 = 147;
    pub const IPV4: u16 = 228;
    pub const IPV6: u16 = 229;
    pub const LINUX_SLL2: u16 = 276;
}

/// The link type by which bytes of a serial line are recognised: `LINKTYPE_USER0`.
pub const SERIAL: u16 = link_type::USER0;

/// Whether frames of this link type are taken apart.
pub fn is_known(link: u16) -> bool {
    use link_type::{
        ETHERNET, IPV4, IPV6, LINUX_SLL, LINUX_SLL2, LOOP, NULL, RAW, RAW_12, RAW_14, USER0,
    };
    let known =
        [NULL, ETHERNET, RAW_12, RAW_14, RAW, LOOP, LINUX_SLL, USER0, IPV4, IPV6, LINUX_SLL2];
    known.contains(&link)
}

/// Address and port of an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Endpoint {
    /// Address of IP.
    pub address: IpAddr,
    /// Port of UDP or TCP.
    pub port: u16,
}

/// What TCP says of a segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Sequence number of the first byte.
    pub seq: u32,
    /// Acknowledgement number, where the flag ACK is set.
    pub ack: u32,
    /// The header's lower byte of flags: FIN 1, SYN 2, RST 4, PSH 8, ACK 16.
    pub flags: u8,
    /// Bytes of the segment on the wire.
    pub bytes: u32,
}

/// A packet as far as it could be taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parts<'a> {
    /// A datagram. `missing` bytes of it were not captured.
    Udp {
        /// From where.
        source: Endpoint,
        /// To where.
        destination: Endpoint,
        /// What was captured of its payload.
        payload: std::borrow::Cow<'a, [u8]>,
        /// Bytes of its payload that were not captured.
        missing: u32,
    },
    /// A segment.
    Tcp {
        /// From where.
        source: Endpoint,
        /// To where.
        destination: Endpoint,
        /// Numbers of its header.
        segment: Segment,
        /// What was captured of its payload.
        payload: std::borrow::Cow<'a, [u8]>,
    },
    /// A fragment of an IP datagram that is not complete yet.
    Fragment,
    /// Neither, or cut off within its headers.
    Other,
}

/// Takes a frame apart; fragments of IP are put together in `fragments`.
pub fn take_apart<'a>(link: u16, frame: &'a [u8], fragments: &mut Fragments) -> Parts<'a> {
    // A frame of which bytes were not captured completes no datagram.
    fragments.frame_bytes = frame.len() as u64;
    let sliced = match link {
        link_type::ETHERNET => LaxSlicedPacket::from_ethernet(frame).ok(),
        link_type::LINUX_SLL => cooked(frame, 14, 16),
        link_type::LINUX_SLL2 => cooked(frame, 0, 20),
        link_type::NULL | link_type::LOOP => {
            frame.get(4..).and_then(|packet| LaxSlicedPacket::from_ip(packet).ok())
        }
        link_type::RAW_12
        | link_type::RAW_14
        | link_type::RAW
        | link_type::IPV4
        | link_type::IPV6 => LaxSlicedPacket::from_ip(frame).ok(),
        _ => None,
    };
    let Some(net) = sliced.and_then(|sliced| sliced.net) else { return Parts::Other };
    match addresses(&net) {
        Some(ip) => transport(ip, &net, fragments),
        None => Parts::Other,
    }
}

/// The packet of IP in a frame, without what pads the frame.
pub fn ip_packet(link: u16, frame: &[u8]) -> Option<&[u8]> {
    const TAGS: [u16; 2] = [0x8100, 0x88A8];
    let begin = match link {
        link_type::ETHERNET => {
            let tag = |at: &usize| Order::Big.u16(frame, *at).is_some_and(|it| TAGS.contains(&it));
            (12..).step_by(4).find(|at| !tag(at))? + 2
        }
        link_type::LINUX_SLL => 16,
        link_type::LINUX_SLL2 => 20,
        link_type::NULL | link_type::LOOP => 4,
        link if is_known(link) && link != SERIAL => 0,
        _ => return None,
    };
    let packet = frame.get(begin..)?;
    let bytes = match packet.first()? >> 4 {
        4 => usize::from(Order::Big.u16(packet, 2)?),
        6 => usize::from(Order::Big.u16(packet, 4)?) + 40,
        _ => return None,
    };
    Some(packet.get(..bytes).filter(|_| bytes >= 20).unwrap_or(packet))
}

/// What a frame says of its interface: number and direction, where a capture has several as one.
pub fn place(link: u16, frame: &[u8]) -> u64 {
    let number = |at| u64::from(Order::Big.u32(frame, at).unwrap_or(0));
    match link {
        link_type::LINUX_SLL => number(0) >> 16,
        link_type::LINUX_SLL2 => number(4) << 8 | number(8) >> 8 & 0xFF,
        _ => 0,
    }
}

/// Linux "cooked" capture: the protocol is at one place, what it carries at another.
fn cooked(frame: &[u8], protocol: usize, payload: usize) -> Option<LaxSlicedPacket<'_>> {
    let kind = crate::bytes::Order::Big.u16(frame, protocol)?;
    Some(LaxSlicedPacket::from_ether_type(EtherType(kind), frame.get(payload..)?))
}

#[derive(Clone, Copy)]
struct Ip {
    source: IpAddr,
    destination: IpAddr,
    /// Bytes that the datagram has behind all headers of IP, by its length.
    declared: usize,
}

fn addresses(net: &LaxNetSlice<'_>) -> Option<Ip> {
    let payload = net.ip_payload_ref()?.payload.len();
    match net {
        LaxNetSlice::Ipv4(packet) => {
            let header = packet.header();
            let extensions = packet.extensions().auth.map_or(0, |auth| auth.slice().len());
            let total = usize::from(header.total_len());
            let declared = total.saturating_sub(header.slice().len() + extensions);
            // Segmentation by the interface leaves the length 0: then what is there counts.
            let declared = if total == 0 { payload } else { declared };
            Some(Ip {
                source: header.source_addr().into(),
                destination: header.destination_addr().into(),
                declared,
            })
        }
        LaxNetSlice::Ipv6(packet) => {
            let header = packet.header();
            let extensions = packet.extensions().slice().len();
            let total = usize::from(header.payload_length());
            let declared = if total == 0 { payload } else { total.saturating_sub(extensions) };
            Some(Ip {
                source: header.source_addr().into(),
                destination: header.destination_addr().into(),
                declared,
            })
        }
        LaxNetSlice::Arp(_) => None,
    }
}

fn transport<'a>(ip: Ip, net: &LaxNetSlice<'a>, fragments: &mut Fragments) -> Parts<'a> {
    let Some(carried) = net.ip_payload_ref() else { return Parts::Other };
    let protocol = carried.ip_number.0;
    if !carried.fragmented {
        return ports(ip, protocol, carried.payload);
    }
    let Some(fragment) = fragment_of(ip, net, protocol, carried.payload) else {
        return Parts::Other;
    };
    match fragments.add(&fragment) {
        Some(whole) => {
            let ip = Ip { declared: whole.len(), ..ip };
            owned(ports(ip, protocol, &whole))
        }
        None => Parts::Fragment,
    }
}

fn fragment_of<'a>(
    ip: Ip,
    net: &LaxNetSlice<'_>,
    protocol: u8,
    payload: &'a [u8],
) -> Option<Fragment<'a>> {
    let (id, offset, more) = match net {
        LaxNetSlice::Ipv4(packet) => {
            let header = packet.header();
            let offset = usize::from(header.fragments_offset().value()) * 8;
            (u32::from(header.identification()), offset, header.more_fragments())
        }
        LaxNetSlice::Ipv6(packet) => {
            use etherparse::Ipv6ExtensionSlice::Fragment as Header;
            let header = packet.extensions().clone().into_iter().find_map(|extension| {
                if let Header(fragment) = extension { Some(fragment) } else { None }
            })?;
            let offset = usize::from(header.fragment_offset().value()) * 8;
            (header.identification(), offset, header.more_fragments())
        }
        LaxNetSlice::Arp(_) => return None,
    };
    // A fragment that was cut off cannot be completed.
    let whole = payload.len() >= ip.declared;
    let key = (ip.source, ip.destination, id, protocol);
    whole.then_some(Fragment { key, offset, more, payload })
}

fn ports(ip: Ip, protocol: u8, payload: &[u8]) -> Parts<'_> {
    let end = |address, port| Endpoint { address, port };
    match protocol {
        17 => {
            let Ok(udp) = UdpSlice::from_slice_lax(payload) else { return Parts::Other };
            let declared = match udp.length() {
                0 => ip.declared.saturating_sub(8),
                length => usize::from(length).saturating_sub(8),
            };
            let there = udp.payload();
            let missing = declared.saturating_sub(there.len()) as u32;
            Parts::Udp {
                source: end(ip.source, udp.source_port()),
                destination: end(ip.destination, udp.destination_port()),
                payload: there.into(),
                missing,
            }
        }
        6 => {
            let Some(tcp) = Tcp::read(payload) else { return Parts::Other };
            let declared = ip.declared.saturating_sub(tcp.header_bytes);
            let there = payload.get(tcp.header_bytes..).unwrap_or(&[]);
            Parts::Tcp {
                source: end(ip.source, tcp.source),
                destination: end(ip.destination, tcp.destination),
                segment: Segment { bytes: declared.max(there.len()) as u32, ..tcp.segment },
                payload: there.into(),
            }
        }
        _ => Parts::Other,
    }
}

/// The header of TCP, whose options may be cut off.
struct Tcp {
    source: u16,
    destination: u16,
    segment: Segment,
    header_bytes: usize,
}

impl Tcp {
    fn read(data: &[u8]) -> Option<Self> {
        let [offset, flags] = array(data, 12)?;
        let header_bytes = usize::from(offset >> 4) * 4;
        (header_bytes >= 20).then_some(Self {
            source: Order::Big.u16(data, 0)?,
            destination: Order::Big.u16(data, 2)?,
            segment: Segment {
                seq: Order::Big.u32(data, 4)?,
                ack: Order::Big.u32(data, 8)?,
                flags,
                bytes: 0,
            },
            header_bytes,
        })
    }
}

fn owned(parts: Parts<'_>) -> Parts<'static> {
    match parts {
        Parts::Udp { source, destination, payload, missing } => {
            Parts::Udp { source, destination, payload: payload.into_owned().into(), missing }
        }
        Parts::Tcp { source, destination, segment, payload } => {
            Parts::Tcp { source, destination, segment, payload: payload.into_owned().into() }
        }
        Parts::Fragment => Parts::Fragment,
        Parts::Other => Parts::Other,
    }
}
