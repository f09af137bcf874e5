"""Variation inside a round against analytically known standard errors."""

import numpy as np
import pytest
from scipy.signal import lfilter

from busmark.stats import (
    Round,
    Statistic,
    effective_sample_size,
    evaluate,
    inner_variance,
    supported,
    tail_support,
)


def ar1(rho: float, n: int, rng: np.random.Generator) -> np.ndarray:
    noise = rng.standard_normal(n + 500)
    return np.asarray(lfilter([1.0], [1.0, -rho], noise))[500:]


@pytest.mark.parametrize("rho", [0.3, 0.6, 0.9])
def test_effective_size_of_a_first_order_autoregression(rho: float) -> None:
    n = 40_000
    rng = np.random.default_rng(5)
    found = np.mean([effective_sample_size(ar1(rho, n, rng)) for _ in range(10)])
    assert found == pytest.approx(n * (1 - rho) / (1 + rho), rel=0.12)


def test_independent_samples_keep_nearly_their_number() -> None:
    rng = np.random.default_rng(6)
    found = np.mean([effective_sample_size(rng.exponential(size=10_000)) for _ in range(10)])
    assert 8_500 <= found <= 10_000


def test_no_credit_for_negative_autocorrelation() -> None:
    assert effective_sample_size(ar1(-0.8, 10_000, np.random.default_rng(7))) == 10_000


@pytest.mark.parametrize("n", [1, 2, 15, 16, 100])
def test_effective_size_of_short_and_constant_series_is_their_number(n: int) -> None:
    assert effective_sample_size(np.full(n, 4.0)) == n


def shuffled_quantiles(quantile: np.ufunc, n: int, seed: int) -> np.ndarray:
    """Return a sample whose empirical distribution is as near the exact one as n allows."""
    grid = (np.arange(n) + 0.5) / n
    return np.random.default_rng(seed).permutation(quantile(grid))


def independent_order(x: np.ndarray, statistic: Statistic, seed: int) -> np.ndarray:
    """Reorder ``x`` until batch means see no autocorrelation by chance."""
    rng = np.random.default_rng(seed)
    series = x if statistic == "mean" else x <= np.median(x)
    for _ in range(200):
        order = rng.permutation(x.size)
        if effective_sample_size(series[order]) == x.size:
            return x[order]
    raise AssertionError("no such order found")


def test_resampled_median_of_uniform_samples_has_the_beta_variance() -> None:
    n = 1001
    x = independent_order((np.arange(n) + 0.5) / n, "median", 1)
    assert inner_variance(x, "median") == pytest.approx(1 / (4 * (n + 2)), rel=0.01)


def test_the_variance_of_a_median_follows_true_resampling() -> None:
    x = np.array([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0])
    rng = np.random.default_rng(4)
    true = np.median(x[rng.integers(0, 7, (100_000, 7))], axis=1)
    assert inner_variance(x, "median") == pytest.approx(np.mean((true - 8.0) ** 2), rel=0.05)


def test_resampled_tail_percentile_of_exponential_samples() -> None:
    # Asymptotic standard error sqrt(p (1 - p) / n) / f(q) with f(q) = 1 - p.
    n, p = 20_000, 0.9
    x = shuffled_quantiles(lambda u: -np.log1p(-u), n, 8)
    effective = effective_sample_size(x <= evaluate(x, 90.0))
    assert inner_variance(x, 90.0) == pytest.approx(p / ((1 - p) * effective), rel=0.05)


@pytest.mark.parametrize("n", [400, 5000])
def test_the_mean_has_its_standard_error(n: int) -> None:
    x = independent_order(-np.log1p(-(np.arange(n) + 0.5) / n), "mean", 9)
    assert np.sqrt(inner_variance(x, "mean")) == pytest.approx(1 / np.sqrt(n), rel=0.03)


def test_a_burst_in_the_tail_spreads_the_percentile() -> None:
    # The samples beyond the percentile form one burst, worth about one independent sample.
    n = 10_000
    x = np.arange(float(n))
    effective = effective_sample_size(x < 0.99 * n)
    assert effective < 200
    found = np.sqrt(inner_variance(x, 99.0)) / n
    assert found == pytest.approx(np.sqrt(0.99 * 0.01 / effective), rel=0.08)


@pytest.mark.parametrize("samples", [900, 20_000])
@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_autocorrelation_widens_the_variation(statistic: Statistic, samples: int) -> None:
    rng = np.random.default_rng(10)
    series = [ar1(0.8, samples, rng) for _ in range(100)]
    truth = np.std([evaluate(s, statistic) for s in series])
    found = [np.sqrt(inner_variance(s, statistic)) for s in series]
    assert np.mean(found) == pytest.approx(truth, rel=0.25)
    shuffled = [np.sqrt(inner_variance(rng.permutation(s), statistic)) for s in series]
    assert np.mean(shuffled) < 0.65 * truth


def test_one_sample_does_not_vary() -> None:
    for statistic in ("mean", "median", 99.0):
        assert inner_variance(np.array([3.0]), statistic) == 0.0


def test_a_tail_is_known_by_as_many_samples_as_are_independent() -> None:
    rng = np.random.default_rng(12)
    plain = [Round.from_values(rng.exponential(size=2000)) for _ in range(5)]
    assert supported(99.0, tail_support(plain, 99.0))
    # Nineteen samples of such a series know as much as one; those beyond come in bursts.
    bursts = [Round.from_values(np.exp(ar1(0.95, 2000, rng))) for _ in range(5)]
    assert not supported(99.0, tail_support(bursts, 99.0))
    assert supported(50.0, tail_support(bursts, 50.0))


def test_rounds_that_just_have_the_samples_are_seldom_refused_by_chance() -> None:
    rng = np.random.default_rng(13)
    kept = sum(
        supported(99.0, tail_support([Round.from_values(rng.exponential(size=1000))], 99.0))
        for _ in range(400)
    )
    assert kept >= 380
