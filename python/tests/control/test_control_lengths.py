"""How long rounds measure where the run chooses that."""

from __future__ import annotations

from typing import Any

import pytest
from control_fakes import PARAMS

from busmark.control import next_length
from busmark.scenario import Scenario
from busmark.stats import FEW
from busmark.store import Case

PILOT, GROWTH = 3, 4.0
"""Rounds of the pilot, and how much longer a round is than the one before at most."""
CASE = Case(
    id="x", params=PARAMS.changed(duration_s=None, warmup_s=0.1), status="planned"
)  # fmt: skip
SAMPLES_PER_S = 20_000.0
FIXED_S = 0.4


def scenario(criteria: dict[str, Any] | None = None, **rounds: Any) -> Scenario:
    return Scenario.model_validate({
        "name": "x", "matrix": {"adapter": "x"}, "measure": {"duration_s": "auto"},
        "rounds": {"target": 0.02, **rounds}, "criteria": criteria or {},
    })  # fmt: skip


def row(number: int, seconds: float, value: float | None = 100.0, **changes: Any) -> dict[str, Any]:
    return {
        "case": "x", "round": number, "attempt": 0, "status": "ok", "statistic_value": value,
        "statistic_variance": 0.01, "statistic_variance_blocks": 0.01, "measured_s": seconds,
        "chosen_s": seconds, "warmup_s": 0.1, "overhead_s": FIXED_S - 0.1, "failed_s": None,
        "samples": int(seconds * SAMPLES_PER_S), "received": int(seconds * SAMPLES_PER_S),
        **changes,
    }  # fmt: skip


def test_the_pilot_is_short_and_says_nothing() -> None:
    first = next_length(CASE, [], scenario())
    second = next_length(CASE, [row(0, first.seconds)], scenario())
    assert not first.why and not second.why
    assert second.seconds == pytest.approx(FIXED_S / 2), "half of what a round takes besides"


def test_a_pilot_at_a_rate_has_the_samples_that_it_needs() -> None:
    slow = CASE.model_copy(update={"params": CASE.params.changed(rate_hz=10.0)})
    assert next_length(slow, [], scenario({"min_samples": 50})).seconds * 10.0 >= 50


def test_a_percentile_needs_samples_beyond_it() -> None:
    tail = CASE.model_copy(update={"params": CASE.params.changed(statistic="p99.9")})
    rows = [row(n, 0.1) for n in range(PILOT)]
    assert next_length(tail, rows, scenario()).seconds * SAMPLES_PER_S >= 10_000


@pytest.mark.parametrize(
    "poor", [{"status": "marked", "samples": 3}, {"statistic_value": None}]
)  # fmt: skip
def test_a_round_with_too_little_is_followed_by_a_longer_one(poor: dict[str, Any]) -> None:
    rows = [row(0, 0.5, **poor), row(1, 0.5, **poor)]
    assert next_length(CASE, rows, scenario()).seconds >= 1.0


def test_a_round_fits_into_the_recorder() -> None:
    asked = scenario()
    asked.measure.max_samples = 4000
    noisy = {"statistic_variance": 1600.0, "statistic_variance_blocks": 1600.0}
    rows = [row(n, 0.1, 100.0 + 15.0 * n, **noisy) for n in range(6)]
    assert next_length(CASE, rows, asked).seconds * SAMPLES_PER_S <= 4000
    assert next_length(CASE, rows, scenario()).seconds * SAMPLES_PER_S > 4000
    assert next_length(CASE, rows[:1], asked).seconds * SAMPLES_PER_S <= 4000, "in the pilot, too"


def test_lengths_grow_step_by_step() -> None:
    noisy = {"statistic_variance": 1e4, "statistic_variance_blocks": 1e4}
    rows = [row(n, 0.1, 200.0 + 90.0 * n, **noisy) for n in range(PILOT)]
    assert next_length(CASE, rows, scenario()).seconds == pytest.approx(0.1 * GROWTH)


def test_few_rounds_that_are_alike_do_not_make_the_next_ones_longer_than_they_cost() -> None:
    """Three rounds are alike by chance now and then, and then nothing but length seems to help."""
    noisy = {"statistic_variance": 4.0, "statistic_variance_blocks": 4.0}
    off = (-1.2, 0.9, 2.1, -0.6, 1.8, -2.2, 0.4, -1.5, 2.6, -0.3)
    rows = [row(n, 0.2, 100.0 + each, **noisy) for n, each in enumerate(off)]
    asked = scenario(max=60, target=0.005)
    for known in range(PILOT, FEW):
        assert next_length(CASE, rows[:known], asked).seconds <= FIXED_S
        assert "may not reach" not in next_length(CASE, rows[:known], asked).why
    assert next_length(CASE, rows, asked).seconds > FIXED_S, "more are believed"


@pytest.mark.parametrize("between", [0.0, 30.0])
def test_rounds_are_not_so_short_that_they_measure_beginnings_only(between: float) -> None:
    cheap = {"warmup_s": 0.05, "overhead_s": 0.02}
    rows = [row(n, 0.15, 100.0 + between * (-1) ** n, **cheap) for n in range(8)]
    for known in range(len(rows)):
        assert next_length(CASE, rows[:known], scenario(max=60)).seconds >= 0.15


def test_a_target_beyond_the_rounds_is_reported() -> None:
    rows = [row(n, 0.2, value) for n, value in enumerate([100.0, 160.0, 60.0])]
    assert "may not reach" in next_length(CASE, rows, scenario(max=5)).why
