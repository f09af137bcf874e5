//! The bodies of a stream: what they hold, how large each is, and the native samples that carry them.

use std::path::Path;
use std::sync::Arc;

use busmark_adapter::{
    Error, Payload, SampleHandle, Status, WriterHandle, fill_pattern_from, verify_pattern_from,
};

use super::spots::{Glimpse, Spots};
use crate::protocol::{OtherSize, StreamSpec};

/// The content of a body.
#[derive(Clone)]
enum Content {
    Pattern(Payload),
    /// The bytes of a file, from its beginning, over and over.
    File(Arc<[u8]>),
}

/// Bodies that were looked at and are not what this end expects.
#[derive(Default)]
pub struct Differences {
    /// Samples of the right size, with other content.
    pub corrupted: u64,
    /// Samples of another size: the other end may be defined for it.
    pub other_size: Option<OtherSize>,
}

impl Differences {
    /// Adds what another thread has found.
    pub fn add(&mut self, other: &Self) {
        self.corrupted += other.corrupted;
        if let Some(mut found) = other.other_size {
            found.samples += self.other_size.map_or(0, |before| before.samples);
            self.other_size = Some(found);
        }
    }

    /// Counts a body of this many bytes, which is not as it should be.
    fn count(&mut self, bytes: usize, expected: usize) {
        if bytes == expected {
            self.corrupted += 1;
            return;
        }
        let (bytes, expected) = (bytes as u64, expected as u64);
        let samples = self.other_size.map_or(0, |before| before.samples) + 1;
        self.other_size = Some(OtherSize { samples, bytes, expected });
    }
}

/// Size and content of the body of every sample, by sequence number.
#[derive(Clone)]
pub struct Bodies {
    content: Content,
    /// A power of two of them; sample `seq` has the one at `seq` modulo their number.
    sizes: Arc<[usize]>,
    empty: bool,
    /// One value of the user's type, which comes without its bytes unless they are to be verified.
    unseen: bool,
    /// Samples that are looked at in every run.
    spots: Spots,
}

impl Bodies {
    /// Makes the bodies of a stream; the cookie of the run decides which samples are looked at. Fails
    /// for a file that cannot be read or is empty.
    pub fn new(stream: &StreamSpec, cookie: u64) -> Result<Self, Error> {
        let content = match &stream.body_file {
            None if stream.payload == Payload::Type => {
                let text = "the payload kind type needs a file that holds the value";
                return Err(Status::Invalid.error(text));
            }
            None => Content::Pattern(stream.payload),
            Some(path) => Content::File(read(Path::new(path))?),
        };
        let mut sizes = stream.sizes.clone();
        if sizes.is_empty() {
            sizes.push(stream.size);
        }
        if !sizes.len().is_power_of_two() {
            let text = format!("{} sizes: their number is not a power of two", sizes.len());
            return Err(Status::Invalid.error(text));
        }
        let empty = stream.payload == Payload::Empty;
        let unseen = stream.payload == Payload::Type && !stream.verify;
        let varied = matches!(content, Content::Pattern(_)) && !empty;
        let bytes = distinct(&sizes).iter().sum();
        let spots = Spots::new(cookie, !empty && !unseen, if varied { bytes } else { 0 });
        Ok(Self { content, sizes: sizes.into(), empty, unseen, spots })
    }

    /// Bytes of the body of sample `seq`.
    #[inline]
    pub fn size(&self, seq: u64) -> usize {
        // The number is a power of two, at least 1.
        self.sizes[seq as usize & (self.sizes.len() - 1)]
    }

    /// Bytes of the body of sample `seq` as it arrived. Hot.
    #[inline]
    pub fn arrived(&self, seq: u64, body: &[u8]) -> usize {
        if self.unseen { self.size(seq) } else { body.len() }
    }

    /// Whether bodies are looked at, all or some.
    pub fn are_seen(&self) -> bool {
        self.spots.are_seen()
    }

    /// Whether sample `seq` is one of those that every run looks at: one in a thousand. Hot.
    #[inline]
    pub fn is_spot(&self, seq: u64) -> bool {
        self.spots.holds(seq)
    }

    /// A piece of such a body, to be judged later by [`Bodies::judge_glimpse`]. Hot.
    #[inline]
    pub fn glimpse(&self, seq: u64, body: &[u8]) -> Glimpse {
        self.spots.glimpse(seq, body)
    }

    /// Bytes of the body of sample `seq` as it is written.
    fn whole(&self, seq: u64) -> usize {
        if self.empty { 0 } else { self.size(seq) }
    }

    /// Counts the body of sample `seq` if it differs from what this end expects.
    pub fn judge(&self, seq: u64, body: &[u8], found: &mut Differences) {
        if !self.verify(seq, body) {
            found.count(body.len(), self.whole(seq));
        }
    }

    /// Counts the body of which this is a piece, likewise.
    pub fn judge_glimpse(&self, glimpse: &Glimpse, found: &mut Differences) {
        if !self.confirms(glimpse) {
            found.count(glimpse.of, self.whole(glimpse.seq));
        }
    }

    /// Whether the piece is what lies there in the body of its sample.
    fn confirms(&self, glimpse: &Glimpse) -> bool {
        glimpse.of == self.whole(glimpse.seq)
            && match &self.content {
                Content::Pattern(kind) => {
                    let first = self.spots.first(glimpse.seq) + glimpse.at / kind.element_bytes();
                    verify_pattern_from(*kind, first, glimpse.bytes())
                }
                Content::File(bytes) => {
                    let there = bytes.iter().cycle().skip(glimpse.at % bytes.len());
                    glimpse.bytes().iter().zip(there).all(|(a, b)| a == b)
                }
            }
    }

    /// Whether a body is the unchanged body of sample `seq`.
    fn verify(&self, seq: u64, body: &[u8]) -> bool {
        body.len() == self.whole(seq)
            && match &self.content {
                Content::Pattern(kind) => verify_pattern_from(*kind, self.spots.first(seq), body),
                Content::File(bytes) => {
                    body.chunks(bytes.len()).all(|chunk| chunk == &bytes[..chunk.len()])
                }
            }
    }

    /// Fills a body with the pattern from this element on.
    fn fill(&self, body: &mut [u8], first: usize) {
        match &self.content {
            Content::Pattern(kind) => fill_pattern_from(*kind, first, body),
            Content::File(bytes) => {
                for chunk in body.chunks_mut(bytes.len()) {
                    chunk.copy_from_slice(&bytes[..chunk.len()]);
                }
            }
        }
    }

    /// The native sample of the first body alone, for a writer that is made to send a few.
    pub fn first_sample(&self, writer: &WriterHandle) -> Result<SampleHandle, Error> {
        let mut body = vec![0; if self.empty { 0 } else { self.size(0) }];
        self.fill(&mut body, Spots::first_of(0));
        writer.sample(&body)
    }

    /// Native samples of every size, and further ones of other content for those that are looked at.
    pub fn samples(&self, writer: &WriterHandle) -> Result<Samples, Error> {
        self.samples_by(|body| writer.sample(body))
    }

    /// The same, made by whoever sends them.
    pub fn samples_by<S>(
        &self,
        make: impl Fn(&[u8]) -> Result<S, Error>,
    ) -> Result<Samples<S>, Error> {
        let distinct = distinct(&self.sizes);
        let place = |size: &usize| distinct.binary_search(size).unwrap_or_default() as u32;
        let order = self.sizes.iter().map(place).collect();
        let mut samples = Vec::new();
        for variant in 0..=self.spots.variants() {
            for size in &distinct {
                let mut body = vec![0; if self.empty { 0 } else { *size }];
                self.fill(&mut body, Spots::first_of(variant));
                samples.push(make(&body)?);
            }
        }
        Ok(Samples { native: samples, order, sizes: distinct.len(), spots: self.spots })
    }
}

/// The sizes that differ, in order.
fn distinct(sizes: &[usize]) -> Vec<usize> {
    let mut distinct = sizes.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    distinct
}

fn read(path: &Path) -> Result<Arc<[u8]>, Error> {
    let failed = |why: &dyn std::fmt::Display| {
        Status::Invalid.error(format!("the file for bodies, {}: {why}", path.display()))
    };
    let bytes = busmark_adapter::read_file(path).map_err(|error| failed(&error))?;
    if bytes.is_empty() { Err(failed(&"is empty")) } else { Ok(bytes.into()) }
}

/// Native samples, prepared once.
pub struct Samples<S = SampleHandle> {
    /// Samples of every size, then of every size with other content, and so on.
    native: Vec<S>,
    order: Box<[u32]>,
    sizes: usize,
    spots: Spots,
}

impl<S> Samples<S> {
    /// The one for sample `seq`. Hot.
    #[inline]
    pub fn of(&mut self, seq: u64) -> &mut S {
        let size = self.order[seq as usize & (self.order.len() - 1)] as usize;
        &mut self.native[self.spots.variant(seq) * self.sizes + size]
    }
}

#[cfg(test)]
mod tests {
    use busmark_adapter::{Qos, Wait};
    use proptest::prelude::*;

    use super::*;

    fn stream(sizes: Vec<usize>, body_file: Option<String>) -> StreamSpec {
        StreamSpec {
            payload: Payload::Octet,
            size: sizes.iter().copied().max().unwrap_or(10),
            sizes,
            body_file,
            wait: Wait::Poll,
            qos: Qos::default(),
            verify: true,
            instances: 0,
            filter_below: 0,
        }
    }

    #[test]
    fn sizes_repeat_in_their_order() {
        let bodies = Bodies::new(&stream(vec![8, 2, 2, 5], None), 1).expect("valid");
        let sizes: Vec<_> = (0..6).map(|seq| bodies.size(seq)).collect();
        assert_eq!(sizes, [8, 2, 2, 5, 8, 2]);
    }

    #[test]
    fn a_number_of_sizes_that_is_no_power_of_two_is_refused() {
        assert!(Bodies::new(&stream(vec![1, 2, 3], None), 1).is_err());
    }

    #[test]
    fn one_in_a_thousand_bodies_has_another_content_and_is_known_by_a_piece() {
        let bodies = Bodies::new(&stream(vec![600], None), 42).expect("valid");
        let spots: Vec<u64> = (0..100_000).filter(|seq| bodies.is_spot(*seq)).collect();
        assert!((50..200).contains(&spots.len()), "{} of 100,000", spots.len());
        let mut usual = vec![0; 600];
        bodies.fill(&mut usual, 0);
        for seq in spots {
            let mut body = vec![0; 600];
            bodies.fill(&mut body, bodies.spots.first(seq));
            assert_ne!(body, usual, "what was sent once cannot stand for it");
            assert!(bodies.verify(seq, &body) && !bodies.verify(seq, &usual));
            assert!(bodies.confirms(&bodies.glimpse(seq, &body)));
            assert!(!bodies.confirms(&bodies.glimpse(seq, &usual)));
            assert!(!bodies.confirms(&bodies.glimpse(seq, &body[..599])));
        }
        let other = Bodies::new(&stream(vec![600], None), 43).expect("valid");
        assert!((0..100_000).any(|seq| bodies.is_spot(seq) != other.is_spot(seq)));
    }

    #[test]
    fn a_body_of_another_size_is_counted_apart_from_a_corrupted_one() {
        let bodies = Bodies::new(&stream(vec![64], None), 1).expect("valid");
        let mut body = [0; 64];
        bodies.fill(&mut body, bodies.spots.first(3));
        let mut found = Differences::default();
        bodies.judge(3, &body, &mut found);
        bodies.judge(3, &body[..40], &mut found);
        bodies.judge_glimpse(&bodies.glimpse(3, &body[..40]), &mut found);
        assert_eq!(found.other_size, Some(OtherSize { samples: 2, bytes: 40, expected: 64 }));
        assert_eq!(found.corrupted, 0);
        body[9] ^= 1;
        bodies.judge(3, &body, &mut found);
        assert_eq!(found.corrupted, 1);
    }

    #[test]
    fn a_body_from_a_file_repeats_it() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), b"abc").expect("written");
        let path = file.path().to_string_lossy().into_owned();
        let bodies = Bodies::new(&stream(vec![7], Some(path)), 1).expect("valid");
        let mut body = [0; 7];
        bodies.fill(&mut body, 0);
        assert_eq!(&body, b"abcabca");
        assert!(bodies.verify(0, &body));
        assert!(!bodies.verify(0, b"abcabcb"));
        assert!(!bodies.verify(0, b"abcabc"));
    }

    #[test]
    fn a_value_of_the_users_type_counts_with_its_size_though_it_is_not_seen() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), b"abc").expect("written");
        let path = file.path().to_string_lossy().into_owned();
        let of_type = |verify, body_file| StreamSpec {
            payload: Payload::Type,
            verify,
            ..stream(vec![3], body_file)
        };
        let bodies = Bodies::new(&of_type(false, Some(path.clone())), 1).expect("valid");
        assert_eq!(bodies.arrived(0, &[]), 3);
        let verified = Bodies::new(&of_type(true, Some(path)), 1).expect("valid");
        assert_eq!(verified.arrived(0, b"ab"), 2);
        assert!(Bodies::new(&of_type(false, None), 1).is_err());
    }

    #[test]
    fn a_file_that_is_empty_or_missing_is_refused_by_name() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let path = file.path().to_string_lossy().into_owned();
        let empty = Bodies::new(&stream(vec![], Some(path.clone())), 1).err().expect("refused");
        assert!(empty.message.contains(&path) && empty.message.contains("empty"), "{empty}");
        drop(file);
        let missing = Bodies::new(&stream(vec![], Some(path.clone())), 1).err().expect("refused");
        assert!(
            missing.message.contains(&path) && missing.message.contains("No such"),
            "{missing}"
        );
    }

    proptest! {
        #[test]
        fn what_is_filled_is_verified(size in 0usize..300, seq in 0u64..1000) {
            let bodies = Bodies::new(&stream(vec![size], None), 1).expect("valid");
            let mut body = vec![0; size];
            bodies.fill(&mut body, bodies.spots.first(seq));
            prop_assert!(bodies.verify(seq, &body));
            body.push(0);
            prop_assert!(!bodies.verify(seq, &body));
        }
    }
}
