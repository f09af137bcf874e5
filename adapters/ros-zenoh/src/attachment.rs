//! What ROS attaches to each sample: sequence number, source time, and whose it is.

use std::time::{SystemTime, UNIX_EPOCH};

use zenoh::bytes::ZBytes;

/// Bytes of the number of an endpoint.
pub const GID_BYTES: usize = 16;

/// Bytes of an attachment: both numbers, the length of what follows, the number of the publisher.
const BYTES: usize = 8 + 8 + 1 + GID_BYTES;

/// An attachment with the time of now.
#[inline]
pub fn attachment(sequence: i64, gid: &[u8; GID_BYTES]) -> ZBytes {
    let mut bytes = Vec::with_capacity(BYTES);
    bytes.extend_from_slice(&sequence.to_le_bytes());
    bytes.extend_from_slice(&now_ns().to_le_bytes());
    bytes.push(GID_BYTES as u8);
    bytes.extend_from_slice(gid);
    bytes.into()
}

/// The source time; 0 where the attachment is not one of ROS's.
#[inline]
pub fn source_ns(attachment: Option<&ZBytes>) -> i64 {
    let Some(attachment) = attachment else { return 0 };
    let bytes = attachment.to_bytes();
    let time = bytes.get(8..16).and_then(|time| time.try_into().ok());
    time.map_or(0, i64::from_le_bytes)
}

#[inline]
fn now_ns() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i64)
}
