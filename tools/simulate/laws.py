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

from busmark import stats

Array = NDArray[np.float64]
Rng = np.random.Generator

LARGE = 4_000_000
"""Samples from which a quantile of all is taken as true where it has no formula: its relative
standard error is some thousandths at most of an interval's half-width."""

MANY = 5_000
"""Rounds whose median is taken as a typical round's: its standard error is a fiftieth of what
rounds differ by."""

AT_ONCE = 2_000_000
"""Samples that are held at a time."""


def normal(rng: Rng, shape: tuple[int, int]) -> Array:
    """Draw normal samples with a standard deviation of 5 %."""
    return 100.0 + 5.0 * rng.standard_normal(shape)


def log_normal(rng: Rng, shape: tuple[int, int]) -> Array:
    """Draw samples that are skewed to the right."""
    return 100.0 * rng.lognormal(0.0, 0.3, shape)


def bimodal(rng: Rng, shape: tuple[int, int]) -> Array:
    """Draw samples of which three in ten wait for a timer."""
    late = np.where(rng.random(shape) < 0.3, 380.0, 0.0)
    return 100.0 + late + 5.0 * rng.standard_normal(shape)


def heavy_tail(rng: Rng, shape: tuple[int, int]) -> Array:
    """Draw samples with a Pareto tail of index 1.5: its variance is infinite."""
    return 100.0 + 10.0 * rng.pareto(1.5, shape)


def autocorrelated(rng: Rng, shape: tuple[int, int]) -> Array:
    """Draw log-normal samples; the logs of neighbours correlate by 0.9, so 19 count as one."""
    rounds, samples = shape
    noise = rng.standard_normal((rounds, samples + 200))
    logs = lfilter([np.sqrt(1.0 - 0.81)], [1.0, -0.9], noise, axis=1)[:, 200:]
    result: Array = 100.0 * np.exp(0.3 * logs)
    return result


def switching(rng: Rng, shape: tuple[int, int]) -> Array:
    """Switch between two regimes, 100 and 160, every 500 samples on average; each normal, 5 %."""
    rounds, samples = shape
    changes = rng.random((rounds, samples)) < 1.0 / 500.0
    changes[:, 0] = rng.random(rounds) < 0.5
    slow = np.cumsum(changes, axis=1) % 2
    return 100.0 + 60.0 * slow + 5.0 * rng.standard_normal(shape)


def alike(rng: Rng, rounds: int) -> Array:
    """Keep all rounds equal."""
    return np.ones(rounds)


def differing(rng: Rng, rounds: int) -> Array:
    """Vary rounds by 2 % (standard deviation)."""
    return 1.0 + 0.02 * rng.standard_normal(rounds)


def drifting(rng: Rng, rounds: int) -> Array:
    """Vary rounds by 2 %, the last 6 % slower than the first; truth is the campaign's middle."""
    return differing(rng, rounds) + 0.06 * np.linspace(-0.5, 0.5, rounds)


def following(rng: Rng, rounds: int) -> Array:
    """Vary rounds by 2 %, autocorrelated (correlation 0.5); truth is the long run's."""
    noise = np.sqrt(0.75) * rng.standard_normal(rounds)
    noise[0] /= np.sqrt(0.75)
    logs: Array = lfilter([1.0], [1.0, -0.5], noise)
    return 1.0 + 0.02 * logs


def skewed(rng: Rng, rounds: int) -> Array:
    """Vary rounds by 30 %, log-normal."""
    return rng.lognormal(0.0, 0.3, rounds)


def one_in_ten(rng: Rng, rounds: int) -> Array:
    """Vary rounds by 2 %, one in ten 1.5 times slower: other work."""
    return differing(rng, rounds) * np.where(rng.random(rounds) < 0.1, 1.5, 1.0)


def one_in_five(rng: Rng, rounds: int) -> Array:
    """Vary rounds by 2 %, one in five 1.5 times slower."""
    return differing(rng, rounds) * np.where(rng.random(rounds) < 0.2, 1.5, 1.0)


def one_in_twenty(rng: Rng, rounds: int) -> Array:
    """Vary rounds by 2 %, one in twenty 3 times slower."""
    return differing(rng, rounds) * np.where(rng.random(rounds) < 0.05, 3.0, 1.0)


def two_kinds(rng: Rng, rounds: int) -> Array:
    """Vary rounds by 2 %, three in ten 1.5 times slower: processes that landed elsewhere."""
    return differing(rng, rounds) * np.where(rng.random(rounds) < 0.3, 1.5, 1.0)


@dataclass(frozen=True)
class Law:
    """How samples of a round and rounds of a campaign vary."""

    name: str
    samples: Callable[[Rng, tuple[int, int]], Array]
    rounds: Callable[[Rng, int], Array] = differing
    holds: bool = True
    """Whether the interval is meant for it; else the table shows by how much it is off."""
    pooled: bool = True
    """Whether the pooled percentile's is, too."""

    def campaign(self, rng: Rng, rounds: int, samples: int) -> list[Array]:
        """Draw a campaign: one array in time order per round."""
        table = self.samples(rng, (rounds, samples))
        return list(table * self.rounds(rng, rounds)[:, None])

    def of_a_round(self, percents: Sequence[float], rounds: int, samples: int) -> list[float]:
        """Return percentiles of a typical round of this many samples, the median over many rounds,
        which `two_level` estimates. Some laws depend on how many rounds a campaign has."""
        rng = np.random.default_rng(1)
        ranks = [max(stats.rank(percent, samples) - 1, 0) for percent in percents]
        found: list[Array] = []
        together = max(1, AT_ONCE // (rounds * samples))
        for _ in range(-(-MANY // (rounds * together))):
            table = self.samples(rng, (rounds * together, samples))
            effects = np.concatenate([self.rounds(rng, rounds) for _ in range(together)])
            table.partition(ranks, axis=1)
            found.append(table[:, ranks] * effects[:, None])
        typical: list[float] = np.median(np.concatenate(found), axis=0).tolist()
        return typical

    def of_all(self, percents: Sequence[float]) -> list[float]:
        """Return percentiles of all samples of all rounds, which `pooled_percentile` estimates."""
        several = np.concatenate(self.campaign(np.random.default_rng(2), 20_000, LARGE // 20_000))
        found: list[float] = np.quantile(several, np.array(percents) / 100).tolist()
        return found


LAWS = (
    Law("normal", normal),
    Law("log-normal", log_normal),
    Law("bimodal", bimodal),
    Law("heavy tail", heavy_tail),
    Law("autocorrelated", autocorrelated),
    Law("regime switching", switching),
    Law("rounds alike", log_normal, alike),
    Law("rounds skewed, 30 %", log_normal, skewed),
    Law("1 round in 10 is 1.5 x", log_normal, one_in_ten, pooled=False),
    Law("1 round in 5 is 1.5 x", log_normal, one_in_five, pooled=False),
    Law("1 round in 20 is 3 x", log_normal, one_in_twenty, pooled=False),
    Law("3 rounds in 10 are 1.5 x", log_normal, two_kinds, pooled=False),
    Law("rounds follow each other", log_normal, following, holds=False),
    Law("drift between rounds", log_normal, drifting, holds=False),
)
