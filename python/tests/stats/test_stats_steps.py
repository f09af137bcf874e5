"""Steps in a series: the search against the published formula and another program's figures, the
test against simulation, and series whose steps are known."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.signal import lfilter
from scipy.stats import mannwhitneyu

from busmark import stats
from busmark.stats import MAX_CORRELATION, divergences, divide

Array = NDArray[np.float64]

OF_OTAVA = (
    (
        [10.35, 10.82, 10.33, 8.7, 10.91, 10.45, 9.46, 10.58, 10.36, 10.29, 10.03, 10.55, 11.26,
         11.84, 11.52, 12.6, 12.04, 11.71, 11.22, 11.74],
        8.898077922077924, 12, 20,
    ),
    (
        [10.19, 9.48, 9.59, 7.56, 11.8, 11.14, 9.67, 10.77, 10.28, 9.45, 10.98, 9.69, 9.67, 9.21,
         10.45, 9.9, 10.55, 9.39, 10.13, 9.11, 13.84, 13.19, 13.33, 13.41],
        18.829239766081862, 20, 24,
    ),
    (
        [12.04, 7.44, 10.42, 9.43, 9.55, 9.78, 7.98, 9.77, 9.13, 13.32, 8.73, 8.15, 8.22, 7.83,
         7.44, 8.11, 8.98, 8.26, 9.46, 8.3, 8.52, 10.05, 9.05, 7.99, 8.32, 9.04, 10.44, 8.23, 8.26,
         9.5],
        5.523749999999998, 11, 16,
    ),
)  # fmt: skip
"""Series, greatest statistic with three values or more on each side, place and end, as Apache Otava
0.8.0 gives them (`PairDistanceCalculator`)."""


def by_formula(first: Array, second: Array) -> float:
    """Compute equations 5 to 7 of Matteson & James (2014) for distances, term by term."""
    m, n = first.size, second.size
    across = sum(abs(x - y) for x in first for y in second) * 2 / (m * n)
    within = [
        sum(abs(x - y) for x, y in combinations(side, 2)) * 2 / (side.size * (side.size - 1))
        for side in (first, second)
    ]
    return float(m * n / (m + n) * (across - sum(within)))


@given(st.lists(st.integers(-50, 50), min_size=6, max_size=14), st.integers(2, 3))
@settings(max_examples=40, deadline=None)
def test_the_statistic_is_that_of_the_paper(values: list[int], least: int) -> None:
    series = np.array(values, dtype=float)
    found = divergences(series, least)
    for row, place in enumerate(range(least, series.size - least + 1)):
        for column, end in enumerate(range(2 * least, series.size + 1)):
            if end - place < least:
                assert found[row, column] == -np.inf
            else:
                wanted = by_formula(series[:place], series[place:end])
                assert found[row, column] == pytest.approx(wanted, abs=1e-9)


@pytest.mark.parametrize(("series", "most", "place", "end"), OF_OTAVA)
def test_place_and_statistic_are_those_of_apache_otava(
    series: list[float], most: float, place: int, end: int
) -> None:
    found = divergences(np.array(series), 3)
    assert found.max() == pytest.approx(most, rel=1e-12)
    row, column = np.unravel_index(int(np.argmax(found)), found.shape)
    assert (row + 3, column + 6) == (place, end)
    assert divide(np.array(series), 3) == (place, end)


def noise(n: int, seed: int, deviation: float = 0.01, rho: float = 0.0) -> Array:
    rng = np.random.default_rng(seed)
    values: Array = lfilter([1.0], [1.0, -rho], rng.standard_normal(n + 50))[50:]
    return deviation * np.sqrt(1 - rho**2) * values


def test_two_planted_steps_are_found_with_their_levels() -> None:
    values = noise(45, 1)
    values[15:] += 0.05
    values[30:] -= 0.08
    first, second = stats.steps(values)
    assert first.earliest <= 15 <= first.latest and second.earliest <= 30 <= second.latest
    for step, planted in ((first, 0.05), (second, -0.08)):
        limits = step.change.estimate
        assert limits.low is not None and limits.high is not None
        assert limits.low <= planted <= limits.high
    assert first.before == pytest.approx(0.0, abs=0.01)
    assert second.after == pytest.approx(-0.03, abs=0.01)
    assert first.change.estimate.value == pytest.approx(first.after - first.before)
    assert max(first.p_value, second.p_value) < 1e-4


def test_a_step_that_is_taken_back_at_once_is_found_twice() -> None:
    values = noise(40, 2)
    values[18:24] += 0.06
    up, down = stats.steps(values)
    assert (up.index, down.index) == (18, 24)


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_few_values_have_no_step(n: int) -> None:
    if n:
        assert stats.steps(np.arange(n, dtype=float)) == []
    else:
        with pytest.raises(ValueError, match="empty"):
            stats.steps([])


def test_what_does_not_vary_has_a_step_only_where_it_is_long_enough() -> None:
    assert stats.steps([3.0] * 40) == []
    assert stats.steps([3.0] * 5 + [4.0] * 3) == []
    (step,) = stats.steps([3.0] * 20 + [4.0] * 4)
    change = step.change.estimate
    assert (step.index, change.value, change.low, change.high) == (20, 1.0, 1.0, 1.0)
    # 2 in 10,626 orders of as many values.
    assert step.p_value == pytest.approx(2 / 10_626)


@pytest.mark.parametrize("seed", range(20))
def test_some_bad_results_are_no_step(seed: int) -> None:
    values = noise(30, seed)
    values[[9, 17, 28]] += 0.3
    assert stats.steps(values) == []


def test_two_bad_results_at_the_end_are_a_step_in_few_histories() -> None:
    found = 0
    for seed in range(50):
        values = noise(30, seed)
        values[[28, 29]] += 0.3
        found += bool(stats.steps(values))
    assert found <= 17


def test_many_histories_without_a_step_have_few() -> None:
    """One in 100, as far as 400 can tell: chance exceeds it once in ten thousand runs."""
    for rho in (0.0, 0.5):
        found = [stats.steps(noise(40, seed, rho=rho)) for seed in range(400)]
        low = stats.share_interval(sum(map(bool, found)), 400, 0.9999).low
        # One series tells little of its neighbours; with others beside it there are fewer.
        assert low is not None and low <= (0.01 if rho == 0.0 else 0.03)


def test_series_of_one_machine_know_more_of_their_neighbours() -> None:
    alone = together = 0
    for seed in range(60):
        series = [noise(30, 1000 * seed + n, rho=0.6) for n in range(8)]
        alone += sum(map(bool, map(stats.steps, series)))
        together += sum(map(bool, stats.steps_together(series)))
    assert together < alone


def test_how_alike_neighbours_are_is_estimated_apart_from_steps() -> None:
    for rho in (0.0, 0.5):
        found = []
        for seed in range(100):
            values = noise(60, seed, rho=rho)
            values[30:] += 0.04
            estimate = stats.neighbours(values)
            assert estimate is not None
            found.append(estimate)
        # It is never taken for less than 0.
        assert abs(float(np.mean(found)) - max(rho, 0.1)) < 0.1
        assert max(found) <= MAX_CORRELATION
    assert stats.neighbours(noise(11, 1)) is None
    assert stats.neighbours([1.0] * 30) is None


def test_a_factor_and_an_offset_change_nothing_but_the_scale() -> None:
    values = noise(40, 3)
    values[25:] += 0.05
    (one,) = stats.steps(values)
    (other,) = stats.steps(7.0 - 3.0 * values)
    assert (one.index, one.earliest, one.latest) == (other.index, other.earliest, other.latest)
    assert other.change.centre == pytest.approx(-3.0 * one.change.centre)
    assert other.p_value == pytest.approx(one.p_value, rel=1e-6)


@pytest.mark.parametrize(("before", "after"), [(1, 1), (16, 3), (3, 16), (10, 12), (20, 10)])
@pytest.mark.parametrize("rising", [True, False])
def test_few_ranks_are_compared_exactly(before: int, after: int, rising: bool) -> None:
    for seed in range(5):
        one, other = noise(before, seed), noise(after, 100 + seed) + 0.01 * (seed - 2)
        side = "greater" if rising else "less"
        exact = mannwhitneyu(other, one, alternative=side, method="exact").pvalue
        assert stats.rank_p_value(one, other, rising=rising) == pytest.approx(exact, rel=1e-9)


def test_wrong_arguments_are_refused() -> None:
    for level in (0.0, 1.0):
        with pytest.raises(ValueError, match="level"):
            stats.steps([1.0, 2.0], level)
    with pytest.raises(ValueError, match="NaN"):
        stats.steps([1.0, float("nan")])
