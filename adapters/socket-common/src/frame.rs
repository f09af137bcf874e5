//! How samples lie in a stream: length, header, body, mark. Requests and responses have the number of
//! the request between header and body.
//!
//! The length is four bytes, little-endian, and counts what follows it. The mark is one byte: a sample
//! is [`VALID`], or [`VOID`] if its write timed out after a part of it had left: the rest follows
//! later, so that the stream stays whole, and the reader passes over it.

use busmark_adapter::{Header, Payload, Sink, Source, Status};

/// Bytes of the length.
pub const LENGTH: usize = 4;
/// Bytes of the mark.
pub const MARK: usize = 1;
/// Bytes of a request's number.
pub const NUMBER: usize = 8;
/// What a frame adds to a body.
pub const OVERHEAD: usize = LENGTH + Header::BYTES + MARK;
/// The mark of a sample.
pub const VALID: u8 = 0;
/// The mark of a sample whose write timed out.
pub const VOID: u8 = 1;

/// Bytes that one receive asks for, or one frame if that is more; more would only push the first of
/// them out of the cache. A packet always finds room, for nothing is left over before it.
const READ: usize = 256 << 10;
/// Frames from here on are received up to their end and no further, so that none must be moved.
const LARGE: usize = 64 << 10;

/// A sample as it is sent: one piece of memory, one system call.
pub struct Frame(Box<[u8]>);

impl Frame {
    /// A frame with this body.
    pub fn new(body: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(OVERHEAD + body.len());
        bytes.extend(((Header::BYTES + body.len() + MARK) as u32).to_le_bytes());
        bytes.extend([0; Header::BYTES]);
        bytes.extend(body);
        bytes.push(VALID);
        Self(bytes.into())
    }

    /// A request or a response with this body.
    pub fn numbered(body: &[u8]) -> Self {
        Self::new(&[&[0; NUMBER], body].concat())
    }

    /// Puts the request's number in its place. Hot.
    #[inline]
    pub fn set_number(&mut self, number: u64) {
        const FROM: usize = LENGTH + Header::BYTES;
        self.0[FROM..FROM + NUMBER].copy_from_slice(&number.to_le_bytes());
    }

    /// Puts the header in its place. Hot.
    #[inline]
    pub fn set_header(&mut self, header: &Header) {
        self.0[LENGTH..LENGTH + Header::BYTES].copy_from_slice(header.as_bytes());
    }

    /// All bytes.
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// The peer sends what is not a frame; nothing after it can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken;

/// A request or a response.
pub struct Numbered<'a> {
    /// Number of the request.
    pub number: u64,
    /// Its header.
    pub header: Header,
    /// Its body.
    pub body: &'a [u8],
}

/// Cuts a stream into samples. Bytes are received into its memory and given to the sink from there.
pub struct FrameBuffer {
    data: Box<[u8]>,
    start: usize,
    end: usize,
    least: usize,
    largest: usize,
    payload: Payload,
}

impl FrameBuffer {
    /// For bodies of this kind, of at most `max_body_bytes`.
    pub fn new(payload: Payload, max_body_bytes: usize) -> Self {
        Self::within(OVERHEAD, OVERHEAD + max_body_bytes + payload.wire_overhead(), payload)
    }

    /// For requests or responses of at most `max_body_bytes`.
    pub fn numbered(max_body_bytes: usize) -> Self {
        let least = OVERHEAD + NUMBER;
        Self::within(least, least + max_body_bytes, Payload::Octet)
    }

    fn within(least: usize, largest: usize, payload: Payload) -> Self {
        Self { data: vec![0; largest + READ].into(), start: 0, end: 0, least, largest, payload }
    }

    /// Bytes of the frame at the front as far as its length has arrived; else `None`.
    #[inline]
    fn front(&self) -> Result<Option<usize>, Broken> {
        let Some(length) = self.data[self.start..self.end].first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        let frame = LENGTH + u32::from_le_bytes(*length) as usize;
        if frame < self.least || frame > self.largest { Err(Broken) } else { Ok(Some(frame)) }
    }

    /// Bytes of the sample at the front, 0 if none is complete. Passes over void frames.
    #[inline]
    fn complete(&mut self) -> Result<usize, Broken> {
        while let Some(frame) = self.front()? {
            if self.end - self.start < frame {
                break;
            }
            match self.data[self.start + frame - MARK] {
                VALID => return Ok(frame),
                VOID => self.start += frame,
                _ => return Err(Broken),
            }
        }
        Ok(0)
    }

    /// Whether a sample can be taken. Hot.
    #[inline]
    pub fn ready(&mut self) -> Result<bool, Broken> {
        Ok(self.complete()? > 0)
    }

    /// The next sample. Hot.
    #[inline]
    pub fn pop(&mut self) -> Result<Option<(Header, &[u8])>, Broken> {
        let frame = self.complete()?;
        if frame == 0 {
            return Ok(None);
        }
        let from = self.start + LENGTH;
        self.start += frame;
        let sample = &self.data[from..self.start - MARK];
        let header = Header::from_bytes(sample).ok_or(Broken)?;
        Ok(Some((header, &sample[Header::BYTES..])))
    }

    /// The next request or response. Hot.
    #[inline]
    pub fn pop_numbered(&mut self) -> Result<Option<Numbered<'_>>, Broken> {
        let Some((header, rest)) = self.pop()? else { return Ok(None) };
        let (number, body) = rest.split_first_chunk().ok_or(Broken)?;
        Ok(Some(Numbered { number: u64::from_le_bytes(*number), header, body }))
    }

    /// Where the next bytes go; never empty while no sample is complete. Hot.
    #[inline]
    pub fn space(&mut self) -> &mut [u8] {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
            return &mut self.data[..READ.max(self.largest)];
        }
        let frame = self.front().ok().flatten();
        let large = frame.is_some_and(|frame| frame >= LARGE);
        let free = self.data.len() - self.end;
        if self.start + frame.unwrap_or(self.largest) > self.data.len()
            || (!large && free < READ / 2)
        {
            self.data.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        let room = match frame {
            Some(frame) if large => frame - (self.end - self.start),
            _ => READ.min(self.data.len() - self.end),
        };
        &mut self.data[self.end..self.end + room]
    }

    /// Puts bytes in that were received elsewhere, at most as many as one receive asks for. Hot.
    #[inline]
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.data.len() - self.end < bytes.len() {
            self.data.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        self.data[self.end..self.end + bytes.len()].copy_from_slice(bytes);
        self.end += bytes.len();
    }

    /// So many bytes have been put into [`space`](Self::space). Hot.
    #[inline]
    pub fn advance(&mut self, bytes: usize) {
        self.end += bytes;
    }
}

impl Source for FrameBuffer {
    #[inline]
    fn take(&mut self, max: usize, sink: &mut Sink) -> Result<usize, Status> {
        let mut count = 0;
        while count < max
            && let payload = self.payload
            && let Ok(Some((header, body))) = self.pop()
        {
            sink.deliver(&header, payload.from_wire(body));
            count += 1;
        }
        if count == 0 { Err(Status::NoData) } else { Ok(count) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MAX: usize = 200 << 10;

    fn frame(seq: u64, body: &[u8]) -> Vec<u8> {
        let mut frame = Frame::new(body);
        frame.set_header(&Header { seq, ..Header::default() });
        frame.bytes().to_vec()
    }

    /// Feeds `bytes` in pieces of these sizes and gives what comes out.
    fn feed(bytes: &[u8], pieces: &[usize]) -> Result<Vec<(u64, Vec<u8>)>, Broken> {
        let mut buffer = FrameBuffer::new(Payload::Octet, MAX);
        let mut rest = bytes;
        let mut out = Vec::new();
        let mut pieces = pieces.iter().copied().cycle();
        while !rest.is_empty() {
            let space = buffer.space();
            assert!(!space.is_empty());
            let n = pieces.next().unwrap_or(1).clamp(1, rest.len().min(space.len()));
            space[..n].copy_from_slice(&rest[..n]);
            rest = &rest[n..];
            buffer.advance(n);
            while let Some((header, body)) = buffer.pop()? {
                out.push((header.seq, body.to_vec()));
            }
        }
        Ok(out)
    }

    proptest! {
        #[test]
        fn samples_survive_any_splitting(
            bodies in prop::collection::vec(
                (any::<u8>(), prop_oneof![0_usize..100, Just(MAX), 60_000_usize..70_000]), 1..12),
            pieces in prop::collection::vec(
                prop_oneof![1_usize..10, 1_usize..5000, Just(usize::MAX)], 1..20),
        ) {
            let bodies: Vec<_> = bodies.into_iter().map(|(b, n)| vec![b; n]).collect();
            let stream: Vec<u8> =
                bodies.iter().enumerate().flat_map(|(i, b)| frame(i as u64, b)).collect();
            let expected: Vec<_> =
                bodies.into_iter().enumerate().map(|(i, b)| (i as u64, b)).collect();
            prop_assert_eq!(feed(&stream, &pieces), Ok(expected));
        }

        #[test]
        fn garbage_is_refused_or_harmless(
            bytes in prop::collection::vec(any::<u8>(), 0..4000),
            pieces in prop::collection::vec(1_usize..500, 1..10),
        ) {
            let _ = feed(&bytes, &pieces);
        }
    }

    #[test]
    fn a_length_out_of_bounds_breaks_the_stream() {
        for length in [0_u32, (Header::BYTES + MARK) as u32 - 1, (OVERHEAD + MAX) as u32, u32::MAX]
        {
            assert_eq!(feed(&length.to_le_bytes(), &[1]), Err(Broken), "{length}");
        }
    }

    #[test]
    fn an_unknown_mark_breaks_the_stream() {
        let mut bytes = frame(0, b"body");
        *bytes.last_mut().expect("a frame is not empty") = 2;
        assert_eq!(feed(&bytes, &[7]), Err(Broken));
    }

    #[test]
    fn a_void_frame_is_passed_over() {
        let mut void = frame(0, b"timed out");
        *void.last_mut().expect("a frame is not empty") = VOID;
        let stream = [void.clone(), frame(1, b"kept"), void].concat();
        assert_eq!(feed(&stream, &[3]), Ok(vec![(1, b"kept".to_vec())]));
    }
}
