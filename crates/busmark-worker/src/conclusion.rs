//! What a role recorded, summed up, for where rows cannot be handed over.

use std::collections::BTreeMap;

use busmark_measure::Row;

use crate::protocol::{Best, Conclusion, IntervalReport, RoleReport, Streamed, Summed};
use crate::roles::{RESOLUTION, Recorded};

/// How many of a hundred, as the tables of latencies have them.
pub(crate) const SHARES: [f64; 4] = [100.0, 99.9, 99.0, 90.0];

/// The sum of one role.
pub fn of(mut recorded: Recorded) -> Conclusion {
    let summed = recorded.report.summed.take();
    let resolution = summed.as_ref().map(|_| RESOLUTION);
    let Summed { legs, unrecorded } =
        summed.unwrap_or_else(|| Summed { legs: legs(recorded.rows()), unrecorded: 0 });
    let RoleReport { role, writer, foreign, corrupted, echo_failures, accounts, intervals, .. } =
        recorded.report;
    Conclusion {
        role,
        writer,
        foreign,
        corrupted,
        echo_failures,
        received: accounts.iter().map(|account| account.received).sum(),
        missing: accounts.iter().map(|account| account.missing).sum(),
        accounts,
        streams: intervals.iter().map(streamed).collect(),
        legs,
        resolution,
        unrecorded,
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

/// For round trips, the legs whose ends are by one clock.
pub(crate) fn legs(rows: &[Row]) -> BTreeMap<&'static str, Vec<Best>> {
    let between = |from: fn(&Row) -> Option<i64>, to: fn(&Row) -> Option<i64>| -> Vec<i64> {
        rows.iter().filter_map(|row| Some(to(row)? - from(row)?)).collect()
    };
    let mut read: Vec<i64> = rows.iter().filter_map(|row| Row::get(&row.read_ns)).collect();
    read.sort_unstable();
    let apart: Vec<i64> = read.windows(2).map(|pair| pair[1] - pair[0]).collect();
    [
        ("send_source", between(|r| Row::get(&r.sent_ns), |r| Row::get(&r.written_ns))),
        (
            "send_arrival",
            between(|r| Row::get(&r.echo_delivered_ns), |r| Row::get(&r.echo_read_ns)),
        ),
        ("echo_arrival", between(|r| Row::get(&r.delivered_ns), |r| Row::get(&r.read_ns))),
        ("trip", between(|r| Row::get(&r.sent_ns), |r| Row::get(&r.read_ns))),
        ("inter_arrival", apart),
    ]
    .into_iter()
    .filter(|(_, times)| !times.is_empty())
    .map(|(name, times)| (name, bests(times)))
    .collect()
}

fn bests(mut times: Vec<i64>) -> Vec<Best> {
    times.sort_unstable();
    SHARES.iter().map(|&percent| best(percent, &times)).collect()
}

/// This percentage of the sorted times, at least one.
fn best(percent: f64, sorted: &[i64]) -> Best {
    let count = ((sorted.len() as f64 * percent / 100.0).round() as usize).clamp(1, sorted.len());
    let kept = &sorted[..count];
    let mean_ns = kept.iter().map(|ns| *ns as f64).sum::<f64>() / count as f64;
    let squares: f64 = kept.iter().map(|ns| (*ns as f64 - mean_ns).powi(2)).sum();
    Best {
        percent,
        count,
        min_ns: kept[0],
        mean_ns,
        max_ns: kept[count - 1],
        deviation_ns: deviation(squares, count),
    }
}

/// Sample standard deviation, from the sum of the squares of deviations; of one value there is none.
pub(crate) fn deviation(squares: f64, count: usize) -> Option<f64> {
    (count > 1).then(|| (squares / (count - 1) as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use busmark_measure::Recorder;

    use super::*;

    #[test]
    fn the_best_of_a_thousand_leave_out_the_longest() {
        let found = bests((1..=1000).rev().collect());
        let shape: Vec<_> = found.iter().map(|b| (b.count, b.min_ns, b.max_ns)).collect();
        assert_eq!(shape, [(1000, 1, 1000), (999, 1, 999), (990, 1, 990), (900, 1, 900)]);
        assert!((found[0].mean_ns - 500.5).abs() < 1e-9);
        // Of 1 to n the variance is n (n + 1) / 12.
        let expected = (1000.0_f64 * 1001.0 / 12.0).sqrt();
        assert!(found[0].deviation_ns.is_some_and(|d| (d - expected).abs() < 1e-9));
    }

    #[test]
    fn one_time_has_no_deviation() {
        let found = bests(vec![7]);
        assert!(found.iter().all(|b| (b.count, b.max_ns, b.deviation_ns) == (1, 7, None)));
    }

    #[test]
    fn a_leg_is_there_where_both_of_its_ends_are() {
        let recorder = Recorder::new(3);
        for (index, (sent, read)) in [(100, 190), (200, 310), (300, 0)].into_iter().enumerate() {
            let row = recorder.row(index as u64).expect("a row");
            Row::set(&row.sent_ns, sent);
            Row::set(&row.read_ns, read);
        }
        let found = legs(recorder.rows(3));
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), ["inter_arrival", "trip"]);
        let trip = &found["trip"][0];
        assert_eq!((trip.count, trip.min_ns, trip.max_ns), (2, 90, 110));
        assert_eq!(found["inter_arrival"][0].min_ns, 120);
    }
}
