"""What a perfect choice of lengths would take: whoever knew all recorded rounds beforehand.

Two bounds, beside which a choice that has to find out can be held. Both are of a number of rounds
that is settled before, as the fixed schedule's is, so that its intervals cover as they say.

- *The best length*: of each length as many rounds as make the median half-width equal the fixed
  schedule's, and of these the length that takes the least time. It is what the formula of Kalibera
  & Jones (2013), "Rigorous benchmarking in reasonable time", ISMM, gives where the variance of a
  round is S1 + S2 / t; here the variance of rounds of each length is seen, with whatever slow
  changes within a round do to it. It is picked among recorded figures, which flatters it.
- *No length at all*: as many rounds as the fixed schedule has, which vary as its rounds do and take
  only what is besides: start, discovery, warm-up, draining, collecting. Shortening rounds alone
  can save no more; a longer round can take less time yet, where it varies less.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from busmark.control.precision import spread
from schedules import FEWEST, FIXED_ROUNDS, FIXED_SAMPLES, MOST, Recording, Row

LENGTHS_S = (0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 0.8)
DRAWN = 200
"""Campaigns of which the median half-width is taken."""


@dataclass(frozen=True)
class Perfect:
    """Bounds of a case."""

    seconds: float
    rounds: int
    share: float
    """Share of the fixed schedule's time."""
    nothing: float
    """The share that rounds of no length would take."""
    off: float
    """By how much rounds of the best length differ from whole ones, relative."""


def perfect(case: Recording, rng: np.random.Generator) -> Perfect:
    """Compute the bounds of a case."""
    fixed = [each.of_samples(FIXED_SAMPLES) for each in case.rounds]
    target, whole_s = _width(fixed, FIXED_ROUNDS, rng), FIXED_ROUNDS * _mean_s(fixed)
    besides_s = FIXED_ROUNDS * statistics.fmean(r.warmup_s + r.overhead_s for r in case.rounds)
    found = []
    recorded_s = statistics.median(each.times_s[-1] for each in case.rounds)
    for seconds in (s for s in LENGTHS_S if s <= recorded_s):
        rows = [each.of_seconds(seconds) for each in case.rounds]
        if (rounds := _needed(rows, target, rng)) is not None:
            found.append((rounds * _mean_s(rows), rounds, seconds))
    # The number of the fixed schedule is a choice, too.
    best_s, rounds, seconds = min(
        [*found, (whole_s, FIXED_ROUNDS, statistics.median(r["measured_s"] for r in fixed))]
    )
    return Perfect(
        seconds,
        rounds,
        best_s / whole_s,
        besides_s / whole_s,
        case.true_after(seconds) / case.truth - 1.0,
    )


def bounds(cases: Sequence[Recording]) -> list[Perfect]:
    """Compute the bounds of each case."""
    return [perfect(case, np.random.default_rng(4)) for case in cases]


def verdict(found: Sequence[Perfect], goal: float = 0.5) -> str:
    """State in a sentence whether a share of the time as small as the goal can be had."""
    if not found:
        return "No case, no bound."
    shares = [each.share for each in found]
    reach = sum(share <= goal for share in shares)
    return (
        f"A perfect choice takes {statistics.fmean(shares):.2f} of the fixed schedule's time in "
        f"the mean of these cases, {min(shares):.2f} to {max(shares):.2f}. {goal:g} of it or less "
        f"can be had in {reach} of {len(found)} cases."
    )


def oracle(cases: Sequence[Recording], found: Sequence[Perfect]) -> Iterator[tuple[str, ...]]:
    """Yield how the time of each case is spent, and how much a perfect choice would take."""
    yield (
        "case",
        "start, discovery, collecting, s",
        "warm-up, s",
        "2,000 samples, s",
        "best length, s",
        "rounds of it",
        "off by",
        "its share of the time",
        "share of rounds of no length",
    )
    for case, best in zip(cases, found, strict=True):
        parts = [
            statistics.median(part)
            for part in zip(
                *(
                    (r.overhead_s, r.warmup_s, r.of_samples(FIXED_SAMPLES)["measured_s"])
                    for r in case.rounds
                ),
                strict=True,
            )
        ]
        yield (
            case.case.id.partition("-")[2],
            *(f"{part:.2f}" for part in parts),
            f"{best.seconds:.2f}",
            str(best.rounds),
            f"{best.off:+.1%}",
            f"{best.share:.2f}",
            f"{best.nothing:.2f}",
        )


def _mean_s(rows: Sequence[Row]) -> float:
    return statistics.fmean(r["warmup_s"] + r["overhead_s"] + r["measured_s"] for r in rows)


def _width(rows: Sequence[Row], rounds: int, rng: np.random.Generator) -> float:
    """Return the median half-width of campaigns of this many rounds, relative."""
    widths = []
    for _ in range(DRAWN):
        level = spread([rows[n] for n in rng.integers(0, len(rows), rounds)])
        assert level is not None
        widths.append(level.relative_half_width() or 0.0)
    return statistics.median(widths)


def _needed(rows: Sequence[Row], target: float, rng: np.random.Generator) -> int | None:
    """Return the fewest rounds with a median half-width of at most the target; None over `MOST`."""
    low, high = FEWEST - 1, MOST
    if _width(rows, high, rng) > target:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if _width(rows, middle, rng) <= target:
            high = middle
        else:
            low = middle
    return high
