//! Streams of TCP: segments in order, and messages cut out of them.

mod assembly;
mod framing;
mod scanning;

pub use assembly::{Assembly, Noted, Piece};
pub use framing::{Framing, Message, Protocol, Stamp};
pub use scanning::{Found, Scanning};
