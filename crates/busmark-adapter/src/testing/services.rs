//! What every adapter with services of its own must do (C39 to C44). Its test file gives the cases:
//!
//! ```ignore
//! fn cases() -> Vec<Case> { Case::by_wait(&library("name"), &config, keep) }
//! busmark_adapter::service_tests!(cases);
//! ```

use std::any::Any;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::{WATCHDOG, all, endpoint, eventually};
use crate::{
    EndpointConfig, Header, Library, ParticipantConfig, ParticipantHandle, Qos, QosValue, Received,
    ServiceHandle, Side, Status, Wait,
};

/// Makes a test of every property; each is tried with all the cases that `cases()` gives.
#[macro_export]
macro_rules! service_tests {
    ($cases:path) => {
        $crate::service_tests! { $cases:
            a_request_is_answered
            bodies_of_every_size_arrive_bit_for_bit
            responses_may_come_in_any_order
            ten_clients_get_their_own_responses
            two_clients_of_one_participant_get_their_own_responses
            a_client_that_goes_disturbs_nobody
            a_server_that_comes_again_answers
            a_request_is_answered_once
            what_is_forgotten_is_given_back
            several_threads_respond_at_once
            one_thread_sends_while_another_takes
            requests_beyond_the_limit_are_refused
            the_count_of_servers_rises_and_falls
        }
    };
    ($cases:path: $($property:ident)*) => {$(
        #[test]
        fn $property() {
            for case in $cases() {
                eprintln!("with {case}");
                $crate::testing::services::$property(&case);
            }
        }
    )*};
}

/// With what the properties are tried.
pub struct Case {
    library: Library,
    config: ParticipantConfig,
    wait: Wait,
    _keep: Rc<dyn Any>,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, transport) = (&self.library.capabilities().name, &self.config.transport);
        write!(f, "{name} {transport} {:?} {:?}", self.wait, self.config.settings)
    }
}

/// The cookie of requests by which a client learns that its server is there.
const PROBE: u64 = 0x0070_726f_6265;
/// The cookie of all other requests.
const COOKIE: u64 = 0xfeed_face_cafe_beef;
/// How long a probe waits for its response.
const PROBE_LIMIT: Duration = Duration::from_millis(200);
/// Bodies that are sent are no larger.
const LARGEST: u64 = 1 << 20;
/// Bodies of properties that are not about sizes.
const SMALL: usize = 100;
/// Requests of one client that are under way at most, where the property is not about their number: they
/// fit into every queue.
const FEW: u64 = 4;

impl Case {
    /// A case for each wait strategy of the adapter's services. `keep` lives as long as they do, such as a
    /// run directory or a server.
    pub fn by_wait(library: &Library, config: &ParticipantConfig, keep: impl Any) -> Vec<Self> {
        let keep: Rc<dyn Any> = Rc::new(keep);
        let waits = &library.capabilities().service_waits;
        assert!(!waits.is_empty(), "{} declares no services", library.capabilities().name);
        let case = |wait: &Wait| Self {
            library: library.clone(),
            config: config.clone(),
            wait: *wait,
            _keep: Rc::clone(&keep),
        };
        waits.iter().map(case).collect()
    }

    fn participant(&self) -> ParticipantHandle {
        self.library.participant(&self.config).expect("a participant")
    }

    fn largest(&self) -> usize {
        self.library.capabilities().max_body_bytes.min(LARGEST) as usize
    }

    /// A service that no other test uses.
    fn service(&self) -> EndpointConfig {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let topic = format!("service_{}_{number}", std::process::id());
        // A depth may be shared: in ROS, a client's holds responses to other clients, too.
        let keeps_all = self.library.capabilities().service_qos.contains(&QosValue::KeepAll);
        let qos = if keeps_all { all() } else { Qos::default() };
        EndpointConfig { wait: self.wait, qos, ..endpoint(&topic, self.largest() as u64) }
    }

    /// A server and its first client, in participants of their own.
    fn pair(&self) -> (EndpointConfig, End, End) {
        let config = self.service();
        let server = End::new(&self.participant(), &config, Side::Server);
        let client = End::new(&self.participant(), &config, Side::Client);
        client.meet(&server);
        (config, server, client)
    }

    fn clients(&self, config: &EndpointConfig, server: &End, count: u64) -> Vec<End> {
        let client = |_| {
            let client = End::new(&self.participant(), config, Side::Client);
            client.meet(server);
            client
        };
        (0..count).map(client).collect()
    }

    /// Requests that one client may have under way, where it is limited.
    fn most_requests(&self) -> Option<u64> {
        Some(self.library.capabilities().service_requests).filter(|most| *most > 0)
    }
}

/// A request or a response that was taken.
#[derive(Clone, Debug, PartialEq)]
struct Taken {
    request: u64,
    header: Header,
    body: Vec<u8>,
}

/// A server or a client.
struct End {
    service: ServiceHandle,
    wait: Wait,
}

impl End {
    fn new(participant: &ParticipantHandle, config: &EndpointConfig, side: Side) -> Self {
        let service = participant.service(config, side).expect("an end of a service");
        Self { service, wait: config.wait }
    }

    /// Connects this client, if that is how it finds its server, and waits until it can ask.
    fn meet(&self, server: &Self) {
        match server.service.locator() {
            Ok(locator) => self.service.connect(&locator).expect("a connection"),
            Err(Status::Unsupported) => {}
            Err(status) => panic!("locator: {status}"),
        }
        match self.service.matched() {
            Ok(_) => eventually("the client counts a server", || {
                self.service.matched().is_ok_and(|server| server.count > 0)
            }),
            Err(Status::Unsupported) => self.probe(server),
            Err(status) => panic!("match: {status}"),
        }
    }

    /// Asks until an answer comes.
    fn probe(&self, server: &Self) {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < WATCHDOG, "no probe is answered");
            let header = Header { cookie: PROBE, ..Header::default() };
            let Ok(number) = self.send(&header, &[]) else { continue };
            let asked = Instant::now();
            while asked.elapsed() < PROBE_LIMIT {
                if let Some(probe) = server.try_take()
                    && probe.header.cookie == PROBE
                {
                    let _ = server.answer(probe.request, &header, &[]);
                }
                if self.try_take().is_some_and(|taken| taken.request == number) {
                    return;
                }
                std::thread::yield_now();
            }
            let _ = self.service.forget(number);
        }
    }

    fn send(&self, header: &Header, body: &[u8]) -> std::result::Result<u64, Status> {
        let mut sample = self.service.sample(body).expect("a request");
        let mut number = u64::MAX;
        self.service.send(&mut sample, header, &mut number).map(|()| number)
    }

    /// Sends request `seq` of this client with its body.
    fn ask(&self, client: u32, seq: u64, bytes: usize) -> u64 {
        self.send(&asking(client, seq), &body(client, seq, bytes)).expect("a request is sent")
    }

    fn answer(
        &self,
        mut request: u64,
        header: &Header,
        body: &[u8],
    ) -> std::result::Result<(), Status> {
        let handle = request;
        let mut sample = self.service.sample(body).expect("a response");
        let outcome = self.service.send(&mut sample, header, &mut request);
        assert_eq!(request, handle, "a response changes no handle");
        outcome
    }

    /// Answers a request with the body that its client expects.
    fn respond(&self, request: &Taken, bytes: usize) {
        let Header { writer_id, seq, .. } = request.header;
        let answer = body(!writer_id, seq, bytes);
        self.answer(request.request, &answering(&request.header), &answer).expect("an answer");
    }

    fn try_take(&self) -> Option<Taken> {
        let mut found = None;
        let mut copy = |r: &Received| {
            let (header, body) = (*r.header, r.body.to_vec());
            assert!(found.replace(Taken { request: r.request, header, body }).is_none());
        };
        match self.service.take(1, &mut copy) {
            Ok(count) => assert_eq!((count, found.is_some()), (1, true)),
            Err(status) => assert_eq!((status, found.is_none()), (Status::NoData, true)),
        }
        found
    }

    /// The next that is no probe.
    fn take(&self) -> Taken {
        let start = Instant::now();
        loop {
            assert!(start.elapsed() < WATCHDOG, "nothing arrived");
            if self.wait == Wait::Waitset {
                match self.service.wait(Duration::from_millis(50)) {
                    Ok(()) | Err(Status::Timeout) => {}
                    Err(status) => panic!("wait: {status}"),
                }
            }
            match self.try_take() {
                Some(taken) if taken.header.cookie != PROBE => return taken,
                Some(_) => {}
                None => std::thread::yield_now(),
            }
        }
    }

    fn take_many(&self, count: u64) -> Vec<Taken> {
        (0..count).map(|_| self.take()).collect()
    }

    /// The response with this number; others are passed over.
    fn take_response(&self, number: u64) -> Taken {
        loop {
            let taken = self.take();
            if taken.request == number {
                return taken;
            }
        }
    }

    /// Takes the response to this request of this client and checks it.
    fn check(&self, number: u64, client: u32, seq: u64, bytes: usize) {
        Self::check_taken(&self.take(), number, client, seq, bytes);
    }

    fn check_taken(taken: &Taken, number: u64, client: u32, seq: u64, bytes: usize) {
        let expected = Taken {
            request: number,
            header: answering(&asking(client, seq)),
            body: body(!client, seq, bytes),
        };
        assert!(*taken == expected, "request {seq} of client {client}: {}", taken.brief());
    }

    /// A request that is asked, taken, answered and checked.
    fn round_trip(&self, server: &Self, client: u32, seq: u64) {
        let number = self.ask(client, seq, SMALL);
        let request = server.take();
        assert!(request.is_request(client, seq, SMALL), "{}", request.brief());
        server.respond(&request, SMALL);
        self.check(number, client, seq, SMALL);
    }

    /// Nothing is left to take.
    fn is_empty(&self) {
        let left = self.try_take().filter(|taken| taken.header.cookie != PROBE);
        assert!(left.is_none(), "left to take: {}", left.map_or_else(String::new, |t| t.brief()));
    }
}

impl Taken {
    fn is_request(&self, client: u32, seq: u64, bytes: usize) -> bool {
        self.header == asking(client, seq) && self.body == body(client, seq, bytes)
    }

    fn brief(&self) -> String {
        format!("number {}, {:?}, {} bytes", self.request, self.header, self.body.len())
    }
}

/// A header of which every field is used.
fn asking(client: u32, seq: u64) -> Header {
    Header {
        cookie: COOKIE,
        seq,
        intended_ns: i64::MIN,
        sent_ns: i64::MAX,
        echo_sent_ns: -1,
        echo_delivered_ns: 0x0102_0304_0506_0708,
        echo_read_ns: seq as i64,
        writer_id: client,
        flags: 1,
    }
}

/// The header of the response to this request.
fn answering(request: &Header) -> Header {
    Header { sent_ns: 77, flags: request.writer_id << 16, ..*request }
}

/// A body that no other request has.
fn body(client: u32, seq: u64, bytes: usize) -> Vec<u8> {
    let first = u64::from(client).wrapping_mul(0x9e37_79b9).wrapping_add(seq.wrapping_mul(151));
    (0..bytes as u64).map(|at| (first.wrapping_add(at.wrapping_mul(31)) >> 1) as u8).collect()
}

/// And nothing is there to take before and after; a wait for what is there ends.
pub fn a_request_is_answered(case: &Case) {
    let (_, server, client) = case.pair();
    let mut numbers = Vec::new();
    for seq in 0..10 {
        for end in [&server, &client] {
            end.is_empty();
            if case.wait == Wait::Waitset {
                for timeout in [Duration::ZERO, Duration::from_nanos(1)] {
                    assert_eq!(end.service.wait(timeout), Err(Status::Timeout), "{timeout:?}");
                }
            }
        }
        let number = client.ask(1, seq, SMALL);
        let wait = |end: &End| {
            if case.wait == Wait::Waitset {
                assert_eq!(end.service.wait(WATCHDOG), Ok(()));
                // What a wait has found stays until it is taken.
                assert_eq!(end.service.wait(Duration::ZERO), Ok(()));
            }
        };
        wait(&server);
        let request = server.take();
        assert!(request.is_request(1, seq, SMALL), "{}", request.brief());
        server.respond(&request, SMALL);
        wait(&client);
        client.check(number, 1, seq, SMALL);
        numbers.push(number);
    }
    let all = numbers.len();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), all, "numbers of requests differ");
}

/// Bodies of every size arrive, where a request and its response differ in size.
pub fn bodies_of_every_size_arrive_bit_for_bit(case: &Case) {
    let largest = case.largest();
    let mut sizes: Vec<usize> = [0, 1, 64, 4096, 65_536, LARGEST as usize].into();
    sizes.retain(|bytes| *bytes < largest);
    sizes.push(largest);
    let pairs: Vec<_> = sizes.iter().copied().zip(sizes.iter().copied().rev()).collect();
    let (_, server, client) = case.pair();
    std::thread::scope(|scope| {
        // On a thread of its own, for a large body may leave only while it is received.
        scope.spawn(|| {
            for (seq, (asked, answered)) in (0..).zip(&pairs) {
                let request = server.take();
                assert!(request.is_request(1, seq, *asked), "{}", request.brief());
                server.respond(&request, *answered);
            }
        });
        for (seq, (asked, answered)) in (0..).zip(&pairs) {
            let number = client.ask(1, seq, *asked);
            client.check(number, 1, seq, *answered);
        }
    });
}

/// Each has the number of its request.
pub fn responses_may_come_in_any_order(case: &Case) {
    let (_, server, client) = case.pair();
    for round in 0..5 {
        let seqs: Vec<u64> = (round * FEW..(round + 1) * FEW).collect();
        let numbers: Vec<_> = seqs.iter().map(|seq| client.ask(1, *seq, SMALL)).collect();
        let requests = server.take_many(FEW);
        // Backwards, and from the middle on.
        let mut order: Vec<usize> = (0..requests.len()).rev().collect();
        order.rotate_left(round as usize % requests.len());
        for index in order {
            server.respond(&requests[index], SMALL);
        }
        let mut responses = client.take_many(FEW);
        responses.sort_by_key(|response| response.header.seq);
        for (response, (seq, number)) in responses.iter().zip(seqs.iter().zip(&numbers)) {
            assert_eq!((response.header.seq, response.request), (*seq, *number));
            assert!(response.body == body(!1, *seq, SMALL), "{}", response.brief());
        }
    }
    client.is_empty();
}

/// Every client asks, everything is answered in an order that mixes them, and each has its own.
fn clients_get_their_own(server: &End, clients: &[End]) {
    for round in 0..3 {
        let seqs = round * FEW..(round + 1) * FEW;
        let mut numbers = Vec::new();
        for seq in seqs.clone() {
            for (id, client) in (1..).zip(clients) {
                numbers.push(client.ask(id, seq, SMALL));
            }
        }
        let mut requests = server.take_many(numbers.len() as u64);
        requests.sort_by_key(|r| (r.header.seq, std::cmp::Reverse(r.header.writer_id)));
        for request in &requests {
            server.respond(request, SMALL);
        }
        // Requests that are under way at the same time may overtake each other, and responses too.
        for (id, client) in (1..).zip(clients) {
            let mut responses = client.take_many(FEW);
            responses.sort_by_key(|response| response.header.seq);
            for (seq, response) in seqs.clone().zip(&responses) {
                let at = (seq - round * FEW) as usize * clients.len() + id as usize - 1;
                End::check_taken(response, numbers[at], id, seq, SMALL);
            }
        }
        server.is_empty();
        for client in clients {
            client.is_empty();
        }
    }
}

/// Each in a participant of its own.
pub fn ten_clients_get_their_own_responses(case: &Case) {
    let config = case.service();
    let server = End::new(&case.participant(), &config, Side::Server);
    let clients = case.clients(&config, &server, 10);
    clients_get_their_own(&server, &clients);
}

/// As above.
pub fn two_clients_of_one_participant_get_their_own_responses(case: &Case) {
    let config = case.service();
    let participant = case.participant();
    for server in [case.participant(), participant.clone()] {
        let server = End::new(&server, &config, Side::Server);
        let clients = [1, 2].map(|_| {
            let client = End::new(&participant, &config, Side::Client);
            client.meet(&server);
            client
        });
        clients_get_their_own(&server, &clients);
    }
}

/// Its requests are under way, some before and some after the server has taken them.
pub fn a_client_that_goes_disturbs_nobody(case: &Case) {
    let (config, server, staying) = case.pair();
    for round in 0..5 {
        let going = case.clients(&config, &server, 1).remove(0);
        for seq in 0..FEW {
            going.ask(2, seq, SMALL);
        }
        let mut requests = Vec::new();
        if round % 2 == 0 {
            requests = server.take_many(FEW);
        }
        let number = staying.ask(1, round, SMALL);
        drop(going);
        for request in requests {
            // What the server learns of it is the middleware's.
            let _ = server.answer(request.request, &answering(&request.header), &[1; SMALL]);
        }
        loop {
            let request = server.take();
            if request.header.writer_id == 1 {
                server.respond(&request, SMALL);
                break;
            }
            let _ = server.answer(request.request, &answering(&request.header), &[]);
        }
        staying.check(number, 1, round, SMALL);
        staying.is_empty();
    }
}

/// Under the same name, while a request to the first is under way.
pub fn a_server_that_comes_again_answers(case: &Case) {
    let (config, mut server, client) = case.pair();
    let counted = client.service.matched().is_ok();
    for round in 0..5 {
        client.round_trip(&server, 1, 2 * round);
        let unanswered = client.ask(1, 2 * round + 1, SMALL);
        server.take();
        drop(server);
        if counted {
            eventually("the client counts no server", || {
                client.service.matched().is_ok_and(|server| server.count == 0)
            });
        }
        server = End::new(&case.participant(), &config, Side::Server);
        client.meet(&server);
        let _ = client.service.forget(unanswered);
    }
    client.round_trip(&server, 1, u64::MAX);
}

/// A handle that was answered or given up is invalid, and so is one that never was.
pub fn a_request_is_answered_once(case: &Case) {
    let (_, server, client) = case.pair();
    let invalid = |handle| {
        let outcome = server.answer(handle, &Header::default(), &[]);
        assert_eq!(outcome, Err(Status::Invalid), "{handle}");
    };
    for handle in [0, 1, u64::from(u32::MAX), u64::MAX] {
        invalid(handle);
    }
    let mut answered = Vec::new();
    for seq in 0..10 {
        let number = client.ask(1, seq, SMALL);
        let request = server.take();
        assert!(!answered.contains(&request.request), "the handle of another request");
        if seq % 3 == 2 {
            assert_eq!(server.service.forget(request.request), Ok(()));
            let _ = client.service.forget(number);
        } else {
            server.respond(&request, SMALL);
            client.check(number, 1, seq, SMALL);
        }
        answered.push(request.request);
        for handle in &answered {
            invalid(*handle);
        }
    }
    client.is_empty();
}

/// By the client, by the server and by both, more often than requests can be under way.
pub fn what_is_forgotten_is_given_back(case: &Case) {
    let (_, server, client) = case.pair();
    let count = 3 * case.most_requests().unwrap_or(40) + 3;
    for seq in 0..count {
        let number = client.ask(1, seq, SMALL);
        if seq % 4 == 3 {
            assert_eq!(client.service.forget(number), Ok(()));
        }
        let request = server.take();
        if seq % 2 == 0 {
            assert_eq!(server.service.forget(request.request), Ok(()));
        } else {
            // A response may still be given, with its number; none is another's.
            server.respond(&request, SMALL);
        }
        if seq % 4 == 1 {
            let response = client.take_response(number);
            assert_eq!(response.header.seq, seq);
        } else {
            assert_eq!(client.service.forget(number), Ok(()));
        }
    }
    let number = client.ask(1, count, SMALL);
    let request = server.take();
    assert!(request.is_request(1, count, SMALL), "{}", request.brief());
    server.respond(&request, SMALL);
    assert_eq!(client.take_response(number).header.seq, count);
}

/// Each with a sample of its own, while the server takes further requests.
pub fn several_threads_respond_at_once(case: &Case) {
    const THREADS: usize = 4;
    const ROUNDS: u64 = 50;
    let config = case.service();
    let server = End::new(&case.participant(), &config, Side::Server);
    let clients = case.clients(&config, &server, 2);
    let total = clients.len() as u64 * ROUNDS * FEW;
    std::thread::scope(|scope| {
        let senders: Vec<_> = (0..THREADS)
            .map(|_| {
                let (sender, requests) = std::sync::mpsc::channel::<Taken>();
                let server = End { service: server.service.clone(), wait: server.wait };
                scope.spawn(move || {
                    for request in requests {
                        server.respond(&request, SMALL);
                    }
                });
                sender
            })
            .collect();
        scope.spawn(|| {
            let senders = senders;
            for number in 0..total {
                senders[number as usize % THREADS].send(server.take()).expect("a thread");
            }
        });
        for (id, client) in (1..).zip(&clients) {
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    let seqs = round * FEW..(round + 1) * FEW;
                    let asked: Vec<_> = seqs.map(|s| (s, client.ask(id, s, SMALL))).collect();
                    let mut answers = client.take_many(FEW);
                    answers.sort_by_key(|answer| answer.header.seq);
                    let got: Vec<_> = answers.iter().map(|a| (a.header.seq, a.request)).collect();
                    assert_eq!(got, asked, "client {id}");
                    for answer in answers {
                        let expected = body(!id, answer.header.seq, SMALL);
                        assert!(answer.body == expected, "{}", answer.brief());
                    }
                }
            });
        }
    });
}

/// As an open loop does.
pub fn one_thread_sends_while_another_takes(case: &Case) {
    const COUNT: u64 = 500;
    let (_, server, client) = case.pair();
    let (answered, more) = std::sync::mpsc::channel();
    for _ in 0..FEW {
        answered.send(()).expect("room");
    }
    let numbers = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..COUNT {
                server.respond(&server.take(), SMALL);
            }
        });
        scope.spawn(|| {
            let more = more;
            for seq in 0..COUNT {
                more.recv_timeout(WATCHDOG).expect("an answer");
                let number = client.ask(1, seq, SMALL);
                numbers.lock().expect("numbers").push((seq, number));
            }
        });
        let mut got = Vec::new();
        for _ in 0..COUNT {
            let answer = client.take();
            assert!(answer.body == body(!1, answer.header.seq, SMALL), "{}", answer.brief());
            got.push((answer.header.seq, answer.request));
            let _ = answered.send(());
        }
        got.sort_unstable();
        let start = Instant::now();
        // The sending thread notes a number after its request has left.
        while numbers.lock().expect("numbers").len() < COUNT as usize {
            assert!(start.elapsed() < WATCHDOG, "a number that is never noted");
            std::thread::yield_now();
        }
        assert_eq!(got, *numbers.lock().expect("numbers"));
    });
}

/// And sent again when one has been answered.
pub fn requests_beyond_the_limit_are_refused(case: &Case) {
    let Some(most) = case.most_requests() else { return };
    let (_, server, client) = case.pair();
    let first = client.ask(1, 0, SMALL);
    for seq in 1..most {
        client.ask(1, seq, SMALL);
    }
    let refused = client.send(&asking(1, most), &[]);
    assert!(matches!(refused, Err(Status::Timeout | Status::Resources)), "{refused:?}");
    let mut requests = server.take_many(most);
    requests.sort_by_key(|request| request.header.seq);
    server.respond(&requests[0], SMALL);
    client.check(first, 1, 0, SMALL);
    let next = client.ask(1, most, SMALL);
    for request in &requests[1..] {
        assert_eq!(server.service.forget(request.request), Ok(()));
    }
    let request = server.take();
    assert!(request.is_request(1, most, SMALL), "{}", request.brief());
    server.respond(&request, SMALL);
    client.check(next, 1, most, SMALL);
}

/// Where the middleware knows of them; and of clients.
pub fn the_count_of_servers_rises_and_falls(case: &Case) {
    let config = case.service();
    let count = |end: &End| match end.service.matched() {
        Ok(found) => Some(found.count),
        Err(Status::Unsupported) => None,
        Err(status) => panic!("match: {status}"),
    };
    let server = End::new(&case.participant(), &config, Side::Server);
    let client = End::new(&case.participant(), &config, Side::Client);
    let (servers, clients) = (count(&client).is_some(), count(&server).is_some());
    client.meet(&server);
    let both = |expected: Option<u32>, what: &str, end: &End| {
        eventually(what, || count(end) == expected);
    };
    if clients {
        both(Some(1), "the server counts a client", &server);
        let second = case.clients(&config, &server, 1);
        both(Some(2), "the server counts two clients", &server);
        drop(second);
        both(Some(1), "the server counts one client", &server);
    }
    drop(server);
    if servers {
        both(Some(0), "the client counts no server", &client);
    }
}
