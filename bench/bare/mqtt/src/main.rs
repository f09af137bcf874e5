//! The smallest round trip and the smallest stream over MQTT: the system's libmosquitto, the client
//! options, quality of service and message of Busmark's adapter, and nothing of Busmark. Reader and
//! writer are clients with a connection each. A thread of the library receives; the writing thread
//! sends, and reads acknowledgements when as many samples are under way as may be.

mod mosquitto;

use std::time::{Duration, Instant};

use bare_common::{Header, Library, OnSample, Options, Reader, Wait, Writer};

use crate::mosquitto::Client;

struct Mqtt {
    server: String,
}

impl Library for Mqtt {
    const WAIT: Wait = Wait::Listener;
    type Writer = Out;
    type Reader<H: OnSample> = In<H>;

    fn join(options: &Options) -> Result<Self, String> {
        Ok(Self { server: options.server.clone() })
    }

    /// Both know the broker.
    fn address(&self) -> String {
        self.server.clone()
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Out, String> {
        let message = [&[0; Header::BYTES], body].concat();
        let nothing: fn(&Header) = |_| {};
        let client = Client::connect(&self.server, 0, nothing)?;
        Ok(Out { client, topic: mosquitto::text(&name(topic)), message, sent: 0 })
    }

    /// Returns when the broker has the subscription.
    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<In<H>, String> {
        let client = Client::connect(&self.server, KEEP_ALIVE_S, on_sample)?;
        client.subscribe(&name(topic))?;
        client.start_thread()?;
        Ok(In { _client: client })
    }
}

/// As mosquitto's own clients have it; without a thread there is nobody who would ping.
const KEEP_ALIVE_S: i32 = 60;
/// Publications that may be unacknowledged (`max_inflight_messages`), as shipped.
const WINDOW: u64 = 20;

fn name(topic: &str) -> String {
    format!("busmark/0/data/{topic}")
}

struct Out {
    client: Client<fn(&Header)>,
    topic: std::ffi::CString,
    message: Vec<u8>,
    sent: u64,
}

impl Writer for Out {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        while self.sent - self.client.published() >= WINDOW {
            self.client.step();
        }
        self.message[..Header::BYTES].copy_from_slice(header.as_bytes());
        if !self.client.publish(&self.topic, &self.message) {
            return false;
        }
        self.sent += 1;
        while self.client.has_unsent() {
            self.client.step();
        }
        true
    }

    fn finish(&mut self, limit: Duration) {
        let start = Instant::now();
        while self.client.published() < self.sent && start.elapsed() < limit {
            self.client.step();
        }
    }
}

struct In<H: OnSample> {
    _client: Client<H>,
}

impl<H: OnSample> Reader for In<H> {}

fn main() -> Result<(), String> {
    bare_common::run::<Mqtt>()
}
