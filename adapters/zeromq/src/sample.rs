//! What a message looks like: a prefix by which subscriptions select, or the number of a request, then the header
//! and the body.

use busmark_adapter::{EndpointConfig, Header, Payload, Result, Status};

use crate::options::Pattern;
use crate::socket::Message;

/// Bytes of a topic's part of the prefix.
const TOPIC: usize = 8;
/// Bytes of an instance's part.
const INSTANCE: usize = 4;
/// Most bytes of a message in front of the body.
pub const HEAD: usize = TOPIC + INSTANCE + Header::BYTES;

/// How messages of a topic begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prefix {
    topic: Vec<u8>,
    instances: u32,
}

impl Prefix {
    /// Sample of an endpoint's topic. Without subscriptions there is none.
    pub fn new(config: &EndpointConfig, domain: u32, pattern: Pattern) -> Result<Self> {
        if pattern == Pattern::PushPull {
            if config.instances > 0 {
                let text = "PUSH and PULL tell no instances apart; use the option pattern=pub_sub";
                return Err(Status::Unsupported.error(text));
            }
            return Ok(Self { topic: Vec::new(), instances: 0 });
        }
        // FNV-1a, 64 bits: the same in every process.
        let name = domain.to_le_bytes().into_iter().chain(config.topic.bytes());
        let hash = name.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Ok(Self { topic: hash.to_be_bytes().to_vec(), instances: config.instances })
    }

    /// Room for the number of a request.
    pub fn number() -> Self {
        Self { topic: vec![0; TOPIC], instances: 0 }
    }

    /// Its length in bytes.
    pub fn bytes(&self) -> usize {
        self.topic.len() + if self.instances > 0 { INSTANCE } else { 0 }
    }

    /// Prefix of one instance.
    #[inline]
    fn instance(&self, seq: u64) -> Option<[u8; INSTANCE]> {
        (self.instances > 0).then(|| ((seq % u64::from(self.instances)) as u32).to_be_bytes())
    }

    /// What a reader subscribes to: the topic, or its instances below the limit.
    pub fn subscriptions(&self, filter_below: u32) -> Vec<Vec<u8>> {
        match filter_below.min(self.instances) {
            0 => vec![self.topic.clone()],
            limit => {
                let of = |n: u32| [&self.topic[..], &n.to_be_bytes()].concat();
                (0..limit).map(of).collect()
            }
        }
    }
}

/// A message, prepared once.
pub struct Sample {
    /// Prefix and header, and the body unless it is shared.
    pub head: Vec<u8>,
    /// A body whose memory messages share.
    pub shared: Option<Message>,
    header_at: usize,
}

impl Sample {
    /// A message with this body, whose memory is shared if it has so many bytes.
    pub fn new(
        prefix: &Prefix,
        payload: Payload,
        body: &[u8],
        share_from: Option<usize>,
    ) -> Result<Self> {
        let body = &payload.to_wire(body)[..];
        let header_at = prefix.bytes();
        let mut head = prefix.topic.clone();
        head.resize(header_at + Header::BYTES, 0);
        let shared = if share_from.is_some_and(|bytes| body.len() >= bytes) {
            Some(Message::with(body)?)
        } else {
            head.extend_from_slice(body);
            None
        };
        Ok(Self { head, shared, header_at })
    }

    /// Writes the number of a request into the message, and the header.
    #[inline]
    pub fn set_number(&mut self, number: u64, header: &Header) {
        self.head[..TOPIC].copy_from_slice(&number.to_be_bytes());
        self.head[TOPIC..][..Header::BYTES].copy_from_slice(header.as_bytes());
    }

    /// Writes the header into the message, and the instance that it belongs to.
    #[inline]
    pub fn set_header(&mut self, prefix: &Prefix, header: &Header) {
        if let Some(instance) = prefix.instance(header.seq) {
            self.head[self.header_at - INSTANCE..self.header_at].copy_from_slice(&instance);
        }
        self.head[self.header_at..][..Header::BYTES].copy_from_slice(header.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use busmark_adapter::{Qos, Wait};

    use super::*;

    fn prefix(topic: &str, domain: u32, instances: u32, pattern: Pattern) -> Result<Prefix> {
        let config = EndpointConfig {
            topic: topic.to_owned(),
            payload: Payload::Octet,
            wait: Wait::Poll,
            max_body_bytes: 0,
            qos: Qos::default(),
            instances,
            filter_below: 0,
        };
        Prefix::new(&config, domain, pattern)
    }

    #[test]
    fn topics_and_domains_differ_in_their_prefix() {
        let of = |topic, domain| prefix(topic, domain, 0, Pattern::PubSub).expect("a prefix");
        assert_ne!(of("a", 1), of("b", 1));
        assert_ne!(of("a", 1), of("a", 2));
        assert_eq!(of("a", 1).subscriptions(0), [of("a", 1).topic]);
    }

    #[test]
    fn a_filtered_reader_subscribes_to_its_instances_only() {
        let keyed = prefix("a", 1, 10, Pattern::PubSub).expect("a prefix");
        let mut sample = Sample::new(&keyed, Payload::Octet, b"body", None).expect("a sample");
        let hits = |sample: &Sample, below| {
            keyed.subscriptions(below).iter().filter(|s| sample.head.starts_with(s)).count()
        };
        for seq in 0..20 {
            sample.set_header(&keyed, &Header { seq, ..Header::default() });
            assert_eq!(hits(&sample, 3), usize::from(seq % 10 < 3), "{seq}");
            assert_eq!(hits(&sample, 0), 1);
        }
        assert!(prefix("a", 1, 10, Pattern::PushPull).is_err());
    }
}
