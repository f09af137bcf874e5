//! C6, C7: what is written is what arrives.

use busmark_adapter::{EndpointConfig, Header, Payload, QosValue, verify_pattern};

use crate::kit::{COOKIE, Context, Got, Link, Verdict, body, ensure, fail, skip, word};

/// Larger bodies are not tried, whatever is declared.
const LARGEST: u64 = 16 << 20;

fn endpoint(context: &Context, kind: Payload, bytes: u64) -> EndpointConfig {
    EndpointConfig { payload: kind, max_body_bytes: bytes, ..context.endpoint() }
}

/// Sends what is next and waits for it; again if the adapter need not be reliable.
fn deliver(context: &Context, link: &mut Link) -> Verdict<Got> {
    let tries = if context.honours(QosValue::Reliable) { 1 } else { 5 };
    for _ in 0..tries {
        let seq = link.writer().write()?;
        let got = link.reader().gather(1, context.patience() / tries)?;
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
    let got = deliver(context, link)?;
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

pub(crate) fn c07_every_byte_value_arrives_unchanged(context: &Context) -> Verdict {
    let mut done = Vec::new();
    let all: Vec<u8> = (0..=255_u8).collect();
    // A char has 7 bits, and a float that is no number may be made another one.
    let kinds = [Payload::Octet, Payload::Short, Payload::Long, Payload::Any];
    for kind in kinds.into_iter().filter(|k| context.caps.payloads.contains(k)) {
        let mut link = Link::pair(context, &endpoint(context, kind, 256))?;
        link.writer().set_body(&all)?;
        let got = deliver(context, &mut link)?;
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
        let got = deliver(context, &mut link)?;
        // A retry of an unreliable delivery advances the number; everything else must be the same.
        let sent = Header { seq: got.header.seq, ..header };
        ensure!(got.header == sent, "sent {sent:?}, arrived {:?}", got.header);
    }
    Ok("four headers of extreme and mixed values".to_owned())
}
