//! What every adapter over connections must do; each adapter's tests call these with its name and
//! transport.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use busmark_adapter::{
    EndpointConfig, Header, OnData, ParticipantHandle, Payload, ServiceHandle, Side, Status, Taker,
    Wait, WriterHandle, verify_pattern,
};

use super::{
    Arrived, KINDS, RunDir, WAITS, body, descriptors, endpoint, eventually, library, participant,
    reader, receive, threads, write, writer,
};

/// With every strategy.
pub fn every_payload_kind_arrives_intact(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    let participant = participant(name, transport, &run_dir);
    for wait in WAITS {
        for (kind, bytes) in KINDS {
            let mut endpoint = endpoint(wait, bytes as u64);
            endpoint.payload = kind;
            let arrived = Arrived::new(kind);
            let reader = reader(&participant, &endpoint, &arrived);
            let writer = writer(&participant, &endpoint, &[&reader]);
            let writing = std::thread::spawn(move || write(&writer, 1, 0, 50, &body(kind, bytes)));
            receive(&reader, wait, &arrived, 50);
            writing.join().expect("writes");
            let expected: Vec<_> = (0..50).map(|seq| (seq, bytes)).collect();
            assert_eq!(arrived.of(1), expected, "{wait:?} {kind:?}");
            assert_eq!(arrived.damaged(), 0, "{wait:?} {kind:?}");
        }
    }
}

/// Larger than any buffer: the reader must receive while the writer writes.
pub fn large_bodies_arrive_intact(name: &str, transport: &str, bytes: usize) {
    let run_dir = RunDir::new();
    let participant = participant(name, transport, &run_dir);
    for wait in WAITS {
        let endpoint = endpoint(wait, bytes as u64);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint, &arrived);
        let writer = writer(&participant, &endpoint, &[&reader]);
        let writing =
            std::thread::spawn(move || write(&writer, 1, 0, 10, &body(Payload::Octet, bytes)));
        receive(&reader, wait, &arrived, 10);
        writing.join().expect("writes");
        assert_eq!(arrived.of(1).len(), 10);
        assert_eq!(arrived.damaged(), 0);
    }
}

/// Each writer's samples in its order, whichever connection was first.
pub fn three_writers_reach_one_reader(name: &str, transport: &str) {
    const EACH: u64 = 2000;
    let run_dir = RunDir::new();
    for wait in WAITS {
        let participant = participant(name, transport, &run_dir);
        let endpoint = endpoint(wait, 500);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, &endpoint, &arrived);
        let writers = [1, 2, 3].map(|id| (id, writer(&participant, &endpoint, &[&reader])));
        assert_eq!(reader.matched(), Ok(3));
        let writing = writers.map(|(id, writer)| {
            std::thread::spawn(move || write(&writer, id, 0, EACH, &body(Payload::Octet, 500)))
        });
        receive(&reader, wait, &arrived, 3 * EACH as usize);
        for (id, writing) in (1..).zip(writing) {
            writing.join().expect("writes");
            let expected: Vec<_> = (0..EACH).map(|seq| (seq, 500)).collect();
            assert_eq!(arrived.of(id), expected, "{wait:?}");
        }
        // Their writers are gone, and once that has been seen a single one is served as before.
        eventually("no writer is matched", || {
            arrived.take_if(&reader, wait);
            reader.matched() == Ok(0)
        });
        let late = writer(&participant, &endpoint, &[&reader]);
        write(&late, 4, 0, 100, &body(Payload::Octet, 500));
        receive(&reader, wait, &arrived, 3 * EACH as usize + 100);
    }
}

/// Every reader gets every sample.
pub fn one_writer_reaches_three_readers(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    for wait in WAITS {
        let participant = participant(name, transport, &run_dir);
        let endpoint = endpoint(wait, 500);
        let all = [1, 2, 3].map(|_| {
            let arrived = Arrived::new(Payload::Octet);
            (reader(&participant, &endpoint, &arrived), arrived)
        });
        let readers: Vec<_> = all.iter().map(|(reader, _)| reader).collect();
        let writer = writer(&participant, &endpoint, &readers);
        assert_eq!(writer.matched(), Ok(3));
        write(&writer, 1, 0, 100, &body(Payload::Octet, 500));
        for (reader, arrived) in &all {
            receive(reader, wait, arrived, 100);
            assert_eq!(arrived.of(1).len(), 100);
        }
    }
}

/// On both sides, and a writer continues with the remaining readers.
pub fn matched_counts_rise_and_fall(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    for wait in WAITS {
        let participant = participant(name, transport, &run_dir);
        let endpoint = endpoint(wait, 100);
        let arrived = [Arrived::new(Payload::Octet), Arrived::new(Payload::Octet)];
        let one = reader(&participant, &endpoint, &arrived[0]);
        let two = reader(&participant, &endpoint, &arrived[1]);
        assert_eq!(one.matched(), Ok(0));
        let both = writer(&participant, &endpoint, &[&one, &two]);
        let other = writer(&participant, &endpoint, &[&one]);
        assert_eq!((one.matched(), two.matched()), (Ok(2), Ok(1)));
        assert_eq!((both.matched(), other.matched()), (Ok(2), Ok(1)));
        drop(other);
        eventually("the reader counts one writer", || one.matched() == Ok(1));
        drop(two);
        eventually("the writer counts one reader", || both.matched() == Ok(1));
        write(&both, 1, 0, 10, &body(Payload::Octet, 100));
        receive(&one, wait, &arrived[0], 10);
        assert_eq!(both.matched(), Ok(1));
        let again = both.connect(&one.locator().expect("a locator"));
        assert_eq!(again.map_err(|error| error.status), Err(Status::Invalid));
    }
}

/// With no writer, one and two, which are waited for differently.
pub fn a_wait_times_out(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    let participant = participant(name, transport, &run_dir);
    let endpoint = endpoint(Wait::Waitset, 100);
    let arrived = Arrived::new(Payload::Octet);
    let reader = reader(&participant, &endpoint, &arrived);
    let mut writers = Vec::new();
    for _ in 0..3 {
        for timeout in [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(30)] {
            assert_eq!(reader.wait(timeout), Err(Status::Timeout), "{timeout:?}");
        }
        assert_eq!(reader.take(16, &mut |_| {}), Err(Status::NoData));
        writers.push(writer(&participant, &endpoint, &[&reader]));
    }
    write(&writers[2], 1, 0, 2, &body(Payload::Octet, 100));
    assert_eq!(reader.wait(super::WATCHDOG), Ok(()));
    // What wait has found stays until it is taken.
    assert_eq!(reader.wait(Duration::ZERO), Ok(()));
    receive(&reader, Wait::Waitset, &arrived, 2);
    assert_eq!(reader.wait(Duration::ZERO), Err(Status::Timeout));
}

struct Counting {
    calls: Arc<AtomicUsize>,
    gone: Arc<AtomicBool>,
}

impl OnData for Counting {
    fn on_data(&self, taker: &Taker) {
        assert!(!self.gone.load(Ordering::SeqCst), "called after the reader was gone");
        while let Ok(16) = taker.take(16, &mut |_| {}) {}
        self.calls.fetch_add(1, Ordering::SeqCst);
    }
}

/// Writers write on while the reader is dropped.
pub fn no_call_after_drop(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    let participant = participant(name, transport, &run_dir);
    let endpoint = endpoint(Wait::Listener, 100);
    for _ in 0..20 {
        let (calls, gone) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
        let on_data = Counting { calls: Arc::clone(&calls), gone: Arc::clone(&gone) };
        let reader = participant.reader(&endpoint, Some(Box::new(on_data))).expect("a reader");
        let stop = Arc::new(AtomicBool::new(false));
        let writing = [1, 2].map(|id| {
            let (writer, stop) = (writer(&participant, &endpoint, &[&reader]), Arc::clone(&stop));
            std::thread::spawn(move || {
                while !stop.load(Ordering::SeqCst) {
                    write(&writer, id, 0, 10, &body(Payload::Octet, 100));
                }
            })
        });
        eventually("the listener is called", || calls.load(Ordering::SeqCst) > 3);
        drop(reader);
        gone.store(true, Ordering::SeqCst);
        let after = calls.load(Ordering::SeqCst);
        sleep(Duration::from_millis(2));
        stop.store(true, Ordering::SeqCst);
        for thread in writing {
            thread.join().expect("writes continue without a reader");
        }
        assert_eq!(calls.load(Ordering::SeqCst), after);
    }
}

/// No descriptor, thread or file, many times over. For a process without other tests.
pub fn nothing_is_left(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    let round = |participant: &ParticipantHandle| {
        for wait in WAITS {
            let endpoint = endpoint(wait, 100);
            let arrived = Arrived::new(Payload::Octet);
            let reader = reader(participant, &endpoint, &arrived);
            let writer = writer(participant, &endpoint, &[&reader]);
            write(&writer, 1, 0, 10, &body(Payload::Octet, 100));
            receive(&reader, wait, &arrived, 10);
        }
        let (server, client) = service(participant, &endpoint(Wait::Waitset, 100));
        ask(&client, 1, 100).expect("a request");
        respond(&server, taken(&server).request, 1, 100).expect("a response");
        taken(&client);
    };
    eventually("no descriptor and no thread more than before", || {
        let before = (descriptors(), threads());
        for _ in 0..5 {
            round(&participant(name, transport, &run_dir));
        }
        before == (descriptors(), threads())
    });
    assert_eq!(run_dir.files(), 0);
}

fn try_write(writer: &WriterHandle, seq: u64, bytes: usize) -> Result<(), Status> {
    let mut sample = writer.sample(&body(Payload::Octet, bytes)).expect("a sample");
    writer.write(&mut sample, &Header { seq, writer_id: 1, ..Header::default() })
}

/// One of two readers does not take: a write times out. What was written before and what is written
/// after arrives, and nothing else; nobody gets a sample twice.
pub fn timed_out_writes_are_not_delivered(name: &str, transport: &str, bytes: usize) {
    let run_dir = RunDir::new();
    let participant = participant(name, transport, &run_dir);
    let mut endpoint = endpoint(Wait::Waitset, bytes as u64);
    endpoint.qos.max_blocking_ns = 20_000_000;
    let arrived = [Arrived::new(Payload::Octet), Arrived::new(Payload::Octet)];
    let readers = [0, 1].map(|i| reader(&participant, &endpoint, &arrived[i]));
    let writer = writer(&participant, &endpoint, &[&readers[0], &readers[1]]);
    let (stop, seq) = (AtomicBool::new(false), AtomicU64::new(0));
    let take = |i: usize| {
        while !stop.load(Ordering::SeqCst) {
            let _ = readers[i].wait(Duration::from_millis(5));
            arrived[i].take(&readers[i]);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| take(0));
        eventually("the second reader's buffer is full", || {
            let next = seq.load(Ordering::SeqCst);
            match try_write(&writer, next, bytes) {
                Ok(()) => seq.store(next + 1, Ordering::SeqCst),
                Err(status) => assert_eq!(status, Status::Timeout),
            }
            // The first has the sample that the second lacks.
            arrived[0].count() as u64 > seq.load(Ordering::SeqCst)
        });
        let last = seq.load(Ordering::SeqCst);
        assert_eq!(try_write(&writer, last, bytes), Err(Status::Timeout));
        scope.spawn(|| take(1));
        eventually("the sample is written", || try_write(&writer, last, bytes).is_ok());
        eventually("both have all", || arrived.iter().all(|a| a.count() as u64 > last));
        sleep(Duration::from_millis(20));
        stop.store(true, Ordering::SeqCst);
    });
    let expected: Vec<_> = (0..=seq.into_inner()).map(|seq| (seq, bytes)).collect();
    for arrived in &arrived {
        assert_eq!(arrived.of(1), expected);
        assert_eq!(arrived.damaged(), 0);
    }
}

/// A server and its client.
fn service(
    participant: &ParticipantHandle,
    config: &EndpointConfig,
) -> (ServiceHandle, ServiceHandle) {
    let [server, client] = [Side::Server, Side::Client]
        .map(|side| participant.service(config, side).expect("an end of a service"));
    client.connect(&server.locator().expect("a locator")).expect("a connection");
    (server, client)
}

/// Number or handle, `seq` and length of a request or a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Taken {
    seq: u64,
    request: u64,
    bytes: usize,
}

/// The next one.
fn taken(end: &ServiceHandle) -> Taken {
    let mut found = None;
    eventually("something is there", || {
        let _ = end.wait(Duration::from_millis(50));
        let _ = end.take(1, &mut |r| {
            let (seq, request, bytes) = (r.header.seq, r.request, r.body.len());
            assert!(verify_pattern(Payload::Octet, r.body));
            found = Some(Taken { seq, request, bytes });
        });
        found.is_some()
    });
    found.expect("one was found")
}

fn ask(client: &ServiceHandle, seq: u64, bytes: usize) -> Result<u64, Status> {
    let mut number = 0;
    send(client, &mut number, seq, bytes).map(|()| number)
}

fn respond(server: &ServiceHandle, mut handle: u64, seq: u64, bytes: usize) -> Result<(), Status> {
    send(server, &mut handle, seq, bytes)
}

fn send(end: &ServiceHandle, request: &mut u64, seq: u64, bytes: usize) -> Result<(), Status> {
    let mut sample = end.sample(&body(Payload::Octet, bytes)).expect("a sample");
    end.send(&mut sample, &Header { seq, ..Header::default() }, request)
}

/// Nobody takes, first from the server and then from the client: what timed out is sent again, and
/// arrives once.
pub fn what_timed_out_within_a_service_arrives_once(name: &str, transport: &str, bytes: usize) {
    let run_dir = RunDir::new();
    let mut config = endpoint(Wait::Waitset, bytes as u64);
    config.qos.max_blocking_ns = 20_000_000;
    let (server, client) = service(&participant(name, transport, &run_dir), &config);
    let mut numbers = Vec::new();
    // Until the server's buffer is full.
    let status = loop {
        match ask(&client, numbers.len() as u64, bytes) {
            Ok(number) => numbers.push(number),
            Err(status) => break status,
        }
    };
    assert_eq!(status, Status::Timeout);
    let last = numbers.len() as u64;
    let requests: Vec<_> = std::thread::scope(|scope| {
        let taking = scope.spawn(|| (0..=last).map(|_| taken(&server)).collect());
        eventually("the request is sent", || match ask(&client, last, bytes) {
            Ok(number) => {
                numbers.push(number);
                true
            }
            Err(status) => {
                assert_eq!(status, Status::Timeout);
                false
            }
        });
        taking.join().expect("requests")
    });
    let sent: Vec<_> = (0..=last).map(|seq| (seq, bytes)).collect();
    assert_eq!(requests.iter().map(|r| (r.seq, r.bytes)).collect::<Vec<_>>(), sent);
    // Requests enough to fill the client's buffer with their responses.
    let mut handles: Vec<_> = requests.iter().map(|r| r.request).collect();
    let mut answered = 0;
    let status = loop {
        if answered == handles.len() {
            numbers.push(ask(&client, answered as u64, 0).expect("a request"));
            handles.push(taken(&server).request);
        }
        match respond(&server, handles[answered], answered as u64, bytes) {
            Ok(()) => answered += 1,
            Err(status) => break status,
        }
    };
    assert_eq!(status, Status::Timeout);
    let responses: Vec<_> = std::thread::scope(|scope| {
        let taking = scope.spawn(|| (0..=answered).map(|_| taken(&client)).collect());
        eventually("the response is sent", || {
            respond(&server, handles[answered], answered as u64, bytes).is_ok()
        });
        taking.join().expect("responses")
    });
    let expected: Vec<_> =
        (0..=answered).map(|at| Taken { seq: at as u64, request: numbers[at], bytes }).collect();
    assert_eq!(responses, expected);
    assert_eq!(respond(&server, handles[answered], 0, 0), Err(Status::Invalid));
}

/// A writer does not find a server, a client no reader, and no client a server of another domain.
pub fn services_are_apart_from_topics_and_other_domains(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    let here = participant(name, transport, &run_dir);
    let config = endpoint(Wait::Waitset, 100);
    let (server, client) = service(&here, &config);
    let reader = reader(&here, &config, &Arrived::new(Payload::Octet));
    let writer = here.writer(&config).expect("a writer");
    let mut elsewhere = run_dir.participant(transport, &[]);
    elsewhere.domain += 1;
    let there = library(name).participant(&elsewhere).expect("a participant");
    let stranger = there.service(&config, Side::Client).expect("a client");
    let locator = server.locator().expect("a locator");
    let refused = [
        writer.connect(&locator).expect_err("a writer at a server"),
        client.connect(&reader.locator().expect("a locator")).expect_err("a client at a reader"),
        stranger.connect(&locator).expect_err("a client of another domain"),
    ];
    for error in refused {
        assert_eq!(error.status, Status::Unavailable, "{error}");
    }
    eventually("one client", || server.matched().is_ok_and(|clients| clients.count == 1));
    assert_eq!(reader.matched(), Ok(0));
    // A connection that was refused takes nothing from the one that there is.
    ask(&client, 5, 10).expect("a request");
    assert_eq!(taken(&server).seq, 5);
}

/// By the reader, and the writer learns of it.
pub fn another_domain_is_refused(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    let here = participant(name, transport, &run_dir);
    let mut config = run_dir.participant(transport, &[]);
    config.domain += 1;
    let there = library(name).participant(&config).expect("a participant");
    let endpoint = endpoint(Wait::Waitset, 100);
    let reader = reader(&here, &endpoint, &Arrived::new(Payload::Octet));
    let writer = there.writer(&endpoint).expect("a writer");
    let error = writer.connect(&reader.locator().expect("a locator")).expect_err("refused");
    assert_eq!(error.status, Status::Unavailable, "{error}");
    assert!(error.message.contains("domain 8"), "{error}");
    assert_eq!((reader.matched(), writer.matched()), (Ok(0), Ok(0)));
}

/// Either buffer.
pub fn large_buffers_are_refused(name: &str, transport: &str) {
    let run_dir = RunDir::new();
    for (key, limit) in
        [("receive_buffer_bytes", "net.core.rmem_max"), ("send_buffer_bytes", "net.core.wmem_max")]
    {
        let mut config = run_dir.participant(transport, &[]);
        let granted = std::fs::read_to_string(format!("/proc/sys/{}", limit.replace('.', "/")));
        let granted: u64 = granted.expect("a limit").trim().parse().expect("a number");
        config.settings = vec![(key.into(), granted.to_string())];
        drop(library(name).participant(&config).expect("what the kernel grants"));
        for asked in [granted + 4096, u64::from(u32::MAX) * 8] {
            config.settings = vec![(key.into(), asked.to_string())];
            let error = library(name).participant(&config).err().expect("an error");
            assert_eq!(error.status, Status::Resources, "{error}");
            assert!(error.message.contains(&format!("sysctl -w {limit}={asked}")), "{error}");
        }
        config.settings = vec![(key.into(), "plenty".into())];
        let error = library(name).participant(&config).err().expect("an error");
        assert_eq!(error.status, Status::Invalid, "{error}");
    }
}
