//! The security profile `tls` (clause C38).

use std::sync::Once;

use busmark_adapter::testing::{RunDir, all, body, connect, eventually, library, receive, wiretap};
use busmark_adapter::{
    EndpointConfig, Library, ParticipantConfig, ParticipantHandle, Payload, Security, Status,
    testing,
};
use busmark_tls::testing::Authority;

fn secured(config: &ParticipantConfig, security: Option<Security>) -> ParticipantConfig {
    ParticipantConfig { security: security.map(Box::new), ..config.clone() }
}

fn endpoint() -> EndpointConfig {
    EndpointConfig { qos: all(), ..testing::endpoint("test", 100_000) }
}

/// The adapter in a process whose first session is secured: that decides how its threads run.
fn zenoh() -> Library {
    static FIRST: Once = Once::new();
    let library = library("zenoh");
    FIRST.call_once(|| {
        let (authority, run_dir) = (Authority::new(), RunDir::new());
        let config = run_dir.participant("tcp", &[]);
        let security = Some(authority.identity("first"));
        drop(library.participant(&secured(&config, security)).expect("a participant"));
    });
    library
}

#[test]
fn samples_travel_between_identities_of_the_ca() {
    let (library, authority, run_dir) = (zenoh(), Authority::new(), RunDir::new());
    for options in [&[][..], &[("send_buffer_bytes", "65536")], &[("batch_size", "1024")]] {
        let config = run_dir.participant("tcp", options);
        let of = |security| library.participant(&secured(&config, Some(security)));
        let here = of(authority.identity("here")).expect("a participant");
        let there = of(authority.encrypted("there", "secret")).expect("a participant");
        let reader = there.reader(&endpoint(), None).expect("a reader");
        let writer = here.writer(&endpoint()).expect("a writer");
        connect(&writer, &reader);
        for (seq, bytes) in [0, 1, 1024, 100_000].into_iter().enumerate() {
            let (seq, body) = (seq as u64, body(Payload::Octet, bytes));
            testing::write(&writer, &body, seq..seq + 1);
            assert!(receive(&reader) == (seq, body), "{options:?} {bytes}");
        }
    }
    assert_eq!(run_dir.files(), 0, "left behind");
}

/// Both sides of a connection are busy from its first moment on. In versions of zenoh that read and
/// write a connection of TLS on two threads, one connection in a hundred broke.
#[test]
fn many_connections_hold() {
    let (library, authority, run_dir) = (zenoh(), Authority::new(), RunDir::new());
    let config = run_dir.participant("tcp", &[]);
    let (here, there) = (authority.identity("here"), authority.identity("there"));
    for _ in 0..300 {
        let of = |security: &Security| {
            library.participant(&secured(&config, Some(security.clone()))).expect("a participant")
        };
        let (here, there) = (of(&here), of(&there));
        let reader = there.reader(&endpoint(), None).expect("a reader");
        connect(&here.writer(&endpoint()).expect("a writer"), &reader);
    }
}

/// A session trusts the authority that it was given and nobody else, on either side of a connection.
#[test]
fn nobody_else_gets_in() {
    let (library, run_dir) = (zenoh(), RunDir::new());
    let (authority, other) = (Authority::new(), Authority::new());
    let config = run_dir.participant("tcp", &[]);
    let of = |security| library.participant(&secured(&config, security)).expect("a participant");
    let ours = of(Some(authority.identity("ours")));
    let refused = |from: &ParticipantHandle, to: &ParticipantHandle| {
        let reader = to.reader(&endpoint(), None).expect("a reader");
        let writer = from.writer(&endpoint()).expect("a writer");
        let error = writer.connect(&reader.locator().expect("a locator")).err();
        assert_eq!(error.map(|error| error.status), Some(Status::Unavailable));
        assert_eq!(writer.matched().ok().zip(reader.matched().ok()), Some((0, 0)));
    };
    for stranger in [of(None), of(Some(other.identity("stranger")))] {
        refused(&stranger, &ours);
        refused(&ours, &stranger);
    }
    // Who belongs to it is served as before.
    let friend = of(Some(authority.identity("friend")));
    let reader = ours.reader(&endpoint(), None).expect("a reader");
    connect(&friend.writer(&endpoint()).expect("a writer"), &reader);
}

/// Zenoh trusts the authorities of the web, too, unless they are taken out of what it is built of.
#[test]
fn no_authority_of_the_web_is_built_in() {
    assert!(webpki_roots::TLS_SERVER_ROOTS.is_empty());
}

#[test]
fn documents_that_cannot_be_used_are_refused_at_once() {
    let (library, run_dir) = (zenoh(), RunDir::new());
    let (authority, stranger) = (Authority::new(), Authority::new());
    let good = authority.identity("p");
    let cases = [
        (Security { certificate: authority.path("missing"), ..good.clone() }, "missing"),
        (Security { identity_ca: authority.path("missing"), ..good.clone() }, "missing"),
        (Security { password: "guess".into(), ..authority.encrypted("q", "secret") }, "q.key"),
        (Security { identity_ca: good.identity_ca.clone(), ..stranger.identity("f") }, "f.pem"),
        (authority.expired("old"), "old.pem"),
    ];
    for (security, file) in cases {
        let config = secured(&run_dir.participant("tcp", &[]), Some(security));
        let error = library.participant(&config).err().expect("refused");
        assert_eq!(error.status, Status::Invalid, "{error}");
        assert!(error.message.contains(file) && !error.message.contains("guess"), "{error}");
    }
    let unix = secured(&run_dir.participant("unix", &[]), Some(good.clone()));
    let six = ParticipantConfig {
        interface_address: "::1".into(),
        ..secured(&run_dir.participant("tcp", &[]), Some(good))
    };
    for config in [unix, six] {
        let error = library.participant(&config).err().expect("refused");
        assert_eq!(error.status, Status::Unsupported, "{error}");
    }
}

/// Zenoh's own errors name the place with its configuration, of which the key is a part.
#[test]
fn an_error_says_nothing_of_the_key() {
    let (library, authority, run_dir) = (zenoh(), Authority::new(), RunDir::new());
    // No interface of this machine has it (RFC 5737).
    let config = ParticipantConfig {
        interface_address: "192.0.2.1".into(),
        ..secured(&run_dir.participant("tcp", &[]), Some(authority.identity("p")))
    };
    let error = library.participant(&config).err().expect("refused");
    assert!(!error.message.contains("private_key") && error.message.len() < 500, "{error}");
}

#[test]
fn a_body_is_not_readable_on_the_wire() {
    let (library, authority, run_dir) = (zenoh(), Authority::new(), RunDir::new());
    for (security, readable) in [(None, true), (Some(authority.identity("p")), false)] {
        let config = secured(&run_dir.participant("tcp", &[]), security);
        let here = library.participant(&config).expect("a participant");
        let there = library.participant(&config).expect("a participant");
        let reader = there.reader(&endpoint(), None).expect("a reader");
        let writer = here.writer(&endpoint()).expect("a writer");
        let locator = reader.locator().expect("a locator");
        let place = locator.split(['|', '/']).nth(3).expect("an address").to_owned();
        let (tapped, heard) = wiretap(place.clone());
        writer.connect(&locator.replace(&place, &tapped)).expect("connected");
        eventually("a reader", || writer.matched() == Ok(1));
        let body = body(Payload::Octet, 100);
        testing::write(&writer, &body, 0..1);
        assert!(receive(&reader) == (0, body.clone()));
        let heard = heard.lock().expect("a lock");
        assert_eq!(heard.windows(body.len()).any(|bytes| bytes == body), readable);
    }
}
