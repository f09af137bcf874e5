//! One connection for both directions (`connection=shared`).

use std::sync::{Arc, Barrier};

use busmark_adapter::{
    EndpointConfig, Header, ParticipantHandle, Payload, ReaderHandle, Side as ServiceSide, Status,
    Wait, WriterHandle,
};
use busmark_sockets::testing::{
    Arrived, RunDir, WAITS, body, endpoint, eventually, library, reader, receive, write,
};

fn participant(run_dir: &RunDir, connection: &str) -> ParticipantHandle {
    let config = run_dir.participant("tcp", &[("connection", connection)]);
    library("tcp").participant(&config).expect("a participant")
}

fn port(locator: &str) -> u16 {
    let address = locator.split('@').next().unwrap_or_default();
    address.rsplit_once(':').and_then(|(_, port)| port.parse().ok()).expect("a port")
}

/// Established connections that this process has accepted at the ports of these readers.
fn accepted(readers: &[&ReaderHandle]) -> usize {
    readers.iter().map(|reader| accepted_at(&reader.locator().expect("a locator"))).sum()
}

/// At the port of this locator.
fn accepted_at(locator: &str) -> usize {
    const ESTABLISHED: &str = "01";
    let port = format!(":{:04X}", port(locator));
    let table = std::fs::read_to_string("/proc/self/net/tcp").expect("the kernel's table");
    let own = |line: &&str| {
        let cells: Vec<_> = line.split_whitespace().collect();
        cells[3] == ESTABLISHED && cells[1].ends_with(&port)
    };
    table.lines().skip(1).filter(own).count()
}

/// A writer and a reader in a participant of their own.
struct Side {
    writer: WriterHandle,
    reader: ReaderHandle,
    arrived: Arc<Arrived>,
    handle: ParticipantHandle,
}

impl Side {
    fn new(run_dir: &RunDir, connection: &str, config: &EndpointConfig) -> Self {
        let participant = participant(run_dir, connection);
        let arrived = Arrived::new(Payload::Octet);
        let reader = reader(&participant, config, &arrived);
        let writer = participant.writer(config).expect("a writer");
        Self { writer, reader, arrived, handle: participant }
    }

    fn connect(&self, to: &Side) -> busmark_adapter::Result<()> {
        self.writer.connect(&to.reader.locator().expect("a locator"))
    }
}

/// `count` samples there and as many back, one at a time.
fn ping_pong(asking: &Side, answering: &Side, wait: Wait, count: u64) {
    for seq in 0..count {
        for (id, from, to) in [(1, asking, answering), (2, answering, asking)] {
            let before = to.arrived.count();
            write(&from.writer, id, seq, seq + 1, &body(Payload::Octet, 100));
            receive(&to.reader, wait, &to.arrived, before + 1);
        }
    }
    let expected: Vec<_> = (0..count).map(|seq| (seq, 100)).collect();
    assert_eq!((answering.arrived.of(1), asking.arrived.of(2)), (expected.clone(), expected));
    assert_eq!(asking.arrived.damaged() + answering.arrived.damaged(), 0);
}

fn counts(sides: [&Side; 2]) -> [u32; 4] {
    let [a, b] = sides;
    [a.writer.matched(), a.reader.matched(), b.writer.matched(), b.reader.matched()]
        .map(|count| count.expect("a count"))
}

#[test]
fn both_directions_travel_over_one_connection_and_separate_ones_over_two() {
    let run_dir = RunDir::new();
    for (connection, connections) in [("shared", 1), ("separate", 2)] {
        for wait in WAITS {
            let config = endpoint(wait, 100);
            let [a, b] = [0, 1].map(|_| Side::new(&run_dir, connection, &config));
            a.connect(&b).expect("connected");
            b.connect(&a).expect("connected");
            assert_eq!(counts([&a, &b]), [1; 4], "{connection} {wait:?}");
            ping_pong(&a, &b, wait, 50);
            eventually("no other connection", || accepted(&[&a.reader, &b.reader]) == connections);
        }
    }
}

#[test]
fn both_sides_may_connect_at_the_same_time() {
    let run_dir = RunDir::new();
    for round in 0..40 {
        let config = endpoint(Wait::Listener, 100);
        let [a, b] = [0, 1].map(|_| Side::new(&run_dir, "shared", &config));
        let gate = Barrier::new(2);
        std::thread::scope(|scope| {
            for (from, to) in [(&a, &b), (&b, &a)] {
                let gate = &gate;
                scope.spawn(move || {
                    gate.wait();
                    from.connect(to).unwrap_or_else(|error| panic!("round {round}: {error}"));
                });
            }
        });
        assert_eq!(counts([&a, &b]), [1; 4], "round {round}");
        ping_pong(&a, &b, Wait::Listener, 3);
        eventually("one connection", || accepted(&[&a.reader, &b.reader]) == 1);
    }
}

#[test]
fn large_samples_cross_each_other() {
    const BYTES: usize = 300_000;
    let run_dir = RunDir::new();
    let config = endpoint(Wait::Listener, BYTES as u64);
    let [a, b] = [0, 1].map(|_| Side::new(&run_dir, "shared", &config));
    a.connect(&b).expect("connected");
    b.connect(&a).expect("connected");
    std::thread::scope(|scope| {
        for (id, side) in [(1, &a), (2, &b)] {
            scope.spawn(move || write(&side.writer, id, 0, 50, &body(Payload::Octet, BYTES)));
        }
    });
    let expected: Vec<_> = (0..50).map(|seq| (seq, BYTES)).collect();
    for (id, side) in [(2, &a), (1, &b)] {
        receive(&side.reader, Wait::Listener, &side.arrived, 50);
        assert_eq!(side.arrived.of(id), expected);
        assert_eq!(side.arrived.damaged(), 0);
    }
}

#[test]
fn where_nothing_comes_back_there_may_be_any_number_of_ends() {
    let run_dir = RunDir::new();
    for wait in WAITS {
        let config = endpoint(wait, 100);
        let (writing, reading) = (participant(&run_dir, "shared"), participant(&run_dir, "shared"));
        let all = [1, 2].map(|_| Arrived::new(Payload::Octet));
        let readers = [0, 1].map(|i| reader(&reading, &config, &all[i]));
        for id in 1..=3 {
            let writer =
                busmark_sockets::testing::writer(&writing, &config, &[&readers[0], &readers[1]]);
            assert_eq!(writer.matched(), Ok(2));
            write(&writer, id, 0, 10, &body(Payload::Octet, 100));
            for (reader, arrived) in readers.iter().zip(&all) {
                receive(reader, wait, arrived, 10 * id as usize);
            }
        }
    }
}

/// The words of a refusal.
fn refusal<T>(outcome: busmark_adapter::Result<T>) -> String {
    let error = outcome.err().expect("refused");
    assert_eq!(error.status, Status::Unsupported, "{error}");
    assert!(error.message.contains("connection=separate"), "{error}");
    error.message
}

#[test]
fn what_is_no_pair_is_refused_in_words() {
    let run_dir = RunDir::new();
    let config = endpoint(Wait::Waitset, 100);
    let sides = [0, 1, 2].map(|_| Side::new(&run_dir, "shared", &config));
    let [a, b, c] = &sides;
    let second = refusal(a.handle.writer(&config));
    assert!(second.contains("2 writers and 1 readers"), "{second}");
    refusal(a.handle.reader(&config, None));
    a.connect(b).expect("connected");
    let elsewhere = refusal(a.connect(c));
    assert!(elsewhere.contains("the participant is connected to another one"), "{elsewhere}");
    let third = refusal(c.connect(b));
    assert!(third.contains("the reader's participant is connected to another one"), "{third}");
    // What was refused has left nothing behind.
    b.connect(a).expect("connected");
    assert_eq!(counts([a, b]), [1; 4]);
    ping_pong(a, b, Wait::Waitset, 3);
    assert_eq!(counts([c, c]), [0; 4]);
    // Nor has it kept its place.
    drop(sides);
    let [a, b] = [0, 1].map(|_| Side::new(&run_dir, "shared", &config));
    a.connect(&b).expect("connected");
    assert_eq!(a.writer.matched(), Ok(1));
}

#[test]
fn a_participant_with_two_peers_gets_no_end_that_would_share() {
    let run_dir = RunDir::new();
    let config = endpoint(Wait::Waitset, 100);
    let reading = participant(&run_dir, "shared");
    let arrived = Arrived::new(Payload::Octet);
    let reader = reader(&reading, &config, &arrived);
    let writing = [0, 1].map(|_| participant(&run_dir, "shared"));
    let writers = writing
        .each_ref()
        .map(|participant| busmark_sockets::testing::writer(participant, &config, &[&reader]));
    let words = refusal(reading.writer(&config));
    assert!(words.contains("connected to several others"), "{words}");
    drop(writers);
    eventually("both have gone", || reading.writer(&config).is_ok());
}

#[test]
fn the_option_must_be_the_same_on_both_sides() {
    let run_dir = RunDir::new();
    let config = endpoint(Wait::Waitset, 100);
    for connections in [["shared", "separate"], ["separate", "shared"]] {
        let [a, b] = connections.map(|connection| Side::new(&run_dir, connection, &config));
        let error = a.connect(&b).expect_err("refused");
        assert_eq!(error.status, Status::Invalid, "{error}");
        assert!(error.message.contains("the same on both sides"), "{error}");
        assert_eq!(counts([&a, &b]), [0; 4]);
    }
    let config = run_dir.participant("tcp", &[("connection", "both")]);
    let error = library("tcp").participant(&config).err().expect("an error");
    assert!(error.message.contains("neither separate nor shared"), "{error}");
}

#[test]
fn the_pair_ends_as_one() {
    let run_dir = RunDir::new();
    for wait in WAITS {
        for drops_writer in [true, false] {
            let config = endpoint(wait, 100);
            let [a, b] = [0, 1].map(|_| Side::new(&run_dir, "shared", &config));
            a.connect(&b).expect("connected");
            b.connect(&a).expect("connected");
            ping_pong(&a, &b, wait, 3);
            write(&a.writer, 1, 3, 6, &body(Payload::Octet, 100));
            let Side { writer, reader, .. } = a;
            let left: Box<dyn Fn() -> u32> = if drops_writer {
                drop(writer);
                let arrived = Arc::clone(&a.arrived);
                Box::new(move || {
                    arrived.take_if(&reader, wait);
                    reader.matched().expect("a count")
                })
            } else {
                drop(reader);
                // The samples of the writer that stays would be lost, and it learns of it.
                let mut sample = writer.sample(&body(Payload::Octet, 100)).expect("a sample");
                let header = Header { seq: 6, writer_id: 1, ..Header::default() };
                assert_eq!(writer.write(&mut sample, &header), Err(Status::Failed));
                let words = writer.last_error().expect("words").message;
                assert!(words.contains("has ended the connection"), "{words}");
                Box::new(move || writer.matched().expect("a count"))
            };
            // What had been written arrives.
            receive(&b.reader, wait, &b.arrived, 6);
            eventually("nobody counts anybody", || {
                b.arrived.take_if(&b.reader, wait);
                left() == 0 && counts([&b, &b]) == [0; 4]
            });
        }
    }
}

/// It is of the pair's topics: clients may be many, and each has its own.
#[test]
fn a_service_has_one_connection_for_each_client_in_any_case() {
    let run_dir = RunDir::new();
    let config = endpoint(Wait::Waitset, 100);
    let here = participant(&run_dir, "shared");
    let server = here.service(&config, ServiceSide::Server).expect("a server");
    let locator = server.locator().expect("a locator");
    let clients = [0, 1, 2].map(|_| {
        let there = participant(&run_dir, "shared");
        let client = there.service(&config, ServiceSide::Client).expect("a client");
        client.connect(&locator).expect("a connection");
        client
    });
    assert_eq!(server.matched().map(|clients| clients.count), Ok(3));
    assert_eq!(accepted_at(&locator), 3);
    drop(clients);
    eventually("no client", || server.matched().is_ok_and(|clients| clients.count == 0));
    let other = participant(&run_dir, "separate").service(&config, ServiceSide::Client);
    let error = other.expect("a client").connect(&locator).expect_err("refused");
    assert!(error.message.contains("must be the same on both sides"), "{error}");
}

#[test]
fn a_peer_that_has_gone_may_be_followed_by_another() {
    let run_dir = RunDir::new();
    let config = endpoint(Wait::Listener, 100);
    let a = Side::new(&run_dir, "shared", &config);
    for round in 0..5 {
        let b = Side::new(&run_dir, "shared", &config);
        // Until its end has been seen the last one is a peer.
        eventually("connected", || b.connect(&a).is_ok());
        a.connect(&b).expect("connected");
        assert_eq!(counts([&a, &b]), [1; 4], "round {round}");
        eventually("one connection", || accepted(&[&a.reader, &b.reader]) == 1);
        drop(b);
        eventually("it has gone", || counts([&a, &a]) == [0; 4]);
    }
}
