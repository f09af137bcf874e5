//! The measured loops allocate nothing: a run of many samples allocates as often as a run of few.
//!
//! The null adapter delivers within the write, so one run goes through every step of both sides. The
//! adapter's library has an allocator of its own and is not counted: this is the worker's account.

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use busmark_adapter::{Library, Payload, Qos, Side, Wait};
use busmark_worker::protocol::{
    ArrivalModel, RoleReport, RoleSpec, RunReport, Schedule, Service, StreamSpec, Work,
};
use busmark_worker::roles::{self, Context, Role};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocation counter is one for the whole process: tests take turns.
static TURN: Mutex<()> = Mutex::new(());

fn context() -> Context {
    let library = Library::open(common::null_library()).expect("the null adapter loads");
    let config = serde_json::from_value(common::config()).expect("a configuration");
    let participant = library.participant(&config).expect("a participant");
    Context { participant, cookie: 7, yields: false, news: None }
}

fn stream() -> StreamSpec {
    StreamSpec {
        payload: Payload::Octet,
        size: 64,
        wait: Wait::Listener,
        qos: Qos::default(),
        verify: true,
        instances: 0,
        filter_below: 0,
        sizes: Vec::new(),
        body_file: None,
    }
}

fn schedule(arrivals: ArrivalModel, samples: u64) -> Schedule {
    Schedule {
        arrivals,
        rate_hz: if arrivals == ArrivalModel::Closed { 0.0 } else { 1e6 },
        seed: 1,
        warmup_ns: 1_000_000,
        duration_ns: 60_000_000_000,
        samples,
        capacity: 100_000,
        timeout_ns: 1_000_000_000,
    }
}

fn connect(roles: &[&dyn Role]) {
    for from in roles {
        for (topic, writer) in from.writers() {
            for to in roles {
                for (heard, reader) in to.readers() {
                    if heard == topic {
                        writer.connect(&reader.locator().expect("a locator")).expect("connects");
                    }
                }
            }
        }
        for (name, client) in
            from.services().into_iter().filter(|(_, end)| end.side() == Side::Client)
        {
            for to in roles {
                for (called, server) in to.services() {
                    if called == name && server.side() == Side::Server {
                        client.connect(&server.locator().expect("a locator")).expect("connects");
                    }
                }
            }
        }
    }
}

/// Runs the active of two roles: allocations during the run, its report, the accounts of both.
fn run(active: RoleSpec, passive: RoleSpec) -> (u64, RunReport, Vec<RoleReport>) {
    let context = context();
    let mut passive = roles::make(&context, passive).expect("the passive role");
    let mut active = roles::make(&context, active).expect("the active role");
    connect(&[&*active, &*passive]);
    passive.start();
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    let report = active.run();
    let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
    let report = report.expect("an active role").expect("a run without failure");
    let accounts =
        [&mut active, &mut passive].map(|role| role.finish().expect("an account").report);
    (allocations, report, accounts.into())
}

fn ping_pong(arrivals: ArrivalModel, samples: u64) -> (u64, RunReport, Vec<RoleReport>) {
    ping_pong_with_rows(arrivals, samples, 0)
}

/// `rows`: the number of pongs for which the responder records when their write returned.
fn ping_pong_with_rows(
    arrivals: ArrivalModel,
    samples: u64,
    rows: usize,
) -> (u64, RunReport, Vec<RoleReport>) {
    let (ping, pong) = ("ping".to_owned(), "pong".to_owned());
    run(
        RoleSpec::Pinger {
            writer: 1,
            from: vec![2],
            ping: ping.clone(),
            pong: pong.clone(),
            stream: stream(),
            schedule: schedule(arrivals, samples),
        },
        RoleSpec::Responder { writer: 2, ping, pong, stream: stream(), rows },
    )
}

fn transmission(samples: u64) -> (u64, RunReport, Vec<RoleReport>) {
    transmission_at(ArrivalModel::Closed, samples, 0, 100_000)
}

/// `record_every`: of how many samples the receiver records one, in `capacity` rows.
fn transmission_at(
    arrivals: ArrivalModel,
    samples: u64,
    record_every: u64,
    capacity: usize,
) -> (u64, RunReport, Vec<RoleReport>) {
    let (topic, echo) = ("stream".to_owned(), "echo".to_owned());
    run(
        RoleSpec::Transmitter {
            writer: 1,
            topic: topic.clone(),
            echo: echo.clone(),
            probe_every: 10,
            stream: stream(),
            schedule: schedule(arrivals, samples),
            interval_ns: 1_000_000,
        },
        RoleSpec::Receiver {
            writer: 2,
            from: vec![1],
            topic,
            echo,
            probe_every: 10,
            record_every,
            batch: 0,
            stream: stream(),
            capacity,
            interval_ns: 1_000_000,
            intervals: 1000,
        },
    )
}

fn batches(samples: u64, each: bool) -> (u64, RunReport, Vec<RoleReport>) {
    let (topic, echo) = ("batches".to_owned(), "acknowledgements".to_owned());
    run(
        RoleSpec::Batcher {
            writer: 1,
            from: vec![2],
            topic: topic.clone(),
            echo: echo.clone(),
            batch: 50,
            each,
            stream: stream(),
            schedule: schedule(ArrivalModel::Closed, samples),
            interval_ns: 1_000_000,
        },
        RoleSpec::Receiver {
            writer: 2,
            from: vec![1],
            topic,
            echo,
            probe_every: 0,
            record_every: 0,
            batch: 50,
            stream: stream(),
            capacity: 100_000,
            interval_ns: 1_000_000,
            intervals: 1000,
        },
    )
}

/// Requests of one client, and how a server works on them.
fn requests(
    arrivals: ArrivalModel,
    samples: u64,
    outstanding: usize,
    works: Service,
) -> (u64, RunReport, Vec<RoleReport>) {
    let service = "service".to_owned();
    let stream = StreamSpec { wait: Wait::Waitset, ..stream() };
    let schedule = match schedule(arrivals, samples) {
        paced if arrivals != ArrivalModel::Closed => Schedule { rate_hz: 100_000.0, ..paced },
        closed => closed,
    };
    run(
        RoleSpec::Client {
            writer: 1,
            service: service.clone(),
            stream: stream.clone(),
            response_size: 200,
            outstanding,
            schedule,
            interval_ns: 1_000_000,
        },
        RoleSpec::Server { writer: 2, service, stream, response_size: 200, works },
    )
}

fn works(threads: usize, reverses: u32) -> Service {
    Service { threads, work_ns: 0, work: Work::Fixed, reverses, seed: 1 }
}

fn assert_same_allocations(run: impl Fn(u64) -> u64) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    run(100);
    let (few, many) = (run(100), run(50_000));
    // A thread that has to wait for the other may allocate once; one of each sample or batch would be
    // hundreds.
    assert!(many < few + 100, "allocations: {few} for 100 samples, {many} for 50,000");
}

#[test]
fn a_closed_loop_of_pings_allocates_nothing_per_sample() {
    assert_same_allocations(|samples| ping_pong(ArrivalModel::Closed, samples).0);
}

#[test]
fn a_responder_that_stamps_its_pongs_allocates_nothing_per_sample() {
    assert_same_allocations(|samples| {
        let (allocations, _, accounts) =
            ping_pong_with_rows(ArrivalModel::Closed, samples, 100_000);
        assert_eq!(accounts[1].rows as u64, samples, "a row for each pong of the measured time");
        allocations
    });
}

#[test]
fn an_open_loop_of_pings_allocates_nothing_per_sample() {
    assert_same_allocations(|samples| ping_pong(ArrivalModel::Poisson, samples).0);
}

#[test]
fn a_stream_with_probes_allocates_nothing_per_sample() {
    assert_same_allocations(|samples| transmission(samples).0);
}

#[test]
fn a_stream_at_a_rate_of_which_every_sample_is_timed_allocates_nothing_per_sample() {
    assert_same_allocations(|samples| {
        let (allocations, _, accounts) =
            transmission_at(ArrivalModel::Constant, samples, 1, 100_000);
        assert_eq!((accounts[1].rows as u64, accounts[1].unrecorded), (samples, 0));
        allocations
    });
}

#[test]
fn samples_without_a_row_are_counted_as_such() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, report, accounts) = transmission_at(ArrivalModel::Constant, 1_000, 1, 600);
    assert_eq!((report.sent, accounts[1].accounts[0].received), (1_000, 1_000));
    assert_eq!((accounts[1].rows, accounts[1].unrecorded), (600, 400));
}

#[test]
fn batches_allocate_nothing_per_sample() {
    assert_same_allocations(|samples| batches(samples, false).0);
}

#[test]
fn acknowledgements_of_samples_allocate_nothing() {
    assert_same_allocations(|samples| batches(samples, true).0);
}

#[test]
fn every_batch_is_acknowledged_and_every_sample_of_it_counted() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for each in [false, true] {
        let (_, report, accounts) = batches(1_000, each);
        assert_eq!((report.sent, report.ended.as_str()), (1_000, "samples"));
        assert_eq!(accounts[0].rows, 20, "one row for each batch of 50");
        let account = &accounts[1].accounts[0];
        assert_eq!((account.received, account.missing, account.duplicated), (1_000, 0, 0));
        let [seen] = &accounts[1].batches[..] else { panic!("one writer") };
        assert_eq!((seen.writer, &seen.received), (1, &vec![50; 20]));
        assert_eq!((&seen.bytes, &seen.ended), (&vec![50 * 64; 20], &vec![true; 20]));
        assert_eq!(seen.number, (0..20).collect::<Vec<_>>());
        let ends = seen.end_ns.iter().zip(&seen.start_ns);
        assert!(ends.clone().all(|(end, start)| end.is_some_and(|end| end > *start)));
        let sent = accounts[0].sent_batches.as_ref().expect("a batcher's");
        assert_eq!(sent.acknowledged, vec![50; if each { 20 } else { 0 }]);
        assert_eq!(sent.waited_ns, vec![0; 20]);
    }
}

#[test]
fn every_ping_is_answered_and_accounted_for() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for arrivals in [ArrivalModel::Closed, ArrivalModel::Constant, ArrivalModel::Poisson] {
        let (_, report, accounts) = ping_pong(arrivals, 1_000);
        assert_eq!((report.sent, report.ended.as_str()), (1_000, "samples"));
        let account = &accounts[0].accounts[0];
        assert_eq!((account.received, account.missing, account.duplicated), (1_000, 0, 0));
        assert_eq!(accounts[0].corrupted, Some(0));
        assert_eq!(accounts[1].rows, 0, "nobody asked for stamps of pongs");
    }
}

#[test]
fn a_full_recorder_ends_the_measurement_and_says_so() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, report, accounts) = ping_pong(ArrivalModel::Closed, 0);
    assert_eq!((report.sent, report.ended.as_str()), (100_000, "recorder_full"));
    assert_eq!(accounts[0].rows, 100_000);
}

#[test]
fn a_stream_is_counted_at_both_ends_and_its_probes_recorded() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (_, report, accounts) = transmission(1_005);
    assert_eq!(report.sent, 1_005);
    let account = &accounts[1].accounts[0];
    assert_eq!((account.received, account.missing), (1_005, 0));
    // One in ten, at random; both ends record the same ones.
    assert_eq!(accounts[0].rows, accounts[1].rows);
    assert!((50..200).contains(&accounts[0].rows), "{}", accounts[0].rows);
    for side in &accounts {
        let [counted] = &side.intervals[..] else { panic!("one writer") };
        assert_eq!(counted.writer, 1);
        assert_eq!(counted.samples.iter().sum::<u64>(), 1_005);
        assert_eq!(counted.bytes.iter().sum::<u64>(), 1_005 * 64);
    }
}

#[test]
fn requests_in_a_closed_loop_allocate_nothing() {
    assert_same_allocations(|samples| requests(ArrivalModel::Closed, samples, 1, works(1, 1)).0);
}

#[test]
fn requests_at_a_rate_allocate_nothing() {
    assert_same_allocations(|samples| {
        requests(ArrivalModel::Poisson, samples, 4096, works(1, 1)).0
    });
}

#[test]
fn every_request_is_answered_once_in_any_order_and_by_any_thread() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for (arrivals, outstanding, how) in [
        (ArrivalModel::Closed, 1, works(1, 1)),
        (ArrivalModel::Closed, 8, works(1, 4)),
        (ArrivalModel::Closed, 8, works(3, 1)),
        (ArrivalModel::Constant, 4096, works(2, 8)),
    ] {
        let (_, report, accounts) = requests(arrivals, 1_000, outstanding, how);
        assert_eq!((report.sent, report.ended.as_str()), (1_000, "samples"));
        let account = &accounts[0].accounts[0];
        assert_eq!((account.received, account.missing, account.duplicated), (1_000, 0, 0));
        let of_client = accounts[0].requests.expect("a client's");
        assert_eq!((of_client.late, of_client.misrouted, of_client.refused), (0, 0, 0));
        assert!(of_client.available_ns.is_some() && !of_client.by_topics);
        let of_server = accounts[1].requests.expect("a server's");
        assert!(of_server.taken > 1_000 && of_server.answered == of_server.taken);
        assert_eq!((accounts[0].corrupted, accounts[1].corrupted), (Some(0), Some(0)));
    }
}

#[test]
fn a_request_that_takes_longer_than_its_time_out_is_unanswered_and_its_response_late() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let (service, wait) = ("service".to_owned(), Wait::Waitset);
    let stream = StreamSpec { wait, ..stream() };
    let slow = Service { work_ns: 30_000_000, ..works(1, 1) };
    let schedule =
        Schedule { warmup_ns: 0, timeout_ns: 10_000_000, ..schedule(ArrivalModel::Closed, 5) };
    let (_, report, accounts) = run(
        RoleSpec::Client {
            writer: 1,
            service: service.clone(),
            stream: stream.clone(),
            response_size: 8,
            outstanding: 1,
            schedule,
            interval_ns: 1_000_000,
        },
        RoleSpec::Server { writer: 2, service, stream, response_size: 8, works: slow },
    );
    let account = &accounts[0].accounts[0];
    assert_eq!((report.sent, account.received, account.missing), (5, 0, 5));
    let found = accounts[0].requests.expect("a client's");
    assert!((1..=5).contains(&found.late), "{found:?}");
}
