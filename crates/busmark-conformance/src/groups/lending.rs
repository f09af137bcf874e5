//! C34, C35: several samples in one call, and memory of the middleware.

use busmark_adapter::{Feature, Header, Payload, QosValue, Status, fill_pattern};

use crate::kit::{COOKIE, Context, Link, Verdict, body, describe, ensure, skip};

/// More than any call is likely to take at once.
const MANY: u64 = 150;

pub(crate) fn c34_many_writes_are_as_single_ones(context: &Context) -> Verdict {
    context.need(Feature::WriteMany)?;
    let endpoint = context.endpoint();
    let link = Link::pair(context, &endpoint)?;
    let writer = &link.writers[0].handle;
    let whole = body(endpoint.payload, endpoint.max_body_bytes);
    let half = body(endpoint.payload, endpoint.max_body_bytes / 2);
    let (long, short) = (writer.sample(&whole)?, writer.sample(&half)?);
    // Every third one is shorter, so that the same sample stands twice in a row as well.
    let is_short = |seq: u64| seq % 3 == 2;
    let samples: Vec<_> = (0..MANY).map(|seq| if is_short(seq) { &short } else { &long }).collect();
    let header = |seq| Header { cookie: COOKIE, seq, sent_ns: -(seq as i64), ..Header::default() };
    let headers: Vec<Header> = (0..MANY).map(header).collect();
    let (sent, outcome) = writer.write_many(&samples, &headers);
    ensure!((sent, outcome) == (MANY as usize, Ok(())), "{sent} of {MANY} sent: {outcome:?}");
    writer.flush()?;
    let got = link.reader().gather(MANY as usize, context.patience())?;
    let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
    let all = !context.honours(QosValue::Reliable) || seqs.iter().copied().eq(0..MANY);
    ensure!(all && !seqs.is_empty(), "of {MANY} samples written together {}", describe(&seqs));
    for sample in &got {
        let expected = if is_short(sample.header.seq) { &half } else { &whole };
        ensure!(
            sample.header == header(sample.header.seq) && sample.body == *expected,
            "sample {} came with the header or the body of another one",
            sample.header.seq
        );
    }
    Ok(format!("{MANY} samples of two bodies in one call: {}", describe(&seqs)))
}

pub(crate) fn c34_without_the_feature_there_is_no_such_entry(context: &Context) -> Verdict {
    if context.has(Feature::WriteMany) {
        return skip("declares write_many");
    }
    let participant = context.participant()?;
    let endpoint = context.endpoint();
    let writer = participant.writer(&endpoint)?;
    let sample = writer.sample(&body(endpoint.payload, endpoint.max_body_bytes))?;
    let (sent, outcome) = writer.write_many(&[&sample], &[Header::default()]);
    ensure!(
        (sent, outcome) == (0, Err(Status::Unsupported)),
        "write_many sent {sent} ({outcome:?}) instead of being unsupported"
    );
    Ok("write_many is unsupported".to_owned())
}

pub(crate) fn c35_what_was_lent_arrives_bit_for_bit(context: &Context) -> Verdict {
    context.need(Feature::Loans)?;
    let endpoint = context.endpoint();
    if endpoint.payload != Payload::Octet {
        return skip("has no payload of octets");
    }
    let link = Link::pair(context, &endpoint)?;
    let writer = &link.writers[0].handle;
    let count = 20_u64;
    let body_of = |seq: u64| {
        // Each body its own length and content: memory that is lent again holds an earlier one.
        let mut bytes = vec![0; (endpoint.max_body_bytes - seq) as usize];
        fill_pattern(Payload::Octet, &mut bytes);
        for byte in &mut bytes {
            *byte ^= seq as u8;
        }
        bytes
    };
    for seq in 0..count {
        let bytes = body_of(seq);
        let header = Header { cookie: COOKIE, seq, sent_ns: seq as i64 * 7, ..Header::default() };
        writer.publish(bytes.len(), Some(&header), |to| {
            to.iter_mut().zip(&bytes).for_each(|(to, byte)| {
                to.write(*byte);
            });
        })?;
        writer.flush()?;
        let got = link.reader().gather(1, context.patience())?;
        ensure!(got.len() == 1, "sample {seq}: {} arrived", got.len());
        let (found, sent) = (&got[0], (header, bytes));
        ensure!(found.header == sent.0, "sample {seq}: another header arrived");
        ensure!(found.body == sent.1, "sample {seq}: another body arrived");
    }
    Ok(format!("{count} bodies written into memory that was lent"))
}

pub(crate) fn c35_one_loan_at_a_time(context: &Context) -> Verdict {
    context.need(Feature::Loans)?;
    let endpoint = context.endpoint();
    let link = Link::pair(context, &endpoint)?;
    let writer = &link.writers[0].handle;
    let bytes = endpoint.max_body_bytes as usize;
    let refused = |what: &str, outcome: Result<(), Status>| {
        ensure!(outcome == Err(Status::Invalid), "{what} gave {outcome:?} instead of invalid");
        Ok(())
    };
    refused("publish() without a loan", writer.publish_only(Some(&Header::default())))?;
    refused("a loan of more than the endpoint's size", writer.loan_only(bytes + 1))?;
    for _ in 0..100 {
        writer.loan_only(bytes)?;
        refused("a second loan()", writer.loan_only(bytes))?;
        writer.publish_only(None)?;
    }
    let heard = link.reader().gather(1, context.options.quiet)?;
    ensure!(heard.is_empty(), "what was given back was sent");
    // Goes with its writer.
    writer.loan_only(bytes)?;
    Ok("a second one is refused, 100 were given back unsent".to_owned())
}

pub(crate) fn c35_without_the_feature_nothing_is_lent(context: &Context) -> Verdict {
    if context.has(Feature::Loans) {
        return skip("declares loans");
    }
    let participant = context.participant()?;
    let writer = participant.writer(&context.endpoint())?;
    for (entry, outcome) in
        [("loan", writer.loan_only(1)), ("publish", writer.publish_only(Some(&Header::default())))]
    {
        ensure!(outcome == Err(Status::Unsupported), "{entry} gave {outcome:?}");
    }
    Ok("loan and publish are unsupported".to_owned())
}
