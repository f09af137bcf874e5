"""What `busmark compare` says of campaigns whose truth is known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compare_results import Builder, campaign, compared, flood
from scipy.stats import norm

from busmark.compare import Comparison
from busmark.model.statistics import STATISTICS
from busmark.stats import ratio


def figure(pair: Any, name: str) -> Any:
    """Return one figure of a pair."""
    return next(change for change in pair.changes if change.name == name)


def verdicts(comparison: Comparison) -> list[str]:
    return [pair.verdict for pair in comparison.pairs]


def test_a_slowdown_is_reported_for_every_case(place: Path) -> None:
    comparison = compared(place / "base", place / "slow")
    assert verdicts(comparison) == ["slower", "slower"]
    for pair in comparison.pairs:
        change = pair.headline
        assert change is not None and change.change is not None
        assert change.change.low is not None and change.change.high is not None
        assert change.change.low < 1.05 < change.change.high
        assert not pair.paired


def test_a_speed_up_is_the_slowdown_turned_round(place: Path) -> None:
    slower = compared(place / "base", place / "slow").pairs[0].headline
    faster = compared(place / "slow", place / "base").pairs[0].headline
    assert faster is not None and slower is not None and faster.verdict == "faster"
    assert faster.change and slower.change
    assert faster.change.value == pytest.approx(1 / slower.change.value)


def test_campaigns_that_are_alike_are_equivalent(place: Path) -> None:
    comparison = compared(place / "base", place / "again")
    assert verdicts(comparison) == ["equivalent", "equivalent"]
    assert not [c.name for p in comparison.pairs for c in p.changes if c.verdict == "slower"]


def test_a_margin_that_is_too_narrow_leaves_it_open(place: Path) -> None:
    comparison = compared(place / "base", place / "again", equivalent=1e-6)
    assert set(verdicts(comparison)) == {"undecided"}


def test_ratio_and_interval_are_those_of_typical_rounds(place: Path) -> None:
    comparison = compared(place / "base", place / "slow")
    change = comparison.pairs[0].headline
    assert change is not None and change.change is not None
    sides = []
    for name in ("slow", "base"):
        import polars as pl

        files = sorted((place / name / "samples").glob("udp-64-same.*"))
        frames = [pl.read_parquet(file) for file in files]
        sides.append([((f["read_ns"] - f["intended_ns"]) / 2).to_numpy() for f in frames])
    wanted = ratio(sides[0], sides[1], "median")
    assert change.change.value == pytest.approx(wanted.value)
    assert change.change.low == pytest.approx(wanted.low, rel=1e-3)
    assert change.change.high == pytest.approx(wanted.high, rel=1e-3)
    assert change.change.count == sum(len(r) for side in sides for r in side)


def test_every_figure_has_units_counts_rounds_and_its_two_sides(place: Path) -> None:
    pair = compared(place / "base", place / "slow").pairs[0]
    names = [change.name for change in pair.changes]
    assert names == [*(f"{one.name}.latency" for one in STATISTICS), "loss", "discovery"]
    for name in ("median.latency", "mean.latency", "p99.latency", "discovery"):
        change = figure(pair, name)
        assert change.baseline and change.candidate and change.change
        assert change.baseline.unit == change.candidate.unit == "ns"
        assert change.baseline.rounds == change.candidate.rounds == 5
    assert figure(pair, "median.latency").latency == "half_round_trip"
    assert figure(pair, "loss").kind == "difference"


def test_a_percentile_that_rounds_do_not_support_is_absent_with_its_reason(place: Path) -> None:
    change = figure(compared(place / "base", place / "slow").pairs[0], "p99.9.latency")
    assert change.change is None and change.baseline is None
    assert change.verdict == "undecided"
    assert "needs 10" in (change.reason or "")


def test_throughput_is_compared_by_goodput(tmp_path: Path) -> None:
    rates = np.array([400_000, 402_000, 398_000, 401_000.0])
    for seed, factor in ((1, 1.0), (2, 0.9)):
        build = Builder(tmp_path / f"t{seed}", seed=seed)
        flood(build, rates * factor, lost=3 if seed == 1 else 90_000)
        build.finish(cookie=str(seed))
    comparison = compared(tmp_path / "t1", tmp_path / "t2")
    (pair,) = comparison.pairs
    assert pair.verdict == "loses more"
    assert pair.headline is not None and pair.headline.name == "goodput.throughput"
    assert pair.headline.baseline is not None and pair.headline.baseline.unit == "Mbit/s"
    loss = figure(pair, "loss")
    assert loss.verdict == "loses more"
    assert figure(pair, "median.latency").latency == "one_way"


def test_a_throughput_of_nothing_is_slower(tmp_path: Path) -> None:
    for seed, rates in ((1, [5000.0, 5100.0, 4900.0]), (2, [0.0, 0.0, 0.0])):
        build = Builder(tmp_path / f"t{seed}", seed=seed)
        flood(build, rates)
        build.finish(cookie=str(seed))
    comparison = compared(tmp_path / "t1", tmp_path / "t2", fail_if=["goodput.throughput < 0.95"])
    (pair,) = comparison.pairs
    assert pair.verdict == "slower"
    assert comparison.failed
    turned = compared(tmp_path / "t2", tmp_path / "t1")
    assert turned.pairs[0].verdict == "undecided"
    assert "above 0" in (turned.pairs[0].headline.reason or "")  # type: ignore[union-attr]


def test_one_round_gives_no_interval_and_says_so(tmp_path: Path, place: Path) -> None:
    campaign(tmp_path / "one", 1.5, seed=9, rounds=1)
    comparison = compared(place / "base", tmp_path / "one", fail_if=["median.latency > 1.1"])
    headline = comparison.pairs[0].headline
    assert headline is not None and headline.change is not None
    assert headline.change.low is None
    assert headline.verdict == "undecided"
    assert headline.reason == "1 round on one side: that gives no interval"
    assert not comparison.failed
    strict = compared(
        place / "base", tmp_path / "one", fail_if=["median.latency > 1.1"], undecided="fail"
    )
    assert strict.failed


@pytest.mark.parametrize(
    ("after", "verdict", "reason"),
    [
        (1000, "equivalent", "no round differs"),
        (1002, "undecided", "one step of the clock"),
        (1200, "slower", "no round differs"),
    ],
)
def test_samples_that_are_all_equal(tmp_path: Path, after: int, verdict: str, reason: str) -> None:
    for seed, value in ((1, 1000), (2, after)):
        build = Builder(tmp_path / f"t{seed}", seed=seed)
        build.case("null-64", adapter="null")
        for number in range(3):
            build.pings("null-64", number, np.full(200, value))
        build.finish(cookie=str(seed))
    comparison = compared(tmp_path / "t1", tmp_path / "t2", equivalent=0.0005)
    headline = comparison.pairs[0].headline
    assert headline is not None and headline.change is not None
    assert headline.change.low == headline.change.high
    assert headline.verdict == verdict
    assert reason in (headline.reason or "")


@pytest.mark.parametrize(
    ("after", "verdict"),
    [(12_400, "equivalent"), (12_600, "slower"), (8_100, "equivalent"), (7_900, "faster")],
)
def test_a_margin_is_the_same_factor_below_1_as_above(
    tmp_path: Path, after: int, verdict: str
) -> None:
    """A quarter more is 1.25 times, and as far from 1 as 0.8."""
    for seed, value in ((1, 10_000), (2, after)):
        build = Builder(tmp_path / f"t{seed}", seed=seed)
        build.case("udp-64")
        for number in range(3):
            build.pings("udp-64", number, np.full(200, value))
        build.finish(cookie=str(seed))
    (pair,) = compared(tmp_path / "t1", tmp_path / "t2", equivalent=0.25).pairs
    assert pair.verdict == verdict


@pytest.mark.parametrize(("step", "verdict"), [(20, "undecided"), (None, "slower")])
def test_what_a_coarse_clock_cannot_tell(tmp_path: Path, step: int | None, verdict: str) -> None:
    for seed, value in ((1, 1000), (2, 1020)):
        build = Builder(tmp_path / f"t{seed}", seed=seed)
        build.case("null-64", adapter="null")
        for number in range(3):
            build.pings("null-64", number, np.full(200, value))
        build.finish(cookie=str(seed), hosts={"": {"clock_step_ns": step}})
    comparison = compared(tmp_path / "t1", tmp_path / "t2", equivalent=0.0005)
    headline = comparison.pairs[0].headline
    assert headline is not None and headline.verdict == verdict


def test_three_campaigns_are_two_comparisons_with_the_first(place: Path) -> None:
    comparison = compared(place / "base", place / "again", place / "slow")
    assert [side.name for side in comparison.candidates] == ["again", "slow"]
    by_side = {(p.candidate, p.baseline_case): p.verdict for p in comparison.pairs}
    assert by_side["again", "udp-64-same"] == "equivalent"
    assert by_side["slow", "udp-64-same"] == "slower"
    assert comparison.headline_tests == 4
    assert [(c.worse, c.equivalent) for c in comparison.summary] == [(0, 2), (2, 0)]


def test_a_verdict_needs_to_survive_holm(tmp_path: Path) -> None:
    # Seeds of which chance makes one case of fourteen look changed.
    cases = [{"adapter": "udp", "size": 2**n} for n in range(4, 18)]
    campaign(tmp_path / "a", seed=11, cases=cases, rounds=3, samples=60)
    campaign(tmp_path / "b", seed=33, cases=cases, rounds=3, samples=60)
    comparison = compared(tmp_path / "a", tmp_path / "b", equivalent=1e-6)
    alone = [p for p in comparison.pairs if (h := p.headline) and (h.p_value or 1) <= 0.05]
    assert alone, "no seed of chance: choose another"
    assert set(verdicts(comparison)) == {"undecided"}
    assert "Holm" in (alone[0].headline.reason or "")  # type: ignore[union-attr]
    for pair in comparison.pairs:
        assert pair.headline is not None
        assert (pair.headline.p_adjusted or 0) >= (pair.headline.p_value or 0)


def test_the_floor_is_shown_but_has_no_part_in_verdicts(tmp_path: Path) -> None:
    cases = [{"adapter": "null"}, {"adapter": "udp"}]
    campaign(tmp_path / "a", seed=1, cases=cases)
    campaign(tmp_path / "b", 1.05, seed=2, cases=cases)
    comparison = compared(tmp_path / "a", tmp_path / "b", fail_if=["median.latency > 1"])
    assert [pair.is_floor for pair in comparison.pairs] == [True, False]
    assert comparison.headline_tests == 1
    assert comparison.summary[0].worse == 1
    assert [judged.pair for judged in comparison.criteria] == [1]
    assert "other floor" in [each.kind for each in comparison.warnings]


def test_the_same_results_give_the_same_document(place: Path) -> None:
    first = compared(place / "base", place / "slow").model_dump_json()
    assert compared(place / "base", place / "slow").model_dump_json() == first


STREAM = {"topics": 1, "publishers": 1, "subscribers": 1, "writers": 1, "readers": 1,
          "topology": "one_way"}  # fmt: skip


@pytest.mark.parametrize("confidence", [0.95, 0.8])
@pytest.mark.parametrize(("after", "verdict"), [(1000.0, "undecided"), (600.0, "slower")])
@pytest.mark.parametrize(
    ("test", "params", "name"),
    [
        ("capacity", STREAM, "goodput.throughput"),
        ("service-capacity", {"clients": 1}, "request_rate"),
    ],
)
def test_sustained_rates_are_compared_with_their_own_intervals(
    tmp_path: Path,
    after: float,
    verdict: str,
    confidence: float,
    test: str,
    params: dict[str, Any],
    name: str,
) -> None:
    for seed, rate in ((1, 1000.0), (2, after)):
        build = Builder(tmp_path / f"s{seed}", seed=seed)
        build.case("c", test=test, size=1000, **params)
        found = {"sustained_hz": rate, "bracket_low_hz": rate * 0.9, "confirmed": 2, "senders": 1}
        for number in range(3):
            # A search has nothing of what its trials received, in whatever time.
            build.row("c", number, rate_hz=rate, mbit_per_s=rate * 8e-3, samples_per_s=rate,
                      received=500, bracket_high_hz=rate * 1.1, **found)  # fmt: skip
        criterion = {
            "confirm": 2,
            "confidence": confidence,
            "max_loss": 0.0,
            "max_p99_us": 0.0,
            "keeps_up": 0.98,
        }
        scenario = {"name": "c", "capacity": criterion}
        build.finish(cookie=str(seed), scenario=scenario)
    (pair,) = compared(tmp_path / "s1", tmp_path / "s2").pairs
    headline = pair.headline
    assert headline is not None and headline.change is not None
    assert headline.name == name and headline.verdict == verdict
    # Zou & Donner (2008) on logarithms, of two intervals of 10 %, which a normal
    # distribution makes longer where they are of less confidence.
    width = (
        np.hypot(np.log(1 / 0.9), np.log(1.1)) * norm.ppf(0.975) / norm.ppf(0.5 + confidence / 2)
    )
    assert headline.change.confidence == 0.95
    assert headline.change.value == pytest.approx(after / 1000)
    assert headline.change.low == pytest.approx(after / 1000 * np.exp(-width))
    assert headline.change.high == pytest.approx(after / 1000 * np.exp(width))
