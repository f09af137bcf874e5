"""Search for a threshold under noise: how often the interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.stats import Bisection


def search(threshold: float, wrong: float, seed: int, precision: float = 0.05) -> Bisection:
    """Run trials that mislead with probability `wrong`, until the interval is narrow."""
    rng = np.random.default_rng(seed)
    found = Bisection(10.0, 10_000.0)
    for _ in range(400):
        low, high = found.interval()
        if high / low <= 1.0 + precision:
            break
        at = found.next
        found.update(at, passed=(at <= threshold) != (rng.random() < wrong))
    return found


@given(threshold=st.floats(20.0, 9000.0), seed=st.integers(0, 1000))
def test_without_noise_the_interval_holds_the_threshold(threshold: float, seed: int) -> None:
    low, high = search(threshold, 0.0, seed).interval()
    assert low <= threshold <= high and high / low <= 1.05


def test_with_as_much_noise_as_is_assumed_it_holds_it_as_often_as_it_says() -> None:
    rng = np.random.default_rng(5)
    thresholds = np.exp(rng.uniform(np.log(20), np.log(9000), 200))
    intervals = [search(t, 0.1, seed).interval() for seed, t in enumerate(thresholds)]
    held = sum(low <= t <= high for t, (low, high) in zip(thresholds, intervals, strict=True))
    # 190 of 200 are expected; four standard deviations below is 178.
    assert held >= 178


def test_a_threshold_beyond_the_range_is_reported_by_its_limit() -> None:
    for passed, limit in ((True, 10_000.0), (False, 10.0)):
        found = Bisection(10.0, 10_000.0)
        for _ in range(40):
            found.update(found.next, passed=passed)
        assert found.interval() == pytest.approx((limit, limit), rel=0.01)


@pytest.mark.parametrize(("low", "high", "trust"), [(0, 1, 0.9), (2, 1, 0.9), (1, 2, 0.5)])
def test_what_cannot_be_searched_is_refused(low: float, high: float, trust: float) -> None:
    with pytest.raises(ValueError, match="need 0 < low < high"):
        Bisection(low, high, trust)
