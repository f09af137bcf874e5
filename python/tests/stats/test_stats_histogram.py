"""Histograms against numpy's, and what lies outside."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.stats import histogram, log_histogram, percentile, quantiles

VALUES = st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=200)


@given(VALUES, st.integers(1, 30))
def test_every_value_is_counted_once(values: list[float], bins: int) -> None:
    for found in (histogram(values, bins), log_histogram(values, bins)):
        if found is not None:
            assert sum(found.counts) + found.below + found.above == len(values)
            assert len(found.counts) == found.edges.size - 1


def test_25_bins_between_5_and_95_per_cent_as_numpy_counts_them() -> None:
    x = np.random.default_rng(1).lognormal(3, 1, 10_007)
    found = histogram(x)
    low, high = percentile(x, 5), percentile(x, 95)
    counts, edges = np.histogram(x, bins=25, range=(low, high))
    assert found.edges == pytest.approx(edges)
    assert found.counts == tuple(counts)
    assert found.below == (x < low).sum() and found.above == (x > high).sum()


def test_logarithmic_bins_as_numpy_counts_them() -> None:
    x = np.concatenate((np.random.default_rng(2).pareto(1.5, 5000) + 1, [0.0, -3.0]))
    found = log_histogram(x)
    assert found is not None
    assert found.below == 2 and found.above == 0
    assert found.counts == tuple(np.histogram(x, bins=found.edges)[0])
    assert found.edges[1:] / found.edges[:-1] == pytest.approx(found.edges[1] / found.edges[0])


def test_one_value_has_one_bin() -> None:
    found = histogram([7.0, 7.0, 7.0])
    assert (found.edges.tolist(), found.counts) == ([6.5, 7.5], (3,))
    log = log_histogram([8.0])
    assert log is not None and (log.edges.tolist(), log.counts) == ([4.0, 16.0], (1,))
    assert log_histogram([0.0, -1.0]) is None


def test_what_is_refused() -> None:
    for refused in (histogram, log_histogram):
        with pytest.raises(ValueError, match="bins"):
            refused([1.0], 0)
        with pytest.raises(ValueError, match="NaN"):
            refused([1.0, float("nan")])
    with pytest.raises(ValueError, match="rise"):
        histogram([1.0], between=(95.0, 5.0))


@given(VALUES)
def test_quantiles_are_numpys_inverted_distribution_function(values: list[float]) -> None:
    percents = np.array([0, 0.1, 12.5, 25, 50, 75, 99.9, 100])
    expected = np.percentile(values, percents, method="inverted_cdf")
    assert quantiles(values, percents).tolist() == expected.tolist()


def test_quantiles_outside_are_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 100"):
        quantiles([1.0], [101.0])
