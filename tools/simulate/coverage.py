"""How often an interval holds what is true."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tools.simulate.laws import Law

from busmark import stats

SETTINGS = ((10, 10_000), (5, 10_000), (3, 10_000), (5, 2_000))
"""Rounds, and samples of each; the recommended ones first."""

RECOMMENDED = SETTINGS[0]


@dataclass(frozen=True)
class Coverage:
    """Coverage of one law, setting and figure."""

    law: str
    rounds: int
    samples: int
    figure: str
    campaigns: int
    """Campaigns that gave an interval."""
    covered: int
    without: int
    """Campaigns that gave no interval."""

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
    typical = law.of_a_round(PERCENTS[:2], rounds, samples)
    truths = dict(zip(FIGURES, [*typical, *law.of_all(PERCENTS)], strict=True))
    covered, without = dict.fromkeys(FIGURES, 0), dict.fromkeys(FIGURES, 0)
    for _ in range(campaigns):
        for figure, estimate in _estimates(law.campaign(rng, rounds, samples)).items():
            if estimate.low is None or estimate.high is None:
                without[figure] += 1
            else:
                covered[figure] += estimate.low <= truths[figure] <= estimate.high
    return [
        Coverage(law.name, rounds, samples, f, campaigns - without[f], covered[f], without[f])
        for f in FIGURES
        if without[f] < campaigns
    ]


def _estimates(campaign: Sequence[np.ndarray]) -> dict[str, stats.Estimate]:
    rounds = [stats.Round.from_values(r) for r in campaign]
    pooled = stats.Ordered.merged([r.ordered for r in rounds])
    return {
        "median": stats.two_level(rounds, "median"),
        "p99": stats.two_level(rounds, 99.0),
        **{f"pooled p{p:g}": stats.pooled_percentile(rounds, pooled, p) for p in PERCENTS},
    }
