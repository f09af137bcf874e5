//! What a QoS means for a service: its buffers, and what happens when one is full.

use std::time::Duration;

use busmark_adapter::{EndpointConfig, Qos};
use iceoryx2::prelude::BackpressureStrategy;

use crate::options::Settings;

/// How long a write may block where the QoS does not say. The library has no limit of its own, and a
/// writer whose reader has stopped would never come back.
const WRITE_LIMIT: Duration = Duration::from_secs(5);

/// Limits of a service. Writers and readers of a topic must agree on them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Samples that a reader stores for each writer; `None` as shipped.
    pub buffer: Option<usize>,
    /// A full buffer gives up its oldest sample; `None` as shipped.
    pub overflow: Option<bool>,
    /// What else a writer does about a full buffer; `None` as shipped.
    pub strategy: Option<BackpressureStrategy>,
    /// Samples for late readers.
    pub history: usize,
    /// How long a writer may wait for room.
    pub blocking: Duration,
}

impl Limits {
    /// Those of an endpoint.
    pub fn new(config: &EndpointConfig, settings: &Settings) -> Self {
        let Qos { keep_all, reliable, transient_local, max_blocking_ns, depth, .. } = config.qos;
        let buffer = match keep_all {
            Some(true) => Some(
                settings
                    .buffer_size
                    .unwrap_or_else(|| whole(config.max_body_bytes, settings.max_subscribers)),
            ),
            Some(false) => Some(depth.max(1) as usize),
            None => None,
        };
        let strategy = match (keep_all, reliable) {
            (Some(true), Some(true)) => Some(BackpressureStrategy::RetryUntilDelivered),
            (Some(true), Some(false)) => Some(BackpressureStrategy::DiscardData),
            _ => None,
        };
        Self {
            buffer,
            overflow: keep_all.map(|all| !all),
            strategy,
            history: if transient_local == Some(true) { buffer.unwrap_or(1) } else { 0 },
            blocking: match max_blocking_ns {
                1.. => Duration::from_nanos(max_blocking_ns.unsigned_abs()),
                _ => WRITE_LIMIT,
            },
        }
    }
}

/// The buffer of a keep-all reader. A writer's memory has room for the full buffers of all readers
/// that the topic may have; it is taken from the system as it is used.
fn whole(body_bytes: u64, readers: usize) -> usize {
    const LEAST: u64 = 2;
    (STORED_BYTES / (body_bytes.max(1) * readers as u64)).clamp(LEAST, STORED_SAMPLES) as usize
}

/// Bytes of bodies in the full buffers of all readers that a topic may have.
const STORED_BYTES: u64 = 512 << 20;
/// Samples in the buffer of one reader.
const STORED_SAMPLES: u64 = 1024;

/// What the capabilities say of a buffer, with as many readers as a topic may have by default.
pub const STORED: (u64, u64) = (STORED_SAMPLES, STORED_BYTES / 8);

#[cfg(test)]
mod tests {
    use busmark_adapter::{ParticipantConfig, Payload, Wait};

    use super::*;

    fn limits(max_body_bytes: u64, qos: Qos) -> Limits {
        let settings = Settings::new(&ParticipantConfig::default()).expect("the defaults");
        let config = EndpointConfig {
            topic: "limits".to_owned(),
            payload: Payload::Octet,
            wait: Wait::Poll,
            max_body_bytes,
            qos,
            instances: 0,
            filter_below: 0,
        };
        Limits::new(&config, &settings)
    }

    #[test]
    fn what_is_not_asked_for_is_left_as_shipped() {
        let Limits { buffer, overflow, strategy, history, .. } = limits(64, Qos::default());
        assert_eq!((buffer, overflow, strategy, history), (None, None, None, 0));
    }

    #[test]
    fn keep_last_overwrites_and_keep_all_waits_or_drops() {
        let last = Qos { keep_all: Some(false), depth: 3, ..Qos::default() };
        assert_eq!(limits(64, last.clone()).buffer, Some(3));
        assert_eq!(limits(64, last).overflow, Some(true));
        let all = |reliable| Qos { keep_all: Some(true), reliable, ..Qos::default() };
        assert_eq!(limits(64, all(Some(true))).overflow, Some(false));
        let strategy = |reliable| limits(64, all(reliable)).strategy;
        assert_eq!(strategy(Some(true)), Some(BackpressureStrategy::RetryUntilDelivered));
        assert_eq!(strategy(Some(false)), Some(BackpressureStrategy::DiscardData));
    }

    #[test]
    fn buffers_of_large_samples_are_shorter() {
        assert_eq!([whole(64, 8), whole(1 << 20, 8), whole(16 << 20, 8)], [1024, 64, 4]);
        assert_eq!(whole(u64::MAX >> 10, 8), 2);
        let readers =
            Settings::new(&ParticipantConfig::default()).expect("the defaults").max_subscribers;
        for body in [64, 65_536, 1 << 20, 16 << 20] {
            assert_eq!(whole(body, readers) as u64, (STORED.1 / body).clamp(2, STORED.0));
        }
    }
}
