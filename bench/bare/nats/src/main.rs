//! The smallest round trip and the smallest stream over NATS: the system's C client, the connection
//! options and message of Busmark's adapter, and nothing of Busmark. Reader and writer share a
//! connection.

mod client;

use std::ffi::CString;
use std::time::Duration;

use bare_common::{Header, Library, OnSample, Options, Reader, Services, Wait, Writer};

use crate::client::Connection;

const SERVICE: &str = "service";

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

impl Services for Nats {
    type Client = Box<dyn FnMut(&Header) -> Result<(), String>>;

    /// The broker knows the server's subscription: the server says where it is only after that.
    fn client(options: &Options) -> Result<Self::Client, String> {
        let Self { connection, .. } = Self::join(options)?;
        let (requests, reply) = (subject(SERVICE), c"_INBOX.bare.0");
        let mut responses = connection.queue(c"_INBOX.bare.*")?;
        connection.flush()?;
        let mut message = vec![1; Header::BYTES + options.size];
        Ok(Box::new(move |request| {
            message[..Header::BYTES].copy_from_slice(request.as_bytes());
            if !connection.request(&requests, reply, &message) {
                return Err("a request is not sent".to_owned());
            }
            let seq = responses.next(|payload, _| Header::from_bytes(payload).map(|h| h.seq))?;
            let is_its = seq == Some(request.seq);
            if is_its { Ok(()) } else { Err("not the response to this request".to_owned()) }
        }))
    }

    fn serve(options: &Options) -> Result<(), String> {
        let nats = Self::join(options)?;
        let mut requests = nats.connection.queue(&subject(SERVICE))?;
        nats.connection.flush()?;
        bare_common::tell(&nats.address());
        let mut message = vec![1; Header::BYTES + options.size];
        loop {
            let header = requests.next(|payload, reply| {
                let header = Header::from_bytes(payload)?;
                message[..Header::BYTES].copy_from_slice(header.as_bytes());
                nats.connection.publish(reply, &message).then_some(header)
            })?;
            if header.ok_or("a request is not answered")?.is_last() {
                return nats.connection.flush();
            }
        }
    }
}

fn main() -> Result<(), String> {
    bare_common::run_with_services::<Nats>()
}
