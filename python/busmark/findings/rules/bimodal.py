"""Two populations behind one median."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import has_rate, is_pinned
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, duration, share

if TYPE_CHECKING:
    from busmark.findings.view import CaseView, Series
    from busmark.stats import Mode

MIN_SAMPLES = 200
"""Ten in the smallest mode that counts, 5 % of the samples."""

MIN_RATIO = 1.2
"""Between the modes' locations. If they are nearer, the median is less than 10 % from either, and
describes both."""

MIN_SHARE = 0.05
"""Share of each half of a round, in either mode."""

MIN_ROUNDS_SHARE = 0.5
"""More than this share of the rounds must show the same two modes, each round by itself: rounds
that differ from each other are no modes."""

MIN_STEPS = 3
"""Steps of the clock between the modes: nearer ones are what rounding makes of one."""

MAX_HELD = 0.1
"""Share of samples at a rate that arrived together with a later one. Where there are more, samples
differ by how long before the arrival they were sent, one period apart, which looks like modes."""

MIN_TURNS = 0.9
"""Share of samples that are in the other mode than the sample before, from which it is said that
the modes take turns: of modes at random it is at most a half."""

LEAST_NS = 100.0
"""Between the modes. Two readings of the clock are part of each latency, at 20 to 50 ns each, and
they alone vary by some of it."""


def check_case(view: CaseView) -> Iterator[Observation]:
    from busmark.stats import typical

    held = view.held_back if has_rate(view.params) else {}
    tested = 0
    found: dict[int, tuple[Mode, Mode]] = {}
    for number, series in view.latencies.items():
        positive = series[series > 0.0]
        if positive.size >= MIN_SAMPLES:
            tested += 1
            together, _ = held.get(number, (0.0, 0.0))
            if together < MAX_HELD and (pair := _throughout(positive)):
                found[number] = pair
    step = max((host.get("clock_step_ns") or 0.0 for host in view.hosts), default=0.0)
    far = max(MIN_STEPS * step, LEAST_NS)
    found = {n: (low, high) for n, (low, high) in found.items()
             if high.location - low.location > far
             and high.location >= MIN_RATIO * low.location}  # fmt: skip
    if len(found) <= MIN_ROUNDS_SHARE * tested or not found:
        return
    if len(found) > 1:
        below, above = (typical([pair[i].location for pair in found.values()]) for i in (0, 1))
        if below.high is None or above.low is None or below.high >= above.low:
            return
    number, (low, high) = max(found.items(), key=lambda each: min(m.share for m in each[1]))
    ratio = high.location / low.location
    turns = _turns(view.latencies[number], low, high)
    yield Observation(
        "warning",
        f"modes of the {view.quantity} at {duration(low.location)} ({share(round(low.share, 3))}) "
        f"and {duration(high.location)} ({share(round(high.share, 3))}) in round {number}; two "
        f"modes all along the round in {len(found)} of {count(tested, 'round')}"
        + (
            f"; they take turns: {share(round(turns, 3))} of the samples are in the other "
            f"mode than the sample before"
            if turns >= MIN_TURNS
            else ""
        ),
        weight=ratio * len(found) / tested,
        remedy="" if is_pinned(view.params) else UNPINNED_REMEDY,
        group="" if is_pinned(view.params) else "unpinned",
    )


def _throughout(series: Series) -> tuple[Mode, Mode] | None:
    """Return the two largest modes of a round, the lower first, if each half of the round has both:
    one that follows the other is a change during the round."""
    from busmark.stats import modes

    modality = modes(series)
    if modality.count < 2:
        return None
    low, high = sorted(modality.largest, key=lambda mode: mode.location)
    half = series.size // 2
    for part in (series[:half], series[half:]):
        above = float((part > _between(low, high)).mean())
        if min(above, 1.0 - above) < MIN_SHARE:
            return None
    return low, high


def _between(low: Mode, high: Mode) -> float:
    return float((low.location * high.location) ** 0.5)


def _turns(series: Series, low: Mode, high: Mode) -> float:
    """Share of samples that are in the other mode than the sample before."""
    above = series[series > 0.0] > _between(low, high)
    return float((above[1:] != above[:-1]).mean())


UNPINNED_REMEDY = (
    "Look at the timeline: when is which mode there? Pin every participant, "
    "then vary one thing at a time (wait strategy, rate, size). Report both modes."
)

RULE = Rule(
    id="bimodal",
    title="Latency has two modes",
    cause="Each of two modes holds 5 % of a round's samples or more, from its begin to its end: "
    "two modes of operation alternate: a timer, a queue that is empty or not, a thread that "
    "is awake or asleep, two CPUs. Median and mean describe neither mode, and a small shift "
    "between the modes looks like a large change.",
    remedy="Look at the timeline: when is which mode there? Vary one thing at "
    "a time (wait strategy, placement, rate, size). Report both modes.",
    check_case=check_case,
    concerns=("median",),
    early=3,
)
