"""Percentiles of all rounds together: their value, and when and how far they are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.stats import (
    Estimate,
    Ordered,
    Round,
    percentile,
    percentile_interval,
    pooled_percentile,
)


def pooled(rounds: list[np.ndarray], percent: float) -> Estimate:
    known = [Round.from_values(r) for r in rounds]
    return pooled_percentile(known, Ordered.merged([r.ordered for r in known]), percent)


def alike(rounds: int, samples: int, seed: int = 1) -> list[np.ndarray]:
    return list(np.random.default_rng(seed).lognormal(3.0, 0.4, (rounds, samples)))


@given(
    st.lists(st.lists(st.integers(0, 50), min_size=1, max_size=40), min_size=1, max_size=6),
    st.sampled_from([5.0, 50.0, 90.0, 99.0]),
)
def test_the_value_is_observed_and_inside_its_interval(
    values: list[list[int]], percent: float
) -> None:
    rounds = [np.array(v, dtype=float) for v in values]
    found = pooled(rounds, percent)
    assert found.value == percentile(np.concatenate(rounds), percent)
    assert (found.count, found.rounds) == (sum(r.size for r in rounds), len(rounds))
    if found.low is not None and found.high is not None:
        assert found.low <= found.value <= found.high


@pytest.mark.parametrize("percent", [50.0, 90.0, 99.0])
def test_many_rounds_that_are_alike_are_one_sample(percent: float) -> None:
    rounds = alike(200, 500)
    found = pooled(rounds, percent)
    exact = percentile_interval(np.concatenate(rounds), percent)
    assert found.half_width is not None and exact.half_width is not None
    assert found.half_width == pytest.approx(exact.half_width, rel=0.15)


def test_few_rounds_cost_what_student_asks() -> None:
    several = [pooled(alike(3, 4000, seed), 90.0).half_width for seed in range(20)]
    exact = percentile_interval(np.concatenate(alike(3, 4000)), 90.0).half_width
    assert exact is not None
    assert min(w for w in several if w is not None) > 0.8 * exact
    assert np.median([w for w in several if w is not None]) > 1.2 * exact


def test_a_rising_transformation_of_all_samples_transforms_the_limits() -> None:
    rounds = alike(6, 1000)
    plain, logs = pooled(rounds, 95.0), pooled([np.log(r) for r in rounds], 95.0)
    assert plain.low is not None and plain.high is not None
    assert logs.low == pytest.approx(np.log(plain.low))
    assert logs.high == pytest.approx(np.log(plain.high))


def test_neighbours_that_are_alike_widen_it() -> None:
    rounds = alike(5, 400)
    repeated = pooled([np.repeat(r, 25) for r in rounds], 50.0)
    fresh = pooled(alike(5, 10_000), 50.0)
    assert repeated.half_width is not None and fresh.half_width is not None
    assert repeated.half_width > 3 * fresh.half_width


def test_no_interval_where_it_would_be_a_guess() -> None:
    assert pooled(alike(1, 1000), 50.0).low is None, "one round"
    assert pooled(alike(5, 1000), 99.99).low is None, "no sample beyond"
    levels = np.array([1.0, 1.02, 1.05, 1.1, 1.4])
    tight = list(np.random.default_rng(2).normal(100, 1, (5, 4000)) * levels[:, None])
    assert pooled(tight, 99.0).low is None, "one round decides the tail"


def test_rounds_that_are_equal_have_an_interval_of_the_inner_variation() -> None:
    one = alike(1, 5000)[0]
    found = pooled([one] * 4, 50.0)
    assert found.half_width is not None and found.half_width > 0.0
    flat = pooled([np.full(50, 7.0)] * 3, 50.0)
    assert (flat.value, flat.low, flat.high) == (7.0, 7.0, 7.0)


def test_what_is_refused() -> None:
    rounds = [Round.from_values(r) for r in alike(2, 30)]
    with pytest.raises(ValueError, match="pooled holds"):
        pooled_percentile(rounds, rounds[0].ordered, 50.0)
    with pytest.raises(ValueError, match="strictly between"):
        pooled_percentile(rounds, Ordered.merged([r.ordered for r in rounds]), 100.0)
