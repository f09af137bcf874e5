//! The smallest round trip and the smallest stream over `ZeroMQ`: the system's library, the socket
//! types, options and message of Busmark's adapter, and nothing of Busmark. The passive side binds all
//! its sockets; once a connection stands, it does not matter who made it.

mod zmq;

use std::cell::RefCell;

use bare_common::{Header, Library, OnSample, Options, Reader, Services, TURN_MS, Wait, Writer};

use crate::zmq::{Context, Message, Socket};

/// Bytes by which subscriptions select, in front of the header.
const PREFIX: usize = 8;
/// How long a closed socket keeps sending, in milliseconds, as the adapter has it.
const LINGER_MS: i32 = 1000;
const NO_RECONNECTION: i32 = -1;

fn prefix(topic: &str) -> [u8; PREFIX] {
    let mut prefix = [0; PREFIX];
    for (to, from) in prefix.iter_mut().zip(topic.bytes()) {
        *to = from;
    }
    prefix
}

/// A context, and where its sockets meet the other side's.
struct Zmq {
    context: Context,
    /// Places of the passive side's reader and writer; either may be missing.
    places: RefCell<[String; 2]>,
    binds: bool,
}

const READER: usize = 0;
const WRITER: usize = 1;

impl Zmq {
    fn socket(&self, kind: i32) -> Result<Socket, String> {
        let socket = Socket::new(&self.context, kind)?;
        socket.set(zmq::LINGER, LINGER_MS)?;
        socket.set(zmq::RECONNECT_IVL, NO_RECONNECTION)?;
        Ok(socket)
    }

    /// Binds here, or connects to its counterpart.
    fn open(&self, socket: &Socket, (own, other): (usize, usize)) -> Result<(), String> {
        let places = &mut *self.places.borrow_mut();
        if self.binds {
            places[own] = socket.bind("tcp://127.0.0.1:*")?;
            return Ok(());
        }
        socket.connect(&places[other])
    }
}

impl Library for Zmq {
    const WAIT: Wait = Wait::Waitset;
    type Writer = Publisher;
    type Reader<H: OnSample> = Subscriber<H>;

    fn join(options: &Options) -> Result<Self, String> {
        let mut places = [String::new(), String::new()];
        if !options.is_passive() {
            let (reader, writer) = options.address.split_once(',').ok_or("--address is missing")?;
            places = [reader.to_owned(), writer.to_owned()];
        }
        let places = RefCell::new(places);
        Ok(Self { context: Context::new(), places, binds: options.is_passive() })
    }

    fn address(&self) -> String {
        self.places.borrow().join(",")
    }

    fn writer(&self, topic: &str, body: &[u8]) -> Result<Publisher, String> {
        let socket = self.socket(zmq::XPUB)?;
        // Reliable: a full queue makes the writer wait.
        socket.set(zmq::XPUB_NODROP, 1)?;
        self.open(&socket, (WRITER, READER))?;
        let message = [&prefix(topic)[..], &[0; Header::BYTES], body].concat();
        Ok(Publisher { socket, message, subscription: Message::new() })
    }

    fn reader<H: OnSample>(&self, topic: &str, on_sample: H) -> Result<Subscriber<H>, String> {
        let socket = self.socket(zmq::SUB)?;
        socket.set_bytes(zmq::SUBSCRIBE, &prefix(topic))?;
        socket.set(zmq::RCVTIMEO, TURN_MS.cast_signed())?;
        self.open(&socket, (READER, WRITER))?;
        Ok(Subscriber { socket, message: Message::new(), on_sample })
    }
}

struct Publisher {
    socket: Socket,
    message: Vec<u8>,
    subscription: Message,
}

impl Writer for Publisher {
    #[inline]
    fn write(&mut self, header: &Header) -> bool {
        self.message[PREFIX..PREFIX + Header::BYTES].copy_from_slice(header.as_bytes());
        self.socket.send(&self.message)
    }

    /// A publisher drops what nobody has subscribed to; XPUB tells of subscriptions.
    fn matched(&mut self) -> bool {
        if self.subscription.bytes().is_empty() {
            self.socket.receive(&mut self.subscription, zmq::DONTWAIT);
        }
        !self.subscription.bytes().is_empty()
    }
}

struct Subscriber<H> {
    socket: Socket,
    message: Message,
    on_sample: H,
}

impl<H: OnSample> Reader for Subscriber<H> {
    #[inline]
    fn turn(&mut self) -> bool {
        if !self.socket.receive(&mut self.message, 0) {
            return false;
        }
        if let Some(header) = Header::from_bytes(&self.message.bytes()[PREFIX..]) {
            (self.on_sample)(&header);
        }
        true
    }

    /// The writer knows. The library attaches a connection when it is called next.
    fn matched(&mut self) -> bool {
        self.socket.process();
        true
    }
}

/// Bytes of a request's number, in front of the header.
const NUMBER: usize = 8;
/// How long a request or a response may take, in milliseconds.
const ANSWER_MS: i32 = 10_000;

fn header_of(message: &mut Message) -> Result<Header, String> {
    let header = message.bytes().get(NUMBER..).and_then(Header::from_bytes);
    header.ok_or_else(|| "not a message of this service".to_owned())
}

impl Services for Zmq {
    type Client = Box<dyn FnMut(&Header) -> Result<(), String>>;

    fn client(options: &Options) -> Result<Self::Client, String> {
        // It lives as long as the process.
        let context = Box::leak(Box::new(Context::new()));
        let socket = Socket::new(context, zmq::DEALER)?;
        socket.set(zmq::LINGER, LINGER_MS)?;
        socket.set(zmq::RCVTIMEO, ANSWER_MS)?;
        socket.connect(&options.address)?;
        let mut request = vec![1; NUMBER + Header::BYTES + options.size];
        let mut response = Message::new();
        Ok(Box::new(move |header| {
            request[..NUMBER].copy_from_slice(&header.seq.to_ne_bytes());
            request[NUMBER..NUMBER + Header::BYTES].copy_from_slice(header.as_bytes());
            if !socket.send(&request) || !socket.receive(&mut response, 0) {
                return Err("no response".to_owned());
            }
            let is_its = header_of(&mut response)?.seq == header.seq;
            if is_its { Ok(()) } else { Err("not the response to this request".to_owned()) }
        }))
    }

    fn serve(options: &Options) -> Result<(), String> {
        let context = Context::new();
        let socket = Socket::new(&context, zmq::ROUTER)?;
        socket.set(zmq::LINGER, LINGER_MS)?;
        socket.set(zmq::RCVTIMEO, ANSWER_MS)?;
        socket.set(zmq::ROUTER_MANDATORY, 1)?;
        bare_common::tell(&socket.bind("tcp://127.0.0.1:*")?);
        let (mut client, mut request) = (Message::new(), Message::new());
        let mut response = vec![1; NUMBER + Header::BYTES + options.size];
        loop {
            if !socket.receive(&mut client, 0) || !socket.receive(&mut request, 0) {
                return Err("no request".to_owned());
            }
            let header = header_of(&mut request)?;
            response[..NUMBER].copy_from_slice(&request.bytes()[..NUMBER]);
            response[NUMBER..NUMBER + Header::BYTES].copy_from_slice(header.as_bytes());
            if !socket.begin(client.bytes()) || !socket.send(&response) {
                return Err("a request is not answered".to_owned());
            }
            if header.is_last() {
                return Ok(());
            }
        }
    }
}

fn main() -> Result<(), String> {
    bare_common::run_with_services::<Zmq>()
}
