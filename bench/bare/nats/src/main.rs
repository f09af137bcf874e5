//! The smallest round trip and the smallest stream over NATS: the system's C client, the connection
//! options and message of Busmark's adapter, and nothing of Busmark. Reader and writer share a
//! connection.

mod client;

use std::ffi::CString;
use std::time::Duration;

use bare_common::{Header, Library, OnSample, Options, Reader, Wait, Writer};

use crate::client::Connection;

struct Nats {
    connection: Connection,
    server: String,
}

fn subject(topic: &str) -> CString {
    CString::new(format!("busmark.0.data.{topic}")).unwrap_or_default()
}

impl Library for Nats {
    const WAIT: Wait = Wait::Listener;
    type Writer = Out;
    type Reader<H: OnSample> = In;

    fn join(options: &Options) -> Result<Self, String> {
        let connection = Connection::new(&options.server)?;
        Ok(Self { connection, server: options.server.clone() })
    }

    /// Both know the server.
    fn address(&self) -> String {
        self.server.clone()
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Out, String> {
        let message = [&[0; Header::BYTES], body].concat();
        Ok(Out { connection: self.connection, subject: subject(topic), message })
    }

    /// Returns when the server has the subscription.
    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<In, String> {
        self.connection.subscribe(&subject(topic), on_sample)?;
        self.connection.flush()?;
        Ok(In)
    }
}

struct Out {
    connection: Connection,
    subject: CString,
    message: Vec<u8>,
}

impl Writer for Out {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        self.message[..Header::BYTES].copy_from_slice(header.as_bytes());
        self.connection.publish(&self.subject, &self.message)
    }

    fn finish(&mut self, _limit: Duration) {
        let _ = self.connection.flush();
    }
}

struct In;

impl Reader for In {}

fn main() -> Result<(), String> {
    bare_common::run::<Nats>()
}
