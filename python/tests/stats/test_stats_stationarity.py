"""The drift test on series whose trend is known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.stats import drift


def test_p_value_of_a_perfect_trend_counts_permutations() -> None:
    assert drift([1.0, 2.0, 3.0, 4.0, 5.0]).p_value == pytest.approx(2 / 120)
    assert drift(np.arange(100.0), blocks=6).p_value == pytest.approx(2 / 720)
    assert drift(-np.arange(100.0), blocks=6).p_value == pytest.approx(2 / 720)


def test_published_exact_probability_of_kendalls_statistic() -> None:
    # One adjacent exchange in a perfect order of five: S = 8, and tables give P(S >= 8) = 0.042.
    assert drift([1.0, 3.0, 2.0, 4.0, 5.0]).p_value == pytest.approx(2 * 5 / 120)


def test_relative_change_between_the_outer_thirds() -> None:
    x = np.repeat([100.0, 103.0, 110.0], 50)
    assert drift(x).relative_change == pytest.approx(0.10)
    assert drift(x[::-1]).relative_change == pytest.approx(-10 / 110)
    assert drift(-x).relative_change == pytest.approx(-0.10)


def test_false_alarms_on_independent_samples_are_as_rare_as_stated() -> None:
    rng = np.random.default_rng(1)
    p_values = [drift(rng.exponential(size=200)).p_value or 0.0 for _ in range(500)]
    # 25 expected of 500; four standard errors of 4.9.
    assert 6 <= sum(p < 0.05 for p in p_values) <= 45
    assert 200 <= sum(p < 0.5 for p in p_values) <= 300


def test_a_small_trend_under_noise_is_found() -> None:
    rng = np.random.default_rng(2)
    x = rng.exponential(size=20_000) + np.linspace(0.0, 0.3, 20_000)
    result = drift(x)
    assert result.p_value is not None
    assert result.p_value < 1e-3
    assert result.blocks == 20


def test_single_outliers_do_not_make_a_drift() -> None:
    x = np.random.default_rng(3).normal(100.0, 1.0, 2000)
    x[-5:] = 1e6
    result = drift(x)
    assert result.relative_change == pytest.approx(0.0, abs=0.01)
    assert result.p_value is not None
    assert result.p_value > 0.05


def test_equal_samples_have_no_trend() -> None:
    result = drift(np.full(100, 3.0))
    assert (result.relative_change, result.p_value, result.blocks) == (0.0, 1.0, 20)


def test_short_series_leave_figures_undefined() -> None:
    one, four = drift([1.0]), drift([1.0, 2.0, 3.0, 4.0])
    assert (one.relative_change, one.p_value, one.blocks) == (None, None, 0)
    assert (four.relative_change, four.p_value, four.blocks) == (3.0, None, 0)
    assert drift(np.arange(7.0)).blocks == 7
    assert drift(np.zeros(30)).relative_change is None


@given(st.integers(0, 1000), st.floats(0.01, 1e6))
def test_it_does_not_depend_on_the_unit(seed: int, scale: float) -> None:
    x = np.random.default_rng(seed).integers(1, 50, 60).astype(float)
    plain, scaled = drift(x), drift(scale * x)
    assert scaled.relative_change == pytest.approx(plain.relative_change)
    assert scaled.p_value == pytest.approx(plain.p_value)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        drift([])
    with pytest.raises(ValueError, match="NaN"):
        drift([1.0, np.nan])
    with pytest.raises(ValueError, match="blocks"):
        drift([1.0], blocks=4)
