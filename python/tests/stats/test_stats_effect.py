"""Effect sizes and shift functions against scipy, published examples and known differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as reference

from busmark.stats import (
    cliffs_delta,
    hodges_lehmann,
    shift,
    superiority,
    superiority_over_rounds,
)

FEW = st.lists(st.integers(0, 9), min_size=1, max_size=12)


@given(FEW, FEW)
def test_superiority_is_the_rank_sum_over_the_pairs(a: list[int], b: list[int]) -> None:
    u = reference.mannwhitneyu(a, b, method="asymptotic").statistic
    assert superiority(a, b) == pytest.approx(u / (len(a) * len(b)))
    assert superiority(a, b) + superiority(b, a) == pytest.approx(1.0)
    assert cliffs_delta(a, b) == pytest.approx(2 * u / (len(a) * len(b)) - 1)


def test_cliffs_delta_of_the_example_of_r() -> None:
    # From the documentation of cliff.delta in the R package effsize: -0.25, here turned round.
    first = [1, 1, 2, 2, 2, 3, 3, 3, 4, 5]
    second = [1, 2, 3, 4, 4, 5]
    assert cliffs_delta(second, first) == pytest.approx(0.25)


@pytest.mark.parametrize(("n", "m"), [(4, 4), (5, 7), (10, 6), (20, 9)])
def test_hodges_lehmann_holds_the_shifts_that_the_rank_sum_test_does_not_reject(
    n: int, m: int
) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(3.0, 1.0, n), rng.normal(0.0, 1.0, m)
    found = hodges_lehmann(a, b)
    differences = np.subtract.outer(a, b)
    assert found.value == pytest.approx(float(np.median(differences)))
    assert found.low is not None and found.high is not None

    def rejected(by: float) -> bool:
        return bool(reference.mannwhitneyu(a - by, b, method="exact").pvalue <= 0.05)

    step = 1e-9
    assert rejected(found.low - step) and not rejected(found.low + step)
    assert rejected(found.high + step) and not rejected(found.high - step)


def test_hodges_lehmann_of_many_is_the_normal_approximation_of_the_exact() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(1.0, 1.0, 51), rng.normal(0.0, 1.0, 51)
    found, fewer = hodges_lehmann(a, b), hodges_lehmann(a[:50], b[:50])
    assert found.half_width == pytest.approx(fewer.half_width, rel=0.1)


def test_three_against_three_have_no_interval_at_95_per_cent() -> None:
    assert hodges_lehmann([1, 2, 3], [4, 5, 6]).low is None
    assert hodges_lehmann([1, 2, 3], [4, 5, 6]).value == -3
    assert hodges_lehmann([1, 2, 3], [4, 5, 6], confidence=0.9).low == -5


def test_superiority_over_rounds_covers_the_truth() -> None:
    # a ~ N(0.5, 1), b ~ N(0, 1), each round moved by N(0, 0.3): the chance for two random rounds.
    rng = np.random.default_rng(4)
    truth = reference.norm.cdf(0.5 / np.sqrt(2 + 2 * 0.3**2))
    hits = 0
    for _ in range(400):
        sides = [
            [rng.normal(at + 0.3 * rng.standard_normal(), 1.0, 60) for _ in range(8)]
            for at in (0.5, 0.0)
        ]
        e = superiority_over_rounds(sides[0], sides[1])
        assert e.low is not None and e.high is not None
        hits += e.low <= truth <= e.high
    assert 0.92 <= hits / 400 <= 0.98


def test_one_round_gives_no_interval() -> None:
    e = superiority_over_rounds([[1, 2, 3]], [[1, 2, 3], [0, 1]])
    assert e.low is None and (e.count, e.rounds) == (8, 1)
    with pytest.raises(ValueError, match="no rounds"):
        superiority_over_rounds([], [[1.0]])


def rounds(scale: float, add: float, rng: np.random.Generator) -> list[np.ndarray]:
    return [scale * (1 + 0.01 * rng.standard_normal()) * x + add for x in rng.gamma(4, 1, (8, 500))]


def test_a_constant_shift_is_the_same_at_every_decile() -> None:
    rng = np.random.default_rng(5)
    found = shift(rounds(1.0, 0.0, rng), rounds(1.0, 2.0, rng), seed=1)
    assert [s.percent for s in found] == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    for s in found:
        assert s.difference.low is not None and s.difference.high is not None
        assert s.difference.low < 2.0 < s.difference.high


def test_a_slower_scale_shifts_the_upper_deciles_more() -> None:
    rng = np.random.default_rng(6)
    found = shift(rounds(1.0, 0.0, rng), rounds(1.5, 0.0, rng), seed=1)
    values = [s.difference.value for s in found]
    assert values == sorted(values)
    expected = 0.5 * reference.gamma(4).ppf([0.1, 0.5, 0.9])
    assert [values[0], values[4], values[8]] == pytest.approx(expected, rel=0.15)


def test_intervals_together_are_longer_than_one_by_itself() -> None:
    rng = np.random.default_rng(7)
    a, b = rounds(1.0, 0.0, rng), rounds(1.0, 1.0, rng)
    together = shift(a, b, (50.0, 90.0), seed=1)[0].difference.half_width
    alone = shift(a, b, (50.0, 90.0), seed=1, simultaneous=False)[0].difference.half_width
    assert together is not None and alone is not None and together > alone
    assert shift(a[:1], b, (50.0,), seed=1)[0].difference.low is None
    with pytest.raises(ValueError, match="percents"):
        shift(a, b, (), seed=1)
