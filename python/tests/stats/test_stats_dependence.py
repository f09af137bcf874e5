"""Whether rounds depend on each other, against a published test and all orders."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from busmark.stats import dependence, lengthening

TOURISTS = [
    12362, 12739, 13057, 13955, 14123, 15698, 17523, 18610, 19842, 20310, 22500, 23080, 21916,
]  # fmt: skip
"""Gibbons & Chakraborti, "Nonparametric Statistical Inference", example 5.1: visitors by year. The
package randtests of R prints p-value = 1.21e-08 for Bartels' test, one-sided, beta."""


def test_bartels_rank_test_of_published_data() -> None:
    found = dependence(TOURISTS)
    assert found is not None and found.p_value == pytest.approx(1.21e-08, rel=0.005)
    assert found.rounds == 13


def test_the_p_value_of_few_rounds_is_the_share_of_orders() -> None:
    values = [3.0, 1.0, 2.0, 5.0, 4.0, 6.0]

    def squares(order: tuple[float, ...]) -> float:
        return float(np.square(np.diff(order)).sum())

    orders = [squares(order) for order in permutations(sorted(values))]
    found = dependence(values)
    assert found is not None
    assert found.p_value == pytest.approx(
        np.mean(np.array(orders) <= squares(tuple(values)) + 1e-9)
    )


@pytest.mark.parametrize("rounds", [5, 6, 8, 9, 10, 20])
def test_independent_rounds_are_accused_in_five_per_cent(rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    p_values = [d.p_value for d in map(dependence, rng.standard_cauchy((4000, rounds))) if d]
    assert np.mean(np.array(p_values) <= 0.05) <= 0.061


def test_one_bad_round_decides_nothing() -> None:
    calm = [1.0, 4.0, 2.0, 5.0, 3.0, 6.0, 2.5, 5.5]
    found, spoilt = dependence([*calm, 7.0]), dependence([*calm, 7000.0])
    assert found == spoilt


@pytest.mark.parametrize("values", [[1.0, 2.0, 3.0, 4.0], [5.0] * 10])
def test_few_rounds_and_equal_ones_say_nothing(values: list[float]) -> None:
    assert dependence(values) is None
    assert lengthening(values) == 1.0


def test_an_interval_is_longer_by_what_the_mean_varies_more() -> None:
    # The variance of a mean of 40 values of an autoregression of order 1, by simulation.
    rng, n, rho = np.random.default_rng(3), 40, 0.5
    noise = rng.standard_normal((20_000, n))
    series = noise.copy()
    for i in range(1, n):
        series[:, i] = rho * series[:, i - 1] + np.sqrt(1 - rho**2) * noise[:, i]
    truth = np.sqrt(n * series.mean(axis=1).var() / series.var(axis=1, ddof=1).mean())
    found = np.median([lengthening(row) for row in series[:1000]])
    assert found == pytest.approx(truth, rel=0.12)


def test_alternating_rounds_are_not_lengthened_nor_where_nothing_is_shown() -> None:
    assert lengthening([1.0, 9.0, 2.0, 8.0, 3.0, 7.0, 4.0, 6.0]) == 1.0
    weak = [1.0, 4.0, 3.0, 6.0, 2.0, 7.0, 5.0, 9.0, 8.0, 4.5]
    assert lengthening(weak) > 1.0
    assert lengthening(weak, shown=True) == 1.0
    assert lengthening(np.arange(10.0), shown=True) == lengthening(np.arange(10.0)) > 2.0
