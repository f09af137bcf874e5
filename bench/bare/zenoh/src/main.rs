//! The smallest round trip and the smallest stream over zenoh: the library, configuration, publisher
//! options and payload of Busmark's adapter, and nothing of Busmark. Two peers over TCP, one of which
//! connects to the other; no scouting.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};

use bare_common::{Header, Library, OnSample, Options, Reader, Wait, Writer};
use zenoh::bytes::{Encoding, ZBytes};
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::{CongestionControl, Reliability};
use zenoh::{Session, Wait as _};

/// Bodies below this size are copied into one buffer with the header, as in the adapter.
const SHARED_FROM: usize = 1024;

struct Zenoh {
    session: Session,
    address: String,
}

/// A place to listen that nobody else has: the session does not report what it makes of port 0.
fn free_place() -> Result<String, String> {
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    Ok(format!("tcp/{address}"))
}

impl Library for Zenoh {
    const WAIT: Wait = Wait::Listener;
    type Writer = Out;
    type Reader<H: OnSample> = In;

    fn join(options: &Options) -> Result<Self, String> {
        let address = free_place()?;
        let connect =
            if options.is_passive() { "[]".to_owned() } else { format!("[{:?}]", options.address) };
        let mut config = zenoh::Config::default();
        for (key, value) in [
            ("mode", "\"peer\""),
            ("connect/endpoints", &connect),
            ("listen/endpoints", &format!("[{address:?}]")),
            ("scouting/multicast/enabled", "false"),
            ("scouting/gossip/enabled", "false"),
        ] {
            config.insert_json5(key, value).map_err(|error| format!("{key}: {error}"))?;
        }
        let session = zenoh::open(config).wait().map_err(|error| error.to_string())?;
        Ok(Self { session, address })
    }

    fn address(&self) -> String {
        self.address.clone()
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Out, String> {
        let publisher = self
            .session
            .declare_publisher(format!("bare/{topic}"))
            .encoding(Encoding::ZENOH_BYTES)
            .congestion_control(CongestionControl::Block)
            .reliability(Reliability::Reliable)
            .wait()
            .map_err(|error| error.to_string())?;
        let content = if body.len() < SHARED_FROM {
            Content::Whole([&[0; Header::BYTES], body].concat())
        } else {
            Content::Shared(ZBytes::from(body))
        };
        Ok(Out { publisher, content })
    }

    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<In, String> {
        let on_sample = Mutex::new(on_sample);
        let subscriber = self
            .session
            .declare_subscriber(format!("bare/{topic}"))
            .callback(move |sample| {
                let bytes = sample.payload().to_bytes();
                if let Some(header) = Header::from_bytes(&bytes) {
                    on_sample.lock().unwrap_or_else(PoisonError::into_inner)(&header);
                }
            })
            .wait()
            .map_err(|error| error.to_string())?;
        Ok(In { _subscriber: subscriber })
    }
}

struct Out {
    publisher: Publisher<'static>,
    content: Content,
}

enum Content {
    /// Header and body in one piece.
    Whole(Vec<u8>),
    /// A body whose memory payloads share.
    Shared(ZBytes),
}

impl Writer for Out {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        let payload = match &mut self.content {
            Content::Whole(frame) => {
                frame[..Header::BYTES].copy_from_slice(header.as_bytes());
                ZBytes::from(&frame[..])
            }
            Content::Shared(body) => {
                let mut payload = ZBytes::writer();
                // Into memory; cannot fail.
                let _ = payload.write_all(header.as_bytes());
                payload.append(body.clone());
                payload.finish()
            }
        };
        self.publisher.put(payload).wait().is_ok()
    }

    fn matched(&mut self) -> bool {
        self.publisher.matching_status().wait().is_ok_and(|status| status.matching())
    }
}

struct In {
    _subscriber: Subscriber<()>,
}

impl Reader for In {}

fn main() -> Result<(), String> {
    bare_common::run::<Zenoh>()
}
