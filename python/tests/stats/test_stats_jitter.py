"""Delay variation over gaps, reordering and duplicates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.stats import ipdv


def test_signed_differences_of_consecutive_samples() -> None:
    assert list(ipdv([10.0, 12.0, 11.0], [1, 2, 3])) == [2.0, -1.0]


def test_a_pair_across_a_gap_is_left_out() -> None:
    assert list(ipdv([10.0, 12.0, 50.0, 51.0], [1, 2, 4, 5])) == [2.0, 1.0]


def test_reordered_samples_are_paired_by_number() -> None:
    # Arrival order 1, 3, 2, 4.
    assert list(ipdv([10.0, 13.0, 20.0, 14.0], [1, 3, 2, 4])) == [10.0, -7.0, 1.0]


def test_the_first_arrival_of_a_duplicate_counts() -> None:
    assert list(ipdv([10.0, 12.0, 99.0, 13.0], [1, 2, 2, 3])) == [2.0, 1.0]


def test_unsigned_numbers_do_not_wrap() -> None:
    seq = np.array([2**64 - 2, 0, 2**64 - 1], dtype=np.uint64)
    assert list(ipdv([5.0, 1.0, 8.0], seq)) == [3.0]


def test_numbers_beyond_the_precision_of_a_float_stay_distinct() -> None:
    seq = np.array([2**60, 2**60 + 1, 2**60 + 3], dtype=np.uint64)
    assert list(ipdv([1.0, 2.0, 4.0], seq)) == [1.0]


def test_without_a_pair_the_result_is_empty() -> None:
    assert ipdv([1.0], [7]).size == 0
    assert ipdv([1.0, 2.0, 3.0], [1, 3, 5]).size == 0


def test_unsigned_latencies_give_negative_differences() -> None:
    assert list(ipdv(np.array([5, 3], dtype=np.uint64), [1, 2])) == [-2.0]


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=100), st.integers(-1000, 1000))
def test_a_constant_clock_offset_cancels(latency: list[int], offset: int) -> None:
    seq = np.arange(len(latency))
    x = np.array(latency, dtype=float)
    result = ipdv(x, seq)
    assert np.array_equal(result, ipdv(x + offset, seq))
    assert result.sum() == x[-1] - x[0]


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        ipdv([], np.array([], dtype=int))
    with pytest.raises(ValueError, match="NaN"):
        ipdv([np.nan], [1])
    with pytest.raises(ValueError, match="shape"):
        ipdv([1.0, 2.0], [1])
    with pytest.raises(ValueError, match="integer"):
        ipdv([1.0], [1.0])
