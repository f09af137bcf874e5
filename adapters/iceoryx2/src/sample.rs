//! A body as it will lie in loaned memory.

use std::sync::atomic::{AtomicU64, Ordering};

use busmark_adapter::{ANY_OVERHEAD, EndpointConfig, Payload, Result, Status, encode_any};

/// A sample of one writer.
pub struct Sample {
    /// Its bytes: whole elements.
    pub body: Box<[u8]>,
    /// Unlike that of any other sample of this process.
    pub number: u64,
}

/// Bytes of an endpoint's largest body in memory.
pub fn largest(config: &EndpointConfig) -> usize {
    let overhead = if config.payload == Payload::Any { ANY_OVERHEAD } else { 0 };
    config.max_body_bytes as usize + overhead
}

impl Sample {
    /// Of this body, for a writer of bodies of at most `max_body_bytes`.
    pub fn new(payload: Payload, max_body_bytes: u64, body: &[u8]) -> Result<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        if body.len() as u64 > max_body_bytes {
            let text = format!(
                "a body of {} bytes: the writer was made for at most {max_body_bytes}",
                body.len()
            );
            return Err(Status::Invalid.error(text));
        }
        if payload == Payload::Empty && !body.is_empty() {
            return Err(Status::Invalid.error("the payload kind empty has no body"));
        }
        if !body.len().is_multiple_of(payload.element_bytes()) {
            let text = format!("{} bytes are not a whole number of elements", body.len());
            return Err(Status::Invalid.error(text));
        }
        let body = match payload {
            Payload::Any => encode_any(body).into(),
            _ => body.into(),
        };
        Ok(Self { body, number: NEXT.fetch_add(1, Ordering::Relaxed) })
    }
}
