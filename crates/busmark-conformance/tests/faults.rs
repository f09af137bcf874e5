//! What the reference adapter does on purpose is what its counters say, whatever is combined.

mod common;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use busmark_adapter::{
    Counters, EndpointConfig, Header, Library, ParticipantConfig, Payload, Qos, Status, Wait,
    fill_pattern, verify_pattern,
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
    let endpoint = EndpointConfig {
        topic: "faults".to_owned(),
        payload: Payload::Octet,
        wait: Wait::Waitset,
        max_body_bytes: 32,
        qos: Qos { max_blocking_ns: 10_000_000_000, ..Qos::default() },
        instances: 0,
        filter_below: 0,
    };
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

#[test]
fn options_that_make_no_sense_are_refused() {
    let run_dir = tempfile::tempdir().expect("a run directory");
    let library = Library::open(&common::adapter("reference")).expect("the adapter loads");
    for (key, value) in [
        ("drop", "1.5"),
        ("drop", "-0.1"),
        ("drop", "often"),
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
