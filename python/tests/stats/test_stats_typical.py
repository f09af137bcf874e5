"""The median over rounds and its interval, against binomial probabilities and simulation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as sp

from busmark.stats import medians, order_limits, typical, typical_change

ROUNDS = st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=25)


def limits(table: np.ndarray) -> np.ndarray:
    return np.array([order_limits(row, 0.95) for row in np.sort(table, axis=1)])


@pytest.mark.parametrize("values", [[3.0, 5.0], [10.0, 9.5]])
def test_two_rounds_have_students_interval(values: list[float]) -> None:
    found = typical(values)
    low, high = sp.ttest_1samp(values, 0.0).confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


@pytest.mark.parametrize("n", [3, 4, 5])
def test_few_normal_rounds_are_covered_as_said(n: int) -> None:
    found = limits(np.random.default_rng(n).standard_normal((40_000, n)))
    covered = float(np.mean((found[:, 0] <= 0.0) & (found[:, 1] >= 0.0)))
    assert covered == pytest.approx(0.95, abs=0.005)


@pytest.mark.parametrize("n", [6, 8, 10, 15, 20, 41])
def test_limits_lie_between_the_order_statistics_of_the_binomial_test(n: int) -> None:
    values = np.arange(1.0, n + 1.0)
    low, high = order_limits(values, 0.95)
    ranks = [k for k in range(1, n // 2 + 1) if 1 - 2 * sp.binom.cdf(k - 1, n, 0.5) >= 0.95]
    assert ranks[-1] <= low < ranks[-1] + 1
    assert low + high == pytest.approx(n + 1)


def test_the_interpolation_is_that_of_hettmansperger_and_sheather() -> None:
    # n = 10: (2, 9) covers 0.9785 and (3, 8) 0.8906; I = 0.3243, lambda = 8 I / (2 + 6 I).
    part = (0.978515625 - 0.95) / (0.978515625 - 0.890625)
    share = 8 * part / (2 + 6 * part)
    low, high = order_limits(np.arange(1.0, 11.0), 0.95)
    assert (low, high) == (pytest.approx(2 + share), pytest.approx(9 - share))


LAWS = {
    "log-normal, sigma 1": (lambda rng, shape: rng.lognormal(0.0, 1.0, shape), 1.0),
    "one in ten is 1.5 times slower": (
        lambda rng, shape: rng.normal(1.0, 0.02, shape) * np.where(rng.random(shape) < 0.1, 1.5, 1),
        1.0 + 0.02 * sp.norm.ppf(0.5 / 0.9),
    ),
    "one in twenty is 3 times slower": (
        lambda rng, shape: rng.normal(1.0, 0.02, shape) * np.where(rng.random(shape) < 0.05, 3, 1),
        1.0 + 0.02 * sp.norm.ppf(0.5 / 0.95),
    ),
    "Cauchy": (lambda rng, shape: rng.standard_cauchy(shape), 0.0),
}


@pytest.mark.parametrize("n", [3, 5, 10])
@pytest.mark.parametrize("law", LAWS)
def test_any_law_of_rounds_is_covered(law: str, n: int) -> None:
    """The mean over rounds was covered in 40 % of campaigns of 5 rounds."""
    draw, truth = LAWS[law]
    found = limits(draw(np.random.default_rng(n), (20_000, n)))
    covered = float(np.mean((found[:, 0] <= truth) & (found[:, 1] >= truth)))
    assert 0.92 <= covered <= 0.98


def test_ten_rounds_whose_neighbours_correlate_are_covered() -> None:
    rng = np.random.default_rng(11)
    noise = rng.standard_normal((4000, 10))
    rounds = noise.copy()
    for i in range(1, 10):
        rounds[:, i] = 0.5 * rounds[:, i - 1] + np.sqrt(0.75) * noise[:, i]
    plain = limits(rounds)
    assert np.mean((plain[:, 0] <= 0.0) & (plain[:, 1] >= 0.0)) < 0.82
    found = [typical(row) for row in rounds]
    covered = np.mean([e.low <= 0.0 <= e.high for e in found if e.low is not None and e.high])
    assert covered >= 0.89


@given(ROUNDS)
def test_the_value_is_the_median_and_within_its_limits(values: list[float]) -> None:
    found = typical(values)
    assert found.value == pytest.approx(np.median(values))
    assert found.low is not None and found.high is not None
    assert found.low <= found.value <= found.high
    within = typical(values, seen=(min(values), max(values)))
    assert within.low is not None and within.high is not None
    assert min(values) <= within.low and within.high <= max(values)


def test_what_is_inside_the_rounds_is_the_least_length() -> None:
    found = typical([5.0] * 9, inside=0.81)
    half = 1.959964 * np.sqrt(0.81 / 9)
    assert (found.low, found.high) == (pytest.approx(5.0 - half), pytest.approx(5.0 + half))


def test_one_round_gives_no_interval() -> None:
    assert typical([4.0]).low is None and typical([4.0]).value == 4.0


@pytest.mark.parametrize("values", [[], [1.0, np.nan], [1.0, np.inf]])
def test_what_is_no_figure_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="round_values"):
        typical(values)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 100, 1001, 20_000])
@pytest.mark.parametrize("levels", [1, 3, 100_000])
def test_medians_are_those_of_numpy(n: int, levels: int) -> None:
    rows = np.random.default_rng(n * levels).integers(-levels, levels, size=(5, n))
    before = rows.copy()
    assert medians(rows).tolist() == np.median(rows, axis=1).tolist()
    assert medians(rows / 3.0).tolist() == np.median(rows / 3.0, axis=1).tolist()
    assert float(medians(rows[0])) == float(np.median(rows[0]))
    assert (rows == before).all()


def test_a_change_is_as_far_from_none_up_as_down_and_never_below_all_of_it() -> None:
    up, down = typical_change([1.0, 3.0, 7.0]), typical_change([-0.5, -0.75, -0.875])
    assert up.low is not None and up.high is not None
    assert down.low is not None and down.high is not None
    assert 1 + down.value == pytest.approx(1 / (1 + up.value))
    assert 1 + down.low == pytest.approx(1 / (1 + up.high)) and down.low > -1.0
