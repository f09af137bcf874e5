//! Real traffic: eProsima's client and agent beside an independent analysis, Cyclone DDS beside tshark.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use busmark_packets::file::Capture;
use busmark_packets::rows::{Row, XRCE_KINDS};
use busmark_packets::{Options, Reader, Summary};

const WRITE_DATA: u16 = XRCE_KINDS + 7;
const DATA: u16 = XRCE_KINDS + 9;
const RTPS_DATA: u16 = 0x15;

fn data(name: &str) -> PathBuf {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs this");
    Path::new(&folder).join("tests/data").join(name)
}

fn read(name: &str) -> (Summary, Vec<Row>) {
    let mut capture = Capture::open(&data(name)).unwrap();
    Reader::new(Options::default(), Vec::new()).read(&mut capture, |_| false)
}

/// Column of a CSV file; empty cells are `None`.
fn column(text: &str, name: &str) -> Vec<Option<i64>> {
    let mut lines = text.lines();
    let at = lines.next().unwrap().split(',').position(|head| head == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().ok()).collect()
}

/// First copies of samples.
fn samples(rows: &[Row], kind: u16) -> Vec<&Row> {
    let sample = |row: &&Row| row.kind == Some(kind) && row.repeated == Some(false);
    rows.iter().filter(sample).filter(|row| row.builtin != Some(true)).collect()
}

#[test]
fn every_sample_is_where_the_independent_analysis_has_it() {
    for name in ["D1-udp-be-50", "D2-tcp-r-50", "D2-udp-r-50-droprx", "D3-udp-be-50-early"] {
        let (summary, rows) = read(&format!("{name}.pcapng"));
        assert_eq!(summary.fault, None);
        let reference = fs::read_to_string(data(&format!("{name}.reference.csv"))).unwrap();
        let there = |name: &str| column(&reference, name).into_iter().flatten().collect::<Vec<_>>();
        for (kind, prefix) in [(WRITE_DATA, "write"), (DATA, "data")] {
            let samples = samples(&rows, kind);
            let of = |get: fn(&Row) -> Option<i64>| {
                samples.iter().filter_map(|row| get(row)).collect::<Vec<_>>()
            };
            assert_eq!(of(|row| row.time_ns), there(&format!("{prefix}_ns")), "{name} {prefix}");
            let begun = of(|row| row.begun_ns.or(row.time_ns));
            assert_eq!(begun, there(&format!("{prefix}_first_ns")), "{name} {prefix}");
            let packets = of(|row| row.packet.map(i64::from));
            assert_eq!(packets, there(&format!("{prefix}_frame")), "{name} {prefix}");
            assert_eq!(
                of(|row| row.first_seq),
                there(&format!("{prefix}_xrce_seq")),
                "{name} {prefix}"
            );
            assert!(samples.iter().all(|row| row.payload_bytes == Some(40)));
        }
        let user = samples(&rows, RTPS_DATA);
        let times: Vec<_> = user.iter().filter_map(|row| row.time_ns).collect();
        assert_eq!(times, there("rtps_ns"), "{name}");
    }
}

#[test]
fn retransmissions_of_a_stream_are_repetitions() {
    let (_, rows) = read("D2-udp-r-50-droprx.pcapng");
    let written = rows.iter().filter(|row| row.kind == Some(WRITE_DATA));
    assert_eq!(written.filter(|row| row.repeated == Some(true)).count(), 12);
}

#[test]
fn early_samples_do_not_reach_the_subscriber() {
    let (_, rows) = read("D3-udp-be-50-early.pcapng");
    let (written, read) = (samples(&rows, WRITE_DATA), samples(&rows, DATA));
    assert_eq!((written.len(), read.len()), (50, 48));
    assert_eq!(written[2].payload_hash, read[0].payload_hash);
}

#[test]
fn rtps_is_decoded_as_tshark_decodes_it() {
    if Command::new("tshark").arg("--version").output().is_err() {
        eprintln!("skipped: tshark is not installed (Debian package tshark)");
        return;
    }
    for name in ["cyclonedds.pcapng.gz", "D2-udp-r-50-droprx.pcapng"] {
        let (_, rows) = read(name);
        let theirs = tshark(&data(name));
        assert!(theirs.len() > 40, "tshark found {} packets of RTPS in {name}", theirs.len());
        let mut ours: Vec<Fields> = Vec::new();
        for row in rows.iter().filter(|row| row.source.is_some()) {
            let packet = row.packet.unwrap();
            if ours.last().is_none_or(|last| last.packet != packet) {
                ours.push(Fields { packet, ..Fields::default() });
            }
            let last = ours.last_mut().unwrap();
            let kind = row.kind.unwrap();
            last.kinds.push(i64::from(kind));
            // tshark exports no length of a vendor's own submessages.
            last.lengths.extend((kind < 0x80).then(|| i64::from(row.bytes.unwrap()) - 4));
            last.writers.extend(row.writer.map(i64::from));
            last.readers.extend(row.reader.map(i64::from));
            match row.kind {
                Some(0x07) => last.numbers.extend([row.first_seq.unwrap(), row.last_seq.unwrap()]),
                _ => last.numbers.extend(row.first_seq),
            }
        }
        assert_eq!(ours.len(), theirs.len(), "{name}");
        for (our, their) in ours.iter().zip(&theirs) {
            assert_eq!(our, their, "{name}");
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Fields {
    packet: u32,
    kinds: Vec<i64>,
    lengths: Vec<i64>,
    writers: Vec<i64>,
    readers: Vec<i64>,
    numbers: Vec<i64>,
}

fn tshark(file: &Path) -> Vec<Fields> {
    let fields = [
        "frame.number",
        "rtps.sm.id",
        "rtps.sm.octetsToNextHeader",
        "rtps.sm.wrEntityId",
        "rtps.sm.rdEntityId",
        "rtps.sm.seqNumber",
    ];
    let mut command = Command::new("tshark");
    command.arg("-r").arg(file).args(["-n", "-Y", "rtps", "-T", "fields"]);
    for field in fields {
        command.args(["-e", field]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| {
            let cells: Vec<Vec<i64>> = line.split('\t').map(numbers).collect();
            let [packet, kinds, lengths, writers, readers, numbers] = cells.try_into().unwrap();
            Fields { packet: packet[0] as u32, kinds, lengths, writers, readers, numbers }
        })
        .collect()
}

fn numbers(cell: &str) -> Vec<i64> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).unwrap(),
        None => text.parse().unwrap(),
    };
    cell.split(',').filter(|text| !text.is_empty()).map(number).collect()
}
