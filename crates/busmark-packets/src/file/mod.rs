//! The file of a capture: pcapng or pcap, perhaps compressed by gzip.

mod pcap;
mod pcapng;
mod source;

use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use serde::Serialize;

use source::Source;

/// Bytes that a packet may have; more is taken for a fault of the file. The largest snap length of
/// libpcap is this.
pub const LARGEST_PACKET: usize = 256 << 10;
/// Bytes that a block of pcapng may have. Blocks that hold no packet (names, secrets) may be long.
pub const LARGEST_BLOCK: usize = 16 << 20;
/// Interfaces of a capture; more is taken for a fault.
pub const MOST_INTERFACES: usize = 4096;

/// Why reading ended before the end, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    /// Bytes from the beginning of the file, or of what gzip holds.
    pub offset: u64,
    /// `truncated`, `corrupt`, `empty`, `foreign` or `unreadable`.
    pub kind: &'static str,
    /// What is wrong.
    pub what: String,
}

impl Fault {
    fn new(offset: u64, kind: &'static str, what: impl Into<String>) -> Self {
        Self { offset, kind, what: what.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at byte {})", self.what, self.offset)
    }
}

impl std::error::Error for Fault {}

/// An interface on which packets were captured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Interface {
    /// As the capturing program called it.
    pub name: Option<String>,
    /// LINKTYPE value of tcpdump.org.
    pub link_type: u16,
    /// Bytes that were kept of a packet; 0: all.
    pub snap_length: u32,
    /// Packets that this file holds.
    pub packets: u64,
    /// Packets that the interface received, where the file says so.
    pub received: Option<u64>,
    /// Packets that the capture lost, where the file says so.
    pub dropped: Option<u64>,
}

/// A packet as it is in the file; its bytes are in the buffer that was handed in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Since the epoch; `None` where the file has no time for it.
    pub time_ns: Option<i64>,
    /// Index into the interfaces.
    pub interface: usize,
    /// Bytes on the wire.
    pub wire_bytes: u32,
    /// 1 received, 2 sent, 0 unknown: the direction of pcapng's packet flags.
    pub direction: u8,
}

enum Format {
    Pcap(pcap::State),
    Pcapng(pcapng::State),
}

/// A capture that is being read.
pub struct Capture {
    source: Source,
    format: Format,
    interfaces: Vec<Interface>,
    compressed: bool,
}

impl Capture {
    /// Opens a file and reads its header.
    pub fn open(path: &Path) -> Result<Self, Fault> {
        let unreadable = |error: std::io::Error| Fault::new(0, "unreadable", error.to_string());
        // Before it is opened: a pipe would be waited for there, and a device may have no end.
        let kind = std::fs::metadata(path).map_err(unreadable)?.file_type();
        if !kind.is_file() {
            let what = if kind.is_dir() { "a directory" } else { "not a regular file" };
            return Err(Fault::new(0, "unreadable", format!("this is {what}")));
        }
        let file = File::open(path).map_err(unreadable)?;
        Self::read(file)
    }

    /// Reads the header of what comes from here.
    pub fn read(from: impl Read + 'static) -> Result<Self, Fault> {
        let mut plain = BufReader::with_capacity(1 << 20, from);
        let start = source::peek(&mut plain, 2)
            .map_err(|error| Fault::new(0, "unreadable", error.to_string()))?;
        let compressed = start == [0x1f, 0x8b];
        let mut source = if compressed {
            let inner = BufReader::with_capacity(1 << 20, MultiGzDecoder::new(plain));
            Source::new(Box::new(inner))
        } else {
            Source::new(Box::new(plain))
        };
        let mut interfaces = Vec::new();
        let mut magic = [0; 4];
        match source.fill(&mut magic)? {
            0 => return Err(Fault::new(0, "empty", "the file is empty")),
            4 => (),
            _ => {
                return Err(Fault::new(
                    0,
                    "foreign",
                    "this is no capture: it has less than four bytes",
                ));
            }
        }
        let format = if magic == pcapng::SECTION {
            Format::Pcapng(pcapng::State::begin(&mut source)?)
        } else if let Some(state) = pcap::State::begin(magic, &mut source, &mut interfaces)? {
            Format::Pcap(state)
        } else {
            let what = format!("this is neither pcapng nor pcap: it begins with {}", hex(&magic));
            return Err(Fault::new(0, "foreign", what));
        };
        Ok(Self { source, format, interfaces, compressed })
    }

    /// Reads the next packet into the buffer; `None` at the end of the file.
    pub fn next(&mut self, data: &mut Vec<u8>) -> Result<Option<Record>, Fault> {
        let next = match &mut self.format {
            Format::Pcap(state) => state.next(&mut self.source, data)?,
            Format::Pcapng(state) => state.next(&mut self.source, &mut self.interfaces, data)?,
        };
        if let Some(record) = next
            && let Some(interface) = self.interfaces.get_mut(record.interface)
        {
            interface.packets += 1;
        }
        Ok(next)
    }

    /// Interfaces so far.
    pub fn interfaces(&self) -> &[Interface] {
        &self.interfaces
    }

    /// `pcap` or `pcapng`, with `.gz` where it is compressed.
    pub fn format(&self) -> String {
        let name = match self.format {
            Format::Pcap(_) => "pcap",
            Format::Pcapng(_) => "pcapng",
        };
        format!("{name}{}", if self.compressed { ".gz" } else { "" })
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(" ")
}
