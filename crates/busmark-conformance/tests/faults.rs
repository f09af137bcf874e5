//! What the reference adapter does on purpose is what its counters say, whatever is combined.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};

use busmark_adapter::{
    Counters, EndpointConfig, Header, Library, ParticipantConfig, Payload, Qos, ServiceHandle,
    Side, Status, Wait, fill_pattern, verify_pattern,
};

const COUNT: u64 = 2000;

/// A sample as the reader saw it.
struct Seen {
    seq: u64,
    intact: bool,
    /// From the writer's stamp to the reader's.
    age_ns: i64,
}

/// Sends [`COUNT`] samples with these options; what arrived and what was counted.
fn stream(transport: &str, settings: &[(&str, &str)]) -> (Vec<Seen>, Counters) {
    let run_dir = tempfile::tempdir().expect("a run directory");
    let library = Library::open(&common::adapter("reference")).expect("the adapter loads");
    let config = config(transport, run_dir.path(), settings);
    let participant = library.participant(&config).expect("a participant");
    let endpoint = endpoint();
    let reader = participant.reader(&endpoint, None).expect("a reader");
    let writer = participant.writer(&endpoint).expect("a writer");
    writer.connect(&reader.locator().expect("a locator")).expect("connected");
    let mut body = [0; 32];
    fill_pattern(Payload::Octet, &mut body);
    let mut sample = writer.sample(&body).expect("a sample");
    for seq in 0..COUNT {
        let header = Header { seq, writer_id: 5, ..Header::default() };
        writer.write(&mut sample, &header).expect("written");
    }
    writer.flush().expect("flushed");
    let counters = writer.counters();
    let expected =
        COUNT + counters.injected_duplicates.unwrap_or(0) - counters.injected_drops.unwrap_or(0);
    let begin = Instant::now();
    let mut seen = Vec::new();
    // One more look when all is there, for what should not be.
    while (seen.len() as u64) < expected && begin.elapsed() < Duration::from_secs(20) {
        match reader.wait(Duration::from_millis(100)) {
            Ok(()) | Err(Status::Timeout) => (),
            Err(status) => panic!("wait: {status}"),
        }
        let _ = reader.take(u32::MAX, &mut |r| {
            seen.push(Seen {
                seq: r.header.seq,
                intact: verify_pattern(Payload::Octet, r.body),
                age_ns: r.reception_ns - r.source_ns,
            });
        });
    }
    assert!(reader.wait(Duration::from_millis(50)).is_err(), "more arrived than was sent");
    (seen, counters)
}

fn endpoint() -> EndpointConfig {
    EndpointConfig {
        topic: "faults".to_owned(),
        payload: Payload::Octet,
        wait: Wait::Waitset,
        max_body_bytes: 32,
        qos: Qos { max_blocking_ns: 10_000_000_000, ..Qos::default() },
        instances: 0,
        filter_below: 0,
    }
}

fn config(transport: &str, run_dir: &Path, settings: &[(&str, &str)]) -> ParticipantConfig {
    ParticipantConfig {
        domain: 1,
        interface_name: "lo".to_owned(),
        interface_address: "127.0.0.1".to_owned(),
        transport: transport.to_owned(),
        profile: "default".to_owned(),
        run_dir: run_dir.to_string_lossy().into_owned(),
        settings: settings.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        security: None,
    }
}

const ALL: [(&str, &str); 5] =
    [("seed", "42"), ("drop", "0.1"), ("duplicate", "0.1"), ("reorder", "0.1"), ("corrupt", "0.1")];

#[test]
fn combined_faults_are_counted_exactly_on_every_transport() {
    for transport in ["memory", "pipe"] {
        let (seen, counters) = stream(transport, &ALL);
        let distinct: BTreeSet<u64> = seen.iter().map(|s| s.seq).collect();
        let corrupt: BTreeSet<u64> = seen.iter().filter(|s| !s.intact).map(|s| s.seq).collect();
        let descents = seen.windows(2).filter(|w| w[1].seq < w[0].seq).count() as u64;
        assert_eq!(counters.injected_drops, Some(COUNT - distinct.len() as u64));
        assert_eq!(counters.injected_duplicates, Some((seen.len() - distinct.len()) as u64));
        assert_eq!(counters.injected_corruptions, Some(corrupt.len() as u64));
        assert_eq!(counters.injected_reorders, Some(descents));
        assert_eq!(counters.injected_delays, Some(0));
        assert!(descents > 0 && !corrupt.is_empty() && distinct.len() < COUNT as usize);
    }
}

#[test]
fn the_same_seed_does_the_same_and_another_seed_something_else() {
    let order = |settings: &[(&str, &str)]| -> Vec<(u64, bool)> {
        stream("memory", settings).0.iter().map(|s| (s.seq, s.intact)).collect()
    };
    let first = order(&ALL);
    assert_eq!(first, order(&ALL));
    let mut other = ALL;
    other[0] = ("seed", "43");
    assert_ne!(first, order(&other));
}

#[test]
fn delayed_samples_are_counted_and_never_early() {
    let (seen, counters) = stream("memory", &[("delay_us", "20000")]);
    assert_eq!(seen.len() as u64, COUNT);
    assert_eq!(counters.injected_delays, Some(COUNT));
    // The stamps are of the settable clock; a millisecond covers its slewing.
    assert!(seen.iter().all(|s| s.age_ns >= 19_000_000), "a sample came before its delay was over");
    assert!(seen.is_sorted_by_key(|s| s.seq), "constant delays keep the order");
}

#[test]
fn a_held_back_last_sample_is_released_by_flush_and_is_no_reordering() {
    let (seen, counters) = stream("memory", &[("reorder", "1")]);
    assert_eq!(seen.len() as u64, COUNT);
    let descents = seen.windows(2).filter(|w| w[1].seq < w[0].seq).count() as u64;
    assert_eq!(counters.injected_reorders, Some(descents));
    assert_eq!(descents, COUNT / 2, "every second sample was held back");
}

/// Requests of each of two clients.
const REQUESTS: u64 = 500;
const CLIENTS: [u32; 2] = [3, 5];

/// The schedule as the adapter documents it: whether the draw of this kind is below `fraction`.
fn happens(kind: u64, fraction: f64, seed: u64, client: u32, seq: u64) -> bool {
    const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |state: u64| {
        let z = state.wrapping_add(GOLDEN);
        let z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let seeded = seed.wrapping_add(kind.wrapping_mul(GOLDEN));
    let draw = mix(mix(mix(seeded) ^ u64::from(client)) ^ seq);
    ((draw >> 11) as f64 / (1_u64 << 53) as f64) < fraction
}

/// A response as a client saw it: whose request it answers, and which.
type Answer = (u32, u64);

/// What came of [`REQUESTS`] requests of each client, all of which the server answers.
struct Served {
    /// Requests that reached the server.
    requests: BTreeSet<Answer>,
    /// How often each client was given each response.
    responses: BTreeMap<u32, BTreeMap<Answer, u64>>,
    /// The smallest age of a response, from the server's stamp to the client's.
    youngest_ns: i64,
}

fn answer_all(server: &ServiceHandle, requests: &mut BTreeSet<Answer>) {
    let mut sample = server.sample(&[1; 8]).expect("a sample");
    let mut taken = Vec::new();
    let _ = server.take(u32::MAX, &mut |r| taken.push((r.request, *r.header)));
    for (mut handle, header) in taken {
        assert!(requests.insert((header.writer_id, header.seq)), "a request came twice");
        let header = Header { writer_id: 9, flags: header.answer_flags(), ..header };
        server.send(&mut sample, &header, &mut handle).expect("answered");
    }
}

fn serve(transport: &str, settings: &[(&str, &str)]) -> Served {
    let run_dir = tempfile::tempdir().expect("a run directory");
    let library = Library::open(&common::adapter("reference")).expect("the adapter loads");
    let config = config(transport, run_dir.path(), settings);
    let participant = library.participant(&config).expect("a participant");
    let end = |side| participant.service(&endpoint(), side).expect("an end");
    let server = end(Side::Server);
    let clients = CLIENTS.map(|id| (id, end(Side::Client)));
    for (_, client) in &clients {
        client.connect(&server.locator().expect("a locator")).expect("connected");
    }
    let begin = Instant::now();
    while server.matched().expect("a count").count < 2 {
        assert!(begin.elapsed() < Duration::from_secs(20), "the server does not know its clients");
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut served =
        Served { requests: BTreeSet::new(), responses: BTreeMap::new(), youngest_ns: i64::MAX };
    for seq in 0..REQUESTS {
        for (id, client) in &clients {
            let header = Header { seq, writer_id: *id, ..Header::default() };
            let mut sample = client.sample(&[0; 8]).expect("a sample");
            client.send(&mut sample, &header, &mut 0).expect("asked");
        }
        answer_all(&server, &mut served.requests);
    }
    // Until nothing comes any more, at the server first.
    while server.wait(Duration::from_millis(100)).is_ok() {
        answer_all(&server, &mut served.requests);
    }
    for (id, client) in &clients {
        let own = served.responses.entry(*id).or_default();
        while client.wait(Duration::from_millis(100)).is_ok() {
            let _ = client.take(u32::MAX, &mut |r| {
                *own.entry((r.header.answers(), r.header.seq)).or_default() += 1;
                served.youngest_ns = served.youngest_ns.min(r.reception_ns - r.source_ns);
            });
        }
    }
    served
}

#[test]
fn faults_of_services_are_those_of_the_schedule_on_every_transport() {
    const SEED: u64 = 42;
    let settings = [
        ("seed", "42"),
        ("request_drop", "0.1"),
        ("response_drop", "0.1"),
        ("response_duplicate", "0.1"),
        ("response_misroute", "0.1"),
    ];
    let mut requests = BTreeSet::new();
    let mut responses: BTreeMap<u32, BTreeMap<Answer, u64>> = BTreeMap::new();
    let mut injected = [0_u64; 4];
    for (client, other) in CLIENTS.into_iter().zip(CLIENTS.into_iter().rev()) {
        for seq in 0..REQUESTS {
            let fate = [10, 11, 12, 13].map(|kind| happens(kind, 0.1, SEED, client, seq));
            let [lost, unanswered, twice, misrouted] = fate;
            injected[0] += u64::from(lost);
            if lost {
                continue;
            }
            requests.insert((client, seq));
            injected[1] += u64::from(unanswered);
            if unanswered {
                continue;
            }
            injected[2] += u64::from(twice);
            injected[3] += u64::from(misrouted);
            let to = responses.entry(if misrouted { other } else { client }).or_default();
            to.insert((client, seq), 1 + u64::from(twice));
        }
    }
    assert!(injected.iter().all(|count| *count > 50), "{injected:?} of {}", 2 * REQUESTS);
    for transport in ["memory", "pipe"] {
        let served = serve(transport, &settings);
        assert_eq!(served.requests, requests, "{transport}");
        assert_eq!(served.responses, responses, "{transport}");
    }
}

#[test]
fn delayed_responses_all_come_and_never_early() {
    let served = serve("memory", &[("delay_us", "20000"), ("max_samples", "4096")]);
    assert_eq!(served.requests.len() as u64, 2 * REQUESTS);
    for (client, own) in &served.responses {
        let once = own.iter().all(|((id, _), count)| id == client && *count == 1);
        assert!(once && own.len() as u64 == REQUESTS, "client {client}: {}", own.len());
    }
    assert!(served.youngest_ns >= 19_000_000, "a response came before its delay was over");
}

#[test]
fn what_is_misrouted_stays_where_there_is_one_client() {
    let run_dir = tempfile::tempdir().expect("a run directory");
    let library = Library::open(&common::adapter("reference")).expect("the adapter loads");
    let config = config("memory", run_dir.path(), &[("response_misroute", "1")]);
    let participant = library.participant(&config).expect("a participant");
    let server = participant.service(&endpoint(), Side::Server).expect("a server");
    let client = participant.service(&endpoint(), Side::Client).expect("a client");
    client.connect(&server.locator().expect("a locator")).expect("connected");
    let mut number = 0;
    let mut sample = client.sample(&[]).expect("a sample");
    client.send(&mut sample, &Header::default(), &mut number).expect("asked");
    answer_all(&server, &mut BTreeSet::new());
    let mut came = Vec::new();
    client.take(8, &mut |r| came.push(r.request)).expect("a response");
    assert_eq!(came, [number]);
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let run_dir = tempfile::tempdir().expect("a run directory");
    let library = Library::open(&common::adapter("reference")).expect("the adapter loads");
    for (key, value) in [
        ("drop", "1.5"),
        ("drop", "-0.1"),
        ("drop", "often"),
        ("request_drop", "2"),
        ("response_drop", "-1"),
        ("response_duplicate", "1.01"),
        ("response_misroute", "all"),
        ("seed", "x"),
        ("max_samples", "0"),
        ("delay_us", "-1"),
        ("delay_us", "inf"),
    ] {
        let refused = library.participant(&config("memory", run_dir.path(), &[(key, value)]));
        let error = refused.err().unwrap_or_else(|| panic!("{key}={value} was accepted"));
        assert_eq!(error.status, Status::Invalid);
        assert!(error.message.contains(key), "{}", error.message);
    }
    let odd = [("delay_us", "5"), ("delay_distribution", "lumpy")];
    assert!(library.participant(&config("memory", run_dir.path(), &odd)).is_err());
}
