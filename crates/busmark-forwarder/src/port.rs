//! An interface of the switch, as a packet socket (packet(7)).

use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::ifaddrs::getifaddrs;
use nix::sys::socket::{
    AddressFamily, LinkAddr, MsgFlags, SockFlag, SockProtocol, SockType, bind, recv, send,
    setsockopt, socket, sockopt,
};

/// Room for what arrives while this process does not run: some 40 ms at 1 Gbit/s.
const RECEIVE_BYTES: usize = 8 << 20;

/// Reads frames of one interface and sends frames by it.
pub struct Port {
    socket: OwnedFd,
}

impl Port {
    /// Opens the interface of this name.
    pub fn open(name: &str) -> Result<Self, String> {
        let failed = |what: &str, error: Errno| format!("{name}: {what}: {error}");
        let address = link_address(name)?;
        // Frames that this socket sends do not come back to it; nobody else sends by the interface.
        let socket = socket(
            AddressFamily::Packet,
            SockType::Raw,
            SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK,
            SockProtocol::EthAll,
        )
        .map_err(|e| failed("packet socket (root only)", e))?;
        setsockopt(&socket, sockopt::RcvBufForce, &RECEIVE_BYTES)
            .map_err(|e| failed("receive buffer", e))?;
        bind(socket.as_raw_fd(), &address).map_err(|e| failed("bind", e))?;
        Ok(Self { socket })
    }

    /// The next frame; `None` if there is none.
    pub fn receive(&self, buffer: &mut [u8]) -> Result<Option<usize>, Errno> {
        match recv(self.socket.as_raw_fd(), buffer, MsgFlags::empty()) {
            Ok(bytes) => Ok(Some(bytes)),
            // The interface is not up yet, or not any more.
            Err(Errno::EAGAIN | Errno::ENETDOWN) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Sends a frame. One that the interface has no room for is lost, as in any switch.
    pub fn send(&self, frame: &[u8]) {
        let _ = send(self.socket.as_raw_fd(), frame, MsgFlags::empty());
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn link_address(name: &str) -> Result<LinkAddr, String> {
    let all = getifaddrs().map_err(|error| format!("list of interfaces: {error}"))?;
    all.filter(|entry| entry.interface_name == name)
        .find_map(|entry| entry.address?.as_link_addr().copied())
        .ok_or_else(|| format!("{name}: no such interface"))
}
