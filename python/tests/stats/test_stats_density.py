"""Kernel estimates against scipy's sum of kernels, and against laws that are known."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from busmark.stats import Ordered, kernel_estimate, silverman_bandwidth


def sample(law: str, n: int = 3000) -> np.ndarray:
    rng = np.random.default_rng(5)
    if law == "log-normal":
        return rng.lognormal(3.0, 0.4, n)
    if law == "two modes":
        return np.where(rng.random(n) < 0.3, rng.normal(48, 2, n), rng.normal(10, 1, n))
    return rng.standard_t(2, n)


@pytest.mark.parametrize("law", ["log-normal", "two modes", "heavy tail"])
@pytest.mark.parametrize("bandwidth", [None, 0.5, 10.0])
def test_it_is_the_sum_of_kernels(law: str, bandwidth: float | None) -> None:
    x = sample(law)
    found = kernel_estimate(x, bandwidth)
    assert found is not None
    kde = reference.gaussian_kde(x, bw_method=found.bandwidth / x.std(ddof=1))
    exact = kde(found.at)
    assert found.density == pytest.approx(exact, abs=0.004 * exact.max())
    cumulative = [kde.integrate_box_1d(-np.inf, v) for v in found.at]
    assert found.cumulative == pytest.approx(cumulative, abs=1e-3)


@pytest.mark.parametrize("place", range(12))
def test_a_mode_narrower_than_a_bin_stays_where_it_is(place: int) -> None:
    # 8 µs ± 50 ns with a tail, in ns: where the mode lies in its bin must not matter.
    rng = np.random.default_rng(place)
    mode, tail = rng.normal(8000 + 97 * place, 50, 2850), 8000 + rng.exponential(15_000, 150)
    x = np.concatenate((mode, tail))
    found = kernel_estimate(x, 10_000.0)
    assert found is not None
    kde = reference.gaussian_kde(x, bw_method=found.bandwidth / x.std(ddof=1))
    exact = kde(found.at)
    assert found.density == pytest.approx(exact, abs=0.004 * exact.max())
    cumulative = [kde.integrate_box_1d(-np.inf, v) for v in found.at]
    assert found.cumulative == pytest.approx(cumulative, abs=1e-3)


@pytest.mark.parametrize("value", [0.0, 50.0, 8123.0])
def test_of_equal_values_it_is_the_kernel(value: float) -> None:
    found = kernel_estimate(np.full(100, value), least=1.0)
    assert found is not None
    kernel = reference.norm(value, 1.0)
    assert found.density == pytest.approx(kernel.pdf(found.at), abs=0.004 * kernel.pdf(value))
    assert found.cumulative == pytest.approx(kernel.cdf(found.at), abs=1e-3)


def test_silvermans_bandwidth_of_eight_numbers() -> None:
    # The quartiles are observed values, 2 and 16.
    x = np.array([1, 2, 4, 7, 11, 16, 22, 29.0])
    assert silverman_bandwidth(x) == pytest.approx(0.9 * min(x.std(ddof=1), 14 / 1.34) * 8**-0.2)


def test_it_integrates_to_one_and_rises() -> None:
    found = kernel_estimate(sample("log-normal"), points=4000, window=(0.01, 99.99))
    assert found is not None
    assert np.trapezoid(found.density, found.at) == pytest.approx(1.0, abs=0.005)
    assert (np.diff(found.cumulative) >= 0).all()


def test_a_normal_law_is_recovered() -> None:
    x = np.random.default_rng(1).normal(100.0, 3.0, 1_000_000)
    found = kernel_estimate(x)
    assert found is not None
    law = reference.norm(100.0, 3.0)
    assert found.density == pytest.approx(law.pdf(found.at), abs=0.02 * law.pdf(100.0))
    assert found.cumulative == pytest.approx(law.cdf(found.at), abs=0.005)


def test_a_mode_far_out_is_not_missed_between_points() -> None:
    rng = np.random.default_rng(2)
    x = np.concatenate((rng.normal(10, 0.01, 9000), rng.normal(48_000, 0.01, 1000)))
    found = kernel_estimate(x, points=40)
    assert found is not None
    near = found.density[np.abs(found.at - 10) < 1].max()
    far = found.density[np.abs(found.at - 48_000) < 1].max()
    # As wide as the grid allows, so both are low, but they are as 9 to 1.
    assert near / far == pytest.approx(9.0, rel=0.1)


def test_equal_values_have_no_density_unless_it_has_a_least_width() -> None:
    assert kernel_estimate([5.0, 5.0, 5.0]) is None
    assert kernel_estimate([5.0]) is None
    found = kernel_estimate([5.0], least=1.0)
    assert found is not None
    assert found.bandwidth == 1.0
    assert found.density.max() == pytest.approx(reference.norm.pdf(0.0), rel=0.01)


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=40), st.integers(1, 1000))
def test_shifted_data_have_a_shifted_density(values: list[int], shift: int) -> None:
    one, other = (kernel_estimate(np.array(values) + d, least=1.0) for d in (0.0, shift))
    assert one is not None and other is not None
    assert one.bandwidth == pytest.approx(other.bandwidth, rel=1e-6)
    assert one.density.max() == pytest.approx(other.density.max(), rel=0.05)


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        kernel_estimate([1.0, float("nan")])
    with pytest.raises(ValueError, match="empty"):
        kernel_estimate([])
    with pytest.raises(ValueError, match="bandwidth"):
        kernel_estimate([1.0, 2.0], -1.0)
    with pytest.raises(ValueError, match="points"):
        kernel_estimate([1.0, 2.0], points=3)
    with pytest.raises(ValueError, match="rise"):
        kernel_estimate([1.0, 2.0], window=(99.0, 1.0))


def test_a_sorted_sample_gives_the_same() -> None:
    x = sample("two modes")
    one, other = kernel_estimate(x), kernel_estimate(Ordered.from_values(x))
    assert one is not None and other is not None
    assert (one.density == other.density).all()


@pytest.mark.parametrize("spread", [0, 512, 4096])
@pytest.mark.parametrize("largest", [1e15, 4.6e18, -4.6e18])
def test_numbers_so_large_that_they_are_coarse_have_a_density(largest: float, spread: int) -> None:
    values = largest - np.arange(200.0) * spread
    found = kernel_estimate(values, least=1.0)
    assert found is not None and np.isfinite(found.density).all()
    assert found.cumulative[-1] == pytest.approx(1.0, abs=0.02)
