"""How often an interval holds what is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tools.simulate.laws import Law

from busmark import stats

SETTINGS = ((10, 10_000), (5, 10_000), (5, 2_000))
"""Rounds, and samples of each; the recommended ones first."""

RECOMMENDED = SETTINGS[0]

RESAMPLES = 1000
"""A quarter of what the analysis draws: they decide only how an interval is divided."""


@dataclass(frozen=True)
class Coverage:
    """Of one law, setting and figure."""

    law: str
    rounds: int
    samples: int
    figure: str
    campaigns: int
    """That gave an interval."""
    covered: int
    without: int
    """That gave none."""

    @property
    def share(self) -> stats.Estimate:
        """Covered, with its binomial interval."""
        return stats.share_interval(self.covered, self.campaigns)


PERCENTS = (50.0, 99.0, 99.9)

FIGURES = ("median", "p99", *(f"pooled p{p:g}" for p in PERCENTS))


def coverage(
    law: Law, rounds: int, samples: int, campaigns: int, seed: Sequence[int]
) -> list[Coverage]:
    """Simulate `campaigns` of `rounds` with `samples` each."""
    rng = np.random.default_rng(seed)
    truths = dict(zip(FIGURES, [*law.of_a_round(PERCENTS[:2]), *law.of_all(PERCENTS)], strict=True))
    covered, without = dict.fromkeys(FIGURES, 0), dict.fromkeys(FIGURES, 0)
    for number in range(campaigns):
        for figure, estimate in _estimates(law.campaign(rng, rounds, samples), number).items():
            if estimate.low is None or estimate.high is None:
                without[figure] += 1
            else:
                covered[figure] += estimate.low <= truths[figure] <= estimate.high
    return [
        Coverage(law.name, rounds, samples, f, campaigns - without[f], covered[f], without[f])
        for f in FIGURES
        if without[f] < campaigns
    ]


def _estimates(campaign: Sequence[np.ndarray], seed: int) -> dict[str, stats.Estimate]:
    rounds = [stats.Round.of(r) for r in campaign]
    pooled = stats.Ordered.merged([r.ordered for r in rounds])

    def two_level(statistic: stats.Statistic) -> stats.Estimate:
        return stats.two_level(rounds, statistic, resamples=RESAMPLES, seed=seed)

    return {
        "median": two_level("median"),
        "p99": two_level(99.0),
        **{f"pooled p{p:g}": stats.pooled_percentile(rounds, pooled, p) for p in PERCENTS},
    }
