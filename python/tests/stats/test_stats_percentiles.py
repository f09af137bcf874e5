"""Percentiles against definitions, and their intervals against the binomial distribution."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from busmark.stats import (
    LADDER,
    percentile,
    percentile_interval,
    percentiles,
    rank,
    supported,
)

PERCENTS = st.sampled_from(LADDER)


@given(st.lists(st.integers(0, 50), min_size=1, max_size=200), PERCENTS)
def test_it_is_the_smallest_value_with_enough_samples_at_or_below(
    values: list[int], percent: float
) -> None:
    result = percentile(values, percent)
    assert result in values
    share = Fraction(str(percent)) / 100
    assert Fraction(sum(v <= result for v in values), len(values)) >= share
    assert Fraction(sum(v < result for v in values), len(values)) < share


@pytest.mark.parametrize(
    ("percent", "count", "expected"),
    [
        (50, 1, 1),
        (50, 4, 2),
        (50, 5, 3),
        (90, 10, 9),
        (95, 20, 19),
        (99.9, 1000, 999),
        (99.9, 1001, 1000),
        (99.99, 10_000, 9999),
        (99.9999, 10_000_000, 9_999_990),
    ],
)
def test_rank_is_exact_where_binary_fractions_are_not(
    percent: float, count: int, expected: int
) -> None:
    assert rank(percent, count) == expected


@pytest.mark.parametrize(
    ("percent", "needed"),
    [
        (10, 100),
        (25, 40),
        (50, 20),
        (75, 40),
        (90, 100),
        (95, 200),
        (99, 1000),
        (99.9, 10_000),
        (99.99, 100_000),
        (99.999, 1_000_000),
        (99.9999, 10_000_000),
    ],
)
def test_support_begins_with_ten_samples_beyond(percent: float, needed: int) -> None:
    assert supported(percent, needed)
    assert not supported(percent, needed - 1)


def test_the_ladder_stops_where_support_stops() -> None:
    result = percentiles(np.arange(1, 1001))
    assert list(result) == list(LADDER)
    assert result[50.0] == 500.5
    assert result[99.0] == 990.0
    assert result[99.9] is None
    assert set(percentiles([1.0]).values()) == {None}


@given(st.integers(20, 400), st.integers(0, 2**32 - 1))
def test_the_ladder_agrees_with_single_percentiles(n: int, seed: int) -> None:
    x = np.random.default_rng(seed).exponential(size=n)
    for percent, value in percentiles(x).items():
        if value is not None:
            assert value == percentile(x, percent)


@pytest.mark.parametrize(
    ("n", "low", "high"), [(6, 1, 6), (10, 2, 9), (20, 6, 15), (25, 8, 18), (100, 40, 61)]
)
def test_median_interval_has_the_ranks_of_the_published_sign_test_tables(
    n: int, low: int, high: int
) -> None:
    estimate = percentile_interval(np.arange(n, 0, -1), 50, 0.95)
    assert (estimate.low, estimate.high) == (low, high)
    assert (estimate.count, estimate.rounds, estimate.confidence) == (n, 1, 0.95)


def test_an_interval_exists_from_the_sample_size_on_that_probability_allows() -> None:
    # Two-sided 95 % for the median needs 2 * 0.5**n <= 0.05, for the 90th percentile
    # 0.9**n <= 0.025: from 6 and from 36 samples on.
    assert percentile_interval(np.arange(5), 50).low is None
    assert percentile_interval(np.arange(6), 50).low is not None
    assert percentile_interval(np.arange(35), 90).high is None
    assert percentile_interval(np.arange(36), 90).high == 35.0
    assert percentile_interval(np.arange(35), 10).low is None
    assert percentile_interval(np.arange(36), 10).low == 0.0
    assert percentile_interval([4.0], 50).value == 4.0


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("percent", [25.0, 50.0, 90.0, 99.0])
def test_exact_coverage_is_enough_and_no_shorter_interval_is(
    percent: float, confidence: float
) -> None:
    tail = (1 - confidence) / 2
    for n in (700, 1001, 2500):
        estimate = percentile_interval(np.arange(1, n + 1), percent, confidence)
        assert estimate.low is not None
        assert estimate.high is not None
        below = stats.binom(n, percent / 100)
        assert below.cdf(estimate.low - 1) <= tail < below.cdf(estimate.low)
        assert below.sf(estimate.high - 1) <= tail < below.sf(estimate.high - 2)


def test_simulated_coverage_on_a_skewed_distribution() -> None:
    rng = np.random.default_rng(3)
    truth = -np.log(0.1)
    hits = 0
    for _ in range(400):
        e = percentile_interval(rng.exponential(size=300), 90)
        assert e.low is not None
        assert e.high is not None
        hits += e.low <= truth <= e.high
    # At least 95 % by construction; three binomial standard errors either way.
    assert 367 <= hits <= 396


def test_equal_samples_give_an_interval_of_no_length() -> None:
    e = percentile_interval(np.full(50, 3.0), 50)
    assert (e.value, e.low, e.high) == (3.0, 3.0, 3.0)


@pytest.mark.parametrize("percent", [0.0, 100.0, -1.0, float("nan")])
def test_percent_must_be_inside_its_range(percent: float) -> None:
    for call in (percentile, percentile_interval):
        with pytest.raises(ValueError, match="percent"):
            call([1.0, 2.0], percent)
    with pytest.raises(ValueError, match="percent"):
        supported(percent, 10)


def test_large_finite_values_are_not_taken_for_infinite() -> None:
    assert percentile([1.7e308, 1.6e308, 1.7e308], 50) == 1.7e308


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        percentile([], 50)
    with pytest.raises(ValueError, match="NaN"):
        percentiles([1.0, np.nan])
    with pytest.raises(ValueError, match="confidence"):
        percentile_interval([1.0], 50, 95)
