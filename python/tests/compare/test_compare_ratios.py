"""A ratio is the quotient of the two figures beside it, and lies in its interval."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from compare_results import Builder, campaign
from seams import document, shown


def latencies(build: Builder, case: str, factors: Sequence[float], shared: Sequence[float]) -> None:
    """Add a round for each factor of 10 µs; `shared` slows both sides of a pair."""
    rng = np.random.default_rng(len(factors))
    build.case(case, adapter=case, transport="udp")
    for number, factor in enumerate(factors):
        slow = shared[number % len(shared)]
        build.pings(case, number, 10_000 * factor * slow * rng.lognormal(0, 0.1, 60))
        build.rows[-1]["discovery_s"] = 0.01 * factor * slow


def all_agree(*words: object) -> None:
    changes = [
        change for pair in document("compare", *words).pairs for change in pair.changes
        if change.kind == "ratio" and change.change
    ]  # fmt: skip
    assert {"median.latency", "mean.latency", "discovery"} <= {change.name for change in changes}
    for change in changes:
        figure = change.change
        assert figure.value == pytest.approx(change.candidate.value / change.baseline.value)
        if figure.low is not None:
            assert figure.low <= figure.value <= figure.high, change.name


@pytest.mark.parametrize("seed", range(6))
def test_of_rounds_in_turn_and_of_campaigns(tmp_path: Path, seed: int) -> None:
    rng = np.random.default_rng(seed)
    mine, theirs, shared = (rng.uniform(0.4, 3.0, 2 + rng.integers(8)) for _ in range(3))
    whole = Builder(tmp_path / "whole", seed=1)
    for case, factors in (("udp", mine), ("tcp", theirs)):
        latencies(whole, case, factors, shared)
    all_agree(whole.finish(), "--by", "adapter")
    for number, (name, factors) in enumerate((("a", mine), ("b", theirs)), start=2):
        build = Builder(tmp_path / name, seed=number)
        latencies(build, "udp", factors, shared)
        build.finish(cookie=f"{number:016x}")
    all_agree(tmp_path / "a", tmp_path / "b")
    found = shown(tmp_path / "whole")
    medians = {case.id: case.rtt_2.median.value for case in found.cases if case.rtt_2}
    for ranking in found.rankings:
        for versus in (place.to_leader for place in ranking.places if place.to_leader):
            quotient = medians[versus.case] / medians[versus.other]
            assert versus.ratio.value == pytest.approx(quotient) and versus.ratio.value >= 1.0


def test_of_several_campaigns_of_the_baseline(tmp_path: Path) -> None:
    for seed, factor in enumerate((1.0, 1.3, 0.9, 1.1, 1.5), start=1):
        campaign(tmp_path / str(seed), factor, seed=seed, cases=[{"adapter": "udp"}])
    repeats = [word for name in ("2", "3", "4") for word in ("--repeat", tmp_path / name)]
    all_agree(tmp_path / "1", tmp_path / "5", *repeats)
