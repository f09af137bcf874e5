"""What the scenario plans: phases, the width of the interval, numbers of rounds and of samples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule, count, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def several_phases(view: CaseView) -> Iterator[Observation]:
    if view.params.timeline and not view.finished.is_empty():
        yield Observation("note", f"{view.params.timeline}")


SEVERAL_PHASES = Rule(
    id="several-phases",
    title="Figures span several phases",
    cause="The scenario's `[[timeline]]` changes something in the middle of every round. A "
    "median, a percentile or a rate of the whole round mixes the time before and after the "
    "change.",
    remedy="Read the figures of each phase: `busmark show DIRECTORY#CASE`. In the tables `samples` "
    "and `intervals` of the result the column `phase` distinguishes them.",
    check_case=several_phases,
)


def target_missed(view: CaseView) -> Iterator[Observation]:
    from busmark.stats import Spread

    rounds = view.result.manifest.scenario.get("rounds", {})
    target = rounds.get("target") or 0.0
    values, variances = view.values("statistic_value"), view.values("statistic_variance")
    if target <= 0 or len(values) < 2:
        return
    width = Spread.of(
        list(values.values()), [variances[number] for number in values]
    ).relative_half_width()
    if width is not None and width > target:
        evidence = (
            f"half-width {width:.1%} of the figure after {count(len(values), 'round')}, "
            f"{target:.1%} was asked for"
        )
        yield Observation("warning", evidence, weight=width)


TARGET_MISSED = Rule(
    id="target-missed",
    title="The interval is wider than the scenario asks for",
    cause="`rounds.max` was reached first, or the budget spent: rounds differ too much for their "
    "number.",
    remedy="Raise `rounds.max` or the budget, or find out why rounds differ (placement, other "
    "work, frequency).",
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
    title="One round gives no interval",
    cause="Processes differ more from each other than samples within one process, and a single "
    "process does not show by how much: the figures have no known uncertainty.",
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
    evidence = f"{count(fewest, 'sample')} in the shortest of {count(len(counts), 'round')}"
    if not supported(50.0, fewest):
        # In a throughput test the probes are by the way: the goodput stands without them.
        probes = view.params.test == "throughput"
        yield Observation(
            "note" if probes else "error",
            f"{evidence}; the median needs {NEEDED_FOR_MEDIAN}",
            weight=-fewest,
            title="Too few samples even for the median",
            concerns=("latency",),
        )
    elif not supported(TAIL, fewest):
        yield Observation(
            "note",
            f"{evidence}; the 99th percentile needs {whole(NEEDED_FOR_TAIL)}",
            weight=-fewest,
        )
    else:
        known = tail_support([Round.of(each) for each in view.latencies.values()], TAIL)
        if not supported(TAIL, known):
            yield Observation(
                "note",
                f"{evidence}, of which the tail is known as of {whole(int(known))} independent "
                f"ones; the 99th percentile needs {whole(NEEDED_FOR_TAIL)}",
                weight=-known,
                title="Samples are autocorrelated: too few for the 99th percentile of a round",
                cause="What slows one sample slows those after it as well, so fewer than ten "
                "independent ones are beyond the percentile, and chance decides it; it is left "
                "out.",
                remedy="Lengthen `duration_s`; where samples are sent close upon each other, lower "
                "`rate_hz`.",
            )


TOO_FEW_SAMPLES = Rule(
    id="too-few-samples",
    title="Too few samples for the 99th percentile of a round",
    cause="A percentile with fewer than ten samples beyond it depends on chance; it is left out.",
    remedy="Lengthen `duration_s`, raise `rate_hz`, or ask for more `samples`.",
    check_case=too_few_samples,
    concerns=("p99",),
)
