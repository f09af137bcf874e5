"""Summary figures against scipy and against known distributions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from busmark.stats import describe

SAMPLES = st.lists(st.integers(-10_000, 10_000), min_size=4, max_size=60)


@given(SAMPLES)
def test_agrees_with_scipy(values: list[int]) -> None:
    x = np.array(values, dtype=float)
    ours = describe(x)
    assert (ours.count, ours.minimum, ours.maximum) == (x.size, x.min(), x.max())
    assert ours.mad == pytest.approx(stats.median_abs_deviation(x, scale=1.0))
    if np.ptp(x) == 0.0:
        assert (ours.std, ours.skewness, ours.kurtosis) == (0.0, None, None)
        return
    theirs = stats.describe(x, ddof=1, bias=False)
    assert ours.mean == pytest.approx(theirs.mean)
    assert ours.std == pytest.approx(np.sqrt(theirs.variance))
    assert ours.skewness == pytest.approx(theirs.skewness, rel=1e-6, abs=1e-9)
    assert ours.kurtosis == pytest.approx(theirs.kurtosis, rel=1e-6, abs=1e-9)


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=40))
def test_the_mad_is_the_median_of_the_distances_to_the_last_digit(values: list[int]) -> None:
    x = np.array(values) / 7.0
    assert describe(x).mad == float(np.median(np.abs(x - np.median(x))))


def test_the_mad_is_raw() -> None:
    x = stats.norm.ppf((np.arange(10_001) + 0.5) / 10_001)
    assert describe(x).mad == pytest.approx(stats.norm.ppf(0.75), rel=1e-3)


def test_shape_of_an_exponential_distribution() -> None:
    x = np.random.default_rng(1).exponential(3.0, 1_000_000)
    d = describe(x)
    assert d.skewness == pytest.approx(2.0, rel=0.03)
    assert d.kurtosis == pytest.approx(6.0, rel=0.15)


def test_figures_that_small_samples_do_not_define_are_none() -> None:
    one, two, three = describe([7.0]), describe([1.0, 3.0]), describe([1.0, 2.0, 6.0])
    assert (one.median, one.mad, one.mean) == (7.0, 0.0, 7.0)
    assert (one.std, one.skewness, one.kurtosis) == (None, None, None)
    assert two.std == pytest.approx(np.sqrt(2.0))
    assert (two.skewness, two.kurtosis) == (None, None)
    assert three.skewness is not None
    assert three.kurtosis is None


def test_equal_samples_have_no_shape_even_when_their_mean_is_inexact() -> None:
    d = describe(np.full(1000, 0.1))
    assert d.skewness is None
    assert d.kurtosis is None


def test_unsigned_integers_do_not_wrap() -> None:
    d = describe(np.array([1, 2, 9], dtype=np.uint64))
    assert d.mad == 1.0
    assert d.mean == 4.0


@pytest.mark.parametrize(
    ("bad", "message"),
    [([], "empty"), ([1.0, np.nan], "NaN"), ([1.0, np.inf], "infinite"), ([[1.0]], "dimension")],
)
def test_bad_input_is_refused(bad: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        describe(bad)
