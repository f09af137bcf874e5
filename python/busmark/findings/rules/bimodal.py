"""Two populations behind one median."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import is_pinned
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, duration, share

if TYPE_CHECKING:
    from busmark.findings.view import CaseView
    from busmark.stats import Modality

MIN_SAMPLES = 200
"""Ten in the smallest mode that counts, 5 % of the samples."""

MIN_RATIO = 1.2
"""Between the modes' locations. Nearer ones are worth knowing, but a median between them is less
than 10 % from either."""

MIN_ROUNDS_SHARE = 0.5
"""Share of rounds that must show two modes for the case to be called bimodal as a whole."""


def check_case(view: CaseView) -> Iterator[Observation]:
    import numpy as np

    from busmark.stats import modes

    tested = 0
    found: list[Modality] = []
    for series in view.latencies.values():
        positive = series[series > 0.0]
        if positive.size >= MIN_SAMPLES:
            tested += 1
            modality = modes(positive)
            if modality.count > 1:
                found.append(modality)
    if not found:
        return
    pairs = [sorted(m.largest, key=lambda mode: mode.location) for m in found]
    low = float(np.median([pair[0].location for pair in pairs]))
    high = float(np.median([pair[1].location for pair in pairs]))
    low_share = float(np.mean([pair[0].share for pair in pairs]))
    high_share = float(np.mean([pair[1].share for pair in pairs]))
    clear = len(found) > MIN_ROUNDS_SHARE * tested and high >= MIN_RATIO * low
    yield Observation(
        "warning" if clear else "note",
        f"modes of the {view.quantity} at {duration(low)} ({share(round(low_share, 3))}) and "
        f"{duration(high)} ({share(round(high_share, 3))}), "
        f"in {len(found)} of {count(tested, 'round')}",
        weight=high / low * len(found) / tested,
        remedy="" if is_pinned(view.params) else UNPINNED_REMEDY,
        group="" if is_pinned(view.params) else "unpinned",
    )


UNPINNED_REMEDY = (
    "Look at the timeline: do the modes alternate, or follow each other? Pin every participant, "
    "then vary one thing at a time (wait strategy, rate, size). Report both modes."
)

RULE = Rule(
    id="bimodal",
    title="Latency has two modes",
    cause="Two modes of operation alternate: a timer, a queue that is empty or not, a thread that "
    "is awake or asleep, two CPUs. Median and mean describe neither mode, and a small shift "
    "between the modes looks like a large change.",
    remedy="Look at the timeline: do the modes alternate, or follow each other? Vary one thing at "
    "a time (wait strategy, placement, rate, size). Report both modes.",
    check_case=check_case,
    concerns=("median",),
    early=3,
)
