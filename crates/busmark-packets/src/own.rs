//! Busmark's own samples: the header with which each begins, and their frames on sockets.

use crate::bytes::Order;

/// Bytes of the header, `busmark_header_t`.
pub const HEADER: usize = 64;
/// Bytes of a frame's length.
pub const LENGTH: usize = 4;
const LARGEST: usize = 64 << 20;
/// Stamps of one sample lie no further apart than this.
const HOUR_NS: i64 = 3_600_000_000_000;
/// Bits of `busmark_flag_e`.
const FLAGS: u32 = 0xFF;

/// What the header says that traces a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Cookie of the run.
    pub cookie: u64,
    /// Number within the writer.
    pub seq: u64,
    /// Number of the writer within the run.
    pub writer: u32,
    /// Bits of `busmark_flag_e`; above them, in an answer, the writer that is answered.
    pub flags: u32,
    /// When it was written, by the clock of its host.
    pub sent_ns: i64,
}

/// Reads a header where these bytes can be one; with a cookie, only of that run.
pub fn header(bytes: &[u8], cookie: Option<u64>) -> Option<Sample> {
    read(Order::Little, bytes, cookie)
}

/// The header within a serialised payload of DDS, behind its encapsulation.
pub fn header_in_cdr(payload: &[u8], cookie: Option<u64>) -> Option<Sample> {
    let order = Order::of_flags(*payload.get(1)?);
    read(order, payload.get(4..)?, cookie)
}

fn read(order: Order, bytes: &[u8], cookie: Option<u64>) -> Option<Sample> {
    let stamp = |at| order.u64(bytes, at).map(u64::cast_signed);
    let sample = Sample {
        cookie: order.u64(bytes, 0)?,
        seq: order.u64(bytes, 8)?,
        sent_ns: stamp(24)?,
        writer: order.u32(bytes, 56)?,
        flags: order.u32(bytes, 60)?,
    };
    let known = match cookie {
        Some(cookie) => sample.cookie == cookie,
        None => is_plausible(&sample, [stamp(16)?, stamp(32)?, stamp(40)?, stamp(48)?]),
    };
    known.then_some(sample)
}

/// Whether stamps and numbers are as Busmark writes them; nothing else says what these bytes are.
fn is_plausible(
    sample: &Sample,
    [intended, echo_sent, echo_delivered, echo_read]: [i64; 4],
) -> bool {
    let near = |stamp: i64| (0..HOUR_NS).contains(&sample.sent_ns.abs_diff(stamp).cast_signed());
    let echo = |stamp: i64| stamp >= 0;
    sample.cookie >> 32 != 0
        && sample.seq < 1 << 48
        && sample.sent_ns > 0
        && intended > 0
        && near(intended)
        && echo(echo_sent)
        && echo(echo_delivered)
        && echo(echo_read)
        && sample.writer < 1 << 16
        && sample.flags & 0xFFFF & !FLAGS == 0
}

/// The first header of this run among these bytes, and its place: middleware of other protocols puts
/// it behind headers of its own.
pub fn search(bytes: &[u8], cookie: u64) -> Option<(usize, Sample)> {
    let at = find(bytes, cookie)?;
    Some((at, header(&bytes[at..], Some(cookie))?))
}

/// Place of a cookie among these bytes.
pub fn find(bytes: &[u8], cookie: u64) -> Option<usize> {
    let wanted = cookie.to_le_bytes();
    let mut from = 0;
    while let Some(next) = bytes.get(from..)?.iter().position(|byte| *byte == wanted[0]) {
        from += next;
        if bytes.get(from..from + wanted.len())? == wanted {
            return Some(from);
        }
        from += 1;
    }
    None
}

/// What a stream of an adapter on sockets has next.
pub enum Frame {
    /// A sample: bytes behind the length.
    Sample(usize),
    /// First words of a connection.
    Greeting(usize),
    /// Neither.
    Broken,
}

/// First words and their bytes.
const GREETINGS: [(&[u8; 8], usize); 5] =
    [(b"busmark1", 12), (b"busmark2", 21), (b"welcome1", 8), (b"already1", 8), (b"refused1", 8)];

/// What comes next; `None` where more bytes are needed.
pub fn frame(rest: &[u8]) -> Option<Frame> {
    if let Some((_, bytes)) = GREETINGS.iter().find(|(word, _)| rest.starts_with(*word)) {
        return Some(Frame::Greeting(*bytes));
    }
    if may_begin(rest) {
        return None;
    }
    let bytes = Order::Little.u32(rest, 0)? as usize;
    Some(if (HEADER + 1..=LARGEST).contains(&bytes) { Frame::Sample(bytes) } else { Frame::Broken })
}

/// Whether a stream that begins like this is one of Busmark's; with a cookie, of that run. A sample
/// behind the header of another protocol can look like one of ours, two bytes off.
pub fn begins(rest: &[u8], cookie: Option<u64>) -> bool {
    let greeted = GREETINGS.iter().any(|(word, _)| rest.starts_with(*word));
    greeted
        || matches!(frame(rest), Some(Frame::Sample(_)))
            && header(&rest[LENGTH..], cookie).is_some()
}

/// Whether these few bytes may be the beginning of a greeting.
pub fn may_begin(rest: &[u8]) -> bool {
    !rest.is_empty() && rest.len() < 8 && GREETINGS.iter().any(|(word, _)| word.starts_with(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut bytes = Vec::new();
        for word in [0x1234_5678_9abc_def0_u64, 7, 1_000_000, 1_000_500, 0, 0, 0] {
            bytes.extend(word.to_le_bytes());
        }
        for word in [3_u32, 2] {
            bytes.extend(word.to_le_bytes());
        }
        bytes
    }

    #[test]
    fn the_header_is_found_and_nothing_else_is_taken_for_one() {
        let bytes = sample();
        let found = header(&bytes, None).unwrap();
        assert_eq!((found.cookie, found.seq), (0x1234_5678_9abc_def0, 7));
        assert_eq!((found.writer, found.flags, found.sent_ns), (3, 2, 1_000_500));
        assert_eq!(header(&bytes, Some(1)), None);
        assert_eq!(header(&bytes[..63], None), None);
        assert_eq!(header(&[0; 64], None), None);
        assert_eq!(header(&[0xFF; 64], None), None);
    }

    #[test]
    fn a_sample_behind_a_frame_of_zeromq_begins_no_stream_of_ours() {
        const COOKIE: u64 = 0x5739_19e6_7595_b8d1;
        // Flags, length and topic, of which the second byte is 0.
        let mut bytes = vec![0x00, 0xac, 0xcd, 0x00, 0xcd, 0xa3, 0xaa, 0x59, 0x93, 0x26];
        for word in [COOKIE, 0, 0x133a_6d26_1aa5, 0x133a_6d26_1aa5, 0, 0, 0] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend([1, 0, 0, 0, 9, 0, 0, 0]);
        assert!(begins(&bytes, None), "without a cookie nothing tells them apart");
        assert!(!begins(&bytes, Some(COOKIE)));
        let ours = [&100_u32.to_le_bytes(), &bytes[10..]].concat();
        assert!(begins(&ours, Some(COOKIE)) && !begins(&ours, Some(COOKIE + 1)));
    }

    #[test]
    fn it_is_read_in_the_byte_order_of_the_encapsulation() {
        let little = sample();
        let mut big = vec![0, 0, 0, 0];
        for word in little[..56].chunks(8) {
            big.extend(word.iter().rev());
        }
        for word in little[56..].chunks(4) {
            big.extend(word.iter().rev());
        }
        let mut payload = vec![0, 1, 0, 0];
        payload.extend(&little);
        assert_eq!(header_in_cdr(&big, None), header_in_cdr(&payload, None));
        assert!(header_in_cdr(&big, None).is_some());
    }
}
