//! A body as it will lie in loaned memory.

use std::sync::atomic::{AtomicU64, Ordering};

use busmark_adapter::{EndpointConfig, Payload};

/// A sample of one writer.
pub struct Sample {
    /// Its bytes: whole elements.
    pub body: Box<[u8]>,
    /// Number that differs from any other sample's of this process.
    pub number: u64,
}

/// The number of none.
pub const NO_SAMPLE: u64 = 0;

/// Bytes of an endpoint's largest body in memory.
pub fn largest(config: &EndpointConfig) -> usize {
    config.max_body_bytes as usize + config.payload.wire_overhead()
}

impl Sample {
    /// Sample with this body.
    pub fn new(payload: Payload, body: &[u8]) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let body = payload.to_wire(body).into();
        Self { body, number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }
}
