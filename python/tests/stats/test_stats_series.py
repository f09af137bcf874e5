"""Autocorrelation, consecutive samples, best parts, hops and adjusted p-values."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from statsmodels.stats.multitest import multipletests
from statsmodels.tsa.stattools import acf

from busmark.stats import (
    Ordered,
    autocorrelation,
    best,
    consecutive,
    holm,
    hop_deviation,
    percentile,
)

FloatArray = NDArray[np.float64]


def test_autocorrelation_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    x = np.convolve(rng.standard_normal(1015), 0.8 ** np.arange(16), mode="valid")
    found = autocorrelation(x, 40)
    assert found is not None
    assert found == pytest.approx(acf(x, nlags=40, fft=False), abs=1e-10)
    assert found[1] == pytest.approx(0.8, abs=0.07)


def test_a_constant_series_has_no_autocorrelation() -> None:
    assert autocorrelation([4.0, 4.0, 4.0], 2) is None
    assert autocorrelation([4.0], 2) is None
    short = autocorrelation([1.0, 2.0], 9)
    assert short is not None and short == pytest.approx([1.0, -0.5])
    with pytest.raises(ValueError, match="lags"):
        autocorrelation([1.0], -1)


def test_consecutive_numbers_in_any_order_and_by_steps() -> None:
    first, second = consecutive(np.array([3, 1, 2, 7, 2, 8]))
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(1, 2), (2, 0), (3, 5)]
    first, second = consecutive(np.array([0, 1000, 3000, 4000]), 1000)
    assert list(zip(first.tolist(), second.tolist(), strict=True)) == [(0, 1), (2, 3)]
    with pytest.raises(ValueError, match="integers"):
        consecutive(np.array([0.5]))
    with pytest.raises(ValueError, match="step"):
        consecutive(np.array([1]), 0)


def test_best_parts_of_a_thousand_numbers() -> None:
    x = np.random.default_rng(3).permutation(np.arange(1.0, 1001.0))
    parts = {p.percent: p for p in best(x)}
    assert [p.count for p in parts.values()] == [1000, 999, 990, 900]
    assert [p.maximum for p in parts.values()] == [1000, 999, 990, 900]
    assert parts[90.0].mean == 450.5
    assert parts[90.0].std == pytest.approx(np.arange(1.0, 901.0).std(ddof=1))
    assert parts[99.0].maximum == percentile(x, 99.0)


@given(
    st.integers(1, 6000),
    st.sampled_from(["even", "tail", "ties", "far", "rising", "spikes"]),
    st.integers(0, 2**32 - 1),
)
def test_best_parts_are_those_of_the_sorted_values(count: int, kind: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds: dict[str, Callable[[], FloatArray]] = {
        "even": lambda: rng.uniform(-1.0, 1.0, count),
        "tail": lambda: rng.pareto(0.5, count),
        "ties": lambda: rng.integers(0, 4, count).astype(float),
        "far": lambda: rng.normal(-7e6, 5.0, count),
        "rising": lambda: np.sort(rng.lognormal(9.0, 1.0, count)),
        # As far apart as values that a percentile may be guessed from.
        "spikes": lambda: np.where(np.arange(count) % max(1, count // 1000) == 0, 1e6, 0.5),
    }
    x = kinds[kind]()
    rising = np.sort(x)
    for found in (best(x), best(Ordered.from_values(x))):
        for part in found:
            kept = rising[: part.count]
            assert part.count == max(1, count * round(part.percent * 10) // 1000)
            assert (part.minimum, part.maximum) == (kept[0], kept[-1])
            assert part.mean == pytest.approx(kept.mean(), rel=1e-11, abs=1e-9)
            if part.count > 1:
                assert part.std == pytest.approx(kept.std(ddof=1), rel=1e-7, abs=1e-9)


def test_best_of_one_sample_and_of_equal_ones() -> None:
    assert [(p.count, p.std) for p in best([5.0])] == [(1, None)] * 4
    assert all(p.std == 0.0 and p.mean == 5.0 for p in best([5.0] * 20))
    with pytest.raises(ValueError, match="above 0 and at most 100"):
        best([1.0], (0.0,))


@pytest.mark.parametrize(
    "counts",
    [(3755, 3751, 3717, 3379), (3749, 3745, 3711, 3374), (3757, 3753, 3719, 3381),
     (3874, 3870, 3835, 3486), (3872, 3868, 3833, 3484), (3881, 3877, 3842, 3492)],
)  # fmt: skip
def test_best_parts_have_the_counts_that_the_suite_of_the_2000s_printed(
    counts: tuple[int, ...],
) -> None:
    assert tuple(part.count for part in best(np.arange(float(counts[0])))) == counts


def test_a_hop_of_a_round_trip_lies_between_half_and_707_thousandths() -> None:
    assert hop_deviation(10.0) == pytest.approx((5.0, 7.0710678))
    assert hop_deviation(10.0, hops=1) == (10.0, 10.0)
    rng = np.random.default_rng(4)
    for share in (0.0, 0.4, 1.0):
        common, own = rng.normal(0, 1, 200_000), rng.normal(0, 1, (2, 200_000))
        hops = np.sqrt(share) * common + np.sqrt(1 - share) * own
        low, high = hop_deviation(float(hops.sum(axis=0).std()))
        assert low - 0.01 <= hops[0].std() <= high + 0.01
    with pytest.raises(ValueError, match="std"):
        hop_deviation(-1.0)
    with pytest.raises(ValueError, match="hops"):
        hop_deviation(1.0, 0)


@settings(max_examples=25)  # Each time, statsmodels collects the garbage of all tests.
@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=30))
def test_adjusted_p_values_are_those_of_statsmodels(p: list[float]) -> None:
    assert holm(p) == pytest.approx(multipletests(p, method="holm")[1])


def test_the_p_values_of_a_published_table() -> None:
    # 15 p-values of Benjamini & Hochberg (1995, section 4.1): 3 findings at 5 %.
    p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
         0.4262, 0.5719, 0.6528, 0.7590, 1.0]  # fmt: skip
    assert (holm(p) <= 0.05).sum() == 3
    with pytest.raises(ValueError, match="between 0 and 1"):
        holm([1.2])
