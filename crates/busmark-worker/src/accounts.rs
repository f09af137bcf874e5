//! What a role counted, as tables: accounts of writers, counters over time, batches.

use std::sync::Arc;

use arrow_array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;

use crate::protocol::{
    Appearance, BatchesReport, GoalReport, IntervalReport, RoleReport, SentBatchesReport,
    WriterAccount,
};

type Columns = Vec<(&'static str, ArrayRef)>;

/// The tables of a role that have rows, by the names of their frames.
pub fn tables(report: &RoleReport) -> Result<Vec<(&'static str, RecordBatch)>, ArrowError> {
    [
        ("accounts", accounts(&report.accounts, &report.intervals)),
        ("intervals", intervals(&report.intervals)),
        ("batches", batches(&report.batches)),
        ("sent_batches", sent_batches(report.sent_batches.as_ref())),
        ("discoveries", discoveries(&report.appearances)),
        ("goals", goals(&report.goals)),
    ]
    .into_iter()
    .map(|(name, columns)| RecordBatch::try_from_iter(columns).map(|table| (name, table)))
    .filter(|table| table.as_ref().map_or(true, |(_, table)| table.num_rows() > 0))
    .collect()
}

fn numbers(values: impl IntoIterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.into_iter().collect::<Int64Array>())
}

fn counts<'a>(values: impl IntoIterator<Item = &'a u64>) -> ArrayRef {
    Arc::new(Int64Array::from_iter_values(values.into_iter().map(|value| *value as i64)))
}

/// A row for each writer: what became of its samples, and over which time they were counted. Either is
/// null where the role does not know it.
fn accounts(accounts: &[WriterAccount], counters: &[IntervalReport]) -> Columns {
    let known = |at: usize| accounts.get(at);
    let counted = |at: usize| {
        let writer = known(at).map(|account| account.writer);
        match writer {
            // Both are by writer, in the same order.
            Some(writer) => counters.get(at).filter(|counted| counted.writer == writer),
            None => counters.get(at),
        }
    };
    let rows = accounts.len().max(counters.len());
    let account = |value: fn(&WriterAccount) -> u64| {
        numbers((0..rows).map(|at| known(at).map(|account| value(account) as i64)))
    };
    let counter = |value: fn(&IntervalReport) -> Option<i64>| {
        numbers((0..rows).map(|at| counted(at).and_then(value)))
    };
    let writer = |at| {
        known(at)
            .map(|account| account.writer)
            .or_else(|| counted(at).map(|counted| counted.writer))
            .map(i64::from)
    };
    vec![
        ("writer", numbers((0..rows).map(writer))),
        ("received", account(|of| of.received)),
        ("missing", account(|of| of.missing)),
        ("duplicated", account(|of| of.duplicated)),
        ("out_of_order", account(|of| of.out_of_order)),
        ("ancient", account(|of| of.ancient)),
        ("width_ns", counter(|of| Some(of.width_ns))),
        ("first_ns", counter(|of| of.span_ns.map(|(first, _)| first))),
        ("last_ns", counter(|of| of.span_ns.map(|(_, last)| last))),
        ("intervals", counter(|of| Some(of.samples.len() as i64))),
    ]
}

/// Interval by interval, writer after writer as in `accounts`, which has how many each has.
fn intervals(counters: &[IntervalReport]) -> Columns {
    vec![
        ("samples", counts(counters.iter().flat_map(|counted| &counted.samples))),
        ("bytes", counts(counters.iter().flat_map(|counted| &counted.bytes))),
    ]
}

fn batches(seen: &[BatchesReport]) -> Columns {
    let ended = seen.iter().flat_map(|of| of.ended.iter().copied().map(Some));
    let writer = seen.iter().flat_map(|of| of.number.iter().map(|_| Some(i64::from(of.writer))));
    vec![
        ("writer", numbers(writer)),
        ("number", counts(seen.iter().flat_map(|of| &of.number))),
        ("start_ns", numbers(seen.iter().flat_map(|of| of.start_ns.iter().copied().map(Some)))),
        ("end_ns", numbers(seen.iter().flat_map(|of| of.end_ns.iter().copied()))),
        ("ended", Arc::new(ended.collect::<BooleanArray>())),
        ("received", counts(seen.iter().flat_map(|of| &of.received))),
        ("bytes", counts(seen.iter().flat_map(|of| &of.bytes))),
    ]
}

fn sent_batches(own: Option<&SentBatchesReport>) -> Columns {
    let waited = own.map_or(&[][..], |own| &own.waited_ns);
    let acknowledged = own.map_or(&[][..], |own| &own.acknowledged);
    let acknowledged = (0..waited.len()).map(|at| acknowledged.get(at).map(|count| *count as i64));
    vec![
        ("acknowledged", numbers(acknowledged)),
        ("waited_ns", numbers(waited.iter().copied().map(Some))),
    ]
}

fn discoveries(seen: &[Appearance]) -> Columns {
    let always = |of: fn(&Appearance) -> i64| numbers(seen.iter().map(|one| Some(of(one))));
    let maybe = |of: fn(&Appearance) -> Option<i64>| numbers(seen.iter().map(of));
    vec![
        ("begin_ns", always(|one| one.begin_ns)),
        ("attached_ns", maybe(|one| one.attached_ns)),
        ("created_ns", always(|one| one.created_ns)),
        ("own_after_ns", maybe(|one| one.own_after_ns)),
        ("own_at_ns", maybe(|one| one.own_at_ns)),
        ("peer_after_ns", maybe(|one| one.peer_after_ns)),
        ("peer_at_ns", maybe(|one| one.peer_at_ns)),
        ("first_ns", maybe(|one| one.first_ns)),
        ("sent", always(|one| one.sent)),
        ("lost", maybe(|one| one.lost)),
        ("closed_ns", always(|one| one.closed_ns)),
    ]
}

fn goals(own: &[GoalReport]) -> Columns {
    let always = |of: fn(&GoalReport) -> i64| numbers(own.iter().map(|one| Some(of(one))));
    let maybe = |of: fn(&GoalReport) -> Option<i64>| numbers(own.iter().map(of));
    let whether = |of: fn(&GoalReport) -> bool| -> ArrayRef {
        Arc::new(own.iter().map(|one| Some(of(one))).collect::<BooleanArray>())
    };
    vec![
        ("number", always(|one| one.number as i64)),
        ("intended_ns", always(|one| one.intended_ns)),
        ("sent_ns", always(|one| one.sent_ns)),
        ("accepted_ns", maybe(|one| one.accepted_ns)),
        ("first_feedback_ns", maybe(|one| one.first_feedback_ns)),
        ("feedback", always(|one| one.feedback as i64)),
        ("feedback_sent", maybe(|one| one.feedback_sent.map(|sent| sent as i64))),
        ("feedback_total_ns", always(|one| one.feedback_total_ns)),
        ("feedback_most_ns", always(|one| one.feedback_most_ns)),
        ("statuses", always(|one| one.statuses as i64)),
        ("cancel_sent_ns", maybe(|one| one.cancel_sent_ns)),
        ("cancel_answered_ns", maybe(|one| one.cancel_answered_ns)),
        ("ended_ns", maybe(|one| one.ended_ns)),
        ("result_ns", maybe(|one| one.result_ns)),
        ("cancelled", whether(|one| one.cancelled)),
        ("refused", whether(|one| one.refused)),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(report: &RoleReport) -> Vec<(&'static str, usize)> {
        let tables = tables(report).expect("tables");
        tables.into_iter().map(|(name, table)| (name, table.num_rows())).collect()
    }

    #[test]
    fn a_table_without_rows_is_none() {
        assert!(rows(&RoleReport::default()).is_empty());
    }

    #[test]
    fn a_writer_has_one_row_whether_it_is_counted_or_accounted_for() {
        let counted = |writer| IntervalReport {
            writer,
            width_ns: 10,
            span_ns: Some((5, 25)),
            samples: vec![1, 2],
            bytes: vec![8, 16],
        };
        let account = |writer| WriterAccount { writer, received: 3, ..WriterAccount::default() };
        let receiver = RoleReport {
            accounts: vec![account(1), account(2)],
            intervals: vec![counted(1), counted(2)],
            ..RoleReport::default()
        };
        assert_eq!(rows(&receiver), [("accounts", 2), ("intervals", 4)]);
        let transmitter = RoleReport { intervals: vec![counted(1)], ..RoleReport::default() };
        assert_eq!(rows(&transmitter), [("accounts", 1), ("intervals", 2)]);
        let pinger = RoleReport { accounts: vec![account(1)], ..RoleReport::default() };
        assert_eq!(rows(&pinger), [("accounts", 1)]);
    }
}
