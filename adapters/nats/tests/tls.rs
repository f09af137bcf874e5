//! The security profile `tls` (clause C38).

use std::time::Duration;

use busmark_adapter::testing::RunDir;
use busmark_adapter::testing::services::{self, Case};
use busmark_adapter::{ParticipantConfig, Security, Status, Wait};
use busmark_server::testing::{Sender, endpoint, library, matched, receive};
use busmark_tls::testing::{Authority, wiretap};

const PATIENCE: Duration = Duration::from_secs(20);

fn secured(config: &ParticipantConfig, security: Option<Security>) -> ParticipantConfig {
    ParticipantConfig { security: security.map(Box::new), ..config.clone() }
}

#[test]
fn samples_travel_between_identities_of_the_ca_and_nobody_else_gets_in() {
    let (authority, stranger, run_dir) = (Authority::new(), Authority::new(), RunDir::new());
    let library = library("nats");
    for server in [
        authority.identity("a server"),
        authority.at_address("b", "127.0.0.1"),
        authority.at_host("c", "server.example"),
    ] {
        let mut config = run_dir.participant("tcp", &[]);
        let (_server, address) = library.server(&secured(&config, Some(server))).expect("a server");
        config.settings.push(("server".into(), address.clone()));
        let of = |security| library.participant(&secured(&config, security));
        let here = of(Some(authority.identity("here"))).expect("a participant");
        let there = of(Some(authority.encrypted("there", "secret"))).expect("a participant");
        for wait in [Wait::Poll, Wait::Waitset] {
            let endpoint = endpoint(wait, None);
            let reader = there.reader(&endpoint, None).expect("a reader");
            let mut sender = Sender::new(&here, &endpoint);
            matched(&sender.writer, &reader);
            for _ in 0..100 {
                sender.send().expect("written");
            }
            assert_eq!(receive(&reader, 100, PATIENCE), (0..100).collect::<Vec<_>>());
        }
        let error = of(Some(stranger.identity("other"))).err().expect("refused");
        assert_eq!(error.status, Status::Unavailable, "{error}");
        // A plain client knows no name.
        let (place, _) = address.split_once('/').expect("a name");
        let plain = run_dir.participant("tcp", &[("server", place)]);
        let error = library.participant(&plain).err().expect("refused");
        assert_eq!(error.status, Status::Unavailable, "{error}");
    }
}

#[test]
fn a_server_of_another_ca_or_name_or_a_plain_one_is_refused() {
    let (authority, stranger, run_dir) = (Authority::new(), Authority::new(), RunDir::new());
    let library = library("nats");
    let client = || Some(authority.identity("p"));
    for server in [None, Some(stranger.identity("server")), Some(authority.identity("server"))] {
        let config = run_dir.participant("tcp", &[]);
        let is_good = server
            .as_ref()
            .is_some_and(|server| server.identity_ca == authority.identity("server").identity_ca);
        let (_server, address) = library.server(&secured(&config, server)).expect("a server");
        let (place, _) = address.split_once('/').unwrap_or((&address, ""));
        for (name, is_welcome) in [("server", is_good), ("another", false)] {
            let place = format!("{place}/{name}");
            let config = secured(&run_dir.participant("tcp", &[("server", &place)]), client());
            let outcome = library.participant(&config);
            assert_eq!(outcome.is_ok(), is_welcome, "{place} {:?}", outcome.err());
        }
    }
}

#[test]
fn documents_that_cannot_be_used_are_refused_at_once() {
    let (authority, stranger, run_dir) = (Authority::new(), Authority::new(), RunDir::new());
    let library = library("nats");
    let mut config = run_dir.participant("tcp", &[]);
    let good = authority.identity("p");
    let cases = [
        (Security { certificate: authority.path("missing"), ..good.clone() }, "missing"),
        (Security { password: "guess".into(), ..authority.encrypted("q", "secret") }, "q.key"),
        (Security { identity_ca: good.identity_ca, ..stranger.identity("f") }, "f.pem"),
        (authority.expired("old"), "old.pem"),
    ];
    config.settings.push(("server".into(), "127.0.0.1:1".into()));
    for (security, file) in cases {
        let config = secured(&config, Some(security));
        for error in [library.participant(&config).err(), library.server(&config).err()] {
            let error = error.expect("refused");
            assert_eq!(error.status, Status::Invalid, "{error}");
            assert!(error.message.contains(file) && !error.message.contains("guess"), "{error}");
        }
    }
    let config = secured(&config, Some(authority.encrypted("server", "secret")));
    let error = library.server(&config).err().expect("refused");
    assert_eq!(error.status, Status::Unsupported, "{error}");
}

/// Cipher suites in the first `ClientHello` (RFC 8446, 4.1.2): of TLS 1.3, and one that says that
/// nothing is negotiated again.
fn offered(heard: &[u8]) -> Vec<u16> {
    let is_hello = |bytes: &[u8]| matches!(bytes, [0x16, 3, 1, _, _, 1, 0, ..]);
    let start = (0..heard.len()).find(|at| is_hello(&heard[*at..])).expect("a ClientHello");
    // After headers, version and random number comes the session.
    let session = start + 9 + 2 + 32;
    let suites = session + 1 + usize::from(heard[session]);
    let bytes = usize::from(u16::from_be_bytes([heard[suites], heard[suites + 1]]));
    let suites = &heard[suites + 2..][..bytes];
    suites.chunks_exact(2).map(|suite| u16::from_be_bytes([suite[0], suite[1]])).collect()
}

#[test]
fn a_body_is_not_readable_on_the_wire() {
    let (authority, run_dir) = (Authority::new(), RunDir::new());
    let library = library("nats");
    for (security, readable) in [(None, true), (Some(authority.identity("p")), false)] {
        let mut config = secured(&run_dir.participant("tcp", &[]), security);
        let (_server, address) = library.server(&config).expect("a server");
        let (address, name) = address.split_once('/').unwrap_or((&address, ""));
        let (address, heard) = wiretap(address.to_owned());
        let server = if name.is_empty() { address } else { format!("{address}/{name}") };
        config.settings.push(("server".into(), server));
        let here = library.participant(&config).expect("a participant");
        let endpoint = endpoint(Wait::Poll, None);
        let reader = here.reader(&endpoint, None).expect("a reader");
        let mut sender = Sender::new(&here, &endpoint);
        matched(&sender.writer, &reader);
        for _ in 0..5 {
            sender.send().expect("written");
        }
        assert_eq!(receive(&reader, 5, PATIENCE).len(), 5);
        let heard = heard.lock().expect("a lock");
        // The header is zero but for its number, and the body follows it.
        let pattern = b"\0\0\0\0\0\0\0\0body";
        let found = heard.windows(pattern.len()).any(|bytes| bytes == pattern);
        assert_eq!(found, readable);
        // Extension supported_versions (RFC 8446, 4.2.1): the server has chosen 1.3.
        let chosen = b"\0\x2b\0\x02\x03\x04";
        assert_eq!(heard.windows(chosen.len()).any(|bytes| bytes == chosen), !readable);
        if !readable {
            assert_eq!(offered(&heard), [0x1302, 0x1303, 0x1301, 0x00ff]);
        }
    }
}

#[test]
fn requests_travel_between_identities_of_the_ca() {
    let (authority, run_dir) = (Authority::new(), RunDir::new());
    let library = library("nats");
    let mut config = run_dir.participant("tcp", &[("send_asap", "true")]);
    let server = secured(&config, Some(authority.identity("a server")));
    let (server, address) = library.server(&server).expect("a server");
    config.settings.push(("server".into(), address));
    let config = secured(&config, Some(authority.identity("p")));
    for case in Case::by_wait(&library, &config, (server, authority, run_dir)) {
        services::a_request_is_answered(&case);
        services::bodies_of_every_size_arrive_bit_for_bit(&case);
        services::one_thread_sends_while_another_takes(&case);
    }
}
