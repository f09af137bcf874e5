"""Simulated coverage of the intervals of two levels.

Every case is seeded, so its outcome is fixed. The bounds allow about four binomial standard
errors about the coverage found in long simulations.
"""

import numpy as np
import pytest

from busmark.stats import Estimate, ratio, two_level

SIMULATIONS = 800


def covers(e: Estimate, truth: float) -> bool:
    assert e.low is not None
    assert e.high is not None
    return e.low <= truth <= e.high


def rounds_with(effects: np.ndarray, samples: int, rng: np.random.Generator) -> list[np.ndarray]:
    return list(effects[:, None] * rng.lognormal(0.0, 0.3, (effects.size, samples)))


@pytest.mark.parametrize("rounds", [5, 10, 20])
@pytest.mark.parametrize("law", ["normal", "log-normal"])
def test_coverage_of_the_median(law: str, rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    spread = 0.2
    truth = 1.0
    hits = 0
    for _ in range(SIMULATIONS):
        noise = spread * rng.standard_normal(rounds)
        effects = 1.0 + noise if law == "normal" else np.exp(noise)
        sample = rounds_with(effects, 100, rng)
        hits += covers(two_level(sample, "median"), truth)
    assert 0.92 <= hits / SIMULATIONS <= 0.99


def test_coverage_when_the_inner_variation_is_as_large_as_the_outer() -> None:
    rng = np.random.default_rng(31)
    hits = 0
    for _ in range(SIMULATIONS):
        # Standard error of the median of 50 samples: about 1.2533 * 0.3 / sqrt(50) = 0.053.
        sample = rounds_with(1.0 + 0.053 * rng.standard_normal(10), 50, rng)
        hits += covers(two_level(sample, "median"), 1.0)
    assert 0.92 <= hits / SIMULATIONS <= 0.995


def test_coverage_of_a_ratio_that_is_not_one() -> None:
    rng = np.random.default_rng(32)
    hits = 0
    for _ in range(SIMULATIONS):
        a = rounds_with(3.0 * np.exp(0.2 * rng.standard_normal(6)), 100, rng)
        b = rounds_with(np.exp(0.2 * rng.standard_normal(6)), 100, rng)
        hits += covers(ratio(a, b, "median"), 3.0)
    assert 0.92 <= hits / SIMULATIONS <= 0.99
