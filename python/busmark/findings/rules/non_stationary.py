"""Latency that changes over the length of a round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, share

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

MIN_SAMPLES = 100
"""Five in each of the 20 blocks of the trend test."""

MIN_CHANGE = 0.05
"""From the first to the last third: less matters to nobody who compares middleware."""

MAX_P = 0.01
MIN_ROUNDS_SHARE = 0.5
"""Share of rounds that must drift, all in the same direction. By chance one round in a hundred does
at `MAX_P`, and more than half of three rounds do in fewer than one case in three thousand."""


def check_case(view: CaseView) -> Iterator[Observation]:
    import numpy as np

    from busmark.stats import drift

    tested = 0
    changes: list[float] = []
    for series in view.latencies.values():
        if series.size < MIN_SAMPLES:
            continue
        tested += 1
        seen = drift(series)
        if seen.relative_change is None or seen.p_value is None:
            continue
        if abs(seen.relative_change) >= MIN_CHANGE and seen.p_value < MAX_P:
            changes.append(seen.relative_change)
    up = [change for change in changes if change > 0.0]
    down = [change for change in changes if change < 0.0]
    same = max(up, down, key=len)
    if len(same) <= MIN_ROUNDS_SHARE * tested or not same:
        return
    middle = float(np.median(same))
    yield Observation(
        "warning",
        f"the median {view.quantity} {'rises' if middle > 0 else 'falls'} by "
        f"{share(round(abs(middle), 3))} from the first to the last third of a round, in "
        f"{len(same)} of {count(tested, 'round')} (p < {MAX_P})",
        weight=abs(middle),
    )


RULE = Rule(
    id="non-stationary",
    title="Latency changes during the measurement",
    cause="The warm-up was too short, a queue or cache fills, the CPU heats up, or the rate is "
    "more than can be carried. The result depends on the length of the measurement.",
    remedy="Lengthen `warmup_s` until the finding goes; if it stays, lower the rate, and look at "
    "the timeline.",
    check_case=check_case,
    concerns=("latency",),
    early=3,
)
