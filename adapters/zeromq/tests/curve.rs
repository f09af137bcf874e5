//! The security profile `curve` (clause C38).

use std::ffi::{CString, c_char};

use busmark_adapter::testing::services::{self, Case};
use busmark_adapter::testing::{RunDir, all, body, eventually, probed, receive, wiretap};
use busmark_adapter::{
    EndpointConfig, Library, ParticipantConfig, ParticipantHandle, Payload, Result, Security, Side,
    Status, testing,
};

/// A pair of keys, as libzmq makes it: public, secret.
fn pair() -> [String; 2] {
    type Keypair = unsafe extern "C" fn(*mut c_char, *mut c_char) -> i32;
    // SAFETY: constants only are set up; zmq.h declares the function so.
    let library = unsafe { libloading::Library::new("libzmq.so.5") }.expect("libzmq");
    let mut keys = [[0; 41]; 2];
    let [public, secret] = &mut keys;
    // SAFETY: both buffers have 41 characters, as the function wants.
    unsafe {
        let keypair = library.get::<Keypair>(b"zmq_curve_keypair\0").expect("zmq_curve_keypair");
        assert_eq!(keypair(public.as_mut_ptr(), secret.as_mut_ptr()), 0);
    }
    keys.map(|key| {
        let text = key.map(i8::cast_unsigned);
        CString::from_vec_with_nul(text.to_vec()).expect("a text").into_string().expect("Z85")
    })
}

/// Participants, who accept each other, in a folder of their own.
struct Circle(RunDir);

impl Circle {
    fn new() -> Self {
        let circle = Self(RunDir::new());
        circle.write("allowed", "# nobody yet\n");
        circle
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.0.join(name);
        std::fs::write(&path, text).expect("written");
        path.display().to_string()
    }

    fn allow(&self, public: &str) {
        let path = self.0.0.join("allowed");
        let before = std::fs::read_to_string(&path).expect("a list");
        self.write("allowed", &format!("{before}\n# one more\n{public}\n"));
    }

    /// One whom all that come later accept.
    fn member(&self, name: &str) -> Security {
        let [public, secret] = pair();
        self.allow(&public);
        Security {
            profile: "curve".into(),
            identity_ca: self.0.0.join("allowed").display().to_string(),
            certificate: self.write(&format!("{name}.public"), &format!("{public}\n")),
            private_key: self.write(&format!("{name}.secret"), &format!("{secret}\n")),
            ..Security::default()
        }
    }
}

const BINDS: [&str; 2] = ["reader", "writer"];

fn participant(
    library: &Library,
    config: &ParticipantConfig,
    security: Option<&Security>,
) -> Result<ParticipantHandle> {
    let security = security.cloned().map(Box::new);
    library.participant(&ParticipantConfig { security, ..config.clone() })
}

fn endpoint() -> EndpointConfig {
    EndpointConfig { qos: all(), ..testing::endpoint("test", 5000) }
}

#[test]
fn samples_travel_between_keys_of_the_list() {
    let Some(library) = probed("zeromq") else { return };
    let (circle, run_dir) = (Circle::new(), RunDir::new());
    let members = ["one", "two"].map(|name| circle.member(name));
    for transport in ["tcp", "ipc"] {
        for bind in BINDS {
            for settings in
                [vec![("bind", bind)], vec![("bind", bind), ("zero_copy_from_bytes", "64")]]
            {
                let config = run_dir.participant(transport, &settings);
                let [here, there] = members
                    .each_ref()
                    .map(|m| participant(&library, &config, Some(m)).expect("a participant"));
                let endpoint = endpoint();
                let reader = there.reader(&endpoint, None).expect("a reader");
                let writer = here.writer(&endpoint).expect("a writer");
                join(&writer, &reader, bind).expect("connected");
                eventually("one of each", || {
                    writer.matched() == Ok(1) && reader.matched() == Ok(1)
                });
                for (seq, bytes) in [0, 1, 100, 5000].into_iter().enumerate() {
                    let body = body(Payload::Octet, bytes);
                    let seq = seq as u64;
                    testing::write(&writer, &body, seq..seq + 1);
                    assert!(receive(&reader) == (seq, body), "{transport} {bind} {bytes}");
                }
            }
        }
    }
    assert_eq!(run_dir.files(), 0, "left behind");
}

fn join(
    writer: &busmark_adapter::WriterHandle,
    reader: &busmark_adapter::ReaderHandle,
    bind: &str,
) -> Result<()> {
    if bind == "reader" {
        writer.connect(&reader.locator().expect("a locator"))
    } else {
        reader.connect(&writer.locator().expect("a locator"))
    }
}

/// The locator with another key, or none.
fn with_key(locator: &str, key: Option<&str>) -> String {
    let rest = locator.strip_prefix("curve=").and_then(|rest| rest.split_once('|'));
    let (_, rest) = rest.expect("a key in the locator");
    key.map_or_else(|| rest.to_owned(), |key| format!("curve={key}|{rest}"))
}

fn public(security: &Security) -> String {
    std::fs::read_to_string(&security.certificate).expect("a key").trim().to_owned()
}

/// Whoever is not in the list of the side that binds, or has no keys: nobody gets a sample, and members of the
/// list are served as before.
#[test]
fn who_is_not_in_the_list_is_refused_by_who_binds() {
    let Some(library) = probed("zeromq") else { return };
    for bind in BINDS {
        let (circle, strangers, run_dir) = (Circle::new(), Circle::new(), RunDir::new());
        let [one, two] = ["one", "two"].map(|name| circle.member(name));
        let stranger = strangers.member("stranger");
        // The stranger would accept the others.
        for member in [&one, &two] {
            strangers.allow(&public(member));
        }
        let config = run_dir.participant("tcp", &[("bind", bind)]);
        let of = |security| participant(&library, &config, security).expect("a participant");
        let [binds, good, bad, plain] =
            [of(Some(&one)), of(Some(&two)), of(Some(&stranger)), of(None)];
        let endpoint = endpoint();
        let connects = |here: &ParticipantHandle, locator: &str| {
            let outcome = if bind == "reader" {
                here.writer(&endpoint).expect("a writer").connect(locator)
            } else {
                here.reader(&endpoint, None).expect("a reader").connect(locator)
            };
            outcome.map_err(|error| error.status)
        };
        let (mut writer, mut reader) = (None, None);
        let locator = if bind == "reader" {
            reader.insert(binds.reader(&endpoint, None).expect("a reader")).locator()
        } else {
            writer.insert(binds.writer(&endpoint).expect("a writer")).locator()
        };
        let locator = locator.expect("a locator");
        let matched = || match (&reader, &writer) {
            (Some(reader), _) => reader.matched(),
            (_, Some(writer)) => writer.matched(),
            _ => Ok(0),
        };
        assert_eq!(connects(&bad, &locator), Err(Status::Unavailable), "{bind}");
        assert_eq!(connects(&plain, &locator), Err(Status::Invalid), "{bind}");
        let without = with_key(&locator, None);
        assert_eq!(connects(&plain, &without), Err(Status::Unavailable), "{bind}");
        assert_eq!(connects(&good, &without), Err(Status::Invalid), "{bind}");
        let key = pair()[0].clone();
        let unknown = with_key(&locator, Some(&key));
        assert_eq!(connects(&good, &unknown), Err(Status::Invalid), "{bind}");
        eventually("nobody", || matched() == Ok(0));
        // The counts have not been confused by who was refused.
        for seq in 0..2 {
            let body = body(Payload::Octet, 100);
            if let Some(reader) = &reader {
                let writer = good.writer(&endpoint).expect("a writer");
                writer.connect(&locator).expect("connected");
                eventually("a writer", || matched() == Ok(1));
                testing::write(&writer, &body, seq..seq + 1);
                assert!(receive(reader) == (seq, body));
            } else if let Some(writer) = &writer {
                let reader = good.reader(&endpoint, None).expect("a reader");
                reader.connect(&locator).expect("connected");
                eventually("a reader", || matched() == Ok(1));
                testing::write(writer, &body, seq..seq + 1);
                assert!(receive(&reader) == (seq, body));
            }
            eventually("nobody is left", || matched() == Ok(0));
        }
    }
}

/// Who has a member's public key, and not its secret key.
#[test]
fn a_side_that_binds_under_another_ones_key_is_refused() {
    let Some(library) = probed("zeromq") else { return };
    let (circle, strangers, run_dir) = (Circle::new(), Circle::new(), RunDir::new());
    let [one, two] = ["one", "two"].map(|name| circle.member(name));
    let stranger = strangers.member("stranger");
    strangers.allow(&public(&one));
    let config = run_dir.participant("tcp", &[]);
    let of = |security| participant(&library, &config, Some(security)).expect("a participant");
    let (here, there) = (of(&one), of(&stranger));
    let endpoint = endpoint();
    let writer = here.writer(&endpoint).expect("a writer");
    let reader = there.reader(&endpoint, None).expect("a reader");
    let locator = with_key(&reader.locator().expect("a locator"), Some(&public(&two)));
    let outcome = writer.connect(&locator).map_err(|error| error.status);
    assert_eq!(outcome, Err(Status::Unavailable));
    assert_eq!(writer.matched(), Ok(0));
}

#[test]
fn keys_that_cannot_be_used_are_refused_at_once() {
    let Some(library) = probed("zeromq") else { return };
    let (circle, run_dir) = (Circle::new(), RunDir::new());
    let [good, other] = ["good", "other"].map(|name| circle.member(name));
    let [unlisted, unlisted_secret] = pair();
    let missing = || circle.0.0.join("missing").display().to_string();
    let cases = [
        (Security { identity_ca: missing(), ..good.clone() }, "missing", "No such"),
        (Security { certificate: missing(), ..good.clone() }, "missing", "No such"),
        (Security { private_key: missing(), ..good.clone() }, "missing", "No such"),
        (Security { private_key: other.private_key, ..good.clone() }, "other.secret", "not the"),
        (Security { password: "guess".into(), ..good.clone() }, "good.secret", "no password"),
        (
            Security { private_key: circle.write("half", &unlisted_secret[..20]), ..good.clone() },
            "half",
            "Z85",
        ),
        (
            Security { identity_ca: circle.write("list", "# one\nno key\n"), ..good.clone() },
            "list",
            "line 2",
        ),
        (
            Security {
                certificate: circle.write("unlisted.public", &unlisted),
                private_key: circle.write("unlisted.secret", &unlisted_secret),
                ..good.clone()
            },
            "unlisted.public",
            "not in",
        ),
    ];
    let config = run_dir.participant("tcp", &[]);
    for (security, file, why) in cases {
        let error = participant(&library, &config, Some(&security)).err().expect("refused");
        assert_eq!(error.status, Status::Invalid, "{error}");
        assert!(error.message.contains(file) && error.message.contains(why), "{error}");
        assert!(!error.message.contains("guess"), "{error}");
        assert!(!error.message.contains(&unlisted_secret[..20]), "{error}");
    }
    let local = run_dir.participant("inproc", &[]);
    let error = participant(&library, &local, Some(&good)).err().expect("refused");
    assert_eq!(error.status, Status::Unsupported, "{error}");
}

#[test]
fn a_body_is_not_readable_on_the_wire() {
    let Some(library) = probed("zeromq") else { return };
    let (circle, run_dir) = (Circle::new(), RunDir::new());
    let member = circle.member("member");
    for (security, readable) in [(None, true), (Some(&member), false)] {
        let config = run_dir.participant("tcp", &[]);
        let here = participant(&library, &config, security).expect("a participant");
        let reader = here.reader(&endpoint(), None).expect("a reader");
        let writer = here.writer(&endpoint()).expect("a writer");
        let locator = reader.locator().expect("a locator");
        let (rest, place) = locator.split_once("tcp://").expect("an address");
        let (address, heard) = wiretap(place.to_owned());
        writer.connect(&format!("{rest}tcp://{address}")).expect("connected");
        let body = body(Payload::Octet, 1000);
        testing::write(&writer, &body, 0..1);
        assert!(receive(&reader) == (0, body.clone()));
        let heard = heard.lock().expect("a lock");
        let pattern = &body[..64];
        assert_eq!(heard.windows(pattern.len()).any(|bytes| bytes == pattern), readable);
    }
}

#[test]
fn requests_travel_between_keys_that_are_accepted_and_no_other_client_gets_in() {
    let Some(library) = probed("zeromq") else { return };
    let circle = Circle::new();
    let [one, other] = [circle.member("one"), circle.member("other")];
    let elsewhere = Circle::new();
    let stranger = elsewhere.member("stranger");
    // It would accept the server.
    elsewhere.allow(std::fs::read_to_string(&one.certificate).expect("a key").trim());
    for transport in ["tcp", "ipc"] {
        let run_dir = RunDir::new();
        let mut config = run_dir.participant(transport, &[]);
        let of = |security: Option<&Security>| participant(&library, &config, security);
        let server = of(Some(&one)).expect("a participant");
        let endpoint = testing::endpoint("service", 100);
        let server = server.service(&endpoint, Side::Server).expect("a server");
        let locator = server.locator().expect("a locator");
        for security in [None, Some(&stranger), Some(&other)] {
            let client = of(security).expect("a participant");
            let client = client.service(&endpoint, Side::Client).expect("a client");
            let is_member = security.is_some_and(|s| s.identity_ca == other.identity_ca);
            assert_eq!(client.connect(&locator).is_ok(), is_member, "{transport} {security:?}");
        }
        config.security = Some(Box::new(other.clone()));
        for case in Case::by_wait(&library, &config, run_dir) {
            services::a_request_is_answered(&case);
            services::bodies_of_every_size_arrive_bit_for_bit(&case);
        }
    }
}
