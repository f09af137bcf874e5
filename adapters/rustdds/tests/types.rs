//! What goes over the wire is what `idl/busmark.idl` says: CDR, little endian.

use busmark_adapter::Header as BusmarkHeader;
use busmark_rustdds::types::{
    AnySample, AnyValue, ByteSample, ElementSample, EmptySample, Header, KeyedSample, Sample,
    StructElement,
};
use rustdds::no_key::SerializerAdapter;
use rustdds::serialization::deserialize_from_cdr_with_rep_id;
use rustdds::{CDRSerializerAdapter, RepresentationIdentifier};

fn header() -> BusmarkHeader {
    BusmarkHeader {
        cookie: 1,
        seq: 12,
        intended_ns: 3,
        sent_ns: -4,
        echo_sent_ns: 5,
        echo_delivered_ns: 6,
        echo_read_ns: 7,
        writer_id: 8,
        flags: 9,
    }
}

/// The header's 64 bytes, which need no padding.
fn header_bytes() -> Vec<u8> {
    let wide = [1, 12, 3, -4, 5, 6, 7_i64].map(i64::to_le_bytes).concat();
    [wide, [8, 9_u32].map(u32::to_le_bytes).concat()].concat()
}

fn encoded<T: Sample>(sample: &T) -> Vec<u8> {
    CDRSerializerAdapter::<T>::to_bytes(sample).expect("encodes").to_vec()
}

fn decoded<T: Sample>(bytes: &[u8]) -> T {
    let (sample, used) =
        deserialize_from_cdr_with_rep_id(bytes, RepresentationIdentifier::CDR_LE).expect("decodes");
    assert_eq!(used, bytes.len());
    sample
}

/// A sample of `body` is the header and `wire`, and comes back from there.
fn travels<T: Sample>(body: &[u8], wire: &[u8]) {
    let mut sample = T::with_body(body);
    sample.set_header(&header(), 10);
    let bytes = [header_bytes(), wire.to_vec()].concat();
    assert_eq!(encoded(&sample), bytes);
    let back: T = decoded(&bytes);
    assert_eq!((back.header(), back.body()), (&Header::from(&header()), body));
}

#[test]
fn samples_without_a_key_are_header_and_sequence() {
    travels::<EmptySample>(&[], &[]);
    travels::<ByteSample>(&[1, 2, 255], &[3, 0, 0, 0, 1, 2, 255]);
    travels::<ElementSample<i16>>(&[1, 0, 254, 255], &[2, 0, 0, 0, 1, 0, 254, 255]);
    travels::<ElementSample<i32>>(&[7, 0, 0, 1], &[1, 0, 0, 0, 7, 0, 0, 1]);
    travels::<ElementSample<f32>>(&[0, 0, 128, 63], &[1, 0, 0, 0, 0, 0, 128, 63]);
    let element = [5, 0, 0, 0, b'e', b'i', b'g', b'h', b't', b' ', b'c', b'h', 0, 0, 128, 63];
    travels::<ElementSample<StructElement>>(&element, &[vec![1, 0, 0, 0], element.into()].concat());
}

#[test]
fn a_value_of_any_kind_is_told_by_its_discriminator() {
    travels::<AnySample>(&[1, 2], &[1, 0, 0, 0, 2, 0, 0, 0, 1, 2]);
    let longs = [header_bytes(), vec![5, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0]].concat();
    let sample: AnySample = decoded(&longs);
    assert_eq!(sample.body, AnyValue::Longs(vec![9]));
    assert_eq!(encoded(&sample), longs);
    let wrong = [header_bytes(), vec![2, 0, 0, 0, 1, 0, 0, 0, 9, 0, 0, 0]].concat();
    let encoding = RepresentationIdentifier::CDR_LE;
    assert!(deserialize_from_cdr_with_rep_id::<AnySample>(&wrong, encoding).is_err());
}

#[test]
fn a_key_comes_first_and_is_aligned() {
    let mut sample = KeyedSample::with_body(&[1]);
    sample.set_header(&header(), 10);
    let bytes = [vec![2, 0, 0, 0, 0, 0, 0, 0], header_bytes(), vec![1, 0, 0, 0, 1]].concat();
    assert_eq!(encoded(&sample), bytes);
    let back: KeyedSample = decoded(&bytes);
    assert_eq!((back.instance, back.body()), (2, &[1][..]));
}
