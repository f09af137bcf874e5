//! What a role recorded, summed up, for where rows cannot be handed over.

use crate::protocol::{Conclusion, IntervalReport, RoleReport, Streamed};
use crate::roles::Recorded;
use crate::segments;

/// The sum of one role.
pub fn of(recorded: Recorded) -> Conclusion {
    let rows = recorded.rows();
    let segments = segments::of(&rows.iter(), segments::apart(rows));
    let RoleReport {
        role,
        writer,
        foreign,
        corrupted,
        other_size,
        echo_failures,
        accounts,
        intervals,
        ..
    } = recorded.report;
    Conclusion {
        role,
        writer,
        foreign,
        corrupted,
        other_size,
        echo_failures,
        received: accounts.iter().map(|account| account.received).sum(),
        missing: accounts.iter().map(|account| account.missing).sum(),
        accounts,
        streams: intervals.iter().map(streamed).collect(),
        segments,
    }
}

fn streamed(report: &IntervalReport) -> Streamed {
    Streamed {
        writer: report.writer,
        samples: report.samples.iter().sum(),
        bytes: report.bytes.iter().sum(),
        span_ns: report.span_ns.map(|(first, last)| last - first),
    }
}
