//! The frames of DDS-XRCE on serial lines: flag, addresses, length, message, checksum; flags within
//! are escaped as HDLC does.

use crate::tcp::Stamp;

const FLAG: u8 = 0x7E;
const ESCAPE: u8 = 0x7D;
const ESCAPED: u8 = 0x20;
const HEAD: usize = 4;
const CHECKSUM: usize = 2;

/// A message of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'a> {
    /// Address of the sender.
    pub source: u8,
    /// Address of the receiver.
    pub destination: u8,
    /// The message of DDS-XRCE.
    pub bytes: &'a [u8],
    /// When its flag came.
    pub begun: Stamp,
}

/// Cuts one direction of a line. A frame has at most 64 KiB, as its length has two bytes.
#[derive(Default)]
pub struct Line {
    frame: Vec<u8>,
    open: bool,
    escaped: bool,
    begun: Stamp,
    /// Frames whose checksum is wrong, or that ended early.
    pub damaged: u64,
}

impl Line {
    /// Takes bytes; every message that they complete goes to `sink`.
    pub fn add(&mut self, bytes: &[u8], stamp: Stamp, sink: &mut dyn FnMut(&Message<'_>)) {
        for &byte in bytes {
            match byte {
                FLAG => {
                    self.damaged += u64::from(self.open && !self.frame.is_empty());
                    self.frame.clear();
                    (self.open, self.escaped, self.begun) = (true, false, stamp);
                }
                _ if !self.open => (),
                ESCAPE => self.escaped = true,
                _ => {
                    self.frame.push(if self.escaped { byte ^ ESCAPED } else { byte });
                    self.escaped = false;
                    self.close_if_complete(sink);
                }
            }
        }
    }

    fn close_if_complete(&mut self, sink: &mut dyn FnMut(&Message<'_>)) {
        let &[source, destination, low, high, ..] = self.frame.as_slice() else { return };
        let length = usize::from(u16::from_le_bytes([low, high]));
        if self.frame.len() < HEAD + length + CHECKSUM {
            return;
        }
        let bytes = &self.frame[HEAD..HEAD + length];
        let sum = [self.frame[HEAD + length], self.frame[HEAD + length + 1]];
        if checksum(bytes) == u16::from_le_bytes(sum) {
            sink(&Message { source, destination, bytes, begun: self.begun });
        } else {
            self.damaged += 1;
        }
        self.frame.clear();
        self.open = false;
    }
}

/// CRC-16 with the reflected polynomial 0xA001, from 0.
pub fn checksum(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |sum, &byte| {
        (0..8).fold(sum ^ u16::from(byte), |sum, _| {
            if sum & 1 == 1 { (sum >> 1) ^ 0xA001 } else { sum >> 1 }
        })
    })
}

/// A message as it goes over a line.
pub fn framed(source: u8, destination: u8, message: &[u8]) -> Vec<u8> {
    let mut plain = vec![source, destination];
    plain.extend((message.len() as u16).to_le_bytes());
    plain.extend(message);
    plain.extend(checksum(message).to_le_bytes());
    let mut line = vec![FLAG];
    for byte in plain {
        if matches!(byte, FLAG | ESCAPE) {
            line.extend([ESCAPE, byte ^ ESCAPED]);
        } else {
            line.push(byte);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(line: &mut Line, pieces: &[&[u8]]) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        for piece in pieces {
            line.add(piece, Stamp::default(), &mut |message| found.push(message.bytes.to_vec()));
        }
        found
    }

    #[test]
    fn the_checksum_is_that_of_the_catalogue() {
        assert_eq!(checksum(b"123456789"), 0xBB3D);
    }

    #[test]
    fn a_damaged_frame_is_counted_and_the_next_is_read() {
        let mut bytes = framed(1, 0, b"first");
        let end = bytes.len() - 1;
        bytes[end] ^= 1;
        bytes.extend(framed(1, 0, b"second"));
        let mut line = Line::default();
        assert_eq!(cut(&mut line, &[&bytes]), [b"second".to_vec()]);
        assert_eq!(line.damaged, 1);
    }

    proptest! {
        #[test]
        fn messages_survive_any_splitting(
            messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 0..5),
            size in 1_usize..50,
        ) {
            let bytes: Vec<u8> = messages.iter().flat_map(|message| framed(1, 0, message)).collect();
            let pieces: Vec<&[u8]> = bytes.chunks(size).collect();
            prop_assert_eq!(cut(&mut Line::default(), &pieces), messages);
        }

        #[test]
        fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..500)) {
            cut(&mut Line::default(), &[&bytes]);
        }
    }
}
