//! Making sockets: on the interface, with the buffers, in the group.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;

use busmark_adapter::{ParticipantConfig, Result, Status};
use busmark_sockets::{Buffers, os_error};
use rustix::net::{
    AddressFamily, SocketFlags, SocketType, bind, connect, getsockname, socket_with, sockopt,
};

/// What the tuned profile tries for each buffer, or as much of it as the kernel grants.
const TUNED_BUFFER: usize = 4 << 20;
/// Routers that a multicast datagram may pass: none.
const TTL: u32 = 1;
/// Groups use ports from here on, below those that the system gives out by itself.
const FIRST_PORT: u16 = 16_384;
/// How many of them.
const PORTS: u32 = 16_384;
/// Ends the locator of a server, so that no writer takes it for a reader's.
const SERVICE: &str = "/service";

/// How a participant makes its sockets.
pub struct Sockets {
    interface: IpAddr,
    buffers: Buffers,
    multicast: bool,
    domain: u32,
}

/// 64-bit FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Group and port of a topic, within 239.255.0.0/16. The same topic in another domain has another
/// port; another topic has the same group and port once in 2^30.
fn group(domain: u32, topic: &str) -> (Ipv4Addr, u16) {
    let [a, b, c, d, ..] = hash(topic).to_le_bytes();
    let shift = u32::from(u16::from_le_bytes([c, d]));
    let port = FIRST_PORT + (domain.wrapping_add(shift) % PORTS) as u16;
    (Ipv4Addr::new(239, 255, a, b), port)
}

impl Sockets {
    /// Checks the configuration.
    pub fn new(config: &ParticipantConfig) -> Result<Self> {
        let multicast = config.transport == "multicast";
        let interface =
            if multicast { config.interface_v4()?.into() } else { config.interface()? };
        let buffers = Buffers::new(config, TUNED_BUFFER)?;
        let sockets = Self { interface, buffers, multicast, domain: config.domain };
        // Tells now, and not at the first endpoint, what the kernel does not grant.
        sockets.socket()?;
        Ok(sockets)
    }

    fn socket(&self) -> Result<OwnedFd> {
        let family =
            if self.interface.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let socket = socket_with(family, SocketType::DGRAM, SocketFlags::CLOEXEC, None)
            .map_err(|errno| os_error("socket", errno))?;
        self.buffers.apply(&socket)?;
        Ok(socket)
    }

    fn bound(&self, address: SocketAddr) -> Result<OwnedFd> {
        let socket = self.socket()?;
        bind(&socket, &address).map_err(|errno| os_error(format!("bind to {address}"), errno))?;
        Ok(socket)
    }

    /// A socket that receives a topic, and its locator.
    pub fn receiving(&self, topic: &str) -> Result<(OwnedFd, String)> {
        if self.multicast {
            return self.joined(topic);
        }
        let socket = self.bound(SocketAddr::new(self.interface, 0))?;
        let address = getsockname(&socket).map_err(|errno| os_error("getsockname", errno))?;
        let address = SocketAddr::try_from(address).map_err(|e| os_error("getsockname", e))?;
        Ok((socket, self.locator(address)))
    }

    /// "ADDRESS:PORT/DOMAIN": nothing else in a datagram tells domains apart.
    fn locator(&self, address: SocketAddr) -> String {
        format!("{address}/{}", self.domain)
    }

    /// The address of a locator of this domain.
    pub fn address_of(&self, locator: &str) -> Result<SocketAddr> {
        let parsed = locator
            .rsplit_once('/')
            .and_then(|(address, domain)| Some((address.parse().ok()?, domain.parse().ok()?)));
        let (address, domain): (SocketAddr, u32) = parsed.ok_or_else(|| {
            let text = format!("{locator:?} is not a locator of udp (ADDRESS:PORT/DOMAIN)");
            Status::Invalid.error(text)
        })?;
        if domain == self.domain {
            return Ok(address);
        }
        let own = self.domain;
        Err(Status::Invalid.error(format!("{locator}: a reader of domain {domain}, not {own}")))
    }

    /// A socket in the topic's group. It is bound to the group's address, so that it hears no other.
    fn joined(&self, topic: &str) -> Result<(OwnedFd, String)> {
        let IpAddr::V4(interface) = self.interface else {
            return Err(Status::Invalid.error("multicast needs an IPv4 address"));
        };
        let (group, port) = group(self.domain, topic);
        let address = SocketAddr::from((group, port));
        let socket = self.socket()?;
        let failed = |errno| os_error(format!("join {address} on {interface}"), errno);
        sockopt::set_socket_reuseaddr(&socket, true).map_err(failed)?;
        bind(&socket, &address).map_err(failed)?;
        sockopt::set_ip_add_membership(&socket, &group, &interface).map_err(failed)?;
        Ok((socket, self.locator(address)))
    }

    /// A socket that sends to this address.
    pub fn connected(&self, address: SocketAddr) -> Result<OwnedFd> {
        let socket = self.own()?;
        self.lead_to(&socket, address)?;
        connect_to(&socket, address)?;
        Ok(socket)
    }

    /// A socket with an address of its own.
    pub fn own(&self) -> Result<OwnedFd> {
        self.bound(SocketAddr::new(self.interface, 0))
    }

    /// What a socket needs to send to this address, if that is a group's.
    fn lead_to(&self, socket: &OwnedFd, address: SocketAddr) -> Result<()> {
        let failed = |errno| os_error(format!("send to {address}"), errno);
        if let (SocketAddr::V4(to), IpAddr::V4(interface)) = (address, self.interface)
            && to.ip().is_multicast()
        {
            sockopt::set_ip_multicast_if(socket, &interface).map_err(failed)?;
            sockopt::set_ip_multicast_loop(socket, true).map_err(failed)?;
            sockopt::set_ip_multicast_ttl(socket, TTL).map_err(failed)?;
        }
        Ok(())
    }

    /// A socket that receives the requests of a service, and the server's locator.
    pub fn serving(&self, service: &str) -> Result<(OwnedFd, String)> {
        // No topic's name has a slash, so no topic has this group.
        let (socket, locator) = self.receiving(&format!("service/{service}"))?;
        Ok((socket, format!("{locator}{SERVICE}")))
    }

    /// Has a client's socket send to the server with this locator. `None`: the socket is connected there,
    /// and hears nobody else; else where each request goes, because its group does not answer itself.
    pub fn point_to(&self, socket: &OwnedFd, locator: &str) -> Result<Option<SocketAddr>> {
        let reader = locator.strip_suffix(SERVICE).ok_or_else(|| {
            let text = format!("{locator:?} is not the locator of a server over udp");
            Status::Invalid.error(text)
        })?;
        let address = self.address_of(reader)?;
        self.lead_to(socket, address)?;
        if address.ip().is_multicast() {
            return Ok(Some(address));
        }
        connect_to(socket, address)?;
        Ok(None)
    }
}

fn connect_to(socket: &OwnedFd, address: SocketAddr) -> Result<()> {
    connect(socket, &address).map_err(|errno| os_error(format!("connect to {address}"), errno))
}

#[cfg(test)]
mod tests {
    use super::{FIRST_PORT, group};

    #[test]
    fn domains_and_topics_have_groups_of_their_own() {
        let one = group(0, "ping");
        assert_ne!(one, group(1, "ping"));
        assert_ne!(one, group(0, "pong"));
        assert_eq!(one, group(0, "ping"));
        for domain in [0, 1, 232, u32::MAX] {
            let (address, port) = group(domain, "ping");
            assert_eq!(address.octets()[..2], [239, 255]);
            assert!((FIRST_PORT..32_768).contains(&port));
        }
    }
}
