//! Inputs made of real packets by changes at random. `BUSMARK_FUZZ_INPUTS` says how many; the seed is
//! fixed, so that what fails once fails again.

mod encode;

use std::path::Path;

use busmark_packets::file::{Capture, Record};
use busmark_packets::rows::Row;
use busmark_packets::table::Sink;
use busmark_packets::{Options, Reader, contents, flows};
use fastrand::Rng;

const LINKS: [u16; 8] = [0, 1, 101, 113, 147, 228, 229, 276];

#[derive(Default)]
struct Count(u64);

impl Sink for Count {
    fn row(&mut self, _: &Row) {
        self.0 += 1;
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let own = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this");
    let folder = Path::new(&own).join("tests/data");
    let names = [
        "cyclonedds.pcapng.gz",
        "D2-tcp-r-50.pcapng",
        "D2-udp-r-50-droprx.pcapng",
        "D1-udp-be-50.pcapng",
    ];
    let mut frames = Vec::new();
    for name in names {
        let mut capture = Capture::open(&folder.join(name)).unwrap();
        let mut frame = Vec::new();
        while capture.next(&mut frame).unwrap().is_some() {
            frames.push(frame.clone());
        }
    }
    frames
}

fn changed(random: &mut Rng, corpus: &[Vec<u8>], frame: &mut Vec<u8>) {
    frame.clear();
    frame.extend(&corpus[random.usize(..corpus.len())]);
    for _ in 0..random.usize(..6) {
        let at = random.usize(..frame.len().max(1));
        match random.u8(..6) {
            0 => frame.truncate(at),
            1 => frame.insert(at.min(frame.len()), random.u8(..)),
            2 => frame.extend_from_within(..at.min(frame.len())),
            3 if !frame.is_empty() => frame[at] = [0, 1, 0x7F, 0x80, 0xFF][random.usize(..5)],
            4 if !frame.is_empty() => frame[at] ^= 1 << random.u8(..8),
            _ if !frame.is_empty() => frame[at] = random.u8(..),
            _ => (),
        }
    }
    frame.truncate(100_000);
}

fn fuzz(inputs: u64) -> u64 {
    let corpus = corpus();
    let mut random = Rng::with_seed(20_221_106);
    let mut frame = Vec::new();
    let (mut rows, mut done) = (0, 0);
    while done < inputs {
        // A reader that has seen much, and then a new one: both states are entered often.
        let mut counting = Reader::new(
            Options { agent_ports: vec![2018], contents: true, ..Options::default() },
            Count::default(),
        );
        for _ in 0..50_000.min(inputs - done) {
            changed(&mut random, &corpus, &mut frame);
            let link = if random.u8(..8) == 0 { LINKS[random.usize(..LINKS.len())] } else { 1 };
            let wire_bytes =
                frame.len() as u32 + if random.u8(..8) == 0 { random.u32(..2000) } else { 0 };
            let time_ns = Some(random.i64(..));
            let record = Record { time_ns, interface: 0, wire_bytes, direction: random.u8(..4) };
            if random.bool() {
                let mut reader = Reader::new(Options::default(), Vec::<Row>::new());
                reader.packet(link, &record, &frame);
            } else {
                counting.packet(link, &record, &frame);
                assert!(counting.held() <= flows::MOST_HELD + (34 << 20) + contents::HELD);
            }
            done += 1;
        }
        rows += counting_rows(counting);
        // Files, too.
        let mut file = encode::pcap(1, &corpus[..20]);
        let at = random.usize(..file.len());
        file[at] = random.u8(..);
        let _ = encode::read(file);
    }
    rows
}

fn counting_rows(reader: Reader<Count>) -> u64 {
    let mut empty = Capture::read(std::io::Cursor::new(encode::pcap(1, &[]))).unwrap();
    let (summary, count) = reader.read(&mut empty, |_| false);
    assert_eq!(summary.rows, count.0);
    count.0
}

#[test]
fn changed_packets_are_survived() {
    assert!(fuzz(20_000) > 0);
}

#[test]
#[ignore = "as many inputs as BUSMARK_FUZZ_INPUTS says, ten million by default: minutes"]
fn as_many_as_asked_for_are_survived() {
    let inputs = std::env::var("BUSMARK_FUZZ_INPUTS").ok().and_then(|text| text.parse().ok());
    let inputs = inputs.unwrap_or(10_000_000);
    let rows = fuzz(inputs);
    println!("{inputs} inputs, {rows} rows of packets, no panic, memory within its bounds");
}
