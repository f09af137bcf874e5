"""Laws of samples and of rounds, and what is true of them.

A round is its law's samples times an effect of the round, such as processes that landed in slower
memory. Latencies are in no unit; the typical one is 100.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.signal import lfilter

Array = NDArray[np.float64]
Rng = np.random.Generator

LARGE = 4_000_000
"""Samples from which a quantile is taken as true where it has no formula: its relative standard
error is some thousandths at most of an interval's half-width."""


def normal(rng: Rng, shape: tuple[int, int]) -> Array:
    """A bell of 5 %."""
    return 100.0 + 5.0 * rng.standard_normal(shape)


def log_normal(rng: Rng, shape: tuple[int, int]) -> Array:
    """Skewed to the right."""
    return 100.0 * rng.lognormal(0.0, 0.3, shape)


def bimodal(rng: Rng, shape: tuple[int, int]) -> Array:
    """Three of ten samples wait for a timer."""
    late = np.where(rng.random(shape) < 0.3, 380.0, 0.0)
    return 100.0 + late + 5.0 * rng.standard_normal(shape)


def heavy_tail(rng: Rng, shape: tuple[int, int]) -> Array:
    """A Pareto tail of index 1.5: its variance is infinite."""
    return 100.0 + 10.0 * rng.pareto(1.5, shape)


def autocorrelated(rng: Rng, shape: tuple[int, int]) -> Array:
    """Log-normal; the logs of neighbours correlate by 0.9, so 19 samples know as much as one."""
    rounds, samples = shape
    noise = rng.standard_normal((rounds, samples + 200))
    logs = lfilter([np.sqrt(1.0 - 0.81)], [1.0, -0.9], noise, axis=1)[:, 200:]
    result: Array = 100.0 * np.exp(0.3 * logs)
    return result


def alike(rng: Rng, rounds: int) -> Array:
    """Rounds that differ by nothing."""
    return np.ones(rounds)


def differing(rng: Rng, rounds: int) -> Array:
    """By 2 % (standard deviation)."""
    return 1.0 + 0.02 * rng.standard_normal(rounds)


def drifting(rng: Rng, rounds: int) -> Array:
    """By 2 %, and the last is 6 % slower than the first; the truth is the campaign's mean."""
    return differing(rng, rounds) + 0.06 * np.linspace(-0.5, 0.5, rounds)


def following(rng: Rng, rounds: int) -> Array:
    """By 2 %, and each is like the one before it (correlation 0.5); the truth is the long run's."""
    noise = np.sqrt(0.75) * rng.standard_normal(rounds)
    noise[0] /= np.sqrt(0.75)
    logs: Array = lfilter([1.0], [1.0, -0.5], noise)
    return 1.0 + 0.02 * logs


def skewed(rng: Rng, rounds: int) -> Array:
    """By 30 %, log-normal with a mean of 1."""
    return rng.lognormal(-0.045, 0.3, rounds)


@dataclass(frozen=True)
class Law:
    """How samples of a round and rounds of a campaign vary."""

    name: str
    samples: Callable[[Rng, tuple[int, int]], Array]
    rounds: Callable[[Rng, int], Array] = differing
    holds: bool = True
    """Whether the interval is meant for it; else the table shows by how much it is off."""

    def campaign(self, rng: Rng, rounds: int, samples: int) -> list[Array]:
        """One array in time order per round."""
        table = self.samples(rng, (rounds, samples))
        return list(table * self.rounds(rng, rounds)[:, None])

    def of_a_round(self, percents: Sequence[float]) -> list[float]:
        """Percentiles of a typical round: what `two_level` estimates."""
        samples = self.samples(np.random.default_rng(1), (1, LARGE))
        found: list[float] = np.quantile(samples, np.array(percents) / 100).tolist()
        return found

    def of_all(self, percents: Sequence[float]) -> list[float]:
        """Percentiles of all samples of all rounds: what `pooled_percentile` estimates."""
        several = np.concatenate(self.campaign(np.random.default_rng(2), 20_000, LARGE // 20_000))
        found: list[float] = np.quantile(several, np.array(percents) / 100).tolist()
        return found


LAWS = (
    Law("normal", normal),
    Law("log-normal", log_normal),
    Law("bimodal", bimodal),
    Law("heavy tail", heavy_tail),
    Law("autocorrelated", autocorrelated),
    Law("drift between rounds", log_normal, drifting, holds=False),
    Law("rounds follow each other", log_normal, following, holds=False),
    Law("rounds alike", log_normal, alike, holds=False),
    Law("rounds skewed, 30 %", log_normal, skewed, holds=False),
)
