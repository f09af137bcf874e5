//! What the contract does not ask: loans, processes that crash, and what is left in shared memory.

use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use busmark_adapter::testing::{
    Process, RunDir, WATCHDOG, all, body, eventually, library, matched, receive, write,
};
use busmark_adapter::{EndpointConfig, Header, ParticipantConfig, Payload, testing};

/// A domain by which this test's shared memory is known.
fn domain(offset: u32) -> u32 {
    1_000_000 + std::process::id() * 10 + offset
}

fn config(run_dir: &str, domain: u32, options: &[(&str, &str)]) -> ParticipantConfig {
    let run_dir = run_dir.to_owned();
    ParticipantConfig { run_dir, ..testing::participant(domain, "shm", options) }
}

fn endpoint(payload: Payload) -> EndpointConfig {
    EndpointConfig { payload, qos: all(), ..testing::endpoint("test", 100_000) }
}

/// Files in shared memory that belong to this domain.
fn shared_memory(domain: u32) -> Vec<String> {
    let ours = format!("_{domain}_");
    let entries = std::fs::read_dir("/dev/shm").into_iter().flatten().flatten();
    entries
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.contains(&ours))
        .collect()
}

/// Changes the first byte of `body` wherever it lies in this domain's shared memory; in how many places.
fn spoil(domain: u32, body: &[u8]) -> usize {
    let mut spoiled = 0;
    for name in shared_memory(domain) {
        let path = PathBuf::from("/dev/shm").join(name);
        let memory = std::fs::read(&path).expect("shared memory can be read");
        let file = std::fs::OpenOptions::new().write(true).open(&path).expect("and written");
        for (at, _) in memory.windows(body.len()).enumerate().filter(|(_, piece)| *piece == body) {
            file.write_all_at(&[!body[0]], at as u64).expect("one byte");
            spoiled += 1;
        }
    }
    spoiled
}

#[test]
fn a_loaned_body_is_not_copied_by_write() {
    let library = library("iceoryx2");
    let run_dir = RunDir::new();
    let path = run_dir.0.display().to_string();
    for (offset, loan) in ["copy", "in_place"].into_iter().enumerate() {
        let domain = domain(8 + offset as u32);
        let config = config(&path, domain, &[("loan", loan)]);
        let participant = library.participant(&config).expect("a participant");
        let endpoint = endpoint(Payload::Octet);
        let reader = participant.reader(&endpoint, None).expect("a reader");
        let writer = participant.writer(&endpoint).expect("a writer");
        matched(&writer, &reader);
        let body = body(Payload::Octet, 4096);
        let mut sample = writer.sample(&body).expect("a sample");
        let mut carry = |seq| {
            writer.write(&mut sample, &Header { seq, ..Header::default() }).expect("a write");
            receive(&reader).1
        };
        // Until every piece of memory that the writer uses in turn has held it.
        for seq in 0..200 {
            assert_eq!(carry(seq), body);
        }
        assert!(spoil(domain, &body) > 0, "the body lies in shared memory");
        let arrived = carry(200);
        assert_eq!(arrived[1..], body[1..]);
        assert_eq!(
            arrived[0] == body[0],
            loan == "copy",
            "{loan}: {} after it was changed",
            arrived[0]
        );
    }
}

#[test]
fn bodies_that_were_made_in_place_arrive_like_copied_ones() {
    let library = library("iceoryx2");
    let run_dir = RunDir::new();
    let path = run_dir.0.display().to_string();
    for (offset, loan) in ["copy", "in_place"].into_iter().enumerate() {
        let domain = domain(offset as u32);
        {
            let config = config(&path, domain, &[("loan", loan)]);
            let participant = library.participant(&config).expect("a participant");
            let endpoint = endpoint(Payload::Octet);
            let reader = participant.reader(&endpoint, None).expect("a reader");
            let writer = participant.writer(&endpoint).expect("a writer");
            matched(&writer, &reader);
            let bodies: Vec<Vec<u8>> =
                [3, 100_000, 0].map(|bytes| vec![bytes as u8 | 1; bytes]).to_vec();
            let mut samples: Vec<_> =
                bodies.iter().map(|body| writer.sample(body).expect("a sample")).collect();
            for seq in 0..50_u64 {
                // Now one sample, now another in the same memory; several on their way at times.
                let which = (seq / 2 % 3) as usize;
                let header = Header { seq, ..Header::default() };
                writer.write(&mut samples[which], &header).expect("a write");
                if seq % 5 == 4 {
                    for seq in seq - 4..=seq {
                        let expected = &bodies[(seq / 2 % 3) as usize];
                        assert!(receive(&reader) == (seq, expected.clone()), "{loan} {seq}");
                    }
                }
            }
        }
        assert_eq!(shared_memory(domain), Vec::<String>::new(), "left in shared memory");
    }
    assert_eq!(run_dir.files(), 0, "left in the folder");
}

const CHILD: &str = "BUSMARK_TEST_RUN_DIR";

#[test]
fn a_process_that_crashed_is_no_longer_counted() {
    let library = library("iceoryx2");
    let body = body(Payload::Octet, 1000);
    if let Ok(task) = std::env::var(CHILD) {
        // The second process: writes one sample and waits for its end.
        let (domain, path) = task.split_once(' ').expect("a domain and a folder");
        let config = config(path, domain.parse().expect("a number"), &[]);
        let participant = library.participant(&config).expect("a participant");
        let writer = participant.writer(&endpoint(Payload::Octet)).expect("a writer");
        eventually("a match", || writer.matched() == Ok(1));
        write(&writer, &body, 0..1);
        std::thread::sleep(WATCHDOG);
        return;
    }
    let run_dir = RunDir::new();
    let path = run_dir.0.display().to_string();
    let domain = domain(5);
    {
        let participant = library.participant(&config(&path, domain, &[])).expect("a participant");
        let reader = participant.reader(&endpoint(Payload::Octet), None).expect("a reader");
        let name = "a_process_that_crashed_is_no_longer_counted";
        let child = Process::of_test(name, CHILD, &format!("{domain} {path}"));
        assert!(receive(&reader) == (0, body));
        assert_eq!(reader.matched(), Ok(1));
        drop(child);
        eventually("nobody", || reader.matched() == Ok(0));
    }
    assert_eq!(shared_memory(domain), Vec::<String>::new(), "left in shared memory");
}
