"""Lost samples are later than any that came back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark import stats

BACK = np.arange(1.0, 71.0)


def test_a_percentile_counts_the_lost_in_its_rank() -> None:
    # The 60th of 100 that were sent is the 60th of the 70 that came back, not the 42nd.
    assert stats.of_sent(BACK, 30, 60.0) == 60.0
    assert stats.of_sent(BACK, 30, "median") == stats.of_sent(BACK, 30, 50.0) == 50.5
    assert stats.of_sent(BACK, 30, 70.0) == 70.0


@pytest.mark.parametrize("statistic", [70.5, 90.0, 99.0])
def test_a_percentile_among_the_lost_has_no_value(statistic: float) -> None:
    assert stats.among_lost(statistic, 70, 30)
    assert stats.of_sent(BACK, 30, statistic) == "lost"


def test_the_median_needs_both_middle_values() -> None:
    assert not stats.among_lost("median", 51, 49)
    assert stats.among_lost("median", 50, 50)
    assert stats.among_lost("mean", 0, 5) and not stats.among_lost("mean", 1, 5)


@given(
    st.lists(st.floats(1.0, 1e6), min_size=1, max_size=60),
    st.integers(0, 60),
    st.floats(0.5, 99.5).filter(lambda percent: percent != 50.0),
)
def test_it_is_the_percentile_of_a_sample_with_infinities(
    back: list[float], lost: int, percent: float
) -> None:
    whole = np.sort(np.array([*back, *[np.inf] * lost]))
    expected = whole[int(np.ceil(percent / 100 * whole.size - 1e-9)) - 1]
    found = stats.of_sent(back, lost, percent)
    assert found == ("lost" if np.isinf(expected) else expected)


def test_the_lost_stand_where_they_were_sent() -> None:
    start, gone = np.array([0.0, 2.0, 4.0]), np.array([1.0, 3.0])
    found = stats.with_lost(start, np.array([5.0, 6.0, 7.0]), gone, 9.0)
    assert found.tolist() == [5.0, 9.0, 6.0, 9.0, 7.0]


def test_sessions_widen_an_interval_and_never_narrow_it() -> None:
    rng = np.random.default_rng(1)
    within = stats.independent_ratio(rng.normal(100, 1, 10), rng.normal(100, 1, 10))
    wide = stats.with_sessions(within, 110.0, [100.0, 112.0, 95.0])
    assert wide.estimate.low is not None and wide.estimate.high is not None
    assert wide.estimate.low < 1.0 < wide.estimate.high
    alike = stats.with_sessions(within, 100.0, [100.0, 100.0, 100.0]).estimate
    own = within.estimate
    assert alike.high is not None and alike.low is not None
    assert own.high is not None and own.low is not None
    assert alike.high / alike.low == pytest.approx(own.high / own.low, rel=1e-6)


def test_false_alarms_between_sessions_are_as_few_as_the_level_says() -> None:
    """Campaigns of the same whose sessions differ by 10 %: one that knows its rounds alone tells a
    change in most of them."""
    rng = np.random.default_rng(2)
    naive = covered = 0
    for _ in range(400):
        campaigns = [rng.lognormal(0.0, 0.1) * rng.lognormal(0.0, 0.02, 10) for _ in range(5)]
        candidate, *baselines = campaigns
        within = stats.independent_ratio(candidate, baselines[0])
        figures = [float(one.mean()) for one in baselines]
        wide = stats.with_sessions(within, float(candidate.mean()), figures)
        naive += (within.p_value(1.0) or 0.0) <= 0.05
        covered += (wide.p_value(1.0) or 0.0) > 0.05
    assert naive > 0.4 * 400
    assert covered >= 0.93 * 400
