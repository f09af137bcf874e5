//! `busmark_msgs/msg/Sample` in CDR: the encapsulation, the members of the header as they lie in memory, for
//! a host of this byte order serialises so, and the body after its length.

use std::borrow::Cow;

use busmark_adapter::{Header, Sink};
use zenoh::sample::Sample;

use crate::attachment::source_ns;

/// Plain CDR in the byte order of this host.
const ENCAPSULATION: [u8; 4] = [0, cfg!(target_endian = "little") as u8, 0, 0];
const LENGTH: usize = ENCAPSULATION.len() + Header::BYTES;
const BODY: usize = LENGTH + size_of::<u32>();

/// A message with this body and room for the header.
pub fn message(body: &[u8]) -> Vec<u8> {
    let length = (body.len() as u32).to_ne_bytes();
    [&ENCAPSULATION[..], &[0; Header::BYTES], &length, body].concat()
}

/// The message, serialised once more, with this header.
#[inline]
pub fn serialised(message: &[u8], header: &Header) -> Vec<u8> {
    let mut bytes = message.to_vec();
    bytes[ENCAPSULATION.len()..LENGTH].copy_from_slice(header.as_bytes());
    bytes
}

/// Gives a message to the sink; `false` for what is none.
#[inline]
pub fn deliver(sample: &Sample, sink: &mut Sink) -> bool {
    // Joined where it came in pieces.
    let bytes: Cow<[u8]> = sample.payload().to_bytes();
    if bytes.len() < BODY || bytes[..2] != ENCAPSULATION[..2] {
        return false;
    }
    let (head, body) = bytes.split_at(BODY);
    let Some(header) = Header::from_bytes(&head[ENCAPSULATION.len()..LENGTH]) else { return false };
    let length = head[LENGTH..].try_into().map_or(0, u32::from_ne_bytes) as usize;
    let Some(body) = body.get(..length) else { return false };
    sink.deliver_stamped(&header, body, source_ns(sample.attachment()), 0);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_the_cdr_that_ros_makes_of_it() {
        let header = Header { cookie: 1, flags: 2, ..Header::default() };
        let bytes = serialised(&message(b"abc"), &header);
        assert_eq!(bytes.len(), 4 + 64 + 4 + 3);
        assert_eq!(bytes[..4], [0, 1, 0, 0]);
        assert_eq!(&bytes[4..68], header.as_bytes());
        assert_eq!(&bytes[68..], b"\x03\0\0\0abc");
    }
}
