"""Precision from one value and one inner variance of each round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from busmark.stats import Spread, inner_variance, two_level


@given(seed=st.integers(0, 1000), rounds=st.integers(2, 12), scale=st.floats(0.0, 0.5))
def test_the_half_width_is_that_of_the_two_level_interval(
    seed: int, rounds: int, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    samples = [rng.lognormal(5 + scale * rng.normal(), 0.3, 200) for _ in range(rounds)]
    inside = [inner_variance(s, "median", seed + i) for i, s in enumerate(samples)]
    spread = Spread.of([np.median(s) for s in samples], inside)
    whole = two_level(samples, "median", seed=seed, resamples=100)
    assert whole.half_width is not None
    # Two Monte Carlo estimates of the inner variance where that one decides.
    assert spread.half_width() == pytest.approx(whole.half_width, rel=0.1)


def test_without_inner_variance_it_is_students() -> None:
    values = [10.0, 12.0, 11.0, 9.5]
    low, high = scipy_stats.t.interval(0.95, 3, loc=np.mean(values), scale=scipy_stats.sem(values))
    assert Spread.of(values, [0.0] * 4).half_width() == pytest.approx((high - low) / 2)


def test_the_inner_variance_of_a_mean_is_that_of_the_textbook() -> None:
    x = np.random.default_rng(1).normal(100, 5, 5000)
    assert inner_variance(x, "mean", 1) == pytest.approx(25 / 5000, rel=0.2)


@given(spread=st.floats(0.001, 0.5), target=st.floats(0.005, 0.2))
def test_so_many_rounds_are_enough_and_one_less_is_not(spread: float, target: float) -> None:
    level = Spread(1.0, spread**2, 0.0, 5)
    rounds = level.rounds_for(target)
    assert level.half_width(rounds) <= target
    assert rounds == 2 or level.half_width(rounds - 1) > target


def test_more_samples_narrow_only_what_is_inside() -> None:
    level = Spread(1.0, 0.05, 0.04, 5).with_samples(4)
    assert level.inside == pytest.approx(0.01) and level.between == pytest.approx(0.02)
    alike = Spread(1.0, 0.01, 0.04, 5).with_samples(0.5)
    assert alike.between == alike.inside == pytest.approx(0.08)


@pytest.mark.parametrize("values", [[1.0], [1.0, float("nan")]])
def test_what_has_no_interval_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"rounds|values"):
        Spread.of(values, [0.0] * len(values))
