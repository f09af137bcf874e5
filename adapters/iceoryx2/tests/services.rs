//! Services as the contract has them, over both transports.

use std::time::Duration;

use busmark_adapter::testing::services::Case;
use busmark_adapter::testing::{
    Process, RunDir, WATCHDOG, endpoint, eventually, library, participant,
};
use busmark_adapter::{
    EndpointConfig, Header, ParticipantConfig, ServiceHandle, Side, Status, Wait,
};

/// A domain by which this test's shared memory is known; the other tests take numbers below a million
/// numbers further on.
fn domain() -> u32 {
    100_000_000 + std::process::id()
}

fn config(run_dir: &str, domain: u32, transport: &str) -> ParticipantConfig {
    let run_dir = run_dir.to_owned();
    ParticipantConfig { run_dir, ..participant(domain, transport, &[]) }
}

fn cases() -> Vec<Case> {
    let library = library("iceoryx2");
    let of = |transport| {
        let run_dir = RunDir::new();
        let config = config(&run_dir.0.display().to_string(), domain(), transport);
        Case::by_wait(&library, &config, run_dir)
    };
    ["shm", "local"].into_iter().flat_map(of).collect()
}

busmark_adapter::service_tests!(cases);

fn service(topic: &str, wait: Wait) -> EndpointConfig {
    EndpointConfig { wait, ..endpoint(topic, 1000) }
}

fn ask(client: &ServiceHandle, seq: u64) -> Result<u64, Status> {
    let mut number = 0;
    let mut sample = client.sample(&[7; 1000]).expect("a request");
    client.send(&mut sample, &Header { seq, ..Header::default() }, &mut number)?;
    Ok(number)
}

/// Number or handle, and `seq`, of the next one.
fn taken(end: &ServiceHandle, wait: Wait) -> (u64, u64) {
    let mut found = None;
    eventually("something is there", || {
        if wait == Wait::Waitset {
            let _ = end.wait(Duration::from_millis(50));
        }
        let _ = end.take(1, &mut |r| {
            assert_eq!(r.body, [7; 1000]);
            found = Some((r.request, r.header.seq));
        });
        found.is_some()
    });
    found.expect("one was found")
}

fn respond(server: &ServiceHandle, (mut handle, seq): (u64, u64)) {
    let mut sample = server.sample(&[7; 1000]).expect("a response");
    let header = Header { seq, ..Header::default() };
    server.send(&mut sample, &header, &mut handle).expect("answered");
}

/// Clients that sleep and clients that do not, at servers that sleep and that do not.
#[test]
fn ends_wait_as_each_likes() {
    let run_dir = RunDir::new();
    let library = library("iceoryx2");
    let path = run_dir.0.display().to_string();
    let waits = [Wait::Waitset, Wait::Poll];
    for serves in waits {
        let here = library.participant(&config(&path, domain(), "shm")).expect("a participant");
        let server = here.service(&service("mixed", serves), Side::Server).expect("a server");
        let clients = [waits, waits].concat();
        let clients: Vec<_> = clients
            .into_iter()
            .map(|wait| {
                let client = here.service(&service("mixed", wait), Side::Client);
                (client.expect("a client"), wait)
            })
            .collect();
        for seq in 0..20 {
            for (client, wait) in &clients {
                let number = ask(client, seq).expect("sent");
                respond(&server, taken(&server, serves));
                assert_eq!(taken(client, *wait), (number, seq));
            }
        }
        // One that sleeps is not woken by what is not its own.
        let (asleep, _) = &clients[0];
        let (awake, wait) = &clients[2];
        let number = ask(awake, 0).expect("sent");
        respond(&server, taken(&server, serves));
        assert_eq!(asleep.wait(Duration::from_millis(1)), Err(Status::Timeout));
        assert_eq!(taken(awake, *wait), (number, 0));
    }
}

#[test]
fn a_second_server_of_one_name_is_refused() {
    let run_dir = RunDir::new();
    let path = run_dir.0.display().to_string();
    let here = library("iceoryx2").participant(&config(&path, domain(), "shm"));
    let here = here.expect("a participant");
    let service = service("only", Wait::Poll);
    let first = here.service(&service, Side::Server).expect("a server");
    let error = here.service(&service, Side::Server).err().expect("an error");
    assert!(error.message.contains("ExceedsMaxSupportedServers"), "{error}");
    drop(first);
    here.service(&service, Side::Server).expect("a server again");
}

const CHILD: &str = "BUSMARK_TEST_SERVER";

#[test]
fn a_server_that_crashed_is_followed_by_another() {
    let library = library("iceoryx2");
    let service = service("crash", Wait::Waitset);
    if let Ok(task) = std::env::var(CHILD) {
        // The second process: answers one request, takes another and waits for its end.
        let (domain, path) = task.split_once(' ').expect("a domain and a folder");
        let config = config(path, domain.parse().expect("a number"), "shm");
        let participant = library.participant(&config).expect("a participant");
        let server = participant.service(&service, Side::Server).expect("a server");
        respond(&server, taken(&server, Wait::Waitset));
        taken(&server, Wait::Waitset);
        std::thread::sleep(WATCHDOG);
        return;
    }
    let run_dir = RunDir::new();
    let path = run_dir.0.display().to_string();
    // Known by its number among the domains.
    let domain = domain() + 1_000_000_000;
    {
        let participant = library.participant(&config(&path, domain, "shm")).expect("one");
        let client = participant.service(&service, Side::Client).expect("a client");
        let count = || client.matched().map(|servers| servers.count);
        assert_eq!(count(), Ok(0));
        let name = "a_server_that_crashed_is_followed_by_another";
        let child = Process::of_test(name, CHILD, &format!("{domain} {path}"));
        eventually("a server", || count() == Ok(1));
        let number = ask(&client, 1).expect("sent");
        assert_eq!(taken(&client, Wait::Waitset), (number, 1));
        let lost = ask(&client, 2).expect("sent");
        drop(child);
        eventually("no server", || count() == Ok(0));
        let server = participant.service(&service, Side::Server).expect("a server");
        eventually("a server", || count() == Ok(1));
        let number = ask(&client, 3).expect("sent");
        respond(&server, taken(&server, Wait::Waitset));
        assert_eq!(taken(&client, Wait::Waitset), (number, 3));
        assert_eq!(client.forget(lost), Ok(()));
    }
    let ours = format!("_{domain}_");
    let left = std::fs::read_dir("/dev/shm").expect("shared memory").flatten();
    let left = left.filter(|file| file.file_name().to_string_lossy().contains(&ours)).count();
    assert_eq!(left, 0, "left in shared memory");
}
