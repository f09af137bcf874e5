"""What is written out here because scipy's takes too long to import, or numpy's to run, against
theirs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.signal import find_peaks
from scipy.special import betaincinv
from scipy.stats import kendalltau, rankdata

from busmark.stats._rank import average_ranks
from busmark.stats.modality import peaks_and_prominences
from busmark.stats.ordered import medians
from busmark.stats.round import batch_variances
from busmark.stats.stationarity import trend_p_value
from busmark.stats.typical import BEYOND, solve_beyond
from busmark.stats.within import MIDPOINTS, SMOOTH, beta_midpoints


@pytest.mark.parametrize("values", [2, 3, 4, 5, 7, 20, 33, 34, 60])
@pytest.mark.parametrize("levels", [1, 2, 3, 10_000])
def test_trends_are_those_of_kendalls_tau(values: int, levels: int) -> None:
    rng = np.random.default_rng(values * levels)
    for slope in (-2.0, -0.2, 0.0, 0.2, 2.0):
        noise = rng.integers(levels, size=values)
        series = np.round(noise + slope * levels * np.arange(values) / values)
        theirs = float(kendalltau(np.arange(values, dtype=np.float64), series).pvalue)
        ours = trend_p_value(series)
        assert (math.nan if ours is None else ours) == pytest.approx(theirs, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("falling", [0, 1, 2])
def test_nearly_rising_series_of_any_length(falling: int) -> None:
    for values in (10, 40, 171, 172, 200):
        series = np.arange(values, dtype=np.float64)
        for swap in range(falling):
            series[[3 * swap, 3 * swap + 1]] = series[[3 * swap + 1, 3 * swap]]
        theirs = float(kendalltau(np.arange(values), series).pvalue)
        assert trend_p_value(series) == pytest.approx(theirs, rel=1e-12)


@pytest.mark.parametrize("levels", [1, 2, 4, 1000])
def test_peaks_are_those_of_find_peaks(levels: int) -> None:
    rng = np.random.default_rng(levels)
    for size in (1, 2, 3, 4, 10, 500):
        curve = rng.integers(levels, size=size).astype(np.float64)
        expected, properties = find_peaks(curve, prominence=0.0)
        positions, prominences = peaks_and_prominences(curve)
        assert positions == expected.tolist()
        assert prominences.tolist() == properties["prominences"].tolist()


def test_ranks_of_equal_values_are_the_mean_of_theirs() -> None:
    rng = np.random.default_rng(1)
    for levels in (1, 3, 1000):
        values = rng.integers(levels, size=50).astype(np.float64)
        assert average_ranks(values).tolist() == rankdata(values).tolist()


@pytest.mark.parametrize("rounds", BEYOND)
def test_the_ranges_beyond_few_rounds_are_those_solved_for(rounds: int) -> None:
    assert BEYOND[rounds] == pytest.approx(solve_beyond(rounds, 0.95), rel=1e-9)


@given(st.floats(0.01, 2.0), st.floats(-1.0, 6.0), st.booleans())
def test_quantiles_of_beta_distributions_are_those_of_scipy(
    least: float, more: float, turned: bool
) -> None:
    a, b = least * SMOOTH, least * SMOOTH * 10**more
    a, b = (b, a) if turned else (a, b)
    theirs = betaincinv(a, b, MIDPOINTS)
    spread = math.sqrt(a * b / (a + b) ** 2 / (a + b + 1))
    # scipy's own are no better than that.
    assert np.abs(beta_midpoints(a, b) - theirs).max() <= 1e-8 * spread + 1e-15


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 100, 1001, 20_000])
@pytest.mark.parametrize("levels", [1, 3, 100_000])
def test_medians_are_those_of_numpy(n: int, levels: int) -> None:
    rows = np.random.default_rng(n * levels).integers(-levels, levels, size=(5, n))
    before = rows.copy()
    assert medians(rows).tolist() == np.median(rows, axis=1).tolist()
    assert medians(rows / 3.0).tolist() == np.median(rows / 3.0, axis=1).tolist()
    assert float(medians(rows[0])) == float(np.median(rows[0]))
    assert (rows == before).all()


@pytest.mark.parametrize("n", [16, 17, 1000, 20_000, 100_003])
@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.999, 1.0])
def test_variances_of_hits_are_those_of_numbers(n: int, share: float) -> None:
    hits = np.random.default_rng(n).random(n) < share
    found, theirs = batch_variances(hits), batch_variances(hits.astype(np.float64))
    assert found == pytest.approx(theirs, rel=1e-9, abs=1e-12)
