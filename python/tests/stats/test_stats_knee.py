"""Knees: exact without noise, and with it as sure as they say."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from busmark.stats import knee

RATES = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])


def bent(at: float) -> np.ndarray:
    """Return values that are flat up to a rate, then rise by one per unit of the logarithm."""
    rises: np.ndarray = np.maximum(0.0, np.log(RATES / at))
    return rises


def test_without_noise_the_points_around_it_are_the_limits() -> None:
    found = knee(RATES, np.tile(bent(5.0), (5, 1)), 0.2)
    # log(8 / 5) = 0.47 at 8 crosses 0.2 at 4 + 4 * 0.2 / 0.47.
    assert found.value == pytest.approx(4 + 4 * 0.2 / np.log(8 / 5))
    assert (found.low, found.high, found.floor, found.rounds) == (4.0, 8.0, 0, 5)


def test_a_flat_curve_has_none_and_says_how_far() -> None:
    found = knee(RATES, np.ones((5, 6)), 0.2)
    assert (found.value, found.low, found.high) == (None, 32.0, None)


def test_a_falling_curve_has_none() -> None:
    found = knee(RATES, np.tile(-np.log(RATES), (5, 1)), 0.2)
    assert (found.value, found.low, found.high, found.floor) == (None, 32.0, None, 5)


def test_a_curve_that_comes_down_again_is_not_beyond() -> None:
    found = knee(RATES, np.tile([0.0, 0.0, 0.0, 3.0, 3.0, 0.0], (5, 1)), 0.2)
    assert (found.value, found.low, found.high) == (None, 4.0, None)


def test_one_round_shows_nothing() -> None:
    found = knee(RATES, bent(5.0)[None], 0.2)
    assert found.value is not None
    assert (found.low, found.high) == (1.0, None)


def test_what_is_common_to_a_round_cancels() -> None:
    rng = np.random.default_rng(1)
    common = rng.normal(0.0, 5.0, (5, 1))
    noise = 0.01 * rng.standard_normal((5, 6))
    alone, moved = knee(RATES, bent(5.0) + noise, 0.2), knee(RATES, bent(5.0) + noise + common, 0.2)
    assert (alone.low, alone.high) == (moved.low, moved.high) == (4.0, 8.0)


def test_rounds_that_lack_values() -> None:
    values = np.tile(bent(5.0), (5, 1))
    values[1, 0] = values[2, 3] = values[3, 5] = np.nan
    found = knee(RATES, values, 0.2)
    assert (found.low, found.high) == (4.0, 8.0)


@pytest.mark.parametrize("rounds", [3, 5, 10])
@pytest.mark.parametrize("noise", [0.02, 0.1])
def test_coverage(rounds: int, noise: float) -> None:
    """At least nominal; the bound allows four binomial standard errors."""
    rng = np.random.default_rng(rounds)
    simulations, rise, hits = 400, 0.2, 0
    for _ in range(simulations):
        at = float(np.exp(rng.uniform(np.log(2.0), np.log(20.0))))
        truth = at * np.exp(rise)
        found = knee(RATES, bent(at) + noise * rng.standard_normal((rounds, 6)), rise)
        hits += found.low <= truth and (found.high is None or truth <= found.high)
    assert hits / simulations >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / simulations)


def test_a_knee_is_found_where_there_is_one_and_only_there() -> None:
    rng = np.random.default_rng(2)
    found = absent = 0
    for _ in range(400):
        noise = 0.05 * rng.standard_normal((5, 6))
        found += knee(RATES, bent(5.0) + noise, 0.2).high is not None
        absent += knee(RATES, np.zeros(6) + noise, 0.2).high is None
    assert found >= 380
    assert absent >= 390


@given(
    arrays(np.float64, (4, 6), elements=st.floats(-10.0, 10.0)),
    st.floats(0.01, 5.0),
)
def test_the_value_lies_between_its_limits(values: np.ndarray, rise: float) -> None:
    found = knee(RATES, values, rise)
    ends = [found.low, found.value, found.high]
    assert all(a <= b for a, b in pairwise(end for end in ends if end is not None))
    if found.high is not None:
        assert found.value is not None


@pytest.mark.parametrize("rise", [0.0, -1.0, float("nan")])
def test_a_rise_of_nothing_is_refused(rise: float) -> None:
    with pytest.raises(ValueError, match="rise must be positive"):
        knee(RATES, np.ones((2, 6)), rise)
