//! Messages whose content is known are read back, and any bytes are survived.

mod encode;

use busmark_packets::rows::{Row, XRCE_KINDS};
use busmark_packets::{rtps, xrce};
use encode::Order;
use proptest::prelude::*;

fn rows_of(frames: &[Vec<u8>]) -> Vec<Row> {
    encode::read(encode::pcap(1, frames)).unwrap().1
}

fn rtps_rows(submessages: &[Vec<u8>]) -> Vec<Row> {
    let message = [encode::rtps_header(), submessages.concat()].concat();
    rows_of(&[encode::udp(40_000, 7411, &message)])
}

proptest! {
    #[test]
    fn data_of_rtps_is_read_back(
        little: bool, qos: bool, writer: u32, seq in 1_i64..i64::MAX,
        payload in prop::collection::vec(any::<u8>(), 0..1200),
    ) {
        let order = Order(little);
        let rows = rtps_rows(&[encode::data(&order, writer, seq, qos, &payload)]);
        let [row] = rows[..] else { panic!("{rows:?}") };
        prop_assert_eq!((row.kind, row.writer, row.first_seq), (Some(0x15), Some(writer), Some(seq)));
        prop_assert_eq!(row.payload_bytes, Some(payload.len() as u32));
        prop_assert_eq!(row.builtin, Some(writer & 0xC0 == 0xC0));
        prop_assert_eq!(row.faults, Some(0));
    }

    #[test]
    fn heartbeats_and_acknacks_are_read_back(
        little: bool, writer: u32, first in 0_i64..1 << 40, more in 0_i64..1000, count: u32,
        bits in prop::collection::vec(any::<bool>(), 0..256),
    ) {
        let order = Order(little);
        let rows = rtps_rows(&[
            encode::heartbeat(&order, writer, first, first + more, count),
            encode::acknack(&order, writer, first, &bits, count),
        ]);
        let [heartbeat, acknack] = rows[..] else { panic!("{rows:?}") };
        prop_assert_eq!((heartbeat.first_seq, heartbeat.last_seq), (Some(first), Some(first + more)));
        prop_assert_eq!((heartbeat.count, acknack.count), (Some(count), Some(count)));
        prop_assert_eq!(acknack.first_seq, Some(first));
        let missing = bits.iter().filter(|bit| **bit).count() as u32;
        prop_assert_eq!((acknack.missing, acknack.writer), (Some(missing), Some(writer)));
    }

    #[test]
    fn messages_of_xrce_are_read_back_over_udp_and_tcp(
        session: u8, seq: u16, first: u16, bitmap: u16, little: bool, piece in 1_usize..100,
        payload in prop::collection::vec(any::<u8>(), 1..600),
    ) {
        let message = encode::xrce(session, 0x80, seq, &[
            encode::write_data(&payload),
            encode::xrce_acknack(&Order(little), first, bitmap, 0x80),
        ]);
        prop_assert!(xrce::is_plausible(&message));
        let stream = [&(message.len() as u16).to_le_bytes()[..], &message].concat();
        let mut at = 1;
        let segments: Vec<_> = stream.chunks(piece).map(|bytes| {
            at += bytes.len() as u32;
            encode::tcp(50_000, 2018, at - bytes.len() as u32, 1, bytes)
        }).collect();
        for (frames, packet) in [(vec![encode::udp(50_000, 2018, &message)], 1), (segments.clone(), segments.len())] {
            let rows = rows_of(&frames);
            let of = |kind| rows.iter().find(|row| row.kind == Some(XRCE_KINDS + kind)).copied();
            let data = of(7).expect("WRITE_DATA");
            prop_assert_eq!(data.packet, Some(packet as u32));
            prop_assert_eq!((data.payload_bytes, data.writer), (Some(payload.len() as u32), Some(0x15)));
            prop_assert_eq!((data.session, data.stream), (Some(session), Some(0x80)));
            prop_assert_eq!(data.first_seq, Some(i64::from(seq)));
            let key = (session < 128).then_some(0xAABB_CCDD);
            prop_assert_eq!(data.client_key, key);
            let acknack = of(10).expect("ACKNACK");
            prop_assert_eq!(acknack.first_seq.map(|seq| seq as u16), Some(first));
            prop_assert_eq!(acknack.missing, Some(bitmap.count_ones()));
        }
    }

    #[test]
    fn any_bytes_are_survived(
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        link in prop::sample::select(vec![0_u32, 1, 101, 113, 147, 276]),
    ) {
        for submessage in rtps::Submessages::of(&bytes) {
            prop_assert!(submessage.captured <= submessage.bytes);
        }
        let _ = xrce::Submessages::of(&bytes, 0).count();
        let rtps = [encode::rtps_header(), bytes.clone()].concat();
        let frames = [bytes.clone(), encode::udp(2018, 2018, &bytes), encode::udp(1, 2, &rtps)];
        let (summary, rows) = encode::read(encode::pcap(link, &frames)).unwrap();
        prop_assert_eq!(summary.packets, 3);
        prop_assert!(rows.len() >= 3);
    }

    #[test]
    fn any_file_is_survived(bytes in prop::collection::vec(any::<u8>(), 0..400), magic in 0_usize..4) {
        let magics: [&[u8]; 4] = [&[], &[0xd4, 0xc3, 0xb2, 0xa1], &[0x0a, 0x0d, 0x0d, 0x0a], &[0x1f, 0x8b]];
        let _ = encode::read([magics[magic], &bytes].concat());
    }
}

#[test]
fn a_payload_has_the_same_hash_on_both_protocols() {
    let payload = b"a sample of 21 bytes.";
    let rtps = [
        encode::rtps_header(),
        encode::data(&Order(true), 0x103, 1, false, &[&payload[..], &[0; 3]].concat()),
    ]
    .concat();
    let xrce = encode::xrce(0x81, 1, 0, &[encode::write_data(payload)]);
    let rows = rows_of(&[encode::udp(1, 7411, &rtps), encode::udp(2, 2018, &xrce)]);
    assert!(rows[0].payload_hash.is_some());
    assert_eq!(rows[0].payload_hash, rows[1].payload_hash);
}

#[test]
fn a_sample_in_fragments_of_xrce_is_read_whole() {
    let payload: Vec<u8> = (0..3000).map(|number| number as u8).collect();
    let (id, flags, content) = encode::write_data(&payload);
    let whole = [&[id, flags][..], &(content.len() as u16).to_le_bytes(), &content].concat();
    let pieces: Vec<_> = whole.chunks(1000).collect();
    let frames: Vec<_> = pieces
        .iter()
        .enumerate()
        .map(|(index, piece)| {
            let last = if index + 1 == pieces.len() { 2 } else { 0 };
            encode::udp(
                2,
                2018,
                &encode::xrce(0x81, 0x80, index as u16, &[(13, 1 | last, piece.to_vec())]),
            )
        })
        .collect();
    let rows = rows_of(&frames);
    let sample = rows.iter().find(|row| row.kind == Some(XRCE_KINDS + 7)).unwrap();
    assert_eq!((sample.payload_bytes, sample.packet), (Some(3000), Some(4)));
    assert_eq!((sample.first_seq, sample.last_seq), (Some(0), Some(3)));
    assert_eq!(sample.begun_ns, rows[0].time_ns);
}

#[test]
fn a_second_copy_is_repeated_and_another_session_repeats_nothing() {
    let message =
        |seq| encode::udp(2, 2018, &encode::xrce(0x81, 0x80, seq, &[encode::write_data(b"1234")]));
    let content = [&b"XRCE"[..], &[1, 0, 1, 15], &[0, 0, 0, 1], &[0x81, 0, 0, 2]].concat();
    let greeting = encode::udp(2, 2018, &encode::xrce(0x80, 0, 0, &[(0, 1, content)]));
    let rows =
        rows_of(&[greeting.clone(), message(0), message(1), message(1), greeting, message(0)]);
    let repeated: Vec<_> = rows.iter().filter_map(|row| row.repeated).collect();
    assert_eq!(repeated, [false, false, true, false]);
}

#[test]
fn rtps_over_tcp_is_cut_by_both_framings() {
    let order = Order(true);
    let data = encode::data(&order, 0x103, 5, false, &[7; 100]);
    let mut cyclone = encode::rtps_header();
    let length = (cyclone.len() + 8 + data.len()) as u32;
    cyclone.extend([0x81, 1, 4, 0]);
    cyclone.extend(length.to_le_bytes());
    cyclone.extend(&data);
    let message = [encode::rtps_header(), data].concat();
    let mut fast = b"RTCP".to_vec();
    fast.extend((14 + message.len() as u32).to_le_bytes());
    fast.extend([0; 6]);
    fast.extend(&message);
    for stream in [[cyclone.clone(), cyclone].concat(), [fast.clone(), fast].concat()] {
        let (one, two) = stream.split_at(33);
        let frames = [encode::tcp(5, 6, 1, 1, one), encode::tcp(5, 6, 34, 1, two)];
        let rows = rows_of(&frames);
        let data: Vec<_> = rows.iter().filter(|row| row.kind == Some(0x15)).collect();
        assert_eq!(data.len(), 2, "{rows:#?}");
        assert_eq!((data[0].begun_ns, data[1].begun_ns), (rows[0].time_ns, data[1].time_ns));
        assert!(data.iter().all(|row| row.payload_bytes == Some(100) && row.first_seq == Some(5)));
    }
}

#[test]
fn what_follows_a_segment_that_the_capture_lost_is_read() {
    let framed = |seq| {
        let message = encode::xrce(0x81, 0x80, seq, &[encode::write_data(&[7; 40])]);
        [&(message.len() as u16).to_le_bytes()[..], &message].concat()
    };
    let frames: Vec<_> = (0..6_u16)
        .map(|seq| (seq, framed(seq)))
        .filter(|(seq, _)| *seq != 2)
        .map(|(seq, bytes)| encode::tcp(5, 6, 1 + u32::from(seq) * bytes.len() as u32, 1, &bytes))
        .collect();
    let rows = rows_of(&frames);
    let data: Vec<_> = rows.iter().filter(|row| row.kind == Some(XRCE_KINDS + 7)).collect();
    let found: Vec<_> =
        data.iter().map(|row| (row.first_seq.unwrap(), row.packet.unwrap())).collect();
    assert_eq!(found, [(0, 1), (1, 2), (3, 3), (4, 4), (5, 5)]);
}

#[test]
fn messages_of_which_a_short_snap_length_keeps_the_beginning_are_read() {
    let framed = |seq| {
        let message = encode::xrce(0x81, 0x80, seq, &[encode::write_data(&[7; 40])]);
        [&(message.len() as u16).to_le_bytes()[..], &message].concat()
    };
    let bytes = framed(0).len();
    let two = [framed(2), framed(3)].concat();
    let segments = [&framed(0)[..], &framed(1)[..2], &framed(1)[2..], &two, &framed(4)];
    let mut at = 1;
    let frames: Vec<_> = segments
        .iter()
        .map(|segment| {
            at += segment.len() as u32;
            encode::tcp(5, 6, at - segment.len() as u32, 1, segment)
        })
        .collect();
    // Headers of 54 bytes; then a length, two headers, request and object.
    let (summary, rows) = encode::read(encode::snapped(1, &frames, 54 + 14)).unwrap();
    let data: Vec<_> = rows.iter().filter(|row| row.kind == Some(XRCE_KINDS + 7)).collect();
    let found: Vec<_> =
        data.iter().map(|row| (row.first_seq.unwrap(), row.packet.unwrap())).collect();
    assert_eq!(found, [(0, 1), (1, 3), (2, 4), (4, 5)]);
    assert!(data.iter().all(|row| row.payload_bytes == Some(40) && row.payload_hash.is_none()));
    let ends: Vec<_> = data.iter().map(|row| row.stream_end.unwrap()).collect();
    let step = bytes as i64;
    assert_eq!(
        ends.windows(2).map(|two| two[1] - two[0]).collect::<Vec<_>>(),
        [step, step, 2 * step]
    );
    let flow = &summary.flows[0];
    assert_eq!((flow.cut_off_segments, flow.unread_bytes), (4, step.cast_unsigned()));
    assert_eq!((flow.telling_bytes, flow.whole_bytes), (54 + 18, 54 + 2 * bytes as u32));
    // Not even the header of TCP is there as a whole, and nothing of what it carries.
    let (summary, rows) = encode::read(encode::snapped(1, &frames, 50)).unwrap();
    assert!(rows.iter().all(|row| row.tcp_bytes.is_some() && row.kind.is_none()));
    assert_eq!(summary.flows[0].unread_bytes, 5 * step.cast_unsigned());
}

#[test]
fn a_packet_that_two_interfaces_have_is_read_once() {
    let message = encode::xrce(0x81, 0x80, 0, &[encode::write_data(&[7; 40])]);
    let cooked = |interface: u32, kind: u8| {
        let frame = encode::udp(5, 2018, &message);
        let head = [&[8, 0, 0, 0][..], &interface.to_be_bytes(), &[0, 1, kind, 6], &[0; 8]];
        [&head.concat(), &frame[14..]].concat()
    };
    let frames = [cooked(2, 4), cooked(3, 0), cooked(2, 4)];
    let (summary, rows) = encode::read(encode::pcap(276, &frames)).unwrap();
    let repeated: Vec<_> = rows.iter().map(|row| (row.protocol, row.repeated)).collect();
    assert_eq!(repeated, [(Some(4), Some(false)), (Some(7), None), (Some(4), Some(true))]);
    assert_eq!((summary.noticed.copied_packets, summary.flows[0].packets), (1, 2));
}

#[test]
fn an_acknack_with_a_length_before_it_says_the_same() {
    let plain = [0x81, 0, 0, 0, 10, 1, 5, 0, 16, 0, 0, 3, 0x80];
    let with_length = [0x81, 0, 0, 0, 10, 1, 9, 0, 5, 0, 0, 0, 16, 0, 0, 3, 0x80];
    for message in [plain.as_slice(), with_length.as_slice()] {
        assert!(xrce::is_plausible(message));
        let submessage = xrce::Submessages::of(message, 4).next().unwrap();
        let xrce::Body::AckNack { first_unacked, missing, stream, .. } = submessage.body else {
            panic!("{:?}", submessage.body);
        };
        assert_eq!((first_unacked, missing, stream), (16, 2, 0x80));
    }
}

#[test]
fn an_acknack_says_which_numbers_it_asks_for_in_either_order_of_bytes() {
    let asked = |bits: [u8; 2]| {
        let message = [&[0x81, 0, 0, 0, 10, 1, 5, 0, 16, 0][..], &bits, &[0x80]].concat();
        match xrce::Submessages::of(&message, 4).next().unwrap().body {
            xrce::Body::AckNack { asked, .. } => asked,
            body => panic!("{body:?}"),
        }
    };
    // The first that is not confirmed is asked for whenever something is.
    assert_eq!((asked([0, 0b101]), asked([0b101, 0])), (0b101, 0b101));
    assert_eq!((asked([2, 1]), asked([1, 2])), (0x0201, 0x0201));
    // In doubt, what both orders ask for.
    assert_eq!((asked([0b11, 0b101]), asked([0xFF, 0xFF])), (0x0101, 0xFFFF));
    assert_eq!((asked([0, 0]), asked([0, 2])), (0, 0));
}
