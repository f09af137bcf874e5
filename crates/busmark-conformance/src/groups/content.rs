//! C6, C7: what is written is what arrives.

use std::time::Instant;

use busmark_adapter::{EndpointConfig, Header, Payload, QosValue, verify_pattern};

use crate::kit::{COOKIE, Context, Got, Link, Verdict, body, ensure, fail, skip, word};

/// Larger bodies are not tried, whatever is declared.
const LARGEST: u64 = 16 << 20;

/// For each further portion of this size a sample gets the whole patience again: if its fragments
/// do not fit the sockets' buffers, they come in many turns, and on a busy machine 16 MiB take 15
/// s.
const ONCE_MORE: u64 = 8 << 20;

fn endpoint(context: &Context, kind: Payload, bytes: u64) -> EndpointConfig {
    EndpointConfig { payload: kind, max_body_bytes: bytes, ..context.endpoint() }
}

/// Sends the next sample, with a body of this many bytes, and waits for it; again if the adapter
/// need not be reliable.
fn deliver(context: &Context, link: &mut Link, bytes: u64) -> Verdict<Got> {
    let tries = if context.honours(QosValue::Reliable) { 1 } else { 5 };
    let patience = context.patience().mul_f64(1.0 + bytes as f64 / ONCE_MORE as f64);
    for _ in 0..tries {
        let seq = link.writer().write()?;
        let got = link.reader().gather(1, patience / tries)?;
        if let Some(found) = got.into_iter().find(|g| g.header.seq == seq) {
            return Ok(found);
        }
    }
    fail(format!("sample {} did not arrive", link.writer().next() - 1))
}

/// Sends `bytes` of `kind` and compares.
fn carry(context: &Context, link: &mut Link, kind: Payload, bytes: u64) -> Verdict<()> {
    let sent = body(kind, bytes);
    link.writer().set_body(&sent)?;
    let got = deliver(context, link, bytes)?;
    ensure!(
        got.body.len() == sent.len(),
        "{} body of {} bytes arrived with {}",
        word(&kind),
        sent.len(),
        got.body.len()
    );
    ensure!(
        verify_pattern(kind, &got.body),
        "{} body of {} bytes arrived changed",
        word(&kind),
        sent.len()
    );
    Ok(())
}

pub(crate) fn c06_every_payload_kind_is_a_type_of_its_own(context: &Context) -> Verdict {
    let mut links: Vec<(Payload, u64, Link)> = Vec::new();
    for kind in context.kinds() {
        let bytes = if kind == Payload::Empty { 0 } else { 64 };
        let endpoint = endpoint(context, kind, bytes);
        let link = match links.first() {
            Some((_, _, first)) => first.beside(context, &endpoint)?,
            None => Link::pair(context, &endpoint)?,
        };
        links.push((kind, bytes, link));
    }
    for (kind, bytes, link) in &mut links {
        carry(context, link, *kind, *bytes)?;
    }
    let kinds: Vec<_> = context.kinds().iter().map(word).collect();
    Ok(format!(
        "side by side in two participants: {}; type names are proven by traffic between vendors only",
        kinds.join(", ")
    ))
}

/// 0, one element, an odd number of elements, 1 KiB, 64 KiB, as far as declared.
fn sizes(context: &Context, kind: Payload) -> Vec<u64> {
    if kind == Payload::Empty {
        return vec![0];
    }
    let element = kind.element_bytes() as u64;
    [0, element, 7 * element, 1 << 10, 64 << 10]
        .into_iter()
        .filter(|s| *s <= context.caps.max_body_bytes)
        .collect()
}

pub(crate) fn c07_every_payload_kind_arrives_bit_for_bit(context: &Context) -> Verdict {
    let mut done = Vec::new();
    for kind in context.kinds() {
        let sizes = sizes(context, kind);
        let largest = sizes.last().copied().unwrap_or(0);
        let mut link = Link::pair(context, &endpoint(context, kind, largest))?;
        for &bytes in &sizes {
            carry(context, &mut link, kind, bytes)?;
        }
        let sizes: Vec<_> = sizes.iter().map(u64::to_string).collect();
        done.push(format!("{} {}", word(&kind), sizes.join(" ")));
    }
    Ok(format!("bytes of body: {}", done.join("; ")))
}

pub(crate) fn c07_large_bodies_arrive_bit_for_bit(context: &Context) -> Verdict {
    let limit = context.caps.max_body_bytes.min(LARGEST);
    let mut done = Vec::new();
    for kind in context.kinds().into_iter().filter(|kind| *kind != Payload::Empty) {
        let element = kind.element_bytes() as u64;
        let most = limit / element * element;
        let mut tries = vec![1 << 20, most];
        tries.retain(|bytes| *bytes <= most && *bytes > 64 << 10);
        tries.dedup();
        // The largest of all once is enough; kinds differ in their elements, not in how much fits.
        if kind != context.payload() {
            tries.truncate(1);
        }
        for bytes in tries {
            let mut link = Link::pair(context, &endpoint(context, kind, bytes))?;
            carry(context, &mut link, kind, bytes)?;
            done.push(format!("{} {bytes}", word(&kind)));
        }
    }
    if done.is_empty() {
        return skip(format!("carries at most {limit} bytes"));
    }
    Ok(format!("bytes of body: {}", done.join("; ")))
}

/// Sizes are chosen at random, one between each of these and the next.
const STEPS: [u64; 21] = [
    1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 12288, 20480, 32768, 49152,
    65536, 98_304, 131_072,
];

pub(crate) fn c07_bodies_of_random_sizes_arrive_bit_for_bit(context: &Context) -> Verdict {
    let kind = context.payload();
    if kind == Payload::Empty {
        return skip("declares no payload kind with a body");
    }
    let mut random = fastrand::Rng::with_seed(context.options.seed);
    let element = kind.element_bytes() as u64;
    let most = context.caps.max_body_bytes.min(STEPS[STEPS.len() - 1]) / element * element;
    let sizes: Vec<u64> = STEPS
        .windows(2)
        .map(|step| random.u64(step[0]..step[1]).max(element) / element * element)
        .filter(|bytes| *bytes <= most)
        .collect();
    let mut link = Link::pair(context, &endpoint(context, kind, most))?;
    for bytes in &sizes {
        carry_random(context, &mut link, kind, *bytes, &mut random)?;
    }
    Ok(format!(
        "{} sizes up to {most} bytes, of random content (seed {})",
        sizes.len(),
        context.options.seed
    ))
}

/// Sends `bytes` of random content and compares.
fn carry_random(
    context: &Context,
    link: &mut Link,
    kind: Payload,
    bytes: u64,
    random: &mut fastrand::Rng,
) -> Verdict<()> {
    let sent = random_body(kind, bytes, random);
    link.writer().set_body(&sent)?;
    let got = deliver(context, link, bytes)?;
    compare(&sent, &got, context.options.seed)
}

fn random_body(kind: Payload, bytes: u64, random: &mut fastrand::Rng) -> Vec<u8> {
    if !matches!(kind, Payload::Octet | Payload::Short | Payload::Long | Payload::Any) {
        // Not every byte is a value of the others.
        return body(kind, bytes);
    }
    let mut body = vec![0; bytes as usize];
    random.fill(&mut body);
    body
}

fn compare(sent: &[u8], got: &Got, seed: u64) -> Verdict<()> {
    let seq = got.header.seq;
    ensure!(
        got.body.len() == sent.len(),
        "the body of sample {seq}, {} bytes, arrived with {} (seed {seed})",
        sent.len(),
        got.body.len()
    );
    let wrong = got.body.iter().zip(sent).position(|(a, b)| a != b);
    ensure!(
        wrong.is_none(),
        "the body of sample {seq}, {} bytes, differs from what was written at byte {} (seed {seed})",
        sent.len(),
        wrong.unwrap_or_default()
    );
    Ok(())
}

/// Samples of one stream, each with its own body: what is wrong once in a thousand shows, and a
/// body that was not sent cannot be known.
const STREAM: u64 = 3000;
/// On the way at once.
const AT_ONCE: u64 = 8;

pub(crate) fn c07_bodies_that_change_arrive_bit_for_bit(context: &Context) -> Verdict {
    let kind = context.payload();
    if kind == Payload::Empty {
        return skip("declares no payload kind with a body");
    }
    let seed = context.options.seed;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut link = Link::pair(context, &context.endpoint())?;
    let reliable = context.honours(QosValue::Reliable);
    let patience = if reliable { context.patience() } else { context.options.quiet };
    let begin = Instant::now();
    let mut arrived = 0;
    while link.writer().next() < STREAM && begin.elapsed() < context.patience() * 2 {
        let first = link.writer().next();
        let mut sent = Vec::new();
        for _ in 0..AT_ONCE {
            let next = random_body(kind, link.writers[0].largest / 8 * 8, &mut random);
            link.writer().set_body(&next)?;
            link.writer().write()?;
            sent.push(next);
        }
        let got = link.reader().gather(AT_ONCE as usize, patience)?;
        arrived += got.len();
        for sample in &got {
            let place = sample.header.seq.checked_sub(first).map(|at| sent.get(at as usize));
            if let Some(Some(sent)) = place {
                compare(sent, sample, seed)?;
            }
        }
        ensure!(got.len() == AT_ONCE as usize || !reliable, "of {AT_ONCE} samples {}", got.len());
    }
    let count = link.writer().next();
    ensure!(arrived as u64 > count / 2, "{arrived} of {count} samples arrived");
    Ok(format!("{arrived} of {count} samples, no two alike (seed {seed})"))
}

pub(crate) fn c07_every_byte_value_arrives_unchanged(context: &Context) -> Verdict {
    let mut done = Vec::new();
    let all: Vec<u8> = (0..=255_u8).collect();
    // A char has 7 bits, and a float that is not a number may become another one.
    let kinds = [Payload::Octet, Payload::Short, Payload::Long, Payload::Any];
    for kind in kinds.into_iter().filter(|k| context.caps.payloads.contains(k)) {
        let mut link = Link::pair(context, &endpoint(context, kind, 256))?;
        link.writer().set_body(&all)?;
        let got = deliver(context, &mut link, all.len() as u64)?;
        ensure!(got.body == all, "a {} body of all byte values arrived changed", word(&kind));
        done.push(word(&kind));
    }
    if done.is_empty() {
        return skip("declares no kind that can hold every byte value");
    }
    Ok(done.join(", "))
}

pub(crate) fn c07_extreme_headers_arrive_bit_for_bit(context: &Context) -> Verdict {
    let mut link = Link::pair(context, &context.endpoint())?;
    let times = [(0, 0), (i64::MIN, i64::MAX), (-1, 1), (0x0123_4567_89AB_CDEF, -2)];
    let ids = [(0, 0), (u32::MAX, u32::MAX), (1, 0x8000_0000), (0x1234_5678, 15)];
    for ((a, b), (writer_id, flags)) in times.into_iter().zip(ids) {
        let seq = link.writer().next() + (1 << 40);
        let header = Header {
            cookie: COOKIE,
            seq,
            intended_ns: a,
            sent_ns: b,
            echo_sent_ns: a ^ 0x55,
            echo_delivered_ns: b ^ 0x33,
            echo_read_ns: !a,
            writer_id,
            flags,
        };
        link.writer().header = header;
        let got = deliver(context, &mut link, 0)?;
        // A retry of an unreliable delivery advances the number; everything else must be the same.
        let sent = Header { seq: got.header.seq, ..header };
        ensure!(got.header == sent, "sent {sent:?}, arrived {:?}", got.header);
    }
    Ok("four headers of extreme and mixed values".to_owned())
}
