"""Intervals of two levels: a typical round, and the samples within rounds."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from busmark.stats import ratio, two_level, typical

STATISTICS = st.sampled_from(["median", "mean", 90.0])
FEW = settings(max_examples=25)


def make_rounds(seed: int, rounds: int, samples: int, spread: float = 0.1) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    effects = np.exp(spread * rng.standard_normal(rounds))
    return [e * rng.lognormal(0.0, 0.3, samples) for e in effects]


@pytest.mark.parametrize(
    ("statistic", "reference"), [("median", np.median), ("mean", np.mean), (90.0, None)]
)
def test_it_estimates_a_typical_round_whatever_the_lengths(
    statistic: str | float, reference: Callable[[np.ndarray], float] | None
) -> None:
    rounds = [np.arange(1.0, 11.0), np.arange(101.0, 1101.0), np.arange(5.0, 15.0)]
    per_round = [reference(r) for r in rounds] if reference else [9.0, 1000.0, 13.0]
    e = two_level(rounds, statistic)  # type: ignore[arg-type]
    assert e.value == pytest.approx(np.median(per_round))
    assert (e.count, e.rounds, e.confidence) == (1020, 3, 0.95)


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.99])
def test_the_interval_is_that_of_the_rounds_when_they_differ(confidence: float) -> None:
    rounds = make_rounds(2, 8, 2000)
    e = two_level(rounds, "median", confidence=confidence)
    of_rounds = typical([np.median(r) for r in rounds], confidence)
    assert (e.low, e.high) == (pytest.approx(of_rounds.low), pytest.approx(of_rounds.high))


def test_identical_rounds_still_vary_by_what_is_inside_them() -> None:
    # 2001 uniform samples: standard error of the median sqrt(1 / (4 (n + 2))). The order is
    # random, so batch means may find a little autocorrelation by chance and widen it.
    x = np.random.default_rng(4).permutation((np.arange(2001) + 0.5) / 2001)
    e = two_level([x] * 9, "median")
    expected = 1.959964 * np.sqrt(1 / (4 * 2003)) / 3
    assert e.half_width is not None
    assert 0.97 * expected < e.half_width < 1.25 * expected


def test_skewed_rounds_give_an_interval_that_leans_to_their_tail() -> None:
    effects = [1.1, 1.0, 3.0, 1.05, 1.1, 1.3, 1.0, 1.2]
    e = two_level([np.full(5, x) for x in effects], "median")
    assert e.low is not None and e.high is not None
    assert e.high - e.value > 1.2 * (e.value - e.low)


@pytest.mark.parametrize("statistic", ["median", 99.0])
def test_limits_are_never_outside_what_was_seen(statistic: str | float) -> None:
    rng = np.random.default_rng(7)
    for number in range(200):
        effects = rng.lognormal(0.0, 1.5, 2 + number % 4)
        rounds = [5.7 + e * rng.lognormal(3.0, 1.0, 1000) for e in effects]
        e = two_level(rounds, statistic)  # type: ignore[arg-type]
        assert e.low is not None and e.high is not None
        floor = np.median if statistic == 99.0 else np.min
        assert min(float(floor(r)) for r in rounds) <= e.low
        assert e.high <= max(r.max() for r in rounds)


def test_one_round_gives_no_interval() -> None:
    e = two_level([np.arange(100.0)], "median")
    assert (e.value, e.low, e.high, e.confidence) == (49.5, None, None, None)
    assert (e.count, e.rounds) == (100, 1)
    assert ratio([np.arange(100.0)], make_rounds(1, 5, 50), "median").low is None


def test_equal_samples_give_an_interval_of_no_length() -> None:
    rounds = [np.full(50, 7.0)] * 4
    for statistic in ("median", "mean", 99.0):
        e = two_level(rounds, statistic)  # type: ignore[arg-type]
        assert (e.value, e.low, e.high) == (7.0, 7.0, 7.0)
    r = ratio(rounds, rounds, "median")
    assert (r.value, r.low, r.high) == (1.0, 1.0, 1.0)


def test_nothing_is_drawn_so_the_same_rounds_have_the_same_interval() -> None:
    rounds = make_rounds(10, 6, 300)
    for statistic in ("median", "mean", 99.0):
        first = two_level(rounds, statistic)  # type: ignore[arg-type]
        np.random.seed(2)
        assert two_level(rounds, statistic) == first  # type: ignore[arg-type]


def test_the_input_is_left_alone() -> None:
    rounds = make_rounds(13, 3, 100)
    copies = [r.copy() for r in rounds]
    two_level(rounds, 90.0)
    ratio(rounds, rounds, "mean")
    assert all(np.array_equal(r, c) for r, c in zip(rounds, copies, strict=True))


@FEW
@given(STATISTICS, st.floats(0.01, 1e6), st.floats(-1e3, 1e3))
def test_it_follows_a_change_of_unit_and_of_origin(
    statistic: str | float, scale: float, shift: float
) -> None:
    rounds = make_rounds(15, 4, 120)
    plain = two_level(rounds, statistic)  # type: ignore[arg-type]
    moved = two_level([scale * r + shift for r in rounds], statistic)  # type: ignore[arg-type]
    tolerance = 1e-6 * scale + 1e-9 * abs(shift)
    for before, after in zip(
        (plain.value, plain.low, plain.high), (moved.value, moved.low, moved.high), strict=True
    ):
        assert before is not None
        assert after == pytest.approx(scale * before + shift, abs=tolerance)


@FEW
@given(STATISTICS, st.floats(0.01, 100.0))
def test_a_ratio_scales_with_its_numerator(statistic: str | float, scale: float) -> None:
    a, b = make_rounds(16, 5, 100), make_rounds(17, 4, 130)
    plain = ratio(a, b, statistic)  # type: ignore[arg-type]
    scaled = ratio([scale * r for r in a], b, statistic)  # type: ignore[arg-type]
    assert scaled.value == pytest.approx(scale * plain.value)
    assert plain.low is not None
    assert scaled.low == pytest.approx(scale * plain.low, rel=1e-6)
    assert (scaled.count, scaled.rounds) == (5 * 100 + 4 * 130, 4)


def test_two_rounds_a_side_are_welchs_test_on_small_differences() -> None:
    # With two rounds the median is the mean and the interval Student's; within 1 % a logarithm is
    # linear to four digits.
    a, b = make_rounds(18, 2, 4000, 0.01), make_rounds(19, 2, 4000, 0.02)
    e = ratio([2.0 * r for r in a], b, "median")
    theirs = stats.ttest_ind(
        np.log([np.median(r) for r in a]), np.log([np.median(r) for r in b]), equal_var=False
    ).confidence_interval(0.95)
    assert e.low is not None and e.high is not None
    assert np.log(e.high / e.low) == pytest.approx(theirs.high - theirs.low, rel=0.05)


def test_bad_input_is_refused() -> None:
    good = make_rounds(21, 3, 30)
    with pytest.raises(ValueError, match="rounds is empty"):
        two_level([], "median")
    with pytest.raises(ValueError, match="round 1 is empty"):
        two_level([good[0], []], "median")
    with pytest.raises(ValueError, match="round 2 holds NaN"):
        two_level([*good[:2], [1.0, np.nan]], "mean")
    with pytest.raises(ValueError, match="statistic"):
        two_level(good, "mode")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="percent"):
        two_level(good, 100.0)
    with pytest.raises(ValueError, match="confidence"):
        two_level(good, "median", confidence=95)
    with pytest.raises(ValueError, match="positive"):
        ratio([-r for r in good], good, "median")
