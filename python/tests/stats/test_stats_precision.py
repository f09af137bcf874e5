"""Precision from one value and one inner variance of each round."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from busmark.stats import FEW, StatisticSpread, inner_variance, two_level


@given(seed=st.integers(0, 1000), rounds=st.integers(2, 12), scale=st.floats(0.0, 0.5))
def test_the_half_width_is_that_of_the_two_level_interval(
    seed: int, rounds: int, scale: float
) -> None:
    rng = np.random.default_rng(seed)
    samples = [rng.lognormal(5 + scale * rng.normal(), 0.3, 200) for _ in range(rounds)]
    inside = [inner_variance(s, "median") for s in samples]
    spread = StatisticSpread.from_rounds([np.median(s) for s in samples], inside)
    whole = two_level(samples, "median")
    assert whole.half_width is not None
    # The samples seen may limit the interval, never lengthen it.
    assert spread.half_width() >= whole.half_width * (1.0 - 1e-9)


def test_of_two_rounds_without_inner_variance_it_is_students() -> None:
    values = [10.0, 12.0]
    low, high = scipy_stats.t.interval(0.95, 1, loc=np.mean(values), scale=scipy_stats.sem(values))
    assert StatisticSpread.from_rounds(values, [0.0] * 2).half_width() == pytest.approx(
        (high - low) / 2
    )


def test_the_inner_variance_of_a_mean_is_that_of_the_textbook() -> None:
    x = np.random.default_rng(1).normal(100, 5, 5000)
    assert inner_variance(x, "mean") == pytest.approx(25 / 5000, rel=0.2)


def test_the_width_of_further_rounds_is_predicted() -> None:
    # Of 2000 campaigns of 10 rounds: what 5 of them let expect, and what the 10 have.
    draws = np.random.default_rng(2).standard_normal((2000, 10)) + 100.0
    none = [0.0] * 10
    lines = [StatisticSpread.from_rounds(row[:5], none[:5]).half_width(10) for row in draws]
    found = [StatisticSpread.from_rounds(row, none).half_width() for row in draws]
    # The interval of ten is longer where they seem to depend on each other.
    assert np.mean(lines) == pytest.approx(np.median(found), rel=0.3)


@given(spread=st.floats(0.001, 0.5), target=st.floats(0.005, 0.2))
def test_so_many_rounds_are_enough_and_one_less_is_not(spread: float, target: float) -> None:
    level = StatisticSpread(1.0, spread, spread**2, 0.0, 5)
    rounds = level.rounds_for(target)
    assert level.half_width(rounds) <= target
    assert rounds == 2 or level.half_width(rounds - 1) > target


def test_more_samples_narrow_only_what_is_inside() -> None:
    own, inside = 0.01, 0.04
    level = StatisticSpread(1.0, 1.0, own + np.pi / 2 * inside, inside, 5).with_samples(4)
    assert level.inside == pytest.approx(0.01)
    assert level.between == pytest.approx(own + np.pi / 2 * 0.01)


@pytest.mark.parametrize("values", [[1.0], [1.0, float("nan")]])
def test_what_has_no_interval_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match=r"rounds|values"):
        StatisticSpread.from_rounds(values, [0.0] * len(values))


def test_few_rounds_have_to_be_narrower() -> None:
    few, many = (StatisticSpread(100.0, 2.0, 1.0, 0.0, rounds) for rounds in (FEW - 1, FEW))
    assert many.suffices(0.02) and not many.suffices(0.019)
    assert few.suffices(0.04) and not few.suffices(0.03)
    assert not StatisticSpread(0.0, 0.0, 0.0, 0.0, 20).suffices(0.5), "no share of nothing"


@pytest.mark.parametrize("law", ["normal", "heavy tails"])
def test_stopping_costs_less_coverage_where_few_rounds_have_to_be_narrower(law: str) -> None:
    """What is true is known: 1. Either way stops at the first interval that is narrow enough."""
    rng, campaigns = np.random.default_rng(8), 600
    held, at_few = {"first narrow": 0, "suffices": 0}, list[bool]()
    for _ in range(campaigns):
        off = rng.standard_normal(60) if law == "normal" else rng.standard_t(3, 60)
        values, waiting = 1.0 + 0.12 * off, set(held)
        for n in range(5, 61):
            spread = StatisticSpread.from_rounds(values[:n], np.zeros(n))
            enough = {"suffices": spread.suffices(0.08), "first narrow": spread.half <= 0.08}
            holds = abs(spread.value - 1.0) <= spread.half
            if n < FEW and "first narrow" in waiting and enough["first narrow"]:
                at_few.append(holds)
            for way in [each for each in waiting if enough[each] or n == 60]:
                held[way] += holds
                waiting.remove(way)
            if not waiting:
                break
    assert np.mean(at_few) < 0.9, "few rounds that are narrow by chance"
    assert held["suffices"] > held["first narrow"]
    assert held["suffices"] >= 0.91 * campaigns
