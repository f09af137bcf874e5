//! The network interfaces of this host, or of the network namespace that the worker is in.

use std::net::IpAddr;

use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;
use serde::Serialize;

use crate::protocol::Failure;

/// One address of an interface.
#[derive(Debug, Serialize)]
pub struct Interface {
    /// Such as `eth0`.
    pub name: String,
    /// IPv4 or IPv6.
    pub address: IpAddr,
    /// Whether it is the host's own, such as `lo`.
    pub loopback: bool,
}

/// Every address of every interface that is up.
pub fn interfaces() -> Result<Vec<Interface>, Failure> {
    let all = getifaddrs()
        .map_err(|error| Failure::new("failed", format!("no list of interfaces: {error}")))?;
    let up = all.filter(|entry| entry.flags.contains(InterfaceFlags::IFF_UP));
    Ok(up
        .filter_map(|entry| {
            let socket = entry.address?;
            let v4 = socket.as_sockaddr_in().map(|address| IpAddr::V4(address.ip()));
            let v6 = || socket.as_sockaddr_in6().map(|address| IpAddr::V6(address.ip()));
            Some(Interface {
                address: v4.or_else(v6)?,
                loopback: entry.flags.contains(InterfaceFlags::IFF_LOOPBACK),
                name: entry.interface_name,
            })
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_an_interface_can_be_bound() {
        for interface in interfaces().unwrap() {
            assert!(!interface.name.is_empty());
            assert!(interface.loopback || !interface.address.is_loopback(), "{interface:?}");
            if interface.address.is_ipv4() {
                std::net::UdpSocket::bind((interface.address, 0)).unwrap();
            }
        }
    }
}
