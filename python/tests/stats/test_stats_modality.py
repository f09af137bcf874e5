"""Mode counts of distributions whose number of modes is known."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.stats import Ordered, clock_step, modes

Draw = Callable[[np.random.Generator, int], np.ndarray]


def mixture(share: float, first: Draw, second: Draw) -> Draw:
    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        return np.where(rng.random(n) < share, first(rng, n), second(rng, n))

    return draw


def normal(mean: float, std: float) -> Draw:
    return lambda rng, n: rng.normal(mean, std, n)


SWITCHING = mixture(0.7, normal(50e-6, 5e-6), normal(44e-3, 2e-3))
CLOSE = mixture(0.5, normal(10.0, 0.5), normal(15.0, 0.5))

ONE: dict[str, Draw] = {
    "normal": normal(50.0, 5.0),
    "log-normal": lambda rng, n: rng.lognormal(0.0, 1.0, n),
    "exponential": lambda rng, n: rng.exponential(1.0, n),
    "uniform": lambda rng, n: rng.uniform(10.0, 20.0, n),
    "pareto": lambda rng, n: 1.0 + rng.pareto(1.5, n),
    "tail of 0.5 %": mixture(0.995, normal(50.0, 5.0), normal(5000.0, 100.0)),
    "tail of 4 %": mixture(0.96, normal(50.0, 5.0), normal(5000.0, 100.0)),
    "shallow valley": mixture(0.5, normal(10.0, 1.0), normal(13.0, 1.0)),
    "coarse clock": lambda rng, n: np.round(rng.normal(50.0, 3.0, n)),
    "very coarse clock": lambda rng, n: 10.0 * np.round(rng.normal(50.0, 8.0, n) / 10.0),
}
TWO: dict[str, Draw] = {
    "microseconds and milliseconds": SWITCHING,
    "close": CLOSE,
    "eight per cent": mixture(0.92, normal(10.0, 0.5), normal(100.0, 5.0)),
    "narrow and broad": mixture(0.6, normal(50.0, 0.5), lambda r, n: r.lognormal(9.0, 1.0, n)),
    "coarse clock": lambda rng, n: np.round(1e6 * SWITCHING(rng, n)),
}


@pytest.mark.parametrize("n", [50, 1000, 50_000])
@pytest.mark.parametrize("name", ONE)
def test_one_mode(name: str, n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(5):
        result = modes(ONE[name](rng, n))
        assert (result.count, len(result.largest), result.valley_ratio) == (1, 1, None)
        assert result.largest[0].share == 1.0


@pytest.mark.parametrize("n", [2000, 50_000])
@pytest.mark.parametrize("name", TWO)
def test_two_modes(name: str, n: int) -> None:
    rng = np.random.default_rng(n)
    for _ in range(5):
        result = modes(TWO[name](rng, n))
        assert result.count == 2
        assert result.valley_ratio is not None
        assert result.valley_ratio < 0.2


def test_location_and_share_of_each_mode() -> None:
    result = modes(SWITCHING(np.random.default_rng(1), 20_000))
    first, second = result.largest
    assert first.location == pytest.approx(50e-6, rel=0.05)
    assert first.share == pytest.approx(0.7, abs=0.02)
    assert second.location == pytest.approx(44e-3, rel=0.05)
    assert second.share == pytest.approx(0.3, abs=0.02)
    assert result.valley_ratio == pytest.approx(0.0, abs=1e-6)


def test_shares_of_close_modes_are_cut_in_the_valley() -> None:
    result = modes(CLOSE(np.random.default_rng(2), 20_000))
    locations = sorted(m.location for m in result.largest)
    assert locations == pytest.approx([10.0, 15.0], rel=0.02)
    assert sum(m.share for m in result.largest) == pytest.approx(1.0)
    assert result.largest[1].share == pytest.approx(0.5, abs=0.02)


def test_three_modes_report_the_two_largest() -> None:
    draw = mixture(0.2, normal(1.0, 0.05), mixture(0.6, normal(10.0, 0.5), normal(100.0, 5.0)))
    result = modes(draw(np.random.default_rng(3), 20_000))
    assert result.count == 3
    assert [m.location for m in result.largest] == pytest.approx([10.0, 100.0], rel=0.03)
    assert [m.share for m in result.largest] == pytest.approx([0.48, 0.32], abs=0.02)


@settings(max_examples=20)
@given(st.floats(1e-6, 1e6), st.integers(0, 100))
def test_it_does_not_depend_on_the_unit_or_the_order(scale: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = CLOSE(rng, 3000)
    plain, scaled = modes(x), modes(scale * rng.permutation(x))
    assert scaled.count == plain.count == 2
    for before, after in zip(
        sorted(plain.largest, key=lambda m: m.location),
        sorted(scaled.largest, key=lambda m: m.location),
        strict=True,
    ):
        assert after.location == pytest.approx(scale * before.location, rel=0.01)
        assert after.share == pytest.approx(before.share, abs=0.01)


def test_one_and_equal_samples() -> None:
    for x in ([3.0], [3.0] * 500):
        result = modes(x)
        assert result.count == 1
        assert (result.largest[0].location, result.largest[0].share) == (3.0, 1.0)


def test_a_handful_of_samples_is_never_called_bimodal() -> None:
    assert modes([1.0, 1000.0]).count == 1
    assert modes([1.0, 1.1, 1000.0, 1001.0]).count == 1


def test_bad_input_is_refused() -> None:
    with pytest.raises(ValueError, match="empty"):
        modes([])
    with pytest.raises(ValueError, match="NaN"):
        modes([1.0, np.nan])
    with pytest.raises(ValueError, match="positive"):
        modes([1.0, 0.0])


def test_steps_of_a_coarse_clock_are_no_modes() -> None:
    """A clock that steps by 10 ns and is corrected now and then: 150 and 160 ns are neighbours."""
    rng = np.random.default_rng(8)
    found = rng.choice([140.0, 150.0, 160.0, 170.0], 20_000, p=[0.05, 0.42, 0.45, 0.08])
    found[rng.random(found.size) < 0.02] += 1.0
    assert modes(found).count == 1
    assert modes(found / 2).count == 1
    # The same shape where the clock could tell them apart is two modes.
    fine = found * 100.0 + rng.normal(0.0, 30.0, found.size).round()
    assert modes(fine[(fine > 14_500) & (fine < 16_500)]).count == 2


@pytest.mark.parametrize("step", [1, 4, 10, 16])
def test_the_step_of_the_clock_is_seen_in_what_it_gave(step: int) -> None:
    rng = np.random.default_rng(step)
    values = step * rng.integers(100, 200, 5000).astype(float)
    assert clock_step(Ordered.from_values(values)) == step
    if step > 1:
        values[:100] += 1.0
    assert clock_step(Ordered.from_values(values)) == step
    assert clock_step(Ordered.from_values(values * 1.2345678)) == 0.0
    assert clock_step(Ordered.from_values([7000.0] * 50)) == 0.0


def test_numbers_so_large_that_they_are_coarse_have_one_mode() -> None:
    for largest in (1e15, 4.6e18):
        values = largest + np.array([0.0, 512.0, 1024.0] * 100)
        assert modes(values).count == 1
