//! C8: what the history of a reader holds.

use busmark_adapter::{QosValue, Wait};

use crate::kit::{Context, Link, Verdict, describe, ensure, until};

pub(crate) fn c08_keep_last_counts_what_wait_has_fetched(context: &Context) -> Verdict {
    context.need_qos(QosValue::KeepLast)?;
    context.need_wait(Wait::Waitset)?;
    let depth = 3;
    let mut endpoint = context.endpoint();
    endpoint.wait = Wait::Waitset;
    endpoint.qos.keep_all = Some(false);
    endpoint.qos.depth = depth;
    let mut link = Link::pair(context, &endpoint)?;
    link.writer().write()?;
    let patience = context.patience();
    // Whatever wait() has fetched by now is the first sample.
    until("wait() sees the first sample", patience, || {
        link.readers[0].handle.wait(patience).map_err(|status| status.to_string())
    })?;
    link.writer().write_many(9)?;
    std::thread::sleep(context.options.quiet);
    let got = link.reader().gather(depth as usize + 1, context.options.quiet)?;
    let seqs: Vec<u64> = got.iter().map(|g| g.header.seq).collect();
    let newest = seqs.last() == Some(&9) || !context.honours(QosValue::Reliable);
    ensure!(
        seqs.len() <= depth as usize && newest,
        "of 10 samples with a depth of {depth}, wait() after the first: {}",
        describe(&seqs)
    );
    Ok(format!("after wait(), {}", describe(&seqs)))
}
