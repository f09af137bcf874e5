//! Services: a server and its clients, natively or by two topics.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use busmark_adapter::{
    AnyService, AnyServiceSample, Disclosure, EndpointConfig, Feature, Header, ParticipantHandle,
    Payload, Qos, QosValue, Received, Side, Status, Wait, fill_pattern,
};

use super::context::{BODY, Context};
use super::link::{Binds, connect_handles};
use super::outbox::COOKIE;
use super::retry::until;
use super::verdict::{Verdict, ensure, fail, skip, told};

/// Cookie of requests by which a client learns that its server is there; they are answered at once and
/// never shown.
const PROBE: u64 = COOKIE ^ 0x00ff;
/// How long a probe waits for its response before the next one is sent, until one has come: then the last
/// one's is waited for, so that none comes later.
const PROBE_WAIT: Duration = Duration::from_millis(20);
/// The same on middleware that is slow, or after a response has come.
const LONG_PROBE_WAIT: Duration = Duration::from_millis(500);
/// Number of the server in its headers.
const SERVER: u32 = 0x5e_7e;
/// Requests or responses per take; small, so that takes repeat.
const BATCH: u32 = 16;

/// How services are had from this adapter.
pub(crate) fn manner(context: &Context) -> &'static str {
    if context.has(Feature::Services) { "natively" } else { "by two topics" }
}

/// A service of a new name, as dependable as the adapter can.
pub(crate) fn service(context: &Context) -> Verdict<EndpointConfig> {
    let native = context.has(Feature::Services);
    let (waits, qos) = if native {
        (&context.caps.service_waits, &context.caps.service_qos)
    } else {
        (&context.caps.waits, &context.caps.qos)
    };
    if !native && !context.caps.payloads.contains(&Payload::Octet) {
        return skip("has no services of its own, and no octets for two topics");
    }
    let Some(&wait) = waits.iter().find(|wait| **wait != Wait::Listener) else {
        return skip("has no services of its own, and neither waitset nor poll for two topics");
    };
    let honours = |value| qos.contains(&value);
    let keep_last = !honours(QosValue::KeepAll) && honours(QosValue::KeepLast);
    Ok(EndpointConfig {
        topic: context.topic(),
        payload: Payload::Octet,
        wait,
        max_body_bytes: BODY.min(context.caps.max_body_bytes),
        qos: Qos {
            reliable: honours(QosValue::Reliable).then_some(true),
            max_blocking_ns: 5_000_000_000,
            keep_all: if keep_last {
                Some(false)
            } else {
                honours(QosValue::KeepAll).then_some(true)
            },
            depth: if keep_last { 1000 } else { 0 },
            ..Qos::default()
        },
        instances: 0,
        filter_below: 0,
    })
}

/// Whether no request and no response may be lost: a service is reliable where nothing is said (C39), unless
/// the middleware has best effort alone.
pub(crate) fn is_reliable(context: &Context) -> bool {
    let native = context.has(Feature::Services);
    let qos = if native { &context.caps.service_qos } else { &context.caps.qos };
    let has = |value| qos.contains(&value);
    has(QosValue::Reliable) || native && !has(QosValue::BestEffort)
}

/// So many requests of one client, or fewer where the adapter's limit is below.
pub(crate) fn requests(context: &Context, count: u64) -> u64 {
    let limit = if context.has(Feature::Services) { context.caps.service_requests } else { 0 };
    if limit == 0 { count } else { count.min(limit) }
}

/// A request at its server, or a response at its client.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Message {
    /// The handle, or the number of the request.
    pub request: u64,
    pub header: Header,
    pub body: Vec<u8>,
}

/// A body of this length that no other `salt` gives.
pub(crate) fn salted(bytes: u64, salt: u64) -> Vec<u8> {
    let mut body = vec![0; bytes as usize];
    fill_pattern(Payload::Octet, &mut body);
    for (byte, salt) in body.iter_mut().zip(salt.to_le_bytes().iter().cycle()) {
        *byte ^= salt;
    }
    body
}

/// One end, and what it has taken.
pub(crate) struct End {
    pub any: AnyService,
    wait: Wait,
    patience: Duration,
    kept: Mutex<Vec<Message>>,
    /// Number of the probe whose response came last.
    probed: Mutex<Option<u64>>,
}

impl End {
    fn new(
        context: &Context,
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        side: Side,
        id: u32,
    ) -> Verdict<Self> {
        Ok(Self {
            any: AnyService::new(participant, config, side, id)?,
            wait: config.wait,
            patience: context.patience(),
            kept: Mutex::default(),
            probed: Mutex::default(),
        })
    }

    fn kept(&self) -> MutexGuard<'_, Vec<Message>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes what is there now.
    fn take(&self, one: &mut impl FnMut(&Received)) -> Verdict<()> {
        loop {
            match self.any.take(BATCH, one) {
                Ok(0) | Err(Status::NoData) => return Ok(()),
                Ok(_) => (),
                Err(status) => return fail(format!("take: {status}")),
            }
        }
    }

    /// Sleeps a little, in the end's own way.
    fn nap(&self, limit: Duration) -> Verdict<()> {
        let limit = limit.min(Duration::from_millis(20));
        if self.wait != Wait::Waitset {
            std::thread::sleep(limit.min(Duration::from_micros(500)));
            return Ok(());
        }
        match self.any.wait(limit) {
            Ok(()) | Err(Status::Timeout) => Ok(()),
            Err(status) => fail(format!("wait: {status}")),
        }
    }

    /// Waits for `count` messages, at most `patience`; gives what came.
    fn gather(
        &self,
        count: usize,
        patience: Duration,
        pump: impl Fn() -> Verdict<()>,
    ) -> Verdict<Vec<Message>> {
        let begin = Instant::now();
        loop {
            pump()?;
            if self.kept().len() >= count || begin.elapsed() >= patience {
                return Ok(std::mem::take(&mut *self.kept()));
            }
            self.nap(patience.saturating_sub(begin.elapsed()))?;
        }
    }

    fn keep(&self, received: &Received) {
        let (request, header) = (received.request, *received.header);
        if header.cookie == COOKIE {
            self.kept().push(Message { request, header, body: received.body.to_vec() });
        } else if header.cookie == PROBE {
            *self.probed.lock().unwrap_or_else(PoisonError::into_inner) = Some(request);
        }
    }

    /// Sends, again while a queue is full.
    pub fn send(
        &self,
        sample: &mut AnyServiceSample,
        header: &Header,
        request: &mut u64,
    ) -> Verdict<()> {
        let begin = Instant::now();
        loop {
            match self.any.send(sample, header, request) {
                Ok(()) => return Ok(()),
                Err(Status::Timeout | Status::Resources) if begin.elapsed() < self.patience => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(status) => return fail(format!("send of {}: {status}", header.seq)),
            }
        }
    }

    /// Whether it counts so many of the other side, or cannot know.
    pub fn counts(&self, wanted: u32) -> Result<(), String> {
        match self.matched() {
            Ok(Some(found)) if found != wanted => {
                let ends = self.any.endpoints();
                let each =
                    ends.map(|(writer, reader)| (told(&writer.matched()), told(&reader.matched())));
                let each = each.map(|(written, read)| {
                    format!(" (its writer counts {written}, its reader {read})")
                });
                Err(format!("counts {found} of {wanted}{}", each.unwrap_or_default()))
            }
            Ok(_) => Ok(()),
            Err(stop) => Err(stop.to_string()),
        }
    }

    /// The other side's ends that are ready; `None`: this end cannot know.
    pub fn matched(&self) -> Verdict<Option<u32>> {
        match self.any.matched() {
            Ok(found) => Ok(Some(found.count)),
            Err(Status::Unsupported) => Ok(None),
            Err(status) => fail(format!("match: {status}")),
        }
    }
}

/// The server of a service.
pub(crate) struct Server {
    pub end: End,
    pub participant: ParticipantHandle,
}

impl Server {
    pub fn new(
        context: &Context,
        participant: &ParticipantHandle,
        config: &EndpointConfig,
    ) -> Verdict<Self> {
        let end = End::new(context, participant, config, Side::Server, SERVER)?;
        Ok(Self { end, participant: participant.clone() })
    }

    /// Takes what is there now; probes are answered at once.
    pub fn pump(&self) -> Verdict<()> {
        let mut probes = Vec::new();
        self.end.take(&mut |received| {
            if received.header.cookie == PROBE {
                probes.push((received.request, *received.header));
            } else {
                self.end.keep(received);
            }
        })?;
        for (mut request, header) in probes {
            let header = Self::response(&header);
            // Its client may have gone, or not be known yet.
            let _ = self.end.any.send(&mut self.end.any.sample(&[])?, &header, &mut request);
        }
        Ok(())
    }

    /// Waits for `count` requests, at most `patience`; gives what came.
    pub fn gather(&self, count: u64, patience: Duration) -> Verdict<Vec<Message>> {
        self.end.gather(count as usize, patience, || self.pump())
    }

    /// The header of the response, as the worker makes it.
    pub fn response(request: &Header) -> Header {
        Header {
            writer_id: SERVER,
            flags: request.answer_flags(),
            echo_sent_ns: request.sent_ns,
            ..*request
        }
    }

    /// Answers a request with this body.
    pub fn answer(&self, request: &Message, body: &[u8]) -> Verdict<()> {
        let mut handle = request.request;
        let header = Self::response(&request.header);
        self.end.send(&mut self.end.any.sample(body)?, &header, &mut handle)?;
        ensure!(handle == request.request, "send of a response changed the handle (C40)");
        Ok(())
    }
}

/// A client of a service.
pub(crate) struct Client {
    pub end: End,
    pub participant: ParticipantHandle,
    pub id: u32,
    pub seq: u64,
    /// Numbers of requests whose response may come, but is not awaited.
    forgotten: BTreeSet<u64>,
}

impl Client {
    pub fn new(
        context: &Context,
        participant: &ParticipantHandle,
        config: &EndpointConfig,
        id: u32,
    ) -> Verdict<Self> {
        let end = End::new(context, participant, config, Side::Client, id)?;
        Ok(Self { end, participant: participant.clone(), id, seq: 0, forgotten: BTreeSet::new() })
    }

    pub fn header(&self) -> Header {
        let sent_ns = self.seq as i64 * 7 + i64::from(self.id);
        Header { cookie: COOKIE, seq: self.seq, sent_ns, writer_id: self.id, ..Header::default() }
    }

    /// Sends a request with this body; its number.
    pub fn ask(&mut self, body: &[u8]) -> Verdict<u64> {
        let mut sample = self.end.any.sample(body)?;
        let mut number = u64::MAX;
        self.end.send(&mut sample, &self.header(), &mut number)?;
        self.seq += 1;
        Ok(number)
    }

    /// As [`Client::ask`], once: a request that is refused was not sent, and its number is used again.
    pub fn try_ask(&mut self, sample: &mut AnyServiceSample) -> Result<u64, Status> {
        let mut number = u64::MAX;
        self.end.any.send(sample, &self.header(), &mut number)?;
        self.seq += 1;
        Ok(number)
    }

    /// Awaits this response no more (C41).
    pub fn forget(&mut self, number: u64) -> Verdict<()> {
        self.end.any.forget(number)?;
        self.forgotten.insert(number);
        Ok(())
    }

    fn pump(&self) -> Verdict<()> {
        self.end.take(&mut |received| {
            if !self.forgotten.contains(&received.request) {
                self.end.keep(received);
            }
        })
    }

    /// Waits for `count` responses, at most `patience`; gives what came.
    pub fn gather(&self, count: u64, patience: Duration) -> Verdict<Vec<Message>> {
        self.end.gather(count as usize, patience, || self.pump())
    }

    /// Asks until an answer comes, while `serve` lets the server answer.
    pub fn probe(&self, context: &Context, serve: impl Fn() -> Verdict<()>) -> Verdict<()> {
        let mut header = Header { cookie: PROBE, writer_id: self.id, ..Header::default() };
        let mut sample = self.end.any.sample(&[])?;
        let probed = || *self.end.probed.lock().unwrap_or_else(PoisonError::into_inner);
        let slow = context.caps.discloses(Disclosure::Slow);
        *self.end.probed.lock().unwrap_or_else(PoisonError::into_inner) = None;
        until("the first response", self.end.patience, || {
            let mut number = u64::MAX;
            header.seq += 1;
            if let Err(status) = self.end.any.send(&mut sample, &header, &mut number) {
                return Err(format!("send: {status}"));
            }
            let begin = Instant::now();
            let limit = || if slow || probed().is_some() { LONG_PROBE_WAIT } else { PROBE_WAIT };
            while begin.elapsed() < limit() {
                serve().and_then(|()| self.pump()).map_err(|stop| stop.to_string())?;
                if probed() == Some(number) {
                    return Ok(());
                }
                std::thread::sleep(Duration::from_micros(500));
            }
            let _ = self.end.any.forget(number);
            Err(if probed().is_some() { "to earlier requests only" } else { "none" }.to_owned())
        })
    }
}

/// A server and its clients. Fields are dropped in this order.
pub(crate) struct Services {
    pub clients: Vec<Client>,
    pub server: Server,
}

impl Services {
    /// A server and one client, each in a participant of its own, that are ready for each other.
    pub fn pair(context: &Context, config: &EndpointConfig) -> Verdict<Self> {
        let other = context.participant()?;
        Self::with(context, config, &[other])
    }

    /// A server in a participant of its own, and a client in each of these.
    pub fn with(
        context: &Context,
        config: &EndpointConfig,
        participants: &[ParticipantHandle],
    ) -> Verdict<Self> {
        Self::between(context, config, &context.participant()?, participants)
    }

    /// A server, and a client in each of `participants`.
    pub fn between(
        context: &Context,
        config: &EndpointConfig,
        serving: &ParticipantHandle,
        participants: &[ParticipantHandle],
    ) -> Verdict<Self> {
        let server = Server::new(context, serving, config)?;
        let clients = participants.iter().zip(0..);
        let clients = clients.map(|(of, id)| Client::new(context, of, config, id));
        let services = Self { clients: clients.collect::<Verdict<_>>()?, server };
        for client in &services.clients {
            wire(context, client, &services.server)?;
        }
        services.ready(context)?;
        Ok(services)
    }

    /// Until every end knows of all of the other side, by its count or by a response.
    pub fn ready(&self, context: &Context) -> Verdict<()> {
        let count = self.clients.len() as u32;
        until("both sides count each other", self.server.end.patience, || {
            for client in &self.clients {
                client.end.counts(1).map_err(|text| format!("client {} {text}", client.id))?;
            }
            self.server.end.counts(count).map_err(|text| format!("the server {text}"))
        })?;
        for client in &self.clients {
            if client.end.matched()?.is_none() || self.server.end.matched()?.is_none() {
                client.probe(context, || self.server.pump())?;
            }
        }
        Ok(())
    }

    /// `count` requests of each client, a few at a time, whose responses must come once, to who asked, and
    /// with what was sent; on middleware that may lose some, most of them.
    pub fn exchange(&mut self, context: &Context, count: u64) -> Verdict<()> {
        let at_once = requests(context, 4);
        let (mut asked, mut answered) = (0, 0);
        let patience =
            if is_reliable(context) { context.patience() } else { context.options.quiet };
        while asked < count * self.clients.len() as u64 {
            let turn = at_once.min(count - asked / self.clients.len() as u64);
            let mut awaited = Vec::new();
            for client in &mut self.clients {
                for _ in 0..turn {
                    let (header, salt) = (client.header(), u64::from(client.id) << 32 | client.seq);
                    awaited.push((client.id, client.ask(&salted(32, salt))?, header, salt));
                }
            }
            asked += awaited.len() as u64;
            for request in self.server.gather(awaited.len() as u64, patience)? {
                let known = awaited.iter().find(|(.., header, _)| *header == request.header);
                let Some((.., salt)) = known else {
                    return fail(format!("a request came that nobody sent: {:?}", request.header));
                };
                ensure!(request.body == salted(32, *salt), "the body of a request has changed");
                self.server.answer(&request, &salted(24, !*salt))?;
            }
            for client in &self.clients {
                let mut own: BTreeMap<u64, _> = awaited
                    .iter()
                    .filter(|(id, ..)| *id == client.id)
                    .map(|(_, number, header, salt)| (*number, (header, salt)))
                    .collect();
                ensure!(
                    own.len() as u64 == turn,
                    "requests of client {} share a number",
                    client.id
                );
                for response in client.gather(turn, patience)? {
                    let number = response.request;
                    let Some((request, salt)) = own.remove(&number) else {
                        return fail(format!(
                            "client {} got a response to {number}, which it does not await: {:?}",
                            client.id, response.header
                        ));
                    };
                    let expected = Server::response(request);
                    ensure!(
                        response.header == expected && response.body == salted(24, !*salt),
                        "client {} got another response to {number} than was sent: {:?} instead of {expected:?}",
                        client.id,
                        response.header
                    );
                    answered += 1;
                }
                ensure!(
                    own.is_empty() || !is_reliable(context),
                    "client {}: no response to {} of {turn} requests",
                    client.id,
                    own.len()
                );
            }
        }
        ensure!(answered > asked / 2, "{answered} of {asked} requests were answered");
        Ok(())
    }

    /// Nothing comes that was not asked for.
    pub fn quiet(&self, context: &Context) -> Verdict<()> {
        let more = self.server.gather(1, context.options.quiet)?;
        ensure!(more.is_empty(), "{} requests came once too often", more.len());
        for client in &self.clients {
            let more = client.gather(1, Duration::ZERO)?;
            ensure!(
                more.is_empty(),
                "client {} got {} responses too many: {:?}",
                client.id,
                more.len(),
                more[0].header
            );
        }
        Ok(())
    }
}

/// Connects a client to a server where the worker does so (C25, C36, C39).
pub(crate) fn wire(context: &Context, client: &Client, server: &Server) -> Verdict<()> {
    if let (Some(client), Some(server)) = (client.end.any.native(), server.end.any.native()) {
        return match server.locator() {
            Ok(locator) => Ok(client.connect(&locator)?),
            Err(Status::Unsupported) if !context.has(Feature::Locators) => Ok(()),
            other => fail(format!("service_locator of the server gave {}", told(&other))),
        };
    }
    if let (Some(client), Some(server)) = (client.end.any.endpoints(), server.end.any.endpoints()) {
        for (writer, reader) in [(client.0, server.1), (server.0, client.1)] {
            connect_handles(writer, reader, Binds::of(context, writer, reader)?)?;
        }
    }
    Ok(())
}
