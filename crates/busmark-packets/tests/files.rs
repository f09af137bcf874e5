//! Files that are damaged or unusual: what can be read is read, and the fault is said with its place.

mod encode;

use std::io::Write;

use busmark_packets::rows::XRCE_KINDS;
use encode::pcap;
use flate2::Compression;
use flate2::write::GzEncoder;

fn message(seq: u16) -> Vec<u8> {
    encode::xrce(0x81, 0x80, seq, &[encode::write_data(&[seq as u8; 40])])
}

fn frames(count: u16) -> Vec<Vec<u8>> {
    (0..count).map(|seq| encode::udp(50_000, 2018, &message(seq))).collect()
}

/// Blocks of pcapng with these frames, in either byte order.
fn pcapng(little: bool, frames: &[Vec<u8>]) -> Vec<u8> {
    let order = encode::Order(little);
    let block = |kind: u32, content: &[u8]| {
        let mut content = content.to_vec();
        content.resize(content.len().next_multiple_of(4), 0);
        let length = order.u32(content.len() as u32 + 12);
        [&order.u32(kind)[..], &length, &content, &length].concat()
    };
    let words = |words: &[u32]| words.iter().flat_map(|word| order.u32(*word)).collect::<Vec<_>>();
    let mut section = words(&[0x1A2B_3C4D]);
    section.extend([order.u16(1), order.u16(0)].concat());
    section.extend([0xFF; 8]);
    let mut interface = [order.u16(1), order.u16(0)].concat();
    interface.extend(order.u32(0));
    interface.extend([order.u16(9), order.u16(1)].concat());
    interface.extend([9, 0, 0, 0]);
    let mut file =
        [block(0x0A0D_0D0A, &section), block(1, &interface), block(0x99, b"unknown")].concat();
    for (index, frame) in frames.iter().enumerate() {
        let length = frame.len() as u32;
        let mut packet = words(&[0, 0, 1000 + index as u32, length, length]);
        packet.extend(frame);
        file.extend(block(6, &packet));
    }
    file
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn all_formats_have_the_same_rows() {
    let frames = frames(20);
    let (_, wanted) = encode::read(pcapng(true, &frames)).unwrap();
    for (format, file) in [
        ("pcapng", pcapng(false, &frames)),
        ("pcapng.gz", gzip(&pcapng(true, &frames))),
        // Two files in one: gzip allows it.
        (
            "pcapng.gz",
            [gzip(&pcapng(true, &frames)[..500]), gzip(&pcapng(true, &frames)[500..])].concat(),
        ),
    ] {
        let (summary, rows) = encode::read(file).unwrap();
        assert_eq!((summary.format.as_str(), summary.fault), (format, None));
        assert_eq!(rows, wanted);
    }
    let (summary, rows) = encode::read(gzip(&pcap(1, &frames))).unwrap();
    assert_eq!((summary.format.as_str(), rows.len()), ("pcap.gz", 20));
}

#[test]
fn a_file_cut_off_anywhere_keeps_what_is_before() {
    let frames = frames(3);
    for whole in [pcap(1, &frames), pcapng(true, &frames)] {
        let (all, _) = encode::read(whole.clone()).unwrap();
        for length in 0..whole.len() {
            match encode::read(whole[..length].to_vec()) {
                Ok((summary, rows)) => {
                    assert!(summary.packets <= all.packets && rows.len() as u64 == summary.packets);
                    if let Some(fault) = summary.fault {
                        assert_eq!(fault.kind, "truncated", "{fault}");
                        assert!(fault.offset < length as u64);
                    }
                }
                Err(fault) => {
                    assert!(["empty", "foreign", "truncated"].contains(&fault.kind), "{fault}");
                }
            }
        }
    }
}

#[test]
fn a_cut_off_gzip_file_keeps_what_is_before() {
    let frames = frames(2000);
    let whole = gzip(&pcapng(true, &frames));
    let (summary, _) = encode::read(whole[..whole.len() / 2].to_vec()).unwrap();
    assert!(summary.packets > 100, "{}", summary.packets);
    assert_eq!(summary.fault.unwrap().kind, "truncated");
    let mut damaged = whole;
    let middle = damaged.len() / 2;
    damaged[middle..middle + 64].fill(0xFF);
    let (summary, _) = encode::read(damaged).unwrap();
    assert!(["corrupt", "truncated"].contains(&summary.fault.unwrap().kind));
}

#[test]
fn a_length_that_cannot_be_is_a_fault_at_its_place() {
    let frames = frames(3);
    let mut file = pcap(1, &frames);
    let record = 16 + frames[0].len();
    let second = 24 + record;
    file[second + 8..second + 12].copy_from_slice(&u32::MAX.to_le_bytes());
    let (summary, rows) = encode::read(file).unwrap();
    let fault = summary.fault.unwrap();
    assert_eq!((rows.len(), fault.kind, fault.offset), (1, "corrupt", second as u64));
    assert!(fault.what.contains("packet 2 claims 4294967295 bytes"), "{fault}");
}

#[test]
fn other_files_are_refused() {
    for (bytes, kind) in
        [(&b""[..], "empty"), (b"abc", "foreign"), (b"PK\x03\x04 an archive", "foreign")]
    {
        assert_eq!(encode::read(bytes.to_vec()).unwrap_err().kind, kind);
    }
}

#[test]
fn links_and_tags_are_passed_over() {
    let plain = encode::udp(50_000, 2018, &message(0));
    let ip = &plain[14..];
    let tagged = [&plain[..12], &[0x81, 0, 0, 5], &plain[12..]].concat();
    let twice = [&plain[..12], &[0x88, 0xa8, 0, 5, 0x81, 0, 0, 6], &plain[12..]].concat();
    let cooked = [&[0; 14][..], &[8, 0], ip].concat();
    let cooked_2 = [&[8, 0][..], &[0; 18], ip].concat();
    let null = [&2_u32.to_le_bytes()[..], ip].concat();
    for (link, frame) in [
        (1, tagged),
        (1, twice),
        (113, cooked),
        (276, cooked_2),
        (0, null),
        (101, ip.to_vec()),
        (228, ip.to_vec()),
    ] {
        let (_, rows) = encode::read(pcap(link, &[frame])).unwrap();
        assert_eq!(rows[0].kind, Some(XRCE_KINDS + 7), "link type {link}");
    }
    let (summary, rows) = encode::read(pcap(105, &[plain])).unwrap();
    assert_eq!((summary.noticed.unknown_link_packets, rows.len()), (1, 1));
}

#[test]
fn ipv6_and_its_fragments_are_read() {
    let payload = encode::xrce(0x81, 0x80, 0, &[encode::write_data(&[5; 3000])]);
    let mut datagram = 50_000_u16.to_be_bytes().to_vec();
    datagram
        .extend([2018_u16, payload.len() as u16 + 8, 1].iter().flat_map(|word| word.to_be_bytes()));
    datagram.extend(&payload);
    let packet = |next: u8, extension: &[u8], content: &[u8]| {
        let mut packet = vec![0x60, 0, 0, 0];
        packet.extend(((extension.len() + content.len()) as u16).to_be_bytes());
        packet.extend([next, 64]);
        packet.extend([[0; 15].as_slice(), &[1], &[0; 15], &[1]].concat());
        [packet, extension.to_vec(), content.to_vec()].concat()
    };
    let fragment = |offset: u16, more: bool| {
        [&[17, 0][..], &(offset | u16::from(more)).to_be_bytes(), &[0, 0, 0, 9]].concat()
    };
    let pieces = vec![
        packet(44, &fragment(1400, true), &datagram[1400..2800]),
        packet(44, &fragment(2800, false), &datagram[2800..]),
        packet(44, &fragment(0, true), &datagram[..1400]),
    ];
    for (frames, count) in [(vec![packet(17, &[], &datagram)], 1), (pieces, 3)] {
        let (summary, rows) = encode::read(pcap(101, &frames)).unwrap();
        assert_eq!(rows.len(), count);
        assert_eq!(rows[count - 1].payload_bytes, Some(3000));
        assert_eq!(summary.flows[0].source, "::1");
        assert_eq!(summary.noticed.incomplete_datagrams, 0);
    }
}

#[test]
fn a_short_snap_length_leaves_what_the_headers_say() {
    let order = encode::Order(true);
    let rtps = [encode::rtps_header(), encode::data(&order, 0x103, 9, false, &[1; 900])].concat();
    let mut file = pcap(1, &[]);
    for frame in [encode::udp(1, 7411, &rtps), encode::udp(50_000, 2018, &message(3))] {
        for word in [1, 0, 96.min(frame.len() as u32), frame.len() as u32] {
            file.extend(word.to_le_bytes());
        }
        file.extend(&frame[..96.min(frame.len())]);
    }
    let (summary, rows) = encode::read(file).unwrap();
    assert_eq!((summary.noticed.cut_off_packets, summary.noticed.malformed_messages), (1, 0));
    assert_eq!((rows[0].first_seq, rows[0].payload_bytes), (Some(9), Some(900)));
    assert_eq!(rows[0].payload_hash, None);
    assert_eq!(rows[1].payload_bytes, Some(40));
}

#[test]
fn packets_out_of_order_of_time_are_counted() {
    let frames = frames(4);
    let file = pcap(1, &frames);
    let (head, records) = file.split_at(24);
    let size = 16 + frames[0].len();
    let swapped =
        [head, &records[2 * size..3 * size], &records[..2 * size], &records[3 * size..]].concat();
    let (summary, _) = encode::read(swapped).unwrap();
    assert_eq!((summary.noticed.earlier_packets, summary.noticed.earlier_by_ns), (2, 2000));
}

#[test]
fn foreign_traffic_is_not_taken_for_anything() {
    let dns = [
        &[0x12, 0x34, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0][..],
        b"\x07example\x03org\x00\x00\x01\x00\x01",
    ]
    .concat();
    let ntp = [&[0x23][..], &[0; 47]].concat();
    let web = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n";
    let frames = [
        encode::udp(40_000, 53, &dns),
        encode::udp(123, 123, &ntp),
        encode::tcp(40_000, 80, 1, 1, web),
    ];
    let (summary, rows) = encode::read(pcap(1, &frames)).unwrap();
    assert_eq!(rows.iter().filter(|row| row.kind.is_some()).count(), 0);
    assert!(summary.flows.iter().all(|flow| flow.xrce_messages == 0));
}
