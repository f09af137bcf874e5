"""How often a comparison is wrong where nothing has changed, and finds what was planted.

Simulated at the level of arrays, through the same functions that `busmark compare` uses. Seeds are
fixed, so an outcome is, too. Bounds are four binomial standard errors about the stated rate.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from busmark.compare.change import Found
from busmark.compare.measured import Measured
from busmark.compare.verdict import verdicts

from busmark import stats

COMPARISONS = 1000
CHANGED = ("faster", "slower")


def latencies(
    rng: np.random.Generator, rounds: int, samples: int, factor: float, between: float
) -> Measured:
    """Median latencies: rounds vary by the share `between`, samples log-normally by 0.2."""
    effects = factor * np.exp(between * rng.standard_normal(rounds))
    drawn = [effect * rng.lognormal(0.0, 0.2, samples) for effect in effects]
    return Measured(None, level=stats.reduce_rounds(drawn, "median"))


def compared(before: Measured, after: Measured, name: str = "median.latency") -> Found:
    assert before.level is not None and after.level is not None
    change = stats.ratio_of_levels(after.level, before.level)
    return Found(name, True, before, after, change, None)


def single(
    rng: np.random.Generator, rounds: int, samples: int, factor: float, between: float
) -> Found:
    before = latencies(rng, rounds, samples, 1.0, between)
    return compared(before, latencies(rng, rounds, samples, factor, between))


@pytest.mark.parametrize("rounds", [5, 10])
def test_one_comparison_without_a_change_is_wrong_in_five_per_cent(rounds: int) -> None:
    rng = np.random.default_rng(rounds)
    # A margin of nothing: every interval without 1 is a verdict.
    found = [single(rng, rounds, 100, 1.0, 0.05) for _ in range(COMPARISONS)]
    wrong = sum(verdicts([f], 1e-9)[0].verdict in CHANGED for f in found)
    assert wrong <= COMPARISONS * 0.05 + 4 * sqrt(COMPARISONS * 0.05 * 0.95)


def test_a_campaign_of_many_cases_is_wrong_anywhere_in_five_per_cent_at_most() -> None:
    rng = np.random.default_rng(20)
    cases = 20
    found = [single(rng, 6, 60, 1.0, 0.05) for _ in range(COMPARISONS)]
    campaigns = [found[i : i + cases] for i in range(0, COMPARISONS, cases)]
    wrong = sum(any(t.verdict in CHANGED for t in verdicts(c, 1e-9)) for c in campaigns)
    plain = sum(any((t.p_value or 0) <= 0.05 for t in verdicts(c, 1e-9)) for c in campaigns)
    assert wrong <= 50 * 0.05 + 4 * sqrt(50 * 0.05 * 0.95)
    # Without the adjustment most campaigns of 20 cases would have a false alarm.
    assert plain > 20


def test_a_change_of_the_margin_is_taken_for_none_in_two_and_a_half_per_cent() -> None:
    rng = np.random.default_rng(30)
    found = [single(rng, 10, 100, 1.02, 0.003) for _ in range(COMPARISONS)]
    taken = sum(verdicts([f], 0.02)[0].verdict == "equivalent" for f in found)
    assert taken <= COMPARISONS * 0.025 + 4 * sqrt(COMPARISONS * 0.025 * 0.975)


@pytest.mark.parametrize(
    ("between", "rounds", "samples"),
    [(0.01, 7, 1000), (0.02, 23, 1000), (0.03, 52, 1000)],
)
def test_a_slowdown_of_three_per_cent_is_found_at_the_documented_count(
    between: float, rounds: int, samples: int
) -> None:
    """docs/tasks/compare-results.md: in 95 of 100 campaigns."""
    rng = np.random.default_rng(rounds)
    total = 200
    found = [single(rng, rounds, samples, 1.03, between) for _ in range(total)]
    told = sum(verdicts([f], 0.001)[0].verdict == "slower" for f in found)
    assert told >= total * 0.95 - 4 * sqrt(total * 0.95 * 0.05)


def test_a_slowdown_is_not_hidden_by_a_campaign_of_unchanged_cases() -> None:
    rng = np.random.default_rng(50)
    cases = [single(rng, 20, 1000, 1.0, 0.01) for _ in range(9)]
    told = verdicts([*cases, single(rng, 20, 1000, 1.03, 0.01)], 0.02)
    assert [t.verdict for t in told].count("slower") == 1
    assert told[-1].verdict == "slower"
