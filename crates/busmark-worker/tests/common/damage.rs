//! Damaged messages, from whole ones: values, keys and bytes that nobody sends.

use fastrand::Rng;
use serde_json::{Map, Value, json};

/// Texts of numbers, names and nests where the parser has to decide.
const ODD: [&str; 12] = [
    "-1",
    "1e400",
    "0.1",
    "18446744073709551616",
    "9223372036854775807",
    "null",
    "\"\"",
    "\"\\ud800\"",
    "\"\\u0000\"",
    "[]",
    "{}",
    "[[[[[[[[[[]]]]]]]]]]",
];

/// What came of the inputs.
#[derive(Default)]
pub struct Outcome {
    pub read: u64,
    pub refused: u64,
}

impl Outcome {
    pub fn note<T, E>(&mut self, result: &Result<T, E>, words: impl Fn(&E) -> &str) {
        match result {
            Ok(_) => self.read += 1,
            Err(error) => {
                let words = words(error);
                assert!((8..2000).contains(&words.len()), "no words for a user: {words:?}");
                assert!(!words.contains('\u{1b}'), "{words:?}");
                self.refused += 1;
            }
        }
    }
}

/// Another value in place of one at random, a key less or a key twice.
fn other_value(random: &mut Rng, value: &mut Value) {
    let deeper = random.u8(..4) > 0;
    match value {
        Value::Object(map) if deeper && !map.is_empty() => {
            let at = random.usize(..map.len());
            if random.u8(..12) == 0 {
                *map = without(map, at);
            } else if let Some(one) = map.values_mut().nth(at) {
                other_value(random, one);
            }
        }
        Value::Array(list) if deeper && !list.is_empty() => {
            let at = random.usize(..list.len());
            if random.u8(..12) == 0 {
                list.push(list[at].clone());
            } else {
                other_value(random, &mut list[at]);
            }
        }
        _ => {
            *value = match random.u8(..7) {
                0 => json!(random.u64(..)),
                1 => json!(random.i64(..)),
                2 => json!(f64::from_bits(random.u64(..))),
                3 => json!(random.bool()),
                4 => Value::Null,
                5 => json!([value.clone()]),
                _ => json!("x".repeat(random.usize(..300))),
            };
        }
    }
}

fn without(map: &Map<String, Value>, at: usize) -> Map<String, Value> {
    let kept = map.iter().enumerate().filter(|(place, _)| *place != at);
    kept.map(|(_, (key, value))| (key.clone(), value.clone())).collect()
}

/// Other bytes in place of some, and odd texts.
fn other_bytes(random: &mut Rng, bytes: &mut Vec<u8>) {
    for _ in 0..=random.usize(..4) {
        let at = random.usize(..bytes.len().max(1)).min(bytes.len());
        match random.u8(..5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.u8(..)),
            2 => drop(bytes.splice(at..at, ODD[random.usize(..ODD.len())].bytes())),
            3 if at < bytes.len() => bytes[at] ^= 1 << random.u8(..8),
            _ if at < bytes.len() => bytes[at] = b"{}[]\",:0-eE\\"[random.usize(..12)],
            _ => (),
        }
    }
}

/// Damages as many of these messages, each a line, as `inputs` says, and has them read. The seed is fixed,
/// so that what fails once fails again.
pub fn fuzz(corpus: &str, inputs: u64, mut read: impl FnMut(&[u8], &mut Outcome)) -> Outcome {
    let corpus: Vec<Value> =
        corpus.lines().map(|line| serde_json::from_str(line).expect("a message")).collect();
    let mut random = Rng::with_seed(20_261_123);
    let mut outcome = Outcome::default();
    let mut bytes = Vec::new();
    for _ in 0..inputs {
        let mut value = corpus[random.usize(..corpus.len())].clone();
        for _ in 0..random.usize(..3) {
            other_value(&mut random, &mut value);
        }
        bytes.clear();
        serde_json::to_writer(&mut bytes, &value).expect("memory");
        if random.u8(..3) == 0 {
            other_bytes(&mut random, &mut bytes);
        }
        read(&bytes, &mut outcome);
    }
    outcome
}

/// As many as `BUSMARK_FUZZ_INPUTS` says, with a line of what came of them.
pub fn fuzz_at_length(corpus: &str, read: impl FnMut(&[u8], &mut Outcome)) {
    let inputs = std::env::var("BUSMARK_FUZZ_INPUTS").ok().and_then(|text| text.parse().ok());
    let inputs = inputs.unwrap_or(10_000_000);
    let Outcome { read, refused } = fuzz(corpus, inputs, read);
    println!("{inputs} inputs, {read} times read and {refused} times refused, no panic");
}
