"""The share of samples beyond a limit: interval and test agree, and stalls are not hidden."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from busmark.stats import (
    exceedance,
    exceedance_of_baseline,
    exceedance_of_counts,
    rounds_beyond,
    share_interval,
    sign_test,
)

Rounds = dict[int, np.ndarray]


def rounds(
    seed: int, *, count: int = 8, samples: int = 500, stalled: float = 0.0, spread: float = 0.05
) -> Rounds:
    """Draw log-normal latencies whose rounds differ by `spread`, and stalls in blocks of ten."""
    rng = np.random.default_rng(seed)
    found = {}
    for number in range(count):
        values = np.exp(rng.normal(0, 0.2, samples)) * np.exp(spread * rng.normal())
        stall = np.repeat(rng.random(samples // 10) < stalled, 10)
        found[number] = np.where(stall, np.inf if number % 2 else 50.0, values)
    return found


@given(seed=st.integers(0, 10_000), limit=st.floats(0.5, 3.0), at=st.floats(0.0005, 0.9))
def test_interval_and_test_agree(seed: int, limit: float, at: float) -> None:
    found = exceedance(rounds(seed, count=4, samples=100, stalled=0.05), limit, 99.0)
    own = found.estimate
    p_value = found.p_value(at)
    assert own.low is not None and own.high is not None and p_value is not None
    assert 0.0 <= own.low <= own.value <= own.high <= 1.0
    if abs(at - own.low) > 1e-9 and abs(at - own.high) > 1e-9:
        assert (p_value <= 0.05) == (at < own.low or at > own.high)


def test_rounds_that_are_alike_have_the_exact_interval() -> None:
    alike = {n: np.tile([0.0] * 9 + [2.0], 20) for n in range(200)}
    found, exact = exceedance(alike, 1.0, 90.0).estimate, share_interval(4000, 40_000)
    assert found.value == exact.value and exact.low is not None and found.low is not None
    # Student's for 200 rounds is a little longer.
    assert found.low == pytest.approx(exact.low, rel=0.01)


def test_lost_samples_exceed_and_one_round_has_no_interval() -> None:
    lost = {0: np.array([1.0, np.inf, 1.0, 1.0])}
    found = exceedance(lost, 1e300, 50.0)
    assert found.estimate.value == 0.25 and found.estimate.low is None
    assert found.p_value(0.1) is found.least_found(0.1) is found.rounds_to_decide(0.1) is None


def test_a_baseline_that_loses_its_percentile_is_no_limit() -> None:
    base = {n: np.array([1.0] * 90 + [np.inf] * 10) for n in range(5)}
    found = exceedance_of_baseline(rounds(1), base, 1.2, 99.0, paired=False)
    assert found.limit == np.inf and found.estimate.low is None


def test_identical_sides_never_miss_and_stalls_do() -> None:
    outcomes = {0.0: 0, 0.15: 0}
    for stalled in outcomes:
        for seed in range(20):
            sides = rounds(seed, stalled=stalled), rounds(1000 + seed)
            found = exceedance_of_baseline(*sides, 1.2, 99.0, paired=False).estimate
            assert found.low is not None
            outcomes[stalled] += found.low > 0.01
    assert outcomes == {0.0: 0, 0.15: 20}


def test_what_pairs_share_cancels() -> None:
    """Rounds of which both sides have the same slow minutes."""
    rng = np.random.default_rng(5)
    slow = np.exp(0.5 * rng.normal(size=12))
    sides = [
        {n: factor * np.exp(rng.normal(0, 0.2, 400)) for n, factor in enumerate(slow)}
        for _ in range(2)
    ]
    paired, apart = (
        exceedance_of_baseline(*sides, 1.2, 90.0, paired=p).estimate for p in (True, False)
    )
    assert paired.high is not None and apart.high is not None
    assert paired.high < apart.high


@given(seed=st.integers(0, 1000))
def test_more_rounds_decide_what_few_do_not(seed: int) -> None:
    few = exceedance(rounds(seed, count=4, samples=100, stalled=0.02), 3.0, 95.0)
    needed = few.rounds_to_decide(0.05)
    decided = few.p_value(0.05)
    assert decided is not None
    if needed is not None:
        assert (needed <= 4) == (decided <= 0.05)
    least = few.least_found(0.05)
    assert least is None or least > 0.05


@given(
    counts=st.lists(st.tuples(st.integers(0, 50), st.integers(50, 5000)), min_size=2, max_size=9),
    at=st.floats(0.0005, 0.9),
)
def test_counts_have_an_interval_that_agrees_with_its_test(
    counts: list[tuple[int, int]], at: float
) -> None:
    found = exceedance_of_counts([hit for hit, _ in counts], [total for _, total in counts])
    own, p_value = found.estimate, found.p_value(at)
    assert own.value == sum(hit for hit, _ in counts) / sum(total for _, total in counts)
    assert own.low is not None and own.high is not None and p_value is not None
    assert 0.0 <= own.low <= own.value <= own.high <= 1.0
    if abs(at - own.low) > 1e-9 and abs(at - own.high) > 1e-9:
        assert (p_value <= 0.05) == (at < own.low or at > own.high)


def test_counts_that_are_alike_have_the_exact_interval_and_others_a_wider_one() -> None:
    alike = exceedance_of_counts([20] * 200, [200] * 200).estimate
    exact = share_interval(4000, 40_000)
    assert alike.low is not None and exact.low is not None
    assert alike.low == pytest.approx(exact.low, rel=0.01)
    bursts = exceedance_of_counts([0, 40] * 100, [200] * 200).estimate
    assert bursts.low is not None and bursts.value == alike.value and bursts.low < alike.low
    none = exceedance_of_counts([0] * 5, [1000] * 5).estimate
    # The rule of three, but for Student's quantile of five rounds.
    assert none.low == 0.0 and none.high is not None and 3 / 5000 < none.high < 9 / 5000


def test_one_count_has_no_interval_and_none_is_an_error() -> None:
    assert exceedance_of_counts([1], [10]).estimate.low is None
    for hits, totals in (([], []), ([0], [0]), ([3], [2])):
        with pytest.raises(ValueError):
            exceedance_of_counts(hits, totals)


@given(st.data())
def test_the_sign_test_is_binomial(data: st.DataObject) -> None:
    pairs = data.draw(st.integers(1, 60))
    count = data.draw(st.integers(0, pairs))
    exact = binomtest(count, pairs, alternative="greater").pvalue
    assert sign_test(count, pairs) == pytest.approx(min(1.0, 2.0 * exact))
    with pytest.raises(ValueError, match="pairs"):
        sign_test(pairs + 1, pairs)


@given(seed=st.integers(0, 10_000), factor=st.floats(0.7, 1.4))
def test_rounds_beyond_are_the_sign_test(seed: int, factor: float) -> None:
    mine, theirs = rounds(seed, samples=100), rounds(seed + 1, samples=100)
    found = rounds_beyond(mine, theirs, factor, 90.0)
    assert found is not None and found.above + found.below <= found.rounds == 8
    for above, count in ((True, found.above), (False, found.below)):
        exact = binomtest(count, found.rounds, alternative="greater").pvalue
        assert found.p_value(above=above) == pytest.approx(min(1.0, 2.0 * exact))


def test_a_round_without_a_partner_or_lost_on_both_sides_shows_nothing() -> None:
    one, lost = np.ones(100), np.full(100, np.inf)
    assert rounds_beyond({0: one}, {1: one}, 1.0, 99.0) is None
    found = rounds_beyond({0: lost, 1: lost, 2: one, 3: one}, {0: lost, 1: one, 2: lost, 3: one},
                          1.0, 99.0)  # fmt: skip
    assert found is not None and (found.above, found.below, found.rounds) == (1, 1, 4)
    assert found.p_value(above=True) == 1.0


def test_eight_of_eight_rounds_decide_and_five_of_five_do_not() -> None:
    for count, decided in ((8, True), (6, True), (5, False)):
        slow = {n: np.full(10, 2.0 * 3.0**n) for n in range(count)}
        base = {n: np.full(10, 3.0**n) for n in range(count)}
        found = rounds_beyond(slow, base, 1.2, 50.0)
        assert found is not None and found.above == count
        assert (found.p_value(above=True) <= 0.05) is decided
        assert found.p_value(above=True) == pytest.approx(2.0 * 0.5**count)
