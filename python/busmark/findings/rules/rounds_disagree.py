"""Rounds that differ by more than the samples within them explain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import is_pinned
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, duration, number

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

MAX_RATIO = 1.2
"""Highest over lowest round. Five rounds that vary by 3 % (1 sigma) exceed it in fewer than one
case in a thousand, such that vary by 5 % in about one in thirteen."""


def check_case(view: CaseView) -> Iterator[Observation]:
    yield from _medians(view)
    rates = {k: v for k, v in view.values("samples_per_s").items() if v > 0}
    if view.params.test == "throughput" and len(rates) > 1:
        low, high = min(rates.values()), max(rates.values())
        if high / low > MAX_RATIO:
            yield Observation(
                "warning",
                f"goodput of {number(low)} to {number(high)} samples/s in "
                f"{count(len(rates), 'round')}, ratio {high / low:.2f}",
                weight=high / low,
                title="Rounds disagree on the throughput",
                concerns=("goodput_mbit_per_s", "samples_per_s"),
                remedy=_remedy(view),
                group=_remedy(view),
            )


def _medians(view: CaseView) -> Iterator[Observation]:
    import numpy as np

    from busmark.stats import percentile_interval

    medians = {n: float(np.median(series)) for n, series in view.latencies.items()}
    if len(medians) < 2 or min(medians.values()) <= 0.0:
        return
    fast, slow = min(medians, key=medians.__getitem__), max(medians, key=medians.__getitem__)
    ratio = medians[slow] / medians[fast]
    if ratio <= MAX_RATIO:
        return
    below = percentile_interval(view.latencies[fast], 50.0).high
    above = percentile_interval(view.latencies[slow], 50.0).low
    if below is None or above is None or below >= above:
        return
    yield Observation(
        "warning",
        f"median {view.quantity} of {duration(medians[fast])} in round {fast} and "
        f"{duration(medians[slow])} in round {slow} of {count(len(medians), 'round')}, "
        f"ratio {ratio:.2f}; their 95 % intervals do not meet",
        weight=ratio,
        remedy=_remedy(view),
        group=_remedy(view),
    )


def _remedy(view: CaseView) -> str:
    return "" if is_pinned(view.params) else f"Pin every participant. {RULE.remedy}"


RULE = Rule(
    id="rounds-disagree",
    title="Rounds disagree on the median",
    cause="Something fixed at process start usually differs between such rounds (placement, memory "
    "layout, ports, the order in which threads start). A single run would have been misleading.",
    remedy="Let nothing else run, and raise `rounds.min`; the interval over rounds is the one to "
    "quote.",
    check_case=check_case,
    concerns=("median",),
    early=2,
)
