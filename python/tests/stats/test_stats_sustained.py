"""The search for a sustained rate, against systems whose capacity is known."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from busmark.stats import SustainedRate


def run(capacity: float, seed: int, softness: float) -> SustainedRate:
    """Search the capacity of a system that fails more and more often around it."""
    rng = np.random.default_rng(seed)
    search = SustainedRate(100.0, 1e6)
    while (rate := search.next) is not None and search.trials < 300:
        passes = expit(np.log(capacity / rate) / max(softness, 1e-9))
        search.take(rate, passed=bool(rng.random() < passes))
    return search


@given(capacity=st.floats(200, 9e5), seed=st.integers(0, 99))
def test_a_sharp_limit_is_found_from_below(capacity: float, seed: int) -> None:
    search = run(capacity, seed, 0.0)
    assert search.done and search.rate is not None and search.confirmed == 3
    low, high = search.interval
    assert search.rate <= capacity and low <= capacity <= high * 1.01


def test_a_soft_limit_is_found_where_trials_still_pass() -> None:
    found = [run(5000.0, seed, 0.03) for seed in range(60)]
    rates = [search.rate for search in found if search.done and search.rate]
    assert len(rates) == 60
    # At capacity half the trials fail, 10 % below one in 30.
    assert sum(rate <= 5000 * 1.03 for rate in rates) >= 57
    assert np.median(rates) > 5000 * 0.88


def test_a_failure_at_the_candidate_reopens_the_search() -> None:
    search = run(5000.0, 1, 0.0)
    assert search.rate is not None and search.next is None
    search.take(search.rate, passed=False)
    assert not search.done and search.next is not None


def test_who_never_fails_is_reported_by_the_highest_rate() -> None:
    search = SustainedRate(10.0, 1000.0)
    while (rate := search.next) is not None:
        search.take(rate, passed=True)
    assert search.interval[1] == 1000.0 and search.rate is not None and search.rate > 950
