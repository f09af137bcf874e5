"""Offset and drift between clocks, where the truth is known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.stats import MAX_DRIFT, clock_offset


def exchanges(
    offset: float, drift: float, seed: int, count: int = 500, asymmetry: float = 3.0
) -> tuple[np.ndarray, ...]:
    """Draw messages over two seconds, ns; delays are 10 µs at least, and the way back is longer."""
    rng = np.random.default_rng(seed)
    t1 = 1e15 + np.sort(rng.uniform(0, 2e9, count))
    there = 10_000 + rng.exponential(5_000, count)
    back = asymmetry * 10_000 + rng.exponential(5_000, count)
    start = t1[0]

    def second(time: np.ndarray) -> np.ndarray:
        return time + offset + drift * (time - start)

    arrival = t1 + there
    answer = arrival + 1_000
    return t1, second(arrival), second(answer), answer + back


@settings(max_examples=30)
@given(offset=st.floats(-1e12, 1e12), drift=st.floats(-2e-4, 2e-4), seed=st.integers(0, 500))
def test_the_bounds_hold_the_truth_whatever_the_asymmetry(
    offset: float, drift: float, seed: int
) -> None:
    stamps = exchanges(offset, drift, seed)
    found = clock_offset(*stamps)
    assert found is not None
    truth = offset + drift * (found.at - stamps[0][0])
    assert found.low - 1 <= truth <= found.high + 1
    # Not worse than the fastest exchange, of which there is one of nearly 40 µs.
    assert 0 < found.bound < 30_000
    assert found.drift == pytest.approx(drift, abs=3e-5)


@settings(max_examples=50)
@given(
    drift=st.floats(-2e-4, 2e-4), seed=st.integers(0, 500), count=st.sampled_from([1, 2, 10, 500])
)
def test_the_drift_is_bounded_too(drift: float, seed: int, count: int) -> None:
    found = clock_offset(*exchanges(5e9, drift, seed, count))
    assert found is not None
    assert abs(found.drift - drift) <= found.drift_bound + 1e-9
    # A line may go from the one limit to the other: two bounds, over two seconds.
    assert count < 500 or found.drift_bound < 2 * 30_000 / 1.8e9


def test_what_exchanges_leave_open_of_the_drift() -> None:
    """Offsets within ±50 of 0 at time 0, and the same at 10 000 000: slopes of up to 1e-5."""
    sent = np.array([0.0, 1e7])
    found = clock_offset(sent, sent + 50, sent + 50, sent + 100)
    assert found is not None
    assert found.drift == pytest.approx(0.0, abs=1e-7)
    assert found.drift_bound == pytest.approx(1e-5, rel=0.01)
    short = clock_offset(sent / 1e3, sent / 1e3 + 50, sent / 1e3 + 50, sent / 1e3 + 100)
    assert short is not None
    assert short.drift_bound == pytest.approx(MAX_DRIFT, rel=0.1)


def test_more_exchanges_bound_it_no_worse() -> None:
    few, many = (clock_offset(*exchanges(5e9, 1e-5, 3, count)) for count in (20, 5_000))
    assert few is not None and many is not None
    assert many.bound <= few.bound and many.exchanges == 5_000


def test_the_offset_at_other_times_follows_the_drift() -> None:
    stamps = exchanges(1e6, 1e-4, 1, 5_000)
    found = clock_offset(*stamps)
    assert found is not None
    ends = found.offset([stamps[0][0], stamps[0][0] + 2e9])
    assert ends[0] == pytest.approx(1e6, abs=30_000)
    assert ends[1] == pytest.approx(1e6 + 2e5, abs=30_000)


def test_a_clock_that_steps_has_no_offset() -> None:
    t1, t2, t3, t4 = exchanges(0.0, 0.0, 1)
    step = np.where(np.arange(t1.size) > 250, 50e6, 0.0)
    assert clock_offset(t1, t2 + step, t3 + step, t4) is None


def test_one_exchange_bounds_it_by_its_round_trip() -> None:
    found = clock_offset([0.0], [150.0], [160.0], [110.0])
    assert found is not None
    assert found.low <= 50.0 and found.high >= 150.0 - 1e-6
    assert found.bound == pytest.approx(50.0, abs=1.0)


def test_arrays_of_different_length_are_refused() -> None:
    with pytest.raises(ValueError, match="same length"):
        clock_offset([1.0], [1.0, 2.0], [1.0], [2.0])
