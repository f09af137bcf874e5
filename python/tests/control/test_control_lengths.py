"""How long rounds measure where the run chooses that."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from control_fakes import PARAMS

from busmark.control.lengths import GROWTH, PILOT, Lengths, next_length
from busmark.control.precision import goodput_blocks, spread
from busmark.scenario import Scenario
from busmark.stats import FEW, block_variance, inner_variance
from busmark.store import Case

CASE = Case(
    id="x", params=PARAMS.changed(duration_s=None, warmup_s=0.1), status="planned"
)  # fmt: skip
STREAM = CASE.model_copy(
    update={"params": CASE.params.changed(test="throughput", statistic="goodput")}
)
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


def campaign(
    asked: Scenario, between: float, inside: float, seed: int = 1
) -> tuple[list[dict[str, Any]], float]:
    """Rounds of known variances until the target is reached, and the time that they take."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    while len(rows) < asked.rounds.max:
        seconds = next_length(CASE, rows, asked).seconds
        inner = inside**2 / seconds
        value = 100.0 + float(rng.standard_normal()) * (between**2 + inner) ** 0.5
        told = {"statistic_variance": inner, "statistic_variance_blocks": inner}
        rows.append(row(len(rows), seconds, value, **told))
        level = spread(rows) if len(rows) >= asked.rounds.min else None
        if level and (level.relative_half_width() or 1.0) <= asked.rounds.target:
            break
    return rows, sum(each["measured_s"] + FIXED_S for each in rows)


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


def test_rounds_that_failed_tell_nothing() -> None:
    failed = [
        row(n, 0.0, None, status="failed", measured_s=None, warmup_s=None, overhead_s=None,
            samples=None, received=None) for n in range(5)
    ]  # fmt: skip
    assert next_length(CASE, failed, scenario()) == next_length(CASE, [], scenario())


def test_a_stream_has_intervals_enough() -> None:
    width = STREAM.params.interval_s
    assert next_length(STREAM, [], scenario()).seconds >= 10 * width
    rows = [row(n, 1.0, 100.0 + n) for n in range(6)]
    assert next_length(STREAM, rows, scenario()).seconds >= 5 * width


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


def test_a_length_that_is_nearly_best_stays() -> None:
    rows, _ = campaign(scenario(max=60, target=0.005), between=1.0, inside=1.0)
    lengths = [each["chosen_s"] for each in rows[PILOT:]]
    changes = [b / a for a, b in pairwise(lengths) if a != b]
    assert all(change >= 1.5 or change <= 1 / 1.5 for change in changes)
    assert len(set(lengths)) < len(lengths) / 3


@pytest.mark.parametrize(("between", "inside"), [(0.0, 1.5), (0.3, 1.5), (1.5, 0.3), (1.5, 1.5)])
def test_the_target_is_reached_nearly_as_soon_as_with_the_best_length_that_one_could_know(
    between: float, inside: float
) -> None:
    """Simulated time of campaigns of known variances, against rounds of one length each."""
    asked = scenario(target=0.015, max=200)

    def of_one_length(seconds: float) -> float:
        times = []
        for seed in range(8):
            rng, rows = np.random.default_rng(seed), list[dict[str, Any]]()
            while True:
                inner = inside**2 / seconds
                value = 100.0 + float(rng.standard_normal()) * (between**2 + inner) ** 0.5
                rows.append(row(len(rows), seconds, value, statistic_variance=inner))
                level = spread(rows) if len(rows) >= asked.rounds.min else None
                if (level and (level.relative_half_width() or 1.0) <= 0.01) or len(rows) >= 400:
                    break
            times.append(len(rows) * (seconds + FIXED_S))
        return float(np.mean(times))

    chosen = float(np.mean([campaign(asked, between, inside, seed)[1] for seed in range(8)]))
    lengths = [of_one_length(seconds) for seconds in (0.1, 0.4, 1.5)]
    assert chosen <= 1.6 * min(lengths), lengths
    assert chosen < max(lengths) / 1.5, lengths


def test_what_is_chosen_is_told_once_in_a_sentence_with_its_reasons() -> None:
    rows: list[dict[str, Any]] = []
    lengths = Lengths(scenario(max=60, target=0.004), [CASE], lambda _: rows)
    told = []
    rng = np.random.default_rng(2)
    for number in range(12):
        if news := lengths.news(CASE):
            told.append(news)
        seconds = lengths.sized(CASE).params.duration_s
        inner = {"statistic_variance": 0.2 / seconds, "statistic_variance_blocks": None}
        rows.append(row(number, seconds, 100.0 + float(rng.standard_normal()), **inner))
    assert told and len(told) < 9
    for news in told:
        assert f"rounds measure for {news.seconds:g} s" in news.why
        assert "uncertain by" in news.why and "0.400 s besides" in news.why
        assert news.figures["fixed_s"] == pytest.approx(FIXED_S)
    again = Lengths(scenario(max=60, target=0.004), [CASE], lambda _: rows)
    assert again.sized(CASE) == lengths.sized(CASE), "resumed, it continues as before"


def test_a_case_whose_length_is_stated_keeps_it() -> None:
    stated = CASE.model_copy(update={"params": CASE.params.changed(duration_s=3.0)})
    lengths = Lengths(scenario(), [stated], lambda _: [])
    assert lengths.sized(stated) == stated and lengths.news(stated) is None


def test_a_target_beyond_the_rounds_is_told() -> None:
    rows = [row(n, 0.2, value) for n, value in enumerate([100.0, 160.0, 60.0])]
    assert "may not reach" in next_length(CASE, rows, scenario(max=5)).why


Make = Callable[[np.random.Generator, int], Any]


def test_parts_of_a_round_show_dependence_over_longer_times() -> None:
    rng = np.random.default_rng(5)
    slow = np.repeat(rng.standard_normal(40), 500) + rng.standard_normal(20_000)
    alone = rng.standard_normal(20_000)
    true = 1.0 / 40
    assert inner_variance(slow, "mean") < 0.5 * true
    assert block_variance(slow, "mean") == pytest.approx(true, rel=0.7)
    assert block_variance(alone, "median") == pytest.approx(np.pi / 2 / 20_000, rel=0.7)
    assert block_variance(alone[:100], "median") is None


def test_a_goodput_varies_as_its_intervals_let_expect() -> None:
    rng = np.random.default_rng(6)
    counts = rng.poisson(1000, 200)
    own = {"span_ns": [0, 1], "samples": [*counts.tolist(), 1], "width_ns": 10**8}
    roles = [{"role": "receiver", "intervals": [own]}, {"role": "transmitter", "intervals": [own]}]
    # 10,000 samples a second, each by chance: of 20 s the rate varies by sqrt(200,000) / 20.
    assert goodput_blocks(roles) == pytest.approx(200_000 / 20**2, rel=0.7)
    few = {**own, "samples": [1] * 16}
    assert goodput_blocks([{"role": "receiver", "intervals": [few]}]) is None


def test_an_estimate_of_variances_needs_no_blocks() -> None:
    """A stream has none, and results from before they were there."""
    rows = [row(n, 1.0, 100.0 + n, statistic_variance_blocks=None) for n in range(5)]
    rows[2].pop("statistic_variance_blocks")
    assert next_length(CASE, rows, scenario()).figures["inside_one_second"] == pytest.approx(0.01)
