//! What Busmark's socket adapters share.
//!
//! - [`Buffers`]: the options `receive_buffer_bytes` and `send_buffer_bytes`, checked against what the
//!   kernel grants.
//! - [`frame`]: how samples lie in a stream of bytes.
//! - [`StreamWriter`] and [`StreamReader`]: endpoints over any connection-oriented socket, and with them
//!   [`StreamParticipant`] has the ends of services. The family of addresses is behind [`Family`]; there is one implementation in the adapter `tcp` and one in
//!   `uds`.

mod buffers;
mod connections;
mod door;
mod errors;
pub mod frame;
mod greeting;
mod lane;
mod pair;
mod participant;
mod protected;
mod reader;
mod receive_set;
mod service;
mod shield;
#[cfg(feature = "testing")]
pub mod testing;
mod writer;

pub use buffers::{Buffers, RECEIVE_BUFFER, SEND_BUFFER};
pub use errors::os_error;
pub use pair::{MARK as PAIR_MARK, Pair};
pub use participant::StreamParticipant;
pub use reader::{Listening, StreamReader};
pub use shield::{MaybeShield, Over, RECORD_HEADER, Shield, Side};
pub use writer::StreamWriter;

use std::os::fd::OwnedFd;
use std::time::Duration;

use busmark_adapter::Result;

/// How long making a connection may take, from connect to welcome.
pub const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// How long a write may block where the endpoint's configuration does not say.
pub const WRITE_LIMIT: Duration = Duration::from_secs(5);

/// A family of connection-oriented sockets.
pub trait Family: Send + Sync + 'static {
    /// A socket that listens, with its buffers set, and the locator by which writers find it.
    fn listen(&self) -> Result<Listening>;

    /// A socket that is connected to the reader with this locator, within [`CONNECT_LIMIT`].
    fn connect(&self, locator: &str) -> Result<OwnedFd>;

    /// Settings of a connection that was accepted.
    fn accepted(&self, connection: &OwnedFd) -> Result<()>;

    /// Protects a connection, before anything else is said on it, within [`CONNECT_LIMIT`] for each
    /// answer of the other side; `None` where connections are plain.
    fn shield(&self, connection: &OwnedFd, side: Side) -> Result<MaybeShield> {
        let _ = (connection, side);
        Ok(None)
    }

    /// Bytes that one send may have; larger frames go in several.
    fn packet(&self) -> usize {
        usize::MAX
    }

    /// The domain of the participant.
    fn domain(&self) -> u32;

    /// Where one connection carries both directions; `None`: each writer makes its own.
    fn pair(&self) -> Option<&Pair> {
        None
    }
}
