//! Writing where the middleware may block for a while.

use busmark_adapter::{Header, SampleHandle, Status, WriterHandle};
use busmark_measure::now_ns;

use crate::protocol::Failure;

/// A blocked write is tried again for this long before the round fails, ns.
pub const PATIENCE_NS: i64 = 10_000_000_000;

/// Writes one sample, however long the middleware blocks within reason. The header then says when it
/// was sent at last. Hot.
#[inline]
pub fn write(
    writer: &WriterHandle,
    sample: &mut SampleHandle,
    header: &mut Header,
    blocked: &mut u64,
) -> Result<(), Status> {
    let end = header.intended_ns + PATIENCE_NS;
    loop {
        match writer.write(sample, header) {
            Err(Status::Timeout) if now_ns() < end => {
                *blocked += 1;
                header.sent_ns = now_ns();
            }
            done => return done,
        }
    }
}

/// Why a stream ended after `seq` samples, in the middleware's words where the adapter has them (C32).
pub fn failure(writer: &WriterHandle, seq: u64, status: Status) -> Failure {
    let words = match writer.last_error() {
        Some(error) if error.status == status => error.to_string(),
        _ => status.to_string(),
    };
    Failure::new("failed", format!("write failed after {seq} samples: {words}"))
}
