"""Schedules that are simulated on recorded rounds."""

from __future__ import annotations

import numpy as np
import pytest

import oracle
import pools
import schedules
from busmark.store import Case
from schedules import Recorded, Recording

CASE = Case(
    id="000-latency-x", status="planned",
    params={"test": "latency", "adapter": "x", "statistic": "median", "rate_hz": None},
)  # fmt: skip


def recording(between: float, samples: int = 20_000, overhead_s: float = 0.4) -> Recording:
    rng = np.random.default_rng(1)
    rounds = []
    for _ in range(40):
        level = 1e5 * (1.0 + between * rng.standard_normal())
        latencies = level * rng.lognormal(0.0, 0.3, samples)
        rounds.append(Recorded(latencies, np.cumsum(latencies) / 1e9, 0.1, overhead_s))
    return Recording.from_rounds(CASE, rounds)


def test_a_shorter_round_is_the_beginning_of_a_longer_one() -> None:
    (one, *_) = recording(0.0).rounds
    row = one.of_seconds(0.5)
    assert row["measured_s"] == 0.5
    inside = int((one.times_s < 0.5).sum())
    assert row["samples"] == inside
    assert row["statistic_value"] == pytest.approx(float(np.median(one.latencies_ns[:inside])))
    assert one.of_samples(2000)["measured_s"] == one.times_s[1999]
    assert one.of_seconds(1e9)["samples"] == one.times_s.size


@pytest.mark.parametrize("between", [0.0, 0.05])
def test_rounds_are_added_until_the_interval_is_narrow(between: float) -> None:
    case, rng = recording(between), np.random.default_rng(2)
    found = [case.chosen(rng, 0.03) for _ in range(20)]
    assert all(one.width <= 0.03 and one.rounds >= schedules.FEWEST for one in found)
    assert sum(one.holds for one in found) >= 16


def test_a_slow_beginning_is_not_taken_for_the_whole() -> None:
    """The first 30 ms of each round are a tenth slower; of rounds that are no longer, no number
    gives what is true of the whole."""
    case = recording(0.05, overhead_s=0.05)
    for one in case.rounds:
        one.latencies_ns[one.times_s < 0.03] *= 1.1
    whole, rng = Recording.from_rounds(CASE, case.rounds), np.random.default_rng(3)
    found = [whole.chosen(rng, 0.04) for _ in range(20)]
    assert sum(one.holds for one in found) >= 15


def test_the_table_holds_them_against_the_fixed_schedule(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schedules, "REPEATS", 5)
    head, *rows = schedules.schedules([recording(0.02)])
    assert len(head) == 5 and all(len(row) == 5 for row in rows)
    found = {row[0]: row[1:] for row in rows}
    assert found["rounds, median"][0] == "20"
    assert found["time, share of the fixed schedule's"][0] == "1.00"
    (_, line) = schedules.by_case([recording(0.02)])
    assert line[0] == "latency-x" and line[3] == "0.50"


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "DRAWN", 60)
    monkeypatch.setattr(oracle, "LENGTHS_S", (0.02, 0.4, 0.8))


@pytest.mark.usefixtures("few_draws")
def test_a_perfect_choice_is_found_where_it_is_known() -> None:
    """Where rounds differ by far more than a round of any length is off by itself, the shortest is
    best, and takes the fixed cost and no more; that is what rounds of no length take, too."""
    case = recording(0.2, samples=20_000, overhead_s=0.9)
    known = oracle.perfect(case, np.random.default_rng(1))
    assert known.seconds == min(oracle.LENGTHS_S)
    # 2,000 samples take 0.2 s, and a round 1.0 s besides.
    assert known.nothing == pytest.approx(1.0 / 1.2, rel=0.03)
    assert known.share == pytest.approx(1.02 / 1.2, rel=0.2)
    (_, row) = oracle.oracle([case], [known])
    assert row[1:3] == ("0.90", "0.10")
    assert "in 0 of 1 cases" in oracle.verdict([known])
    assert "in 1 of 1 cases" in oracle.verdict([known], goal=0.99)


@pytest.mark.usefixtures("few_draws")
def test_where_rounds_do_not_differ_a_few_long_ones_are_best() -> None:
    known = oracle.perfect(recording(0.0, overhead_s=0.9), np.random.default_rng(1))
    assert known.seconds >= 0.3 and known.rounds < schedules.FIXED_ROUNDS
    assert known.share < 0.9


def test_few_rounds_of_many_cases_vary_as_many_of_one() -> None:
    rng, between, pooled = np.random.default_rng(5), 0.1, list[float]()
    for case in range(400):
        levels = 1e5 * (1 + case) * np.exp(between * rng.standard_normal(4))
        rounds = [Recorded(np.full(100, level), np.arange(100.0), 0.1, 0.4) for level in levels]
        pooled += [float(np.median(one.latencies_ns)) for one in pools.relative(rounds)]
    assert np.std(np.log(pooled)) == pytest.approx(between, rel=0.06)
    assert float(np.median(pooled)) == pytest.approx(pools.LEVEL_NS, rel=0.02)


def test_without_rounds_there_is_no_table_of_them() -> None:
    _, row = schedules.schedules([])
    assert row[1:] == ("—",) * 4
