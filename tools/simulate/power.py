"""How often two campaigns are told apart: where they differ, and where they do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from tools.simulate.laws import Array, Rng, log_normal

from busmark import stats

ROUNDS = (3, 5, 10, 20, 30)
SLOWDOWNS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.10)
SAMPLES = 1_000

METHODS = ("ratio", "paired_ratio")


@dataclass(frozen=True)
class Noise:
    """Standard deviation of a round's level, relative."""

    name: str
    own: float
    """Variation of each side by itself."""
    common: float
    """Variation of both sides of a pair of neighbouring rounds: what a machine does at that
    time."""
    bad: float = 0.0
    """Share of rounds that are 1.5 times slower, of each side by itself."""


NOISES = (
    Noise("rounds differ by 1 %", 0.01, 0.0),
    Noise("rounds differ by 3 %", 0.03, 0.0),
    Noise("rounds differ by 1 %, the machine by 3 %", 0.01, 0.03),
    Noise("rounds differ by 1 %, one in ten is 1.5 times slower", 0.01, 0.0, 0.1),
)


@dataclass(frozen=True)
class Power:
    """How often the interval of a ratio excluded 1."""

    noise: str
    rounds: int
    method: str
    slowdown: float
    campaigns: int
    differs: int

    @property
    def share(self) -> stats.Estimate:
        """Told apart, with its binomial interval."""
        return stats.share_interval(self.differs, self.campaigns)


def power(noise: Noise, rounds: int, campaigns: int, seed: Sequence[int]) -> list[Power]:
    """Simulate pairs of campaigns that are alike. A slowdown by a factor moves every sample, and
    with it the ratio and both limits, by that factor: so one pair serves for all slowdowns."""
    rng = np.random.default_rng(seed)
    found = {(method, slowdown): 0 for method in METHODS for slowdown in SLOWDOWNS}
    for _ in range(campaigns):
        for method, estimate in _ratios(*_pair(noise, rounds, rng)).items():
            for slowdown in SLOWDOWNS:
                found[method, slowdown] += _excludes_one(estimate, 1.0 + slowdown)
    return [
        Power(noise.name, rounds, method, slowdown, campaigns, count)
        for (method, slowdown), count in found.items()
    ]


def _pair(noise: Noise, rounds: int, rng: Rng) -> tuple[list[Array], list[Array]]:
    common = noise.common * rng.standard_normal(rounds)
    levels = [
        np.exp(common + noise.own * rng.standard_normal(rounds))
        * np.where(rng.random(rounds) < noise.bad, 1.5, 1.0)
        for _ in range(2)
    ]
    first, second = (list(log_normal(rng, (rounds, SAMPLES)) * e[:, None]) for e in levels)
    return first, second


def _ratios(first: list[Array], second: list[Array]) -> dict[str, stats.Estimate]:
    medians = [[float(np.median(r)) for r in side] for side in (first, second)]
    return {
        "ratio": stats.ratio(first, second, "median"),
        "paired_ratio": stats.paired_ratio(medians[0], medians[1]),
    }


def _excludes_one(estimate: stats.Estimate, factor: float) -> bool:
    assert estimate.low is not None and estimate.high is not None
    return not estimate.low * factor <= 1.0 <= estimate.high * factor
