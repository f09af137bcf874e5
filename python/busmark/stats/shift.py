"""How two distributions differ, percentile by percentile."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from busmark.stats._check import check_confidence
from busmark.stats._levels import divide, half_length, reduce_rounds, welch
from busmark.stats._scipy import student_quantile
from busmark.stats.bootstrap import RESAMPLES
from busmark.stats.estimate import Estimate
from busmark.stats.round import Round

DECILES = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0)


@dataclass(frozen=True, slots=True)
class Shift:
    """``difference`` of a percentile: of the second set of rounds minus of the first."""

    percent: float
    difference: Estimate


def shift(
    rounds_a: Sequence[ArrayLike | Round],
    rounds_b: Sequence[ArrayLike | Round],
    percents: Sequence[float] = DECILES,
    *,
    confidence: float = 0.95,
    simultaneous: bool = True,
    seed: int,
) -> tuple[Shift, ...]:
    """Return the shift function of two sets of rounds, in the unit of the data.

    At each of ``percents`` the estimand of `two_level` for ``rounds_b`` minus that for
    ``rounds_a`` (Doksum 1974, Annals of Statistics 2; Rousselet, Pernet & Wilcox 2017, "Beyond
    differences in means", European J. of Neuroscience 46). The interval is that of `ratio`,
    without logarithms. Where ``simultaneous``, all intervals hold together with at least the
    given confidence (Bonferroni); else each by itself.

    A constant shift says that all samples were slower by as much; one that grows with the
    percentile that the slow ones were. Fewer than two rounds on a side leave no interval.

    Raises:
        ValueError: as `two_level`, or if ``percents`` is empty.
    """
    check_confidence(confidence)
    if not percents:
        raise ValueError("percents is empty")
    each = 1.0 - (1.0 - confidence) / len(percents) if simultaneous else confidence
    first = [Round.of(r, f"round {i}") for i, r in enumerate(rounds_a)]
    second = [Round.of(r, f"round {i}") for i, r in enumerate(rounds_b)]

    def at(percent: float) -> Estimate:
        streams = np.random.default_rng(seed).spawn(2)
        a = reduce_rounds(first, percent, RESAMPLES, streams[0])
        b = reduce_rounds(second, percent, RESAMPLES, streams[1])
        value, count, fewest = b.mean - a.mean, a.count + b.count, min(a.rounds, b.rounds)
        if fewest < 2:
            return Estimate(value, None, None, None, count, fewest)
        parts = [a.variance, b.variance]
        t = student_quantile(0.5 + each / 2.0, welch(parts, (a.rounds, b.rounds)))
        half = half_length(t, sum(parts), a.floor + b.floor, each)
        low, high = divide(value, half, b.replicates - a.replicates, each)
        return Estimate(value, low, high, confidence, count, fewest)

    return tuple(Shift(percent, at(percent)) for percent in percents)
