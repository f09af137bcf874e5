//! Bounded retry that remembers why.

use std::time::{Duration, Instant};

use super::verdict::{Stop, Verdict};

const PAUSE: Duration = Duration::from_millis(2);

/// Repeats `attempt` until it succeeds or `patience` is used up; the failure lists every distinct
/// reason with the number of attempts that gave it.
pub(crate) fn until<T>(
    what: &str,
    patience: Duration,
    mut attempt: impl FnMut() -> Result<T, String>,
) -> Verdict<T> {
    let begin = Instant::now();
    let mut reasons: Vec<(String, u64)> = Vec::new();
    loop {
        match attempt() {
            Ok(value) => return Ok(value),
            Err(reason) => match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, count)) => *count += 1,
                None => reasons.push((reason, 1)),
            },
        }
        if begin.elapsed() >= patience {
            return Err(Stop::Failed(describe(what, patience, &reasons)));
        }
        std::thread::sleep(PAUSE);
    }
}

/// The last reasons matter most; a hundred different ones help nobody.
fn describe(what: &str, patience: Duration, reasons: &[(String, u64)]) -> String {
    let shown = 5;
    let skipped = reasons.len().saturating_sub(shown);
    let list: Vec<_> = reasons
        .iter()
        .skip(skipped)
        .map(|(reason, count)| format!("{reason} (×{count})"))
        .collect();
    let more = if skipped > 0 { format!("{skipped} other reasons, then ") } else { String::new() };
    format!("{what}: not within {:.1} s: {more}{}", patience.as_secs_f64(), list.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_ends_the_retries() {
        let mut left = 3;
        let result = until("countdown", Duration::from_secs(60), || {
            left -= 1;
            if left == 0 { Ok("done") } else { Err(format!("{left} left")) }
        });
        assert_eq!(result.expect("reaches zero"), "done");
    }

    #[test]
    fn failure_lists_each_reason_with_its_count() {
        let mut n = 0;
        let result: Verdict<()> = until("nothing", Duration::from_millis(20), || {
            n += 1;
            Err(if n == 1 { "cold".to_owned() } else { "still cold".to_owned() })
        });
        let Err(Stop::Failed(text)) = result else { panic!("cannot succeed") };
        assert!(text.contains("nothing: not within") && text.contains("cold (×1); still cold (×"));
    }
}
