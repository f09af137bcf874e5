//! The segments of round trips whose two ends are by one clock, as a table of their best parts:
//! reported on the bus, while a test runs and at its end.
//!
//! A participant does not know whether those that answer have its clock, so the segments from one
//! participant to another, send and echo, are left out, and so is the echo source, which only the
//! one that answers could record.

use std::collections::BTreeMap;

use busmark_measure::Row;

use crate::protocol::Best;

/// How many of a hundred, as the tables of latencies have them.
const SHARES: [f64; 4] = [100.0, 99.9, 99.0, 90.0];

/// Each segment by its name; of those without times nothing.
pub type Segments = BTreeMap<&'static str, Vec<Best>>;

/// The segments of these rows. `apart` are the times between two pongs that followed each other.
pub fn of<'a>(rows: &(impl Iterator<Item = &'a Row> + Clone), apart: Vec<i64>) -> Segments {
    let between = |from: fn(&Row) -> Option<i64>, to: fn(&Row) -> Option<i64>| -> Vec<i64> {
        rows.clone()
            .filter(|row| Row::get(&row.read_ns).is_some())
            .filter_map(|row| Some(to(row)? - from(row)?))
            .collect()
    };
    [
        ("send_source", between(|r| Row::get(&r.sent_ns), |r| Row::get(&r.written_ns))),
        (
            "send_arrival",
            between(|r| Row::get(&r.echo_delivered_ns), |r| Row::get(&r.echo_read_ns)),
        ),
        ("turn_round", between(|r| Row::get(&r.echo_read_ns), |r| Row::get(&r.echo_sent_ns))),
        ("echo_arrival", between(|r| Row::get(&r.delivered_ns), |r| Row::get(&r.read_ns))),
        ("trip", between(|r| Row::get(&r.sent_ns), |r| Row::get(&r.read_ns))),
        ("inter_arrival", apart),
    ]
    .into_iter()
    .filter(|(_, times)| !times.is_empty())
    .map(|(name, times)| (name, bests(times)))
    .collect()
}

/// Times between pongs, in the order in which they came.
pub fn apart(rows: &[Row]) -> Vec<i64> {
    let mut read: Vec<i64> = rows.iter().filter_map(|row| Row::get(&row.read_ns)).collect();
    read.sort_unstable();
    read.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn bests(mut times: Vec<i64>) -> Vec<Best> {
    times.sort_unstable();
    SHARES.iter().map(|&percent| best(percent, &times)).collect()
}

/// This percentage of the sorted times, rounded down to whole ones; at least one.
fn best(percent: f64, sorted: &[i64]) -> Best {
    // In thousandths, which are exact: 90 % of 10 is 9, and not 8.999….
    let count = sorted.len() * (percent * 10.0).round() as usize / 1000;
    let count = count.clamp(1, sorted.len());
    let kept = &sorted[..count];
    let mean_ns = kept.iter().map(|ns| *ns as f64).sum::<f64>() / count as f64;
    let squares: f64 = kept.iter().map(|ns| (*ns as f64 - mean_ns).powi(2)).sum();
    Best {
        percent,
        count,
        min_ns: kept[0],
        mean_ns,
        max_ns: kept[count - 1],
        deviation_ns: (count > 1).then(|| (squares / (count - 1) as f64).sqrt()),
    }
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
    fn counts_are_those_of_the_tables_of_the_test_suite_of_the_2000s() {
        for counts in [[3755, 3751, 3717, 3379], [3874, 3870, 3835, 3486], [3881, 3877, 3842, 3492]]
        {
            let found = bests((1..=counts[0] as i64).collect());
            assert_eq!(found.iter().map(|b| b.count).collect::<Vec<_>>(), counts);
        }
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
            Row::set(&row.written_ns, sent + 5);
            Row::set(&row.read_ns, read);
        }
        let rows = recorder.rows(3);
        let found = of(&rows.iter(), apart(rows));
        let names: Vec<_> = found.keys().copied().collect();
        assert_eq!(names, ["inter_arrival", "send_source", "trip"]);
        let trip = &found["trip"][0];
        assert_eq!((trip.count, trip.min_ns, trip.max_ns), (2, 90, 110));
        assert_eq!(found["send_source"][0].count, 2, "a ping without a pong is in no segment");
        assert_eq!(found["inter_arrival"][0].min_ns, 120);
    }
}
