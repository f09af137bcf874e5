//! Clients and agents, and what becomes of a client whose agent is not what it should be.

use std::net::{SocketAddr, UdpSocket};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use busmark_adapter::testing::domain;
use busmark_adapter::{ParticipantConfig, ParticipantHandle, Status, Wait, WriterHandle};
use busmark_server::testing::{Bench, Sender, endpoint, eventually, library, receive};

const NAME: &str = "zerodds_xrce";
const QUIET: Duration = Duration::from_secs(10);
/// Agents in one domain find each other: each test has one of these.
const DOMAINS: u32 = 10;

/// An agent with a domain of its own.
fn bench(number: u32, transport: &str, settings: &[(&str, &str)]) -> Bench {
    let mut bench = Bench::new(NAME, transport, settings);
    bench.config.domain = domain(120, DOMAINS, number);
    bench
}

/// A client of an agent that somebody else has started.
fn client(
    number: u32,
    transport: &str,
    server: &str,
) -> busmark_adapter::Result<ParticipantHandle> {
    library(NAME).participant(&ParticipantConfig {
        domain: domain(120, DOMAINS, number),
        interface_address: "127.0.0.1".into(),
        transport: transport.into(),
        profile: "default".into(),
        settings: vec![("server".into(), server.into())],
        ..ParticipantConfig::default()
    })
}

/// The agent's program at an address, until dropped.
struct Agent(Child);

impl Agent {
    fn at(transport: &str, address: &str) -> Self {
        // Its path at build time may be another checkout's, whose target folder is shared.
        let test = std::env::current_exe().expect("a test has a path");
        let profile = test.ancestors().nth(2).expect("tests lie in TARGET/PROFILE/deps");
        let child = Command::new(profile.join("busmark-zerodds-xrce-agent"))
            .args([transport, address, "127.0.0.1"])
            .stderr(Stdio::piped())
            .spawn()
            .expect("the agent's program");
        Self(child)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> SocketAddr {
    UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a port")
}

/// Writes until a write fails; what the adapter says of it then.
fn words(sender: &mut Sender) -> String {
    let mut said = None;
    eventually("a write fails", || {
        sender.send().is_err() && {
            said = sender.writer.last_error().map(|error| error.message);
            said.is_some()
        }
    });
    said.unwrap_or_default()
}

fn settled(writer: &WriterHandle) {
    assert_eq!(writer.matched(), Err(Status::Unsupported));
}

#[test]
fn reliable_samples_arrive_in_order_over_both_transports() {
    for transport in ["udp", "tcp"] {
        let bench = bench(0, transport, &[]);
        let here = bench.participant();
        let mut endpoint = endpoint(Wait::Waitset, Some(true));
        endpoint.qos.keep_all = Some(true);
        let reader = here.reader(&endpoint, None).expect("a reader");
        let mut sender = Sender::new(&here, &endpoint);
        settled(&sender.writer);
        for _ in 0..40 {
            sender.send().expect("written");
        }
        assert_eq!(receive(&reader, 40, QUIET), (0..40).collect::<Vec<_>>(), "{transport}");
    }
}

#[test]
fn of_best_effort_the_first_sample_arrives_unless_messages_are_numbered() {
    for (number, settings, expected) in
        [(1, &[][..], 1), (2, &[("number_best_effort", "true")][..], 50)]
    {
        let bench = bench(number, "udp", settings);
        let here = bench.participant();
        let mut endpoint = endpoint(Wait::Poll, Some(false));
        endpoint.qos.keep_all = Some(true);
        let reader = here.reader(&endpoint, None).expect("a reader");
        let mut sender = Sender::new(&here, &endpoint);
        settled(&sender.writer);
        for _ in 0..50 {
            sender.send().expect("written");
        }
        let quiet = Duration::from_secs(3);
        assert_eq!(receive(&reader, 50, quiet), (0..expected).collect::<Vec<_>>());
    }
}

#[test]
fn two_agents_find_each_other() {
    let (one, mut other) = (bench(3, "udp", &[]), bench(3, "tcp", &[]));
    other.config.domain = one.config.domain;
    let (writing, reading) = (one.participant(), other.participant());
    let mut endpoint = endpoint(Wait::Poll, Some(true));
    endpoint.qos.keep_all = Some(true);
    let reader = reading.reader(&endpoint, None).expect("a reader");
    let mut sender = Sender::new(&writing, &endpoint);
    eventually("a sample passes both", || {
        sender.send().expect("written");
        !receive(&reader, 1, Duration::from_millis(300)).is_empty()
    });
}

#[test]
fn no_agent_is_told_over_both_transports() {
    for transport in ["udp", "tcp"] {
        let error = client(4, transport, &free_port().to_string()).err().expect("an error");
        assert_eq!(error.status, Status::Unavailable, "{error}");
        assert!(error.message.contains("no agent at 127.0.0.1:"), "{error}");
    }
    for server in ["", "nowhere", "127.0.0.1:x"] {
        let error = client(4, "udp", server).err().expect("an error");
        assert_eq!(error.status, Status::Invalid, "{error}");
    }
}

#[test]
fn whatever_else_has_the_port_does_not_answer() {
    let silent = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let address = silent.local_addr().expect("an address").to_string();
    let error = client(4, "udp", &address).err().expect("an error");
    assert!(error.message.contains("does not answer"), "{error}");
}

#[test]
fn an_agent_says_that_its_port_is_taken() {
    let taken = UdpSocket::bind("127.0.0.1:0").expect("a socket");
    let address = taken.local_addr().expect("an address").to_string();
    let mut agent = Agent::at("udp", &address);
    assert_eq!(agent.0.wait().expect("ended").code(), Some(2));
    let mut said = String::new();
    let mut stderr = agent.0.stderr.take().expect("its output");
    std::io::Read::read_to_string(&mut stderr, &mut said).expect("text");
    assert!(said.contains(&address) && said.contains("in use"), "{said}");
}

#[test]
fn an_agent_that_dies_is_told() {
    for transport in ["udp", "tcp"] {
        let mut bench = bench(5, transport, &[]);
        let here = bench.participant();
        let endpoint = endpoint(Wait::Waitset, Some(true));
        let reader = here.reader(&endpoint, None).expect("a reader");
        let mut sender = Sender::new(&here, &endpoint);
        sender.send().expect("written");
        bench.stop();
        let said = words(&mut sender);
        assert!(said.contains("is gone"), "{transport}: {said}");
        eventually("waits fail", || {
            let _ = reader.taker().take(64, &mut |_| ());
            reader.wait(Duration::from_millis(10)) == Err(Status::Failed)
        });
    }
}

#[test]
fn a_session_that_the_agent_does_not_know_any_more_is_told() {
    let address = free_port().to_string();
    let first = Agent::at("udp", &address);
    let mut here = None;
    eventually("the agent is there", || {
        here = client(6, "udp", &address).ok();
        here.is_some()
    });
    let here = here.expect("a client");
    let mut sender = Sender::new(&here, &endpoint(Wait::Poll, Some(true)));
    drop(first);
    let _second = Agent::at("udp", &address);
    eventually("the second is there", || client(6, "udp", &address).is_ok());
    let said = words(&mut sender);
    assert!(said.contains("started anew") || said.contains("is gone"), "{said}");
}

#[test]
fn of_two_clients_with_one_key_the_earlier_is_told() {
    let bench = bench(7, "udp", &[("client_key", "0badcafe")]);
    let here = bench.participant();
    let endpoint = endpoint(Wait::Poll, Some(true));
    let mut earlier = Sender::new(&here, &endpoint);
    let later = bench.library.participant(&bench.config);
    let said = words(&mut earlier);
    assert!(said.contains("another client with the same key"), "{said}");
    drop(later);
}
