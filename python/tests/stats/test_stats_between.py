"""Curves between measured points, and the share of things counted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from busmark.stats import curve_between, share_interval, typical

LADDER = 2.0 ** np.arange(7)


def test_at_a_measured_point_it_is_that_of_a_typical_round() -> None:
    values = np.random.default_rng(1).normal(10.0, 1.0, (5, 7))
    curve = curve_between(LADDER, values)
    assert curve.at(4.0) == typical(values[:, 2])


@given(st.floats(1.0, 64.0))
def test_a_straight_curve_is_met_exactly(x: float) -> None:
    curve = curve_between(LADDER, np.tile(3.0 + 2.0 * LADDER, (3, 1)))
    estimate = curve.at(x)
    assert estimate.value == pytest.approx(3.0 + 2.0 * x)
    assert estimate.half_width == pytest.approx(0.0, abs=1e-9)


@given(st.floats(2.0, 32.0), st.floats(2.0, 32.0))
def test_the_interval_holds_a_curve_with_one_bend(bend: float, x: float) -> None:
    """Without noise: the cross-validation error bounds the error between points."""
    curve = curve_between(LADDER, np.tile(np.minimum(LADDER, bend), (3, 1)))
    estimate = curve.at(x)
    assert estimate.low is not None and estimate.high is not None
    assert estimate.low - 1e-9 <= min(x, bend) <= estimate.high + 1e-9


@given(st.floats(-5.0, 5.0), st.floats(1.0, 5.0))
def test_the_interval_holds_a_curve_of_constant_curvature(curvature: float, x: float) -> None:
    points = np.arange(7.0)
    curve = curve_between(points, np.tile(curvature * points**2, (3, 1)))
    estimate = curve.at(x)
    assert estimate.low is not None and estimate.high is not None
    assert estimate.low - 1e-9 <= curvature * x**2 <= estimate.high + 1e-9


def test_coverage_between_points() -> None:
    rng = np.random.default_rng(5)
    hits, simulations = 0, 400
    for _ in range(simulations):
        bend, x = rng.uniform(2.0, 32.0, 2)
        noise = rng.standard_normal((5, 1)) + rng.standard_normal((5, 7))
        estimate = curve_between(LADDER, np.minimum(LADDER, bend) + noise).at(x)
        assert estimate.low is not None and estimate.high is not None
        hits += estimate.low <= min(x, bend) <= estimate.high
    assert hits / simulations >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / simulations)


def test_errors_on_points_held_out() -> None:
    curve = curve_between([0.0, 1.0, 3.0, 4.0], [[0.0, 5.0, 3.0, 4.0]])
    assert curve.held_out == pytest.approx([1.0 - 5.0, 5.0 - 2.0 / 3.0 - 3.0])


def test_rounds_that_lack_values() -> None:
    values = np.tile(LADDER, (3, 1))
    values[0, 2] = values[1, 3] = np.nan
    assert curve_between(LADDER, values).at(5.0).rounds == 1
    values[2, 2] = np.nan
    estimate = curve_between(LADDER, values).at(5.0)
    assert (estimate.value, estimate.low, estimate.rounds) == (5.0, None, 0)


@pytest.mark.parametrize("x", [0.9, 64.1])
def test_beyond_the_points_is_refused(x: float) -> None:
    with pytest.raises(ValueError, match="outside"):
        curve_between(LADDER, LADDER[None]).at(x)


@given(st.integers(1, 10_000), st.data())
def test_a_share_has_the_interval_of_scipy(count: int, data: st.DataObject) -> None:
    hits = data.draw(st.integers(0, count))
    ours, theirs = share_interval(hits, count), binomtest(hits, count).proportion_ci(0.95, "exact")
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("hits", "count"), [(-1, 3), (4, 3), (0, 0)])
def test_what_is_no_share_is_refused(hits: int, count: int) -> None:
    with pytest.raises(ValueError, match="is no share"):
        share_interval(hits, count)
