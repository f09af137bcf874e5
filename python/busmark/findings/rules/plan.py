"""What the scenario plans: the width of the interval, numbers of rounds and of samples, the
length of rounds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule, Severity, count, duration, share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def target_missed(view: CaseView) -> Iterator[Observation]:
    from busmark.stats import StatisticSpread

    rounds = view.result.manifest.scenario.get("rounds", {})
    target = rounds.get("target") or 0.0
    values, variances = view.values("statistic_value"), view.values("statistic_variance")
    if target <= 0 or len(values) < 2:
        return
    width = StatisticSpread.from_rounds(
        list(values.values()), [variances[number] for number in values]
    ).relative_half_width()
    if width is not None and width > target:
        evidence = (
            f"half-width {share(width)} of the figure after {count(len(values), 'round')}, "
            f"{share(target)} was asked for"
        )
        yield Observation("warning", evidence, weight=width)


TARGET_MISSED = Rule(
    id="target-missed",
    check_case=target_missed,
    concerns=("rounds",),
    early=None,
)


MIN_ROUNDS = 3
"""An interval of two goes beyond both by six times their distance, one of three by 0.8 times."""


def too_few_rounds(view: CaseView) -> Iterator[Observation]:
    rounds = view.ok.height
    if 0 < rounds < MIN_ROUNDS:
        several = rounds > 1
        yield Observation(
            "warning",
            f"{count(rounds, 'usable round')}",
            weight=-rounds,
            title="Two rounds give very wide intervals" if several else "",
            cause=OF_TWO if several else "",
        )


OF_TWO = (
    "Processes differ more from each other than samples within one. Two of them hardly show by how "
    "much: the interval goes six times their distance beyond both, and covers 95 % only where "
    "rounds follow a normal law."
)


TOO_FEW_ROUNDS = Rule(
    id="too-few-rounds",
    remedy=f"Set `rounds.min` to {MIN_ROUNDS} at the very least, better 5 or more.",
    check_case=too_few_rounds,
    concerns=("rounds",),
    early=None,
)


TAIL = 99.0
NEEDED_FOR_MEDIAN, NEEDED_FOR_TAIL = 20, 1000
"""Ten samples on either side of the percentile, as `busmark.stats.supported` asks."""


def too_few_samples(view: CaseView) -> Iterator[Observation]:
    from busmark.stats import Round, supported, tail_support

    counts = {number: int(series.size) for number, series in view.latencies.items()}
    if not counts or any(view.values("recorded_every").values()):
        # Where readers time every sample of a stream, echoed probes are by the way.
        return
    fewest = min(counts.values())
    severity: Severity = "note"
    known, figure, needed, concerns = float(fewest), "the median", NEEDED_FOR_MEDIAN, "latency"
    if supported(50.0, fewest):
        support = tail_support([Round.from_values(each) for each in view.latencies.values()], TAIL)
        known, needed, concerns = min(known, support), NEEDED_FOR_TAIL, "p99"
        figure = "the 99th percentile"
        if supported(TAIL, known):
            return
    elif view.params.test != "throughput":
        # In a throughput test the probes are by the way: the goodput stands without them.
        severity = "error"
    yield Observation(
        severity,
        f"{count(fewest, 'sample')} in the shortest of {count(len(counts), 'round')}, as good as "
        f"{whole(int(known))} independent ones; {figure} needs {whole(needed)}",
        weight=-known,
        group=concerns,
        concerns=(concerns,),
    )


TOO_FEW_SAMPLES = Rule(
    id="too-few-samples",
    check_case=too_few_samples,
    concerns=("p99",),
)


SHORT, LONG = 0.5, 2.0
"""Measured time over the time asked for, beyond which a round is of another length. A stall of a
busy machine changes rounds of a second by less."""

MOST_GAPS = 7.0
"""Gaps of a Poisson stream's mean length: a longer one comes once in a thousand."""


def round_length(view: CaseView) -> Iterator[Observation]:
    asked = view.params.duration_s
    chosen, ended = (view.values(name, only_ok=False) for name in ("chosen_s", "ended"))
    gap_s = _gap_s(view)
    shorter, longer = dict[int, float](), dict[int, float]()
    measured = view.values("measured_s", only_ok=False)
    for at, seconds in measured.items():
        wanted = chosen.get(at, asked)
        if not wanted:
            continue
        if ended.get(at) == "duration" and seconds + gap_s < SHORT * wanted:
            shorter[at] = seconds
        elif seconds > LONG * wanted:
            longer[at] = seconds
    for found, title, cause, remedy in ((shorter, *OF_SHORT), (longer, *OF_LONG)):
        if not found:
            continue
        parts = [seconds / (chosen.get(at, asked) or seconds) for at, seconds in found.items()]
        furthest = min(parts) if found is shorter else max(parts)
        least, most = duration(min(found.values()) * 1e9), duration(max(found.values()) * 1e9)
        lengths = most if least == most else f"{least} to {most}"
        lengths_s = {chosen.get(each, asked) for each in found}
        of = f" of {lengths_s.pop():g} s asked for" if len(lengths_s) == 1 else ""
        yield Observation(
            "warning",
            f"measured {lengths}{of}, {share(round(furthest, 3))} at the furthest, in "
            f"{view.of_rounds(len(found), measured)}",
            weight=1.0 - furthest if found is shorter else furthest,
            title=title,
            cause=cause,
            remedy=remedy,
        )


def _gap_s(view: CaseView) -> float:
    """Return the time in which a stream at a rate may have no sample due."""
    params = view.params
    if not params.rate_hz:
        return 0.0
    rates = [params.rate_hz, *(each.rate_hz for each in params.changes if each.rate_hz)]
    return (MOST_GAPS if params.arrivals == "poisson" else 1.0) / min(rates)


OF_SHORT = (
    "Rounds measured much shorter than asked for",
    "The writer waited until the time was over: for the acknowledgement of a batch whose end was "
    "lost, for the answer to a ping that was lost, or for a write that blocked. The figures are of "
    "the time before.",
    "Look for lost samples in the other findings; in batches the column `ended` of the table "
    "`batches` says whose end did not come as first sent. Lower `measure.timeout_s` so that less "
    "time is waited in vain, or lengthen `duration_s`.",
)

OF_LONG = (
    "Rounds measured much longer than asked for",
    "What had begun when the time was over took this long: a write that blocked, a batch, a "
    "repetition of a discovery test; or the writer had no CPU. The figures are of the longer time.",
    "Look for who blocked or stopped the writer in the other findings. Make batches smaller, or "
    "lengthen `duration_s`, where a batch takes longer than a round.",
)

ROUND_LENGTH = Rule(
    id="round-length",
    cause=OF_SHORT[1],
    remedy=OF_SHORT[2],
    check_case=round_length,
    of_trials=True,
)
