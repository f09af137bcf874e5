"""Thinning for plots: percentile curves and timelines."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.stats import decimate, percentile, percentile_curve

INTEGERS = st.lists(st.integers(0, 300), min_size=1, max_size=300)


@given(INTEGERS, st.integers(4, 60))
def test_every_kept_point_is_exact(values: list[int], max_points: int) -> None:
    x, percent = percentile_curve(values, max_points)
    assert len(x) == len(percent) <= max_points
    assert np.all(np.diff(x) > 0)
    assert x[0] == min(values)
    assert x[-1] == max(values)
    for v, p in zip(x, percent, strict=True):
        middle = (sum(w < v for w in values) + sum(w <= v for w in values)) / 2
        assert p == pytest.approx(100 * middle / len(values))


@given(INTEGERS)
def test_nothing_is_dropped_while_it_fits(values: list[int]) -> None:
    assert list(percentile_curve(values)[0]) == sorted(set(values))


def test_the_tail_survives_thinning() -> None:
    n = 1_000_000
    x = np.random.default_rng(1).permutation(n).astype(float)
    values, percent = percentile_curve(x, 500)
    fraction = percent / 100.0
    assert len(values) <= 500
    assert list(values[-10:]) == list(range(n - 10, n))
    exceedance = 1.0 - fraction
    for decade in (1e-1, 1e-2, 1e-3, 1e-4):
        inside = np.sum((exceedance > decade / 10) & (exceedance <= decade))
        assert inside >= 25
    assert np.sum(fraction < 0.5) >= 200
    assert np.max(np.diff(fraction)) < 0.03


@given(INTEGERS, st.integers(4, 60))
def test_the_percentile_at_a_curve_point_is_its_value(values: list[int], max_points: int) -> None:
    x, percent = percentile_curve(values, max_points)
    assert np.all((percent > 0.0) & (percent < 100.0))
    assert np.all(np.diff(percent) > 0)
    assert [percentile(values, p) for p in percent] == list(x)


def test_curve_uses_hazens_positions_for_distinct_values() -> None:
    values, percent = percentile_curve([30.0, 10.0, 20.0, 40.0])
    assert list(values) == [10.0, 20.0, 30.0, 40.0]
    assert list(percent) == [12.5, 37.5, 62.5, 87.5]


def test_distribution_of_one_and_of_equal_samples() -> None:
    for x in ([5.0], [5.0] * 100):
        assert [list(part) for part in percentile_curve(x)] == [[5.0], [50.0]]


def test_bad_distribution_input_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        percentile_curve([])
    with pytest.raises(ValueError, match="NaN"):
        percentile_curve([np.nan])
    with pytest.raises(ValueError, match="max_points"):
        percentile_curve([1.0], 3)


@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(-100, 100)), min_size=1, max_size=300),
    st.integers(2, 40),
)
def test_timeline_keeps_extremes_and_adds_nothing(
    points: list[tuple[int, int]], max_points: int
) -> None:
    points = sorted(points, key=lambda p: p[0])
    t, y = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    thin_t, thin_y = decimate(t, y, max_points)
    assert len(thin_t) == len(thin_y) <= max_points
    assert np.all(np.diff(thin_t) >= 0)
    assert thin_y.min() == y.min()
    assert thin_y.max() == y.max()
    assert {*zip(thin_t, thin_y, strict=True)} <= {*zip(t, y, strict=True)}


def test_each_bucket_keeps_its_own_extremes_in_time_order() -> None:
    # Two buckets of five; the first peaks before its dip, the second dips before its peak.
    y = [0.0, 9.0, 0.0, -9.0, 0.0, 0.0, -5.0, 0.0, 5.0, 0.0]
    t, kept = decimate(np.arange(10.0), y, 4)
    assert list(t) == [1.0, 3.0, 6.0, 8.0]
    assert list(kept) == [9.0, -9.0, -5.0, 5.0]


def test_buckets_are_of_equal_duration_not_of_equal_number() -> None:
    dense = np.linspace(0.0, 1.0, 1000, endpoint=False)
    t = np.concatenate((dense, np.arange(1.0, 11.0)))
    kept, _ = decimate(t, np.sin(t), 20)
    assert np.sum(kept < 1.0) == 2
    assert np.sum(kept >= 1.0) == 10


def test_a_series_that_fits_is_returned_as_a_copy() -> None:
    t, y = np.arange(4.0), np.array([1.0, 5.0, 2.0, 3.0])
    _, kept = decimate(t, y, 4)
    assert list(kept) == list(y)
    kept[0] = 99.0
    assert y[0] == 1.0


def test_timeline_of_equal_times_and_values() -> None:
    t, y = decimate(np.zeros(50), np.ones(50), 10)
    assert set(t) == {0.0}
    assert set(y) == {1.0}
    assert len(t) <= 10


def test_bad_timelines_are_refused() -> None:
    with pytest.raises(ValueError, match="t is empty"):
        decimate([], [], 10)
    with pytest.raises(ValueError, match="y holds NaN"):
        decimate([1.0], [np.nan], 10)
    with pytest.raises(ValueError, match="same length"):
        decimate([1.0, 2.0], [1.0], 10)
    with pytest.raises(ValueError, match="decrease"):
        decimate([2.0, 1.0], [1.0, 1.0], 10)
    with pytest.raises(ValueError, match="max_points"):
        decimate([1.0], [1.0], 1)
