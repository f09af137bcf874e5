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
    let library = library("mqtt");
    for transport in ["tcp", "unix"] {
        let mut config = run_dir.participant(transport, &[]);
        let broker = secured(&config, Some(authority.identity("broker")));
        let (_server, address) = library.server(&broker).expect("a broker");
        config.settings.push(("server".into(), address));
        let of = |security| library.participant(&secured(&config, security));
        let here = of(Some(authority.identity("here"))).expect("a participant");
        let there = of(Some(authority.encrypted("there", "secret"))).expect("a participant");
        for wait in [Wait::Poll, Wait::Waitset] {
            let endpoint = endpoint(wait, Some(true));
            let reader = there.reader(&endpoint, None).expect("a reader");
            let mut sender = Sender::new(&here, &endpoint);
            matched(&sender.writer, &reader);
            for _ in 0..100 {
                sender.send().expect("written");
            }
            assert_eq!(receive(&reader, 100, PATIENCE), (0..100).collect::<Vec<_>>());
        }
        for other in [None, Some(stranger.identity("other"))] {
            let error = of(other).err().expect("refused");
            assert!(error.message.contains("connecting to the MQTT broker"), "{error}");
        }
    }
}

#[test]
fn a_broker_of_another_ca_or_a_plain_one_is_refused() {
    let (authority, stranger, run_dir) = (Authority::new(), Authority::new(), RunDir::new());
    let library = library("mqtt");
    for broker in [None, Some(stranger.identity("broker"))] {
        let mut config = run_dir.participant("tcp", &[]);
        let (_server, address) = library.server(&secured(&config, broker)).expect("a broker");
        config.settings.push(("server".into(), address));
        let config = secured(&config, Some(authority.identity("p")));
        assert!(library.participant(&config).is_err());
    }
}

#[test]
fn documents_that_cannot_be_used_are_refused_at_once() {
    let (authority, stranger, run_dir) = (Authority::new(), Authority::new(), RunDir::new());
    let library = library("mqtt");
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
    let config = secured(&config, Some(authority.encrypted("broker", "secret")));
    let error = library.server(&config).err().expect("refused");
    assert_eq!(error.status, Status::Unsupported, "{error}");
}

#[test]
fn a_body_is_not_readable_on_the_wire() {
    let (authority, run_dir) = (Authority::new(), RunDir::new());
    let library = library("mqtt");
    for (security, readable) in [(None, true), (Some(authority.identity("p")), false)] {
        let mut config = secured(&run_dir.participant("tcp", &[]), security);
        let (_server, address) = library.server(&config).expect("a server");
        let (address, heard) = wiretap(address);
        config.settings.push(("server".into(), address));
        let here = library.participant(&config).expect("a participant");
        let endpoint = endpoint(Wait::Poll, Some(true));
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
    }
}

#[test]
fn requests_travel_between_identities_of_the_ca() {
    let (authority, run_dir) = (Authority::new(), RunDir::new());
    let library = library("mqtt");
    let mut config = run_dir.participant("tcp", &[("nodelay", "true")]);
    let server = secured(&config, Some(authority.identity("broker")));
    let (server, address) = library.server(&server).expect("a server");
    config.settings.push(("server".into(), address));
    let config = secured(&config, Some(authority.identity("p")));
    for case in Case::by_wait(&library, &config, (server, authority, run_dir)) {
        services::a_request_is_answered(&case);
        services::bodies_of_every_size_arrive_bit_for_bit(&case);
        services::one_thread_sends_while_another_takes(&case);
    }
}
