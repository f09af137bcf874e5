"""How long rounds are best, where that is known."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from busmark.stats import Variation, early, reach, schedule, typical

POSITIVE = st.floats(1e-3, 1e3)
DEVIATIONS = st.floats(0.01, 10.0)


def long_campaign_s(variation: Variation, fixed_s: float, seconds: float) -> float:
    """Return the time of a campaign of very many rounds, but for a factor."""
    return variation.of_round(seconds) * (fixed_s + seconds)


@given(POSITIVE, POSITIVE, POSITIVE, st.floats(0.2, 5.0))
def test_at_the_optimum_a_long_campaign_is_shortest(
    between: float, inside: float, fixed_s: float, factor: float
) -> None:
    variation = Variation(between, inside)
    best = variation.optimum(fixed_s)
    assert best == pytest.approx(sqrt(fixed_s / 1.0 * inside / between))
    least = long_campaign_s(variation, fixed_s, best)
    assert least <= long_campaign_s(variation, fixed_s, factor * best) * (1.0 + 1e-9)


def test_where_rounds_do_not_differ_the_longer_the_better() -> None:
    assert Variation(0.0, 1.0).optimum(1.0) == inf
    assert Variation(0.0, 0.0).optimum(1.0) == 0.0


@given(DEVIATIONS, DEVIATIONS, st.floats(0.05, 5.0))
def test_where_many_rounds_follow_they_are_as_long_as_the_formula_says(
    between: float, inside: float, fixed_s: float
) -> None:
    variation = Variation(between**2, inside**2)
    best = variation.optimum(fixed_s)
    # So narrow that some 10,000 rounds are wanted.
    half = 1.96 * sqrt(np.pi / 2.0 * variation.of_round(best) / 10_000)
    found = schedule(variation, fixed_s, [best] * 3, half, most=100_000, shortest=1e-9, longest=1e9)
    assert found.reaches
    least = long_campaign_s(variation, fixed_s, best)
    assert long_campaign_s(variation, fixed_s, found.seconds) <= 1.03 * least


@given(
    DEVIATIONS, DEVIATIONS, st.floats(0.05, 5.0), st.floats(0.2, 3.0),
    st.lists(st.floats(0.05, 2.0), min_size=3, max_size=8), st.integers(1, 12),
)  # fmt: skip
def test_no_other_rounds_reach_the_interval_sooner(
    between: float, inside: float, fixed_s: float, half: float, done: list[float], others: int
) -> None:
    variation = Variation(between**2, inside**2)
    found = schedule(variation, fixed_s, done, half, most=30, shortest=0.01, longest=50.0)
    for seconds in np.geomspace(0.01, 50.0, 40):
        each = [*done, *[float(seconds)] * others]
        inverse = sum(1.0 / sqrt(variation.of_round(s)) for s in each)
        if reach(len(each)) * len(each) / inverse <= early(len(each)) * half:
            assert found.reaches
            assert found.rounds * (fixed_s + found.seconds) <= others * (fixed_s + seconds) * 1.001


def test_rounds_that_suffice_already_are_followed_by_the_shortest() -> None:
    found = schedule(Variation(1.0, 1.0), 1.0, [1.0] * 9, 5.0, most=9, shortest=0.3, longest=9.0)
    assert (found.seconds, found.rounds, found.reaches) == (0.3, 1, True)


def test_what_cannot_be_reached_is_said() -> None:
    found = schedule(Variation(1.0, 4.0), 1.0, [1.0] * 3, 0.01, most=9, shortest=0.1, longest=9.0)
    assert (found.seconds, found.rounds, found.reaches) == (2.0, 9, False)


def test_at_least_so_many_rounds_follow_as_must() -> None:
    found = schedule(
        Variation(1.0, 1.0), 1.0, [1.0] * 3, 9.0, least=4, most=9, shortest=0.1, longest=9.0
    )
    assert found.rounds == 4


@pytest.mark.parametrize("wrong", [{"half": 0.0}, {"fixed_s": 0.0}, {"most": 0}, {"shortest": 0.0}])
def test_a_schedule_of_nothing_is_refused(wrong: dict[str, float]) -> None:
    given = {"fixed_s": 1.0, "half": 1.0, "most": 3, "shortest": 0.1, "longest": 1.0, **wrong}
    with pytest.raises(ValueError, match="positive"):
        schedule(Variation(1.0, 1.0), done=[1.0], **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("lengths", [[0.5], [0.1, 0.4, 2.0]])
@pytest.mark.parametrize(("between", "inside"), [(3.0, 1.0), (1.0, 1.0), (0.0, 2.0)])
def test_variances_are_found_from_rounds_of_any_lengths(
    lengths: list[float], between: float, inside: float
) -> None:
    """In the mean of many campaigns; one of twelve rounds knows them badly."""
    rng, rounds = np.random.default_rng(7), 12
    seconds = np.resize(lengths, rounds)
    inner = inside**2 / seconds
    found = [
        Variation.from_rounds(
            100.0 + rng.standard_normal(rounds) * np.sqrt(between**2 + inner), inner, seconds
        )
        for _ in range(300)
    ]
    assert float(np.median([one.inside for one in found])) == pytest.approx(inside**2)
    mean = float(np.mean([sqrt(one.of_round(seconds[0])) for one in found]))
    assert mean == pytest.approx(sqrt(between**2 + inner[0]), rel=0.25)


def test_one_bad_round_decides_nothing() -> None:
    rng = np.random.default_rng(3)
    values = 100.0 + rng.standard_normal(15)
    inner, seconds = np.full(15, 0.01), np.ones(15)
    known = Variation.from_rounds(values, inner, seconds)
    values[4], inner[4] = 1000.0, 50.0
    found = Variation.from_rounds(values, inner, seconds)
    assert found.inside == known.inside and found.between < 4.0 * known.between


def test_rounds_that_are_more_alike_than_they_should_be_are_believed() -> None:
    """What repeats itself in every round, such as a slow begin, makes none differ."""
    values = 100.0 + 0.1 * np.array([1, -1, 2, -2, 0, 1, -1, 0, 2, -2])
    found = Variation.from_rounds(values, np.full(10, 25.0), np.ones(10))
    assert found.between == 0.0 and found.inside < 1.0


def test_rounds_that_are_equal_vary_by_nothing() -> None:
    assert Variation.from_rounds([5.0] * 5, [0.0] * 5, [1.0] * 5) == Variation(0.0, 0.0)


@pytest.mark.parametrize(
    "wrong",
    [([1.0], [1.0], [1.0]), ([1.0, 2.0], [1.0], [1.0, 1.0]), ([1.0, 2.0], [1.0, 1.0], [1.0, 0.0]),
     ([1.0, 2.0], [1.0, -1.0], [1.0, 1.0]), ([1.0, np.nan], [1.0, 1.0], [1.0, 1.0])],
)  # fmt: skip
def test_figures_that_are_none_are_refused(wrong: tuple[list[float], ...]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Variation.from_rounds(*wrong)


@pytest.mark.parametrize("rounds", [3, 5, 10, 20, 60])
def test_the_reach_is_that_of_the_interval(rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    halves = [typical(rng.standard_normal(rounds)).half_width or 0.0 for _ in range(1500)]
    assert reach(rounds) == pytest.approx(float(np.mean(halves)), rel=0.06)
