//! The time limit of a socket's receives.

use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::io::Errno;
use rustix::net::sockopt::{Timeout, set_socket_timeout};

/// Shortest time limit of a receive; 0 would mean none.
const SHORTEST: Duration = Duration::from_micros(1);

/// The limit that is set; zero: none.
#[derive(Default)]
pub struct Limit(Duration);

impl Limit {
    /// Has receives wait this long. A limit that is a little longer is near enough: setting it is a
    /// system call. Hot.
    #[inline(always)]
    pub fn set(&mut self, socket: &OwnedFd, timeout: Duration) -> Result<(), Errno> {
        let timeout = timeout.max(SHORTEST);
        if self.0 < timeout || self.0 > timeout + timeout / 8 {
            set_socket_timeout(socket, Timeout::Recv, Some(timeout))?;
            self.0 = timeout;
        }
        Ok(())
    }
}
