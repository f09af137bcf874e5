//! UDP as the crate's own transport does it, but on one interface and with an end.
//!
//! The crate's transport sends discovery on every interface of the host, whichever it was
//! configured to use, and its threads and sockets outlive the participant. This one has the same
//! sockets, the same ports and the same system call per datagram. Samples have their own thread, as
//! there; the two sockets of discovery share one, which keeps a participant's farewell behind its
//! endpoints' farewells. With a thread each it overtakes them at times, and then the crate counts
//! an endpoint that is gone for ever.

use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use busmark_adapter::{Result, Status, not_granted};
use dust_dds::std_runtime::executor::block_on;
use dust_dds::transport::interface::{
    RtpsTransportParticipant, TransportDataReceiver, TransportParticipantFactory, WriteMessage,
};
use dust_dds::transport::types::{LOCATOR_KIND_UDP_V4, Locator};
use rustix::event::{PollFd, PollFlags, poll};
use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// RTPS specification, 9.6.1.4.1 and 9.6.1.1: where participants announce themselves.
const MULTICAST_GROUP: Ipv4Addr = Ipv4Addr::new(239, 255, 0, 1);
const PORT_BASE: u16 = 7400;
const DOMAIN_GAIN: u16 = 250;
const UNICAST_OFFSET: u16 = 10;
const PARTICIPANT_GAIN: u16 = 2;
/// Participants of one domain and address whose ports do not reach into the next domain's.
pub const MAX_PARTICIPANTS: u16 = 120;

/// Largest payload of a UDP datagram.
const DATAGRAM_BYTES: usize = 65_507;

/// What the sockets are made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// All traffic stays on this interface.
    pub interface: Ipv4Addr,
    /// Domain of the RTPS specification; below 233.
    pub domain: u16,
    /// Largest part of a sample in one datagram.
    pub fragment_bytes: usize,
    /// `SO_RCVBUF` of the socket for data; `None` leaves it to the system, as the crate does.
    pub receive_buffer_bytes: Option<usize>,
    /// Participants of this address that are announced to at their well-known ports, too; 0: discovery
    /// by multicast alone, as the crate does.
    pub well_known: u16,
}

/// A reader of the crate that misses more fragments of a sample ends its process's executor: the set of
/// fragments that it asks for has no room for them.
const MAX_FRAGMENTS: u64 = 256;
/// At least what the header, the length and the alignment of a sample add to its body.
const SAMPLE_OVERHEAD: u64 = 128;

impl Settings {
    fn multicast_port(&self) -> u16 {
        PORT_BASE + DOMAIN_GAIN * self.domain
    }

    /// Where the participants of this address are looked for.
    fn well_known_ports(&self) -> impl Iterator<Item = u16> + use<> {
        let first = self.multicast_port() + UNICAST_OFFSET;
        // The last domain ends at the last port.
        (0..self.well_known).map_while(move |index| first.checked_add(PARTICIPANT_GAIN * index))
    }

    /// Largest body that is always put together.
    pub fn largest_body(&self) -> u64 {
        (MAX_FRAGMENTS * self.fragment_bytes as u64).saturating_sub(SAMPLE_OVERHEAD)
    }
}

/// The sockets of one participant and the threads that read them.
pub struct Sockets {
    /// Announcements of participants.
    multicast: UdpSocket,
    /// Discovery of endpoints.
    metatraffic: UdpSocket,
    /// Samples; everything is sent from here.
    data: UdpSocket,
    settings: Settings,
    stopped: AtomicBool,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

fn os_error(what: &str, error: &std::io::Error) -> busmark_adapter::Error {
    Status::Failed.error(format!("UDP: {what}: {error}"))
}

impl Sockets {
    /// Opens them; nothing is read yet.
    pub fn open(settings: Settings) -> Result<Arc<Self>> {
        let multicast =
            multicast_socket(&settings).map_err(|e| os_error("socket for multicast", &e))?;
        let interface = settings.interface;
        let bind = |port| UdpSocket::bind((interface, port));
        let failed = |e| os_error(&format!("bind to {interface}"), &e);
        let data = bind(0).map_err(failed)?;
        let metatraffic = if settings.well_known == 0 {
            bind(0).map_err(failed)?
        } else {
            settings.well_known_ports().find_map(|port| bind(port).ok()).ok_or_else(|| {
                let text = format!(
                    "all well-known ports of domain {} are taken: raise the option well_known_ports",
                    settings.domain
                );
                Status::Resources.error(text)
            })?
        };
        SockRef::from(&data)
            .set_multicast_if_v4(&interface)
            .map_err(|e| os_error("interface for multicast", &e))?;
        for socket in [&multicast, &metatraffic] {
            socket.set_nonblocking(true).map_err(|e| os_error("non-blocking socket", &e))?;
        }
        if let Some(bytes) = settings.receive_buffer_bytes {
            set_receive_buffer(&data, bytes)?;
        }
        Ok(Arc::new(Self {
            multicast,
            metatraffic,
            data,
            settings,
            stopped: AtomicBool::new(false),
            threads: Mutex::default(),
        }))
    }

    /// Ends the threads.
    pub fn close(&self) {
        self.stopped.store(true, Ordering::Release);
        for socket in [&self.multicast, &self.metatraffic, &self.data] {
            // Says that the socket is not connected, and wakes who reads it nevertheless.
            let _ = SockRef::from(socket).shutdown(std::net::Shutdown::Both);
        }
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        for thread in threads.drain(..) {
            let _ = thread.join();
        }
    }

    /// Hands on what comes for discovery: what is about endpoints before what is about participants,
    /// where both are there.
    fn read_discovery(&self, to: &TransportDataReceiver) {
        let mut endpoints = vec![0; DATAGRAM_BYTES];
        let mut participants = vec![0; DATAGRAM_BYTES];
        while !self.stopped.load(Ordering::Acquire) {
            let mut sockets = [
                PollFd::new(&self.metatraffic, PollFlags::IN),
                PollFd::new(&self.multicast, PollFlags::IN),
            ];
            // Interrupted or not: the sockets are asked.
            let _ = poll(&mut sockets, None);
            let announced = self.multicast.recv(&mut participants).unwrap_or(0);
            // Who says farewell has said it of its endpoints before.
            while let Ok(size) = self.metatraffic.recv(&mut endpoints)
                && size > 0
            {
                hand_on(to, &endpoints[..size]);
            }
            hand_on(to, &participants[..announced]);
        }
    }

    fn read_data(&self, to: &TransportDataReceiver) {
        let mut buffer = vec![0; DATAGRAM_BYTES];
        while !self.stopped.load(Ordering::Acquire) {
            if let Ok(size) = self.data.recv(&mut buffer) {
                hand_on(to, &buffer[..size]);
            }
        }
    }

    fn start(self: &Arc<Self>, name: &str, task: impl FnOnce(&Self) + Send + 'static) {
        let sockets = Arc::clone(self);
        let thread =
            std::thread::Builder::new().name(name.to_owned()).spawn(move || task(&sockets));
        let mut threads = self.threads.lock().unwrap_or_else(PoisonError::into_inner);
        threads.push(thread.expect("the system has a thread"));
    }
}

fn hand_on(to: &TransportDataReceiver, datagram: &[u8]) {
    if !datagram.is_empty() {
        block_on(to.receive_message(datagram.to_vec()));
    }
}

fn multicast_socket(settings: &Settings) -> std::io::Result<UdpSocket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, Some(Protocol::UDP))?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(true)?;
    let port = settings.multicast_port();
    // To the group, so that a unicast datagram to this port is somebody else's.
    socket.bind(&SocketAddrV4::new(MULTICAST_GROUP, port).into())?;
    // Not what other programs have joined on other interfaces.
    socket.set_multicast_all_v4(false)?;
    socket.join_multicast_v4(&MULTICAST_GROUP, &settings.interface)?;
    Ok(socket.into())
}

fn set_receive_buffer(socket: &UdpSocket, bytes: usize) -> Result<()> {
    let socket = SockRef::from(socket);
    socket.set_recv_buffer_size(bytes).map_err(|e| os_error("receive buffer", &e))?;
    // Linux says twice what it grants.
    let granted = socket.recv_buffer_size().map_err(|e| os_error("receive buffer", &e))? / 2;
    if granted < bytes {
        return Err(not_granted("receive_buffer", bytes as u64, granted as u64, "rmem_max"));
    }
    Ok(())
}

/// Gives the crate the sockets of its one participant.
pub struct Transport(pub Arc<Sockets>);

impl TransportParticipantFactory for Transport {
    fn create_participant(
        &self,
        _domain: i32,
        receiver: TransportDataReceiver,
    ) -> RtpsTransportParticipant {
        let sockets = &self.0;
        let discovery = receiver.clone();
        sockets.start("dust-discovery", move |s| s.read_discovery(&discovery));
        sockets.start("dust-data", move |s| s.read_data(&receiver));
        let own = |socket: &UdpSocket| {
            let port = socket.local_addr().map_or(0, |address| address.port());
            vec![locator(sockets.settings.interface, port)]
        };
        let port = sockets.settings.multicast_port();
        RtpsTransportParticipant {
            message_writer: Box::new(Sender {
                sockets: Arc::clone(sockets),
                buffer: vec![0; DATAGRAM_BYTES].into_boxed_slice(),
            }),
            default_unicast_locator_list: own(&sockets.data),
            metatraffic_unicast_locator_list: own(&sockets.metatraffic),
            metatraffic_multicast_locator_list: vec![locator(MULTICAST_GROUP, port)],
            default_multicast_locator_list: Vec::new(),
            fragment_size: sockets.settings.fragment_bytes,
        }
    }
}

fn locator(address: Ipv4Addr, port: u16) -> Locator {
    let mut bytes = [0; 16];
    bytes[12..].copy_from_slice(&address.octets());
    Locator::new(LOCATOR_KIND_UDP_V4, u32::from(port), bytes)
}

struct Sender {
    sockets: Arc<Sockets>,
    buffer: Box<[u8]>,
}

impl WriteMessage for Sender {
    fn write_buffer_mut(&mut self) -> &mut [u8] {
        &mut self.buffer
    }

    fn write_message(&mut self, len: usize, locators: &[Locator]) {
        for locator in locators.iter().filter(|l| l.kind() == LOCATOR_KIND_UDP_V4) {
            let address = locator.address();
            let address = Ipv4Addr::new(address[12], address[13], address[14], address[15]);
            let Sockets { data, settings, .. } = &*self.sockets;
            // UDP may lose a datagram anyway; a reliable writer sends it again.
            let _ = data.send_to(&self.buffer[..len], (address, locator.port() as u16));
            if address.is_multicast() {
                for port in settings.well_known_ports() {
                    let _ = data.send_to(&self.buffer[..len], (settings.interface, port));
                }
            }
        }
    }
}
