//! What passes a network, byte for byte.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// Larger than any packet on loopback.
const PACKET: usize = 1 << 17;
/// Room for what comes before it is read.
static QUEUE: libc::c_int = 64 << 20;

/// A socket that is given every packet of this thread's network; root only.
pub(crate) struct Wire(OwnedFd);

impl Wire {
    pub fn tap() -> io::Result<Self> {
        let protocol = libc::c_int::from((libc::ETH_P_ALL as u16).to_be());
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: plain numbers.
        let number = unsafe { libc::socket(libc::AF_PACKET, kind, protocol) };
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor is new and nobody else's.
        let socket = unsafe { OwnedFd::from_raw_fd(number) };
        // SAFETY: the option is a number that lives during the call.
        let code = unsafe {
            libc::setsockopt(
                number,
                libc::SOL_SOCKET,
                libc::SO_RCVBUFFORCE,
                (&raw const QUEUE).cast(),
                size_of::<libc::c_int>() as libc::socklen_t,
            )
        };
        if code < 0 { Err(io::Error::last_os_error()) } else { Ok(Self(socket)) }
    }

    /// The packets that have passed since the last call.
    pub fn packets(&self) -> io::Result<Vec<Vec<u8>>> {
        let mut found = Vec::new();
        let mut packet = vec![0; PACKET];
        loop {
            // SAFETY: the memory is ours and as large as it says.
            let bytes = unsafe {
                libc::recv(self.0.as_raw_fd(), packet.as_mut_ptr().cast(), packet.len(), 0)
            };
            if bytes < 0 {
                let error = io::Error::last_os_error();
                return if error.kind() == io::ErrorKind::WouldBlock {
                    Ok(found)
                } else {
                    Err(error)
                };
            }
            found.push(packet[..bytes as usize].to_vec());
        }
    }
}
