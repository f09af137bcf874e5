"""Robust lines: against scipy and a published example, and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import theilslopes

from busmark.stats import Estimate, robust_line, theil_sen

SIZES = np.array([64.0, 1024.0, 8192.0, 16384.0, 32768.0, 65536.0])

POINTS = st.lists(st.integers(0, 1 << 20), min_size=3, max_size=9, unique=True).map(
    lambda xs: np.array(sorted(xs), dtype=np.float64)
)


def covers(e: Estimate, truth: float) -> bool:
    assert e.low is not None and e.high is not None
    return e.low <= truth <= e.high


def test_the_example_of_sen_1968() -> None:
    x = np.array([1.0, 2.0, 3.0, 4.0, 10.0, 12.0, 18.0])
    y = np.array([9.0, 15.0, 19.0, 20.0, 45.0, 55.0, 78.0])
    assert theil_sen(x, y).tolist() == [6.0, 4.0]


@given(POINTS, st.data())
def test_it_is_the_line_of_scipy(x: np.ndarray, data: st.DataObject) -> None:
    y = data.draw(arrays(np.float64, (2, x.size), elements=st.floats(1.0, 1e9)))
    for row, fitted in zip(y, theil_sen(x, y), strict=True):
        theirs = theilslopes(row, x, method="joint")
        assert fitted == pytest.approx([theirs.intercept, theirs.slope], rel=1e-9, abs=1e-6)


@given(st.floats(1e3, 1e6), st.floats(0.0, 100.0), st.integers(0, 5), st.floats(1.0, 1e12))
def test_one_wild_point_of_six_changes_nothing(
    intercept: float, slope: float, index: int, wild: float
) -> None:
    level = intercept + slope * SIZES
    level[index] = wild
    line = robust_line(SIZES, np.tile(level, (5, 1)), seed=1, resamples=100)
    assert line.slope.value == pytest.approx(slope, rel=1e-6, abs=1e-6)
    assert line.intercept.value == pytest.approx(intercept, rel=1e-6, abs=1e-6)


def test_two_wild_rounds_of_five_change_nothing() -> None:
    values = np.tile(1e4 + 0.3 * SIZES, (5, 1))
    values[1] *= 50.0
    values[3] /= 7.0
    line = robust_line(SIZES, values, seed=1)
    assert (line.intercept.value, line.slope.value) == (pytest.approx(1e4), pytest.approx(0.3))
    assert line.held_out == pytest.approx(np.zeros(6), abs=1e-12)


def test_errors_on_points_held_out_are_those_of_a_line_without_them() -> None:
    level = np.array([10.0, 12.0, 13.0, 20.0])
    x = np.array([1.0, 2.0, 3.0, 4.0])
    line = robust_line(x, level[None], seed=1)
    others = theilslopes(level[:3], x[:3], method="joint")
    assert line.held_out[3] == pytest.approx((others.intercept + 4 * others.slope) / 20.0 - 1)


@pytest.mark.parametrize("bend", [0.0, 0.05])
@pytest.mark.parametrize("points", [3, 6])
def test_coverage(points: int, bend: float) -> None:
    """At least nominal; the bound below allows four binomial standard errors."""
    rng = np.random.default_rng(points)
    simulations = 400
    x = np.geomspace(64, 65536, points)
    hits = np.zeros(3)
    for seed in range(simulations):
        rounds = 0.02 * rng.standard_normal((5, 1)) + 0.02 * rng.standard_normal((5, points))
        values = (1e4 + 0.3 * x) * np.exp(bend * rng.standard_normal(points) + rounds)
        line = robust_line(x, values, seed=seed, resamples=200)
        new = float(np.exp(rng.uniform(np.log(64), np.log(65536))))
        truth = (1e4 + 0.3 * new) * np.exp(bend * rng.standard_normal())
        hits += [covers(line.intercept, 1e4), covers(line.slope, 0.3), covers(line.at(new), truth)]
    assert (hits / simulations >= 0.95 - 4 * np.sqrt(0.95 * 0.05 / simulations)).all()


def test_an_interval_shrinks_with_rounds_and_grows_beyond_the_points() -> None:
    rng = np.random.default_rng(3)
    values = (1e4 + 0.3 * SIZES) * np.exp(0.02 * rng.standard_normal((40, 6)))
    few, many = robust_line(SIZES, values[:4], seed=1), robust_line(SIZES, values, seed=1)
    widths = [line.at(3000.0).half_width for line in (many, few)]
    assert None not in widths and widths == sorted(widths)  # type: ignore[type-var]
    inside, beyond = many.at(65536.0).half_width, many.at(1e6).half_width
    assert inside is not None and beyond is not None and beyond > inside


def test_a_round_may_lack_values() -> None:
    values = np.tile(1e4 + 0.3 * SIZES, (4, 1))
    values[0, 0] = values[2, 3] = np.nan
    values[1:, 5] = np.nan
    line = robust_line(SIZES, values, seed=1)
    assert line.slope.value == pytest.approx(0.3)
    assert line.count == 19
    assert covers(line.slope, line.slope.value)


def test_one_round_has_no_interval() -> None:
    line = robust_line(SIZES, (1e4 + 0.3 * SIZES)[None], seed=1)
    for estimate in (line.intercept, line.slope, line.at(3000.0)):
        assert (estimate.low, estimate.high, estimate.rounds) == (None, None, 1)


def test_the_seed_decides() -> None:
    values = (1e4 + 0.3 * SIZES) * np.exp(0.02 * np.random.default_rng(3).standard_normal((5, 6)))
    same = [robust_line(SIZES, values, seed=5).slope for _ in range(2)]
    assert same[0] == same[1] != robust_line(SIZES, values, seed=6).slope


@pytest.mark.parametrize(
    ("x", "values", "message"),
    [
        ([1.0, 2.0], [[1.0, 2.0]], "2 points, at least 3"),
        ([1.0, 3.0, 2.0], [[1.0, 2.0, 3.0]], "ascending"),
        ([1.0, 2.0, 3.0], [[1.0, 2.0]], "must be"),
        ([1.0, 2.0, 3.0], [[1.0, np.nan, 3.0]], "no value"),
        ([1.0, 2.0, 3.0], [[1.0, np.inf, 3.0]], "infinity"),
        ([1.0, 2.0, 3.0], [[1.0, 0.0, 3.0]], "positive"),
    ],
)
def test_what_is_no_line_is_refused(
    x: list[float], values: list[list[float]], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        robust_line(x, values, seed=1)
