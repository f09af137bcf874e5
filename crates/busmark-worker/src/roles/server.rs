//! Answers requests: takes one, works on it for a while, responds.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use busmark_adapter::{
    AnyServiceSample, Error, Header, ReaderHandle, ServiceHandle, Side, Status, Wait, WriterHandle,
};
use busmark_measure::{SplitMix64, clock_pair, now_ns, sleep_until_ns};

use super::bodies::{Bodies, Differences, Samples};
use super::client::{end, response_stream};
use super::service_end::ServiceEnd;
use super::{Context, Recorded, Role};
use crate::protocol::{Failure, RequestReport, RoleReport, RoleSpec, Service, StreamSpec, Work};

/// How long a waiting thread sleeps before it looks whether it should stop.
const NAP: Duration = Duration::from_millis(50);
/// The last stretch of work is spun, for a sleep ends some 50 µs late, ns.
const SPIN_NS: i64 = 80_000;
/// Requests that a thread takes at a time, at most.
const MOST: usize = 64;

/// The server of a service.
pub struct Server {
    context: Context,
    name: String,
    stream: StreamSpec,
    response_size: usize,
    works: Service,
    id: u32,
    /// `None` while it is destroyed.
    serving: Option<Serving>,
    counts: Arc<Counts>,
    is_started: bool,
}

/// The end of the service, and the threads that use it.
struct Serving {
    shared: Arc<Shared>,
    /// Samples for each thread, until it starts.
    samples: Vec<Samples<AnyServiceSample>>,
    threads: Vec<JoinHandle<Differences>>,
    differences: Differences,
}

#[derive(Default)]
struct Counts {
    taken: AtomicU64,
    answered: AtomicU64,
    failures: AtomicU64,
    foreign: AtomicU64,
    are_seen: AtomicBool,
}

struct Shared {
    id: u32,
    cookie: u64,
    verify: bool,
    service: ServiceEnd,
    wait: Wait,
    yields: bool,
    works: Service,
    requests: Bodies,
    /// Between the clock of the middleware's stamps and ours, ns.
    realtime_ns: i64,
    stop: AtomicBool,
    /// One thread waits and takes at a time (C44), as in a multi-threaded executor.
    turn: Mutex<()>,
    counts: Arc<Counts>,
}

/// A request that was taken.
#[derive(Clone, Copy)]
struct Taken {
    header: Header,
    handle: u64,
    /// When it was there to be taken, so far as that is known.
    arrived_ns: i64,
}

impl Server {
    /// Makes the server's end. `spec` is a `RoleSpec::Server`.
    pub fn new(context: &Context, spec: RoleSpec) -> Result<Self, Error> {
        let RoleSpec::Server { writer: id, service: name, stream, response_size, works } = spec
        else {
            return Err(Status::Invalid.error("not a server"));
        };
        let context = context.clone();
        let mut server = Self {
            context,
            name,
            stream,
            response_size,
            works,
            id,
            serving: None,
            counts: Arc::default(),
            is_started: false,
        };
        server.serving = Some(server.make()?);
        Ok(server)
    }

    fn end(&self) -> Option<&ServiceEnd> {
        self.serving.as_ref().map(|serving| &serving.shared.service)
    }

    fn make(&self) -> Result<Serving, Error> {
        let Self { context, name, stream, works, response_size, id, .. } = self;
        let mut service = end(context, name, stream, *response_size, Side::Server, *id)?;
        if works.threads == 1 {
            service = service.by_one_thread();
        }
        let bodies = Bodies::new(&response_stream(stream, *response_size), context.cookie)?;
        let samples = (0..works.threads)
            .map(|_| bodies.samples_by(|body| service.sample(body)))
            .collect::<Result<_, _>>()?;
        let clocks = clock_pair();
        let shared = Shared {
            id: *id,
            cookie: context.cookie,
            verify: stream.verify,
            service,
            wait: stream.wait,
            yields: context.yields,
            works: works.clone(),
            requests: Bodies::new(stream, context.cookie)?,
            realtime_ns: clocks.realtime_ns - clocks.monotonic_ns,
            stop: AtomicBool::new(false),
            turn: Mutex::new(()),
            counts: Arc::clone(&self.counts),
        };
        self.counts.are_seen.store(shared.requests.are_seen(), Ordering::Relaxed);
        Ok(Serving {
            shared: Arc::new(shared),
            samples,
            threads: Vec::new(),
            differences: Differences::default(),
        })
    }

    fn start_threads(&mut self) {
        let Some(serving) = &mut self.serving else { return };
        for (index, samples) in std::mem::take(&mut serving.samples).into_iter().enumerate() {
            let shared = Arc::clone(&serving.shared);
            let random = SplitMix64(self.works.seed.wrapping_add(index as u64));
            serving.threads.push(std::thread::spawn(move || shared.run(samples, random)));
        }
    }
}

impl Shared {
    fn run(&self, mut samples: Samples<AnyServiceSample>, mut random: SplitMix64) -> Differences {
        let mut differences = Differences::default();
        let mut taken = [Taken { header: Header::default(), handle: 0, arrived_ns: 0 }; MOST];
        while !self.stop.load(Ordering::Relaxed) {
            let count = self.take(&mut taken, &mut differences);
            // The last first, where more than one was taken.
            for request in taken[..count].iter().rev() {
                self.answer(request, &mut samples, &mut random);
            }
        }
        differences
    }

    /// Waits for requests and takes some. Hot.
    #[inline]
    fn take(&self, taken: &mut [Taken; MOST], differences: &mut Differences) -> usize {
        let _turn = (self.works.threads > 1)
            .then(|| self.turn.lock().unwrap_or_else(PoisonError::into_inner));
        if self.wait == Wait::Waitset {
            match self.service.wait(NAP) {
                Ok(()) => {}
                Err(Status::Timeout) => return 0,
                // A broken end must not become a busy loop; the missing responses tell.
                Err(_) => {
                    std::thread::sleep(NAP);
                    return 0;
                }
            }
        }
        let mut count = 0;
        let _ = self.service.take(self.works.reverses, &mut |received| {
            let read = now_ns();
            let header = *received.header;
            if header.cookie != self.cookie {
                self.counts.foreign.fetch_add(1, Ordering::Relaxed);
                let _ = self.service.forget(received.request);
                return;
            }
            if self.verify || self.requests.is_spot(header.seq) {
                self.requests.judge(header.seq, received.body, differences);
            }
            let arrived_ns = match received.reception_ns {
                0 => read,
                stamp => (stamp - self.realtime_ns).clamp(header.sent_ns.min(read), read),
            };
            taken[count] = Taken { header, handle: received.request, arrived_ns };
            count += 1;
        });
        if count == 0 && self.yields && self.wait == Wait::Poll {
            std::thread::yield_now();
        }
        self.counts.taken.fetch_add(count as u64, Ordering::Relaxed);
        count
    }

    /// Works on a request and responds. Hot.
    #[inline]
    fn answer(
        &self,
        request: &Taken,
        samples: &mut Samples<AnyServiceSample>,
        random: &mut SplitMix64,
    ) {
        let Taken { header, handle, arrived_ns } = request;
        let begun = now_ns();
        let sent_ns = self.work(begun, random);
        let response = Header {
            cookie: header.cookie,
            seq: header.seq,
            intended_ns: header.intended_ns,
            sent_ns,
            echo_sent_ns: header.sent_ns,
            echo_delivered_ns: *arrived_ns,
            echo_read_ns: begun,
            writer_id: self.id,
            flags: header.answer_flags(),
        };
        let mut handle = *handle;
        let outcome = self.service.send(samples.of(header.seq), &response, &mut handle);
        let counter = if outcome.is_ok() { &self.counts.answered } else { &self.counts.failures };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Works as long as is asked for: sleeps, and spins at the end. The time after it.
    #[inline]
    fn work(&self, begun: i64, random: &mut SplitMix64) -> i64 {
        let work_ns = match self.works.work {
            Work::Fixed => self.works.work_ns,
            Work::Exponential => random.exponential(self.works.work_ns as f64) as i64,
        };
        if work_ns == 0 {
            return begun;
        }
        let end = begun + work_ns;
        if work_ns > SPIN_NS {
            sleep_until_ns(end - SPIN_NS);
        }
        loop {
            let now = now_ns();
            if now >= end {
                return now;
            }
            std::hint::spin_loop();
        }
    }
}

impl Serving {
    /// Ends the threads; the end of the service goes with the last handle.
    fn close(&mut self) {
        self.shared.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            if let Ok(found) = thread.join() {
                self.differences.add(&found);
            }
        }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.close();
    }
}

impl Role for Server {
    fn number(&self) -> u32 {
        self.id
    }

    fn writers(&self) -> Vec<(&str, &WriterHandle)> {
        self.end().and_then(ServiceEnd::writer).into_iter().collect()
    }

    fn readers(&self) -> Vec<(&str, &ReaderHandle)> {
        self.end().and_then(ServiceEnd::reader).into_iter().collect()
    }

    fn services(&self) -> Vec<(&str, &ServiceHandle)> {
        self.end().and_then(ServiceEnd::named).into_iter().collect()
    }

    fn start(&mut self) {
        self.is_started = true;
        self.start_threads();
    }

    fn serve(&mut self, serving: bool) -> Option<Result<(), Failure>> {
        if !serving {
            self.serving = None;
        } else if self.serving.is_none() {
            match self.make() {
                Ok(made) => self.serving = Some(made),
                Err(error) => return Some(Err(error.into())),
            }
            if self.is_started {
                self.start_threads();
            }
        }
        Some(Ok(()))
    }

    fn finish(&mut self) -> Result<Recorded, Failure> {
        let (mut by_topics, mut counters) = (false, None);
        let mut differences = Differences::default();
        if let Some(serving) = &mut self.serving {
            serving.close();
            differences = std::mem::take(&mut serving.differences);
            let service = &serving.shared.service;
            by_topics = service.native().is_none();
            counters =
                service.endpoints().map(|(writer, reader)| (writer.counters(), reader.counters()));
        }
        self.serving = None;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counts = &self.counts;
        let are_seen = counts.are_seen.load(Ordering::Relaxed);
        let report = RoleReport {
            role: "server".into(),
            writer: self.id,
            foreign: count(&counts.foreign),
            corrupted: are_seen.then_some(differences.corrupted),
            other_size: differences.other_size,
            echo_failures: count(&counts.failures),
            requests: Some(RequestReport {
                by_topics,
                taken: count(&counts.taken),
                answered: count(&counts.answered),
                ..RequestReport::default()
            }),
            writer_counters: counters.map(|(writer, _)| writer),
            reader_counters: counters.map(|(_, reader)| reader),
            reply_mode: "loop".into(),
            ..RoleReport::default()
        };
        Ok(Recorded { report, rows: None })
    }
}
