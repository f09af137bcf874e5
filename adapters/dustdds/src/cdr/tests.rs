//! Values of a type with every kind of member, to bytes and back.

use dust_dds::infrastructure::type_support::DdsType;
use dust_dds::xtypes::type_support::{Type, TypeSupport};

use super::{read, write};

#[derive(Clone, Debug, PartialEq, DdsType)]
enum Kind {
    Slow = 2,
    Fast = 5,
}

#[derive(Clone, Debug, PartialEq, DdsType)]
#[dust_dds(switch(i32))]
enum Either {
    #[dust_dds(case = 1)]
    Whole { whole: i32 },
    #[dust_dds(case = 2)]
    Text { text: String },
    #[dust_dds(default)]
    Other { other: u8 },
}

#[derive(Clone, Debug, PartialEq, DdsType)]
struct Point {
    tag: u8,
    x: f64,
}

#[derive(Clone, Debug, PartialEq, DdsType)]
struct Whole {
    name: String,
    kind: Kind,
    either: Either,
    grid: [i16; 2],
    points: Vec<Point>,
    letters: Vec<char>,
    names: Vec<String>,
    good: bool,
}

fn whole(either: Either) -> Whole {
    Whole {
        name: "abc".to_owned(),
        kind: Kind::Fast,
        either,
        grid: [1, -2],
        points: vec![Point { tag: 255, x: 0.5 }],
        letters: vec!['é', 'z'],
        names: vec![String::new()],
        good: true,
    }
}

fn bytes(value: &Whole) -> Vec<u8> {
    write(&value.clone().create_dynamic_sample()).expect("plain CDR")
}

fn value(bytes: &[u8]) -> Option<Whole> {
    Whole::create_sample(&mut read(Whole::TYPE, bytes)?)
}

#[test]
fn a_value_lies_as_the_standard_has_it() {
    let mut expected = vec![4, 0, 0, 0, b'a', b'b', b'c', 0, 5, 0, 0, 0];
    expected.extend([1, 0, 0, 0, 0xf9, 0xff, 0xff, 0xff, 1, 0, 0xfe, 0xff]);
    expected.extend([1, 0, 0, 0, 255, 0, 0, 0]);
    expected.extend(0.5_f64.to_le_bytes());
    expected.extend([2, 0, 0, 0, 0xe9, b'z', 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    assert_eq!(bytes(&whole(Either::Whole { whole: -7 })), expected);
}

#[test]
fn every_case_of_a_union_comes_back() {
    for either in [
        Either::Whole { whole: 9 },
        Either::Text { text: "two".to_owned() },
        Either::Other { other: 3 },
    ] {
        let value_of = whole(either);
        assert_eq!(value(&bytes(&value_of)).as_ref(), Some(&value_of));
    }
}

#[test]
fn what_is_cut_short_too_long_or_impossible_is_no_value() {
    let good = bytes(&whole(Either::Whole { whole: 9 }));
    for cut in 0..good.len() {
        assert_eq!(value(&good[..cut]), None, "{cut} bytes");
    }
    assert_eq!(value(&[&good[..], &[0]].concat()), None);
    // No end of the text, an enumerator that there is none of, a length beyond the bytes, a truth
    // that is neither.
    for (at, wrong) in [(7, 1), (8, 3), (27, 0x7f), (good.len() - 1, 2)] {
        let mut bytes = good.clone();
        bytes[at] = wrong;
        assert_eq!(value(&bytes), None, "byte {at}");
    }
}
