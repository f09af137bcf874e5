"""Changes between two sets of rounds, against scipy and statsmodels."""

from __future__ import annotations

from collections.abc import Callable
from math import log

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats as sp
from statsmodels.stats.proportion import proportion_confint

from busmark.stats import (
    Change,
    Estimate,
    difference_of_shares,
    independent_ratio,
    paired_change,
    paired_ratio,
    ratio,
    ratio_of_estimates,
    ratio_of_levels,
    reduce_rounds,
)

VALUES = st.lists(st.floats(1.0, 100.0), min_size=3, max_size=8)


def level(seed: int, rounds: int = 6, factor: float = 1.0, statistic: str | float = "median"):  # type: ignore[no-untyped-def]
    """Reduce rounds that differ by 2 %, of 200 log-normal samples each."""
    rng = np.random.default_rng(seed)
    effects = factor * np.exp(0.02 * rng.standard_normal(rounds))
    sample = [e * rng.lognormal(0.0, 0.3, 200) for e in effects]
    return reduce_rounds(sample, statistic)  # type: ignore[arg-type]


def changes(seed: int) -> list[Change]:
    """Return a change of each kind."""
    rng = np.random.default_rng(seed)
    a, b = rng.lognormal(0.1, 0.1, 6), rng.lognormal(0.0, 0.1, 5)
    return [
        ratio_of_levels(level(seed), level(seed + 1)),
        independent_ratio(a, b),
        independent_ratio([0.0, *a], b),
        paired_change(a[:5], b),
        difference_of_shares([3, 5, 1], [100, 110, 90], [0, 2, 0], [100, 100, 100]),
        ratio_of_estimates(
            Estimate(10.0, 9.0, 12.0, 0.95, 5, 5), Estimate(8.0, 7.5, 9.0, 0.95, 5, 5)
        ),
    ]


def test_the_ratio_of_two_independent_rounds_a_side_is_welch_on_logarithms() -> None:
    a, b = [11.0, 13.0], [9.0, 9.5]
    change = independent_ratio(a, b)
    welch = sp.ttest_ind(np.log(a), np.log(b), equal_var=False)
    assert change.p_value(1.0) == pytest.approx(welch.pvalue, rel=0.05)
    assert independent_ratio(a, b).p_value(1.3) == pytest.approx(
        sp.ttest_ind(np.log(a) - log(1.3), np.log(b), equal_var=False).pvalue, rel=0.05
    )


def test_the_ratio_is_of_typical_rounds_and_one_bad_round_does_not_move_it() -> None:
    a, b = [10.0, 10.1, 9.9, 10.05, 9.95], [10.0, 10.02, 9.98, 10.01, 9.99]
    calm, spoilt = independent_ratio(a, b), independent_ratio([*a[:4], 15.0], b)
    assert calm.estimate.value == pytest.approx(np.median(a) / np.median(b))
    assert spoilt.estimate.value == pytest.approx(calm.estimate.value, rel=0.006)
    assert spoilt.p_value(1.0) > 0.05  # type: ignore[operator]


def test_false_alarms_of_independent_ratios_with_bad_rounds() -> None:
    rng = np.random.default_rng(4)
    wrong = 0
    for _ in range(1000):
        sides = rng.lognormal(0.0, 0.02, (2, 10)) * np.where(rng.random((2, 10)) < 0.1, 1.5, 1.0)
        wrong += (independent_ratio(*sides).p_value(1.0) or 0.0) <= 0.05
    assert wrong <= 1000 * 0.05 + 4 * np.sqrt(1000 * 0.05 * 0.95)


def test_two_pairs_are_students_test_of_the_logarithms() -> None:
    a, b = [11.0, 12.0], [10.0, 10.5]
    change = paired_change(a, b)
    assert change.p_value(1.0) == pytest.approx(sp.ttest_rel(np.log(a), np.log(b)).pvalue)
    plain = paired_ratio(a, b)
    for name in ("value", "low", "high", "confidence", "count", "rounds"):
        assert getattr(change.estimate, name) == pytest.approx(getattr(plain, name))


def test_a_value_of_zero_is_compared_without_logarithms() -> None:
    a, b = [0.0, 8.0, 10.0, 12.0], [20.0, 21.0, 19.0, 20.0]
    change = independent_ratio(a, b)
    assert change.estimate.value == pytest.approx(np.median(a) / np.median(b))
    assert change.estimate.low is not None and change.estimate.high is not None
    assert change.estimate.low <= 9.0 / 20.0 <= change.estimate.high
    assert not change.log


def test_nothing_but_zeros_is_a_ratio_of_zero_without_doubt() -> None:
    change = independent_ratio([0.0, 0.0, 0.0], [5.0, 6.0, 7.0])
    assert (change.estimate.value, change.estimate.low, change.estimate.high) == (0.0, 0.0, 0.0)
    assert change.p_value(1.0) == 0.0


def test_a_ratio_to_zero_does_not_exist() -> None:
    with pytest.raises(ValueError, match="above zero"):
        independent_ratio([1.0, 2.0], [0.0, 0.0])
    with pytest.raises(ValueError, match="not negative"):
        independent_ratio([1.0, -2.0], [1.0, 1.0])


def test_shares_that_differ_between_rounds_are_welch() -> None:
    lost, sent = [100, 400, 250, 600], [1000] * 4
    others = [90, 120, 80, 100]
    change = difference_of_shares(lost, sent, others, sent)
    a, b = np.array(lost) / 1000, np.array(others) / 1000
    welch = sp.ttest_ind(a, b, equal_var=False)
    interval = welch.confidence_interval(0.95)
    assert change.estimate.value == pytest.approx(a.mean() - b.mean())
    assert change.estimate.high - change.estimate.low == pytest.approx(  # type: ignore[operator]
        interval.high - interval.low
    )


def test_none_lost_on_both_sides_leaves_room_for_what_the_counts_cannot_show() -> None:
    change = difference_of_shares([0, 0, 0], [500] * 3, [0, 0, 0], [1000] * 3)
    _, high = proportion_confint(0, 1500, 0.05, method="beta")
    _, other = proportion_confint(0, 3000, 0.05, method="beta")
    assert change.estimate.value == 0.0
    assert change.estimate.high == pytest.approx(high)
    assert change.estimate.low == pytest.approx(-other)
    assert change.p_value(0.0) == 1.0


def test_equal_shares_in_every_round_are_newcombes_hybrid_of_exact_limits() -> None:
    change = difference_of_shares([50] * 4, [1000] * 4, [20] * 4, [1000] * 4)
    low_a, high_a = proportion_confint(200, 4000, 0.05, method="beta")
    low_b, high_b = proportion_confint(80, 4000, 0.05, method="beta")
    assert change.estimate.low == pytest.approx(
        0.03 - np.hypot(0.05 - low_a, high_b - 0.02), abs=1e-12
    )
    assert change.estimate.high == pytest.approx(
        0.03 + np.hypot(high_a - 0.05, 0.02 - low_b), abs=1e-12
    )


def test_the_ratio_of_levels_is_that_of_their_rounds() -> None:
    rng = np.random.default_rng(9)
    a = [rng.lognormal(0.1, 0.3, 300) for _ in range(5)]
    b = [rng.lognormal(0.0, 0.3, 300) for _ in range(7)]
    levels = [reduce_rounds(side, "median") for side in (a, b)]
    assert ratio_of_levels(*levels).estimate == ratio(a, b, "median")


@pytest.mark.parametrize("kind", range(6))
@given(seed=st.integers(0, 10_000), at=st.floats(0.5, 2.0))
@settings(max_examples=40, deadline=None)
def test_a_value_is_rejected_exactly_outside_the_interval(kind: int, seed: int, at: float) -> None:
    change = changes(seed)[kind]
    low, high = change.estimate.low, change.estimate.high
    assert low is not None and high is not None
    at = at if change.estimate.value > 0.2 else at / 10 - 0.1
    p = change.p_value(at)
    assert p is not None
    if abs(at - low) > 1e-9 and abs(at - high) > 1e-9:
        assert (p <= 0.05) == (at < low or at > high)


@given(a=VALUES, b=VALUES, factor=st.floats(0.01, 100.0))
@settings(max_examples=50, deadline=None)
def test_the_unit_does_not_matter_and_sides_may_be_exchanged(
    a: list[float], b: list[float], factor: float
) -> None:
    change = independent_ratio(a, b).estimate
    scaled = independent_ratio([factor * v for v in a], [factor * v for v in b]).estimate
    turned = independent_ratio(b, a).estimate
    assert change.low is not None and turned.high is not None
    assert scaled.value == pytest.approx(change.value)
    assert scaled.low == pytest.approx(change.low, rel=1e-6)
    assert 1 / turned.high == pytest.approx(change.low, rel=1e-6)


@given(
    values=st.tuples(st.floats(1.0, 100.0), st.floats(1.0, 100.0)),
    errors=st.tuples(st.floats(0.01, 0.3), st.floats(0.01, 0.3)),
    levels=st.tuples(st.floats(0.55, 0.99), st.floats(0.55, 0.99)),
)
@settings(max_examples=50, deadline=None)
def test_estimates_of_any_confidence_make_an_interval_of_the_one_asked_for(
    values: tuple[float, float], errors: tuple[float, float], levels: tuple[float, float]
) -> None:
    """Log-normal estimates: their ratio is log-normal, too."""
    sides = []
    for value, error, own in zip(values, errors, levels, strict=True):
        low, high = sp.lognorm.interval(own, s=error, scale=value)
        sides.append(Estimate(value, low, high, own, 5, 5))
    change = ratio_of_estimates(*sides, confidence=0.9)
    error = float(np.hypot(*errors))
    low, high = sp.lognorm.interval(0.9, s=error, scale=values[0] / values[1])
    assert (change.estimate.low, change.estimate.high) == pytest.approx((low, high))
    assert change.estimate.confidence == 0.9
    assert change.p_value(1.0) == pytest.approx(
        2 * sp.norm.sf(abs(log(values[0] / values[1])) / error), abs=1e-9
    )


@pytest.mark.parametrize(
    "side",
    [Estimate(10.0, 0.0, 12.0, 0.95, 1, 2), Estimate(0.0, None, None, None, 1, 2),
     Estimate(0.0, 0.0, 12.0, 0.95, 1, 2)],
)  # fmt: skip
def test_a_ratio_of_what_may_be_zero_is_refused(side: Estimate) -> None:
    other = Estimate(10.0, 9.0, 12.0, 0.95, 1, 2)
    for pair in ((side, other), (other, side)):
        with pytest.raises(ValueError, match="positive"):
            ratio_of_estimates(*pair)


ONE_ROUND: list[Callable[[], Change]] = [
    lambda: ratio_of_levels(level(1, 1), level(2)),
    lambda: independent_ratio([1.0], [1.0, 2.0]),
    lambda: paired_change([1.0], [2.0]),
    lambda: difference_of_shares([1], [10], [1, 2], [10, 10]),
    lambda: ratio_of_estimates(
        Estimate(1.0, None, None, None, 1, 1), Estimate(1.0, 0.5, 2.0, 0.95, 2, 2)
    ),
]


@pytest.mark.parametrize("make", ONE_ROUND)
def test_one_round_on_a_side_gives_no_interval_and_no_test(make: Callable[[], Change]) -> None:
    change = make()
    assert change.estimate.low is None
    assert change.estimate.rounds == 1
    assert change.p_value(1.0) is None


def test_rounds_without_any_variation_give_an_interval_without_length() -> None:
    change = independent_ratio([6.0, 6.0], [3.0, 3.0, 3.0])
    assert change.estimate.low == change.estimate.high == pytest.approx(2.0)
    assert change.p_value(1.0) == 0.0
    assert change.p_value(change.estimate.value) == pytest.approx(1.0)


@given(a=VALUES, b=VALUES, value=st.floats(0.2, 5.0), at=st.floats(0.1, 10.0))
def test_a_stated_ratio_is_in_its_interval_which_holds_the_other_too(
    a: list[float], b: list[float], value: float, at: float
) -> None:
    change = paired_change(a[: len(b)], b[: len(a)])
    reported = change.reported(value)
    before, after = change.estimate, reported.estimate
    assert after.value == value
    if before.low is None or before.high is None:
        assert after.low is None
        return
    assert after.low is not None and after.high is not None
    assert after.low <= value <= after.high
    assert after.low <= before.low * (1 + 1e-9) and after.high >= before.high * (1 - 1e-9)
    p_value = reported.p_value(at)
    assert p_value is not None
    if min(abs(at / after.low - 1), abs(at / after.high - 1)) > 1e-6:
        assert (p_value <= 0.05) == (at < after.low or at > after.high)
