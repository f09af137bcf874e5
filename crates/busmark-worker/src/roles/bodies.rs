//! The bodies of a stream: what they hold, how large each is, and the native samples that carry them.

use std::path::Path;
use std::sync::Arc;

use busmark_adapter::{
    Error, Payload, SampleHandle, Status, WriterHandle, fill_pattern, verify_pattern,
};

use crate::protocol::StreamSpec;

/// What is in a body.
#[derive(Clone)]
enum Content {
    Pattern(Payload),
    /// From its beginning, over and over.
    File(Arc<[u8]>),
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
}

impl Bodies {
    /// As the stream says. Fails for a file that cannot be read or is empty.
    pub fn new(stream: &StreamSpec) -> Result<Self, Error> {
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
        Ok(Self {
            content,
            sizes: sizes.into(),
            empty: stream.payload == Payload::Empty,
            unseen: stream.payload == Payload::Type && !stream.verify,
        })
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

    /// Whether a body is that of sample `seq`, unchanged.
    pub fn verify(&self, seq: u64, body: &[u8]) -> bool {
        let size = if self.empty { 0 } else { self.size(seq) };
        body.len() == size
            && match &self.content {
                Content::Pattern(kind) => verify_pattern(*kind, body),
                Content::File(bytes) => {
                    body.chunks(bytes.len()).all(|chunk| chunk == &bytes[..chunk.len()])
                }
            }
    }

    fn fill(&self, body: &mut [u8]) {
        match &self.content {
            Content::Pattern(kind) => fill_pattern(*kind, body),
            Content::File(bytes) => {
                for chunk in body.chunks_mut(bytes.len()) {
                    chunk.copy_from_slice(&bytes[..chunk.len()]);
                }
            }
        }
    }

    /// Native samples of every size.
    pub fn samples(&self, writer: &WriterHandle) -> Result<Samples, Error> {
        let mut distinct: Vec<usize> = self.sizes.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let place = |size: &usize| distinct.binary_search(size).unwrap_or_default() as u32;
        let order = self.sizes.iter().map(place).collect();
        let mut prepare = |size: &usize| {
            let mut body = vec![0; if self.empty { 0 } else { *size }];
            self.fill(&mut body);
            writer.sample(&body)
        };
        let samples = distinct.iter().map(&mut prepare).collect::<Result<_, _>>()?;
        Ok(Samples { samples, order })
    }
}

fn read(path: &Path) -> Result<Arc<[u8]>, Error> {
    let failed = |why: &dyn std::fmt::Display| {
        Status::Invalid.error(format!("the file for bodies, {}: {why}", path.display()))
    };
    let bytes = std::fs::read(path).map_err(|error| failed(&error))?;
    if bytes.is_empty() { Err(failed(&"is empty")) } else { Ok(bytes.into()) }
}

/// Native samples, prepared once.
pub struct Samples {
    samples: Vec<SampleHandle>,
    order: Box<[u32]>,
}

impl Samples {
    /// The one for sample `seq`. Hot.
    #[inline]
    pub fn of(&mut self, seq: u64) -> &mut SampleHandle {
        &mut self.samples[self.order[seq as usize & (self.order.len() - 1)] as usize]
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
        let bodies = Bodies::new(&stream(vec![8, 2, 2, 5], None)).expect("valid");
        let sizes: Vec<_> = (0..6).map(|seq| bodies.size(seq)).collect();
        assert_eq!(sizes, [8, 2, 2, 5, 8, 2]);
    }

    #[test]
    fn a_number_of_sizes_that_is_no_power_of_two_is_refused() {
        assert!(Bodies::new(&stream(vec![1, 2, 3], None)).is_err());
    }

    #[test]
    fn a_body_from_a_file_repeats_it() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), b"abc").expect("written");
        let path = file.path().to_string_lossy().into_owned();
        let bodies = Bodies::new(&stream(vec![7], Some(path))).expect("valid");
        let mut body = [0; 7];
        bodies.fill(&mut body);
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
        let bodies = Bodies::new(&of_type(false, Some(path.clone()))).expect("valid");
        assert_eq!(bodies.arrived(0, &[]), 3);
        let verified = Bodies::new(&of_type(true, Some(path))).expect("valid");
        assert_eq!(verified.arrived(0, b"ab"), 2);
        assert!(Bodies::new(&of_type(false, None)).is_err());
    }

    #[test]
    fn a_file_that_is_empty_or_missing_is_refused_by_name() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let path = file.path().to_string_lossy().into_owned();
        let empty = Bodies::new(&stream(vec![], Some(path.clone()))).err().expect("refused");
        assert!(empty.message.contains(&path) && empty.message.contains("empty"), "{empty}");
        let missing = Bodies::new(&stream(vec![], Some("/no/file".into()))).err().expect("refused");
        assert!(missing.message.contains("/no/file"), "{missing}");
    }

    proptest! {
        #[test]
        fn what_is_filled_is_verified(size in 0usize..300, seq in 0u64..1000) {
            let bodies = Bodies::new(&stream(vec![size], None)).expect("valid");
            let mut body = vec![0; size];
            bodies.fill(&mut body);
            prop_assert!(bodies.verify(seq, &body));
            body.push(0);
            prop_assert!(!bodies.verify(seq, &body));
        }
    }
}
