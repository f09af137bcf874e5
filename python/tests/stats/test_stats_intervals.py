"""Student intervals against published data and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from busmark.stats import paired_ratio, t_interval, typical

POSITIVE = st.floats(1e-3, 1e6)
PAIRS = st.lists(st.tuples(POSITIVE, POSITIVE), min_size=2, max_size=20)


def test_student_1908_sleep_data() -> None:
    """Additional hours of sleep gained; the interval is the one textbooks print."""
    gained = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]
    e = t_interval(gained)
    assert e.value == pytest.approx(1.58)
    assert (e.low, e.high) == (pytest.approx(0.7001142), pytest.approx(2.4598858))
    assert (e.count, e.rounds, e.confidence) == (10, 10, 0.95)


@given(st.lists(st.integers(-1000, 1000), min_size=2, max_size=30), st.floats(0.5, 0.99))
def test_t_interval_agrees_with_scipy(values: list[int], confidence: float) -> None:
    e = t_interval(values, confidence)
    if np.ptp(values) == 0:
        assert e.low == e.high == values[0]
        return
    low, high = stats.ttest_1samp(values, 0.0).confidence_interval(confidence)
    assert (e.low, e.high) == (pytest.approx(low, abs=1e-6), pytest.approx(high, abs=1e-6))


def test_one_round_gives_no_interval() -> None:
    e = t_interval([3.0])
    assert (e.value, e.low, e.high, e.confidence, e.rounds) == (3.0, None, None, None, 1)
    assert paired_ratio([3.0], [2.0]).low is None
    assert paired_ratio([3.0], [2.0]).value == pytest.approx(1.5)


def test_paired_ratio_of_powers_of_two() -> None:
    # log2 ratios are 1, 2, 3: median 2, and the interval of three such rounds.
    e = paired_ratio([2.0, 4.0, 8.0], [1.0, 1.0, 1.0])
    of_logs = typical([1.0, 2.0, 3.0])
    assert e.value == pytest.approx(4.0)
    assert np.log2([e.low, e.high]) == pytest.approx([of_logs.low, of_logs.high])


def test_two_pairs_are_students() -> None:
    e = paired_ratio([2.0, 4.0], [1.0, 1.0])
    half = 12.7062047 * 0.5
    assert np.log2([e.low, e.high]) == pytest.approx([1.5 - half, 1.5 + half])


@given(PAIRS)
def test_exchanging_the_sides_inverts_the_ratio(pairs: list[tuple[float, float]]) -> None:
    a, b = (list(side) for side in zip(*pairs, strict=True))
    forth, back = paired_ratio(a, b, 0.6), paired_ratio(b, a, 0.6)
    assert forth.low is not None
    assert back.high is not None
    assert np.log(back.value) == pytest.approx(-np.log(forth.value), abs=1e-9)
    assert np.log(back.high) == pytest.approx(-np.log(forth.low), abs=1e-6)


@given(PAIRS, st.lists(st.floats(0.1, 10.0), min_size=20, max_size=20))
def test_influences_common_to_a_pair_cancel(
    pairs: list[tuple[float, float]], drift: list[float]
) -> None:
    a, b = (np.array(side) for side in zip(*pairs, strict=True))
    common = np.array(drift[: a.size])
    plain, shifted = paired_ratio(a, b, 0.6), paired_ratio(a * common, b * common, 0.6)
    assert shifted.value == pytest.approx(plain.value, rel=1e-9)
    assert shifted.high == pytest.approx(plain.high, rel=1e-6)


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        t_interval([])
    with pytest.raises(ValueError, match="NaN"):
        t_interval([1.0, np.nan])
    with pytest.raises(ValueError, match="confidence"):
        t_interval([1.0, 2.0], 1.0)
    with pytest.raises(ValueError, match="pair up"):
        paired_ratio([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="positive"):
        paired_ratio([1.0, 0.0], [1.0, 1.0])
