//! What a plain session of zenoh sees, compared with the design document of `rmw_zenoh_cpp`: key expressions,
//! attachments, liveliness tokens and QoS; and that the adapter takes for its own what a plain session
//! publishes in this form.

mod common;

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use busmark_adapter::testing::{all, body, eventually, last, library, next, write};
use busmark_adapter::{Header, Payload, Qos};
use zenoh::handlers::FifoChannelHandler;
use zenoh::pubsub::Subscriber;
use zenoh::qos::{CongestionControl, Reliability};
use zenoh::sample::{Sample, SampleKind};
use zenoh::{Config, Session, Wait};

use common::{DOMAIN, endpoint, served};

/// The hash that ROS's generator makes of the message's description (REP 2016).
const HASH: &str = "RIHS01_f893aec28d509081e57f5df8fa92821881419023539b4ef2dc43441011282718";
const TYPE: &str = "busmark_msgs::msg::dds_::Sample_";
const LONG: Duration = Duration::from_secs(60);

/// A session that is configured as ROS's are.
fn plain(router: &str) -> Session {
    let mut config = Config::default();
    for (key, value) in [
        ("connect/endpoints", format!("[{router:?}]")),
        ("listen/endpoints", "[\"tcp/127.0.0.1:0\"]".to_owned()),
        ("scouting/multicast/enabled", "false".to_owned()),
    ] {
        config.insert_json5(key, &value).expect(key);
    }
    zenoh::open(config).wait().expect("a session")
}

fn all_samples(session: &Session) -> Subscriber<FifoChannelHandler<Sample>> {
    session.declare_subscriber("**").wait().expect("a subscriber")
}

fn received(subscriber: &Subscriber<FifoChannelHandler<Sample>>) -> Sample {
    let sample = subscriber.handler().recv_timeout(LONG).expect("a subscriber");
    sample.expect("nothing arrived")
}

fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock");
    i64::try_from(since.as_nanos()).expect("this century")
}

/// Sequence number, source time, and the publisher's number, as the document encodes them.
fn decoded(sample: &Sample) -> (i64, i64, Vec<u8>) {
    let bytes = sample.attachment().expect("an attachment").to_bytes().into_owned();
    assert_eq!(bytes.len(), 8 + 8 + 1 + 16);
    assert_eq!(bytes[16], 16, "the length of the number");
    let number = |at: usize| i64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"));
    (number(0), number(8), bytes[17..].to_vec())
}

#[test]
fn samples_have_the_key_the_payload_and_the_attachment_of_the_document() {
    let library = library("ros_zenoh");
    let (_router, router, config) = served(&library, &[]);
    let session = plain(&router);
    let samples = all_samples(&session);
    let here = library.participant(&config).expect("a participant");
    let writers = [0, 1].map(|_| here.writer(&endpoint("chatter", all())).expect("a writer"));
    let content = body(Payload::Octet, 5);
    let before = now_ns();
    let mut seen = Vec::new();
    for writer in &writers {
        // It is matched by nobody of ROS, so it cannot say when the session has heard of it.
        eventually("a sample", || {
            write(writer, &content, 7..8);
            samples.handler().recv_timeout(Duration::from_millis(20)).is_ok_and(|s| s.is_some())
        });
        let mut sample = writer.sample(&content).expect("a sample");
        let header = Header { cookie: 3, seq: 8, flags: 5, ..Header::default() };
        let written = [8, 9].map(|seq| {
            writer.write(&mut sample, &Header { seq, ..header }).expect("written");
            // Those of before may have been under way.
            loop {
                let sample = received(&samples);
                let payload = sample.payload().to_bytes();
                if payload[12..20] == seq.to_le_bytes() {
                    break sample.clone();
                }
            }
        });
        for (sample, seq) in written.iter().zip([8, 9]) {
            let key = format!("{DOMAIN}/chatter/{TYPE}/{HASH}");
            assert_eq!(sample.key_expr().as_str(), key);
            let header = Header { seq, ..header };
            let cdr = [&[0, 1, 0, 0][..], header.as_bytes(), &[5, 0, 0, 0], &content].concat();
            assert_eq!(sample.payload().to_bytes().as_ref(), cdr);
        }
        let [first, second] = written.map(|sample| decoded(&sample));
        assert!(first.0 >= 1 && second.0 == first.0 + 1, "{first:?} {second:?}");
        for time in [first.1, second.1] {
            assert!((before..=now_ns()).contains(&time), "{time}");
        }
        assert_eq!(first.2, second.2);
        seen.push(first.2);
    }
    assert_ne!(seen[0], seen[1], "two publishers have one number");
}

#[test]
fn qos_reaches_the_wire_as_the_document_maps_it() {
    let library = library("ros_zenoh");
    let (_router, router, config) = served(&library, &[]);
    let session = plain(&router);
    let samples = all_samples(&session);
    let here = library.participant(&config).expect("a participant");
    let best_effort = Qos { reliable: Some(false), ..last(5) };
    let cases = [
        ("open", Qos::default(), CongestionControl::Drop, Reliability::Reliable),
        ("last", last(5), CongestionControl::Drop, Reliability::Reliable),
        ("all", all(), CongestionControl::Block, Reliability::Reliable),
        ("effort", best_effort, CongestionControl::Drop, Reliability::BestEffort),
    ];
    for (topic, qos, congestion, reliability) in cases {
        let writer = here.writer(&endpoint(topic, qos)).expect("a writer");
        let mut found = None;
        eventually("a sample", || {
            write(&writer, &[], 0..1);
            let next = samples.handler().recv_timeout(Duration::from_millis(20));
            found = next.ok().flatten().filter(|s| s.key_expr().contains(topic));
            found.is_some()
        });
        let sample = found.expect("a sample");
        assert_eq!(sample.congestion_control(), congestion, "{topic}");
        assert_eq!(sample.reliability(), reliability, "{topic}");
    }
}

#[test]
fn tokens_are_those_of_the_document_and_go_with_what_they_stand_for() {
    let library = library("ros_zenoh");
    let (_router, router, config) = served(&library, &[]);
    let session = plain(&router);
    let tokens = session
        .liveliness()
        .declare_subscriber("@ros2_lv/**")
        .history(true)
        .wait()
        .expect("a subscriber");
    let samples = all_samples(&session);
    let here = library.participant(&config).expect("a participant");
    let writer = here.writer(&endpoint("chat__ter", last(7))).expect("a writer");
    let best_effort = Qos { reliable: Some(false), ..all() };
    let reader = here.reader(&endpoint("other", best_effort), None).expect("a reader");
    let mut there: Vec<Vec<String>> = (0..3)
        .map(|_| {
            let token = received(&tokens);
            assert_eq!(token.kind(), SampleKind::Put);
            token.key_expr().split('/').map(str::to_owned).collect()
        })
        .collect();
    there.sort_by_key(|parts| parts[5].clone());
    let [publisher, subscription, node] = &there[..] else { panic!("{there:?}") };
    let (zid, name) = (&node[2], &node[8]);
    let domain = DOMAIN.to_string();
    assert_eq!(*node, ["@ros2_lv", &domain, zid, "0", "0", "NN", "%", "%", name]);
    for (parts, kind, topic, qos) in [
        (publisher, "MP", "%chat_ter", "::,7:,:,:,,"),
        (subscription, "MS", "%other", "2::2,:,:,:,,"),
    ] {
        let number = &parts[4];
        let wanted = ["@ros2_lv", &domain, zid, "0", number, kind, "%", "%", name, topic];
        assert_eq!(parts[..10], wanted);
        assert_eq!(parts[10..], [TYPE, HASH, qos]);
    }
    assert_ne!(publisher[4], subscription[4], "two endpoints have one number");
    // The session that the tokens name is the one that sends.
    let mut source = None;
    eventually("a sample", || {
        write(&writer, &[], 0..1);
        source = samples.handler().recv_timeout(Duration::from_millis(20)).ok().flatten();
        source.is_some()
    });
    let stamp = *source.expect("a sample").timestamp().expect("a time stamp").get_id();
    assert_eq!(stamp.to_string(), *zid);
    drop(reader);
    let gone = received(&tokens);
    assert_eq!(gone.kind(), SampleKind::Delete);
    assert_eq!(gone.key_expr().as_str(), subscription.join("/"));
    drop((writer, here));
    let mut left = [received(&tokens), received(&tokens)].map(|token| {
        assert_eq!(token.kind(), SampleKind::Delete);
        token.key_expr().to_string()
    });
    left.sort_by_key(|token| !token.contains("/MP/"));
    assert_eq!(left, [publisher.join("/"), node.join("/")]);
}

#[test]
fn what_a_plain_session_publishes_as_ros_does_is_taken() {
    let library = library("ros_zenoh");
    let (_router, router, config) = served(&library, &[]);
    let session = plain(&router);
    let here = library.participant(&config).expect("a participant");
    let reader = here.reader(&endpoint("chatter", all()), None).expect("a reader");
    assert_eq!(reader.matched(), Ok(0));
    let zid = session.zid();
    let token =
        format!("@ros2_lv/{DOMAIN}/{zid}/0/10/MP/%/%/talker/%chatter/{TYPE}/{HASH}/::,10:,:,:,,");
    let token = session.liveliness().declare_token(token).wait().expect("a token");
    eventually("a writer", || reader.matched() == Ok(1));
    let publisher = session
        .declare_publisher(format!("{DOMAIN}/chatter/{TYPE}/{HASH}"))
        .wait()
        .expect("a publisher");
    eventually("a subscriber", || {
        publisher.matching_status().wait().is_ok_and(|status| status.matching())
    });
    let header = Header { seq: 4, writer_id: 2, ..Header::default() };
    let cdr = [&[0, 1, 0, 0][..], header.as_bytes(), &[3, 0, 0, 0], b"abc"].concat();
    let stamp = 1_700_000_000_123_456_789_i64;
    let attachment = [&1_i64.to_le_bytes()[..], &stamp.to_le_bytes(), &[16], &[0xab; 16]].concat();
    // What is no message is not taken for one.
    for bytes in [&b""[..], &cdr[..70], &[0; 80]] {
        publisher.put(bytes).attachment(&attachment).wait().expect("published");
    }
    publisher.put(&cdr).attachment(&attachment).wait().expect("published");
    let arrived = next(&reader, |r| (*r.header, r.body.to_vec(), r.source_ns)).expect("a sample");
    assert_eq!(arrived, (header, b"abc".to_vec(), stamp));
    drop(token);
    eventually("no writer", || reader.matched() == Ok(0));
}
