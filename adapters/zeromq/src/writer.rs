//! A writer: connects to every reader.

use std::sync::{Arc, Mutex, PoisonError};

use busmark_adapter::{ANY_OVERHEAD, EndpointConfig, Header, HotCell, Payload, Result, Status};

use crate::endpoints::{Locator, Maker};
use crate::ffi;
use crate::options::{Pattern, Transport};
use crate::presence::{Presence, await_subscriptions};
use crate::sample::{HEAD, Prefix, Sample};
use crate::socket::{Message, Socket};

/// How long a write may block where the endpoint's configuration does not say. The library ships with
/// no limit, and a writer whose reader has stopped would never come back.
const WRITE_LIMIT_MS: i32 = 5000;

/// An XPUB or PUSH socket.
pub struct ZmqWriter {
    hot: HotCell<Socket>,
    prefix: Prefix,
    payload: Payload,
    max_body_bytes: u64,
    presence: Presence,
    /// Locators that it is connected to.
    connected: Mutex<Vec<String>>,
    maker: Arc<Maker>,
}

/// Bytes of an endpoint's largest message.
pub fn message_bytes(config: &EndpointConfig) -> u64 {
    config.max_body_bytes + (HEAD + ANY_OVERHEAD) as u64
}

/// The traffic class of a priority: both endpoints of a connection send with it.
pub fn set_priority(socket: &Socket, config: &EndpointConfig, transport: Transport) -> Result<()> {
    /// Bits of the traffic class below the code point (RFC 2474).
    const UNUSED: u32 = 2;
    match config.qos.transport_priority {
        None => Ok(()),
        Some(_) if transport != Transport::Tcp => {
            let text = "only TCP has a priority on the wire: QoS transport_priority needs the \
                        transport tcp";
            Err(Status::Unsupported.error(text))
        }
        Some(point @ 0..64) => socket.set(ffi::TOS, point << UNUSED),
        Some(other) => {
            let text = format!("transport_priority {other}: code points (DSCP) are 0 to 63");
            Err(Status::Invalid.error(text))
        }
    }
}

impl ZmqWriter {
    /// Without readers.
    pub fn new(maker: Arc<Maker>, config: &EndpointConfig) -> Result<Self> {
        let settings = &maker.settings;
        let socket = match settings.pattern {
            Pattern::PubSub => {
                let socket = maker.socket(ffi::XPUB)?;
                // Subscriptions of the second reader, too, which connect waits for.
                socket.set(ffi::XPUB_VERBOSE, 1)?;
                // As shipped, samples beyond a full queue are dropped.
                if config.qos.reliable == Some(true) {
                    socket.set(ffi::XPUB_NODROP, 1)?;
                }
                socket.set(ffi::RCVTIMEO, 100)?;
                socket
            }
            Pattern::PushPull if config.qos.reliable == Some(false) => {
                let text = "PUSH sockets drop nothing: best effort needs the option \
                            pattern=pub_sub";
                return Err(Status::Unsupported.error(text));
            }
            Pattern::PushPull => maker.socket(ffi::PUSH)?,
        };
        socket.set(ffi::SNDHWM, settings.send_hwm(message_bytes(config)))?;
        let limit_ms = match config.qos.max_blocking_ns {
            1.. => (config.qos.max_blocking_ns as u64).div_ceil(1_000_000).min(i32::MAX as u64),
            _ => WRITE_LIMIT_MS as u64,
        };
        socket.set(ffi::SNDTIMEO, limit_ms as i32)?;
        set_priority(&socket, config, settings.transport)?;
        Ok(Self {
            hot: HotCell::new(socket),
            prefix: Prefix::new(config, settings.domain, settings.pattern)?,
            payload: config.payload,
            max_body_bytes: config.max_body_bytes,
            presence: Presence::new(&maker)?,
            connected: Mutex::default(),
            maker,
        })
    }
}

impl busmark_adapter::Writer for ZmqWriter {
    type Sample = Sample;

    fn prepare(&self, body: &[u8]) -> Result<Sample> {
        if body.len() as u64 > self.max_body_bytes {
            let text = format!(
                "a body of {} bytes: the writer was made for at most {}",
                body.len(),
                self.max_body_bytes
            );
            return Err(Status::Invalid.error(text));
        }
        if self.payload == Payload::Empty && !body.is_empty() {
            return Err(Status::Invalid.error("the payload kind empty has no body"));
        }
        Sample::new(&self.prefix, self.payload, body, self.maker.settings.zero_copy_from)
    }

    #[inline]
    fn write(&self, sample: &mut Sample, header: &Header) -> std::result::Result<(), Status> {
        sample.set_header(&self.prefix, header);
        let socket = self.hot.get().ok_or(Status::Invalid)?;
        match &mut sample.shared {
            None => socket.send(&sample.head, 0),
            // A message is sent whole or not at all: once its first part is accepted, so is the next.
            Some(body) => {
                socket.send(&sample.head, ffi::SNDMORE)?;
                socket.send_shared(body)
            }
        }
    }

    fn matched(&self) -> std::result::Result<u32, Status> {
        Ok(self.presence.count())
    }

    fn connect(&self, text: &str) -> Result<()> {
        let locator = Locator::parse(text, &self.maker)?;
        let mut connected = self.connected.lock().unwrap_or_else(PoisonError::into_inner);
        if connected.iter().any(|known| known == text) {
            return Ok(());
        }
        if self.maker.settings.pattern == Pattern::PushPull && !connected.is_empty() {
            let text = "a PUSH socket shares its samples out among its readers: one reader for each \
                        writer, or the option pattern=pub_sub";
            return Err(Status::Resources.error(text));
        }
        let socket = self.hot.get().ok_or_else(|| Status::Invalid.error("the writer is in use"))?;
        socket.connect(&self.maker.target(&locator.data))?;
        // A publisher drops what nobody has subscribed to. Each subscription that has arrived here is
        // in force.
        let mut message = Message::empty()?;
        await_subscriptions(locator.subscriptions, &locator.data, || {
            socket.receive(&mut message, 0)?;
            Ok(u32::from(message.bytes().first() == Some(&1)))
        })?;
        let [peers, here] = &locator.presence;
        self.presence.connect(&self.maker, [peers, here])?;
        connected.push(text.to_owned());
        Ok(())
    }
}
