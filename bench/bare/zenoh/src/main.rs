//! The smallest round trip and the smallest stream over zenoh: the library, configuration, publisher
//! options and payload of Busmark's adapter, and nothing of Busmark; a service is a queryable, a call a
//! get of a querier. Two peers over TCP, one of which
//! connects to the other; no scouting.

use std::io::Write as _;
use std::net::TcpListener;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use bare_common::{Header, Library, OnSample, Options, Reader, Services, Wait, Writer};
use zenoh::bytes::{Encoding, ZBytes};
use zenoh::handlers::{FifoChannel, IntoHandler as _};
use zenoh::pubsub::{Publisher, Subscriber};
use zenoh::qos::{CongestionControl, Reliability};
use zenoh::query::{ConsolidationMode, Reply};
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
        Ok(Out { publisher, content: Content::new(body) })
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

impl Content {
    fn new(body: &[u8]) -> Self {
        if body.len() < SHARED_FROM {
            Self::Whole([&[0; Header::BYTES], body].concat())
        } else {
            Self::Shared(ZBytes::from(body))
        }
    }

    #[inline]
    fn payload(&mut self, header: &Header) -> ZBytes {
        match self {
            Self::Whole(frame) => {
                frame[..Header::BYTES].copy_from_slice(header.as_bytes());
                ZBytes::from(&frame[..])
            }
            Self::Shared(body) => {
                let mut payload = ZBytes::writer();
                // Into memory; cannot fail.
                let _ = payload.write_all(header.as_bytes());
                payload.append(body.clone());
                payload.finish()
            }
        }
    }
}

impl Writer for Out {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        self.publisher.put(self.content.payload(header)).wait().is_ok()
    }

    fn matched(&mut self) -> bool {
        self.publisher.matching_status().wait().is_ok_and(|status| status.matching())
    }
}

struct In {
    _subscriber: Subscriber<()>,
}

impl Reader for In {}

/// Longest time that a response may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Requests and responses that wait to be taken, as zenoh ships.
const WAITING: usize = 256;
const SERVICE: &str = "bare/service";

impl Services for Zenoh {
    type Client = Box<dyn FnMut(&Header) -> Result<(), String>>;

    fn client(options: &Options) -> Result<Self::Client, String> {
        let Self { session, .. } = Self::join(options)?;
        let querier = session
            .declare_querier(SERVICE)
            .consolidation(ConsolidationMode::None)
            .wait()
            .map_err(|error| error.to_string())?;
        let begin = Instant::now();
        while !querier.matching_status().wait().is_ok_and(|status| status.matching()) {
            if begin.elapsed() > PATIENCE {
                return Err("there is no server".to_owned());
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        let (response, responses) = FifoChannel::new(WAITING).into_handler();
        let mut content = Content::new(&vec![1; options.size]);
        Ok(Box::new(move |request| {
            // The session ends with its client.
            let _session = &session;
            let response = response.clone();
            let reply = move |reply: Reply| {
                if let Ok(sample) = reply.into_result() {
                    response.call(sample.payload().clone());
                }
            };
            let sent = querier.get().payload(content.payload(request)).callback(reply).wait();
            sent.map_err(|error| error.to_string())?;
            loop {
                let came = responses.recv_timeout(PATIENCE).map_err(|error| error.to_string())?;
                let payload = came.ok_or("no response")?;
                if Header::from_bytes(&payload.to_bytes()).is_some_and(|h| h.seq == request.seq) {
                    return Ok(());
                }
            }
        }))
    }

    fn serve(options: &Options) -> Result<(), String> {
        let Self { session, address } = Self::join(options)?;
        let key = session.declare_keyexpr(SERVICE).wait().map_err(|error| error.to_string())?;
        let queryable = session
            .declare_queryable(key.clone())
            .complete(true)
            .with(FifoChannel::new(WAITING))
            .wait()
            .map_err(|error| error.to_string())?;
        let mut content = Content::new(&vec![1; options.size]);
        bare_common::tell(&address);
        loop {
            let query = queryable.recv().map_err(|error| error.to_string())?;
            let Some(payload) = query.payload().cloned() else { continue };
            let Some(header) = Header::from_bytes(&payload.to_bytes()) else { continue };
            let replied = query.reply(&key, content.payload(&header)).wait();
            replied.map_err(|error| error.to_string())?;
            if header.is_last() {
                return Ok(());
            }
        }
    }
}

fn main() -> Result<(), String> {
    bare_common::run_with_services::<Zenoh>()
}
