"""What page and terminal say of a campaign is what `busmark compare` says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compare_results import Builder, compared
from seams import shown

ADAPTERS = {"cyclonedds": 10.0, "fastdds": 10.6, "zenoh": 13.0, "udp": 6.0}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write differences of which some hold over all workloads and some do not."""
    rng = np.random.default_rng(11)
    build = Builder(tmp_path_factory.mktemp("ranking") / "result")
    for size in (64, 256, 1024, 4096):
        for adapter, micros in ADAPTERS.items():
            for reliability, factor in (("best_effort", 1.0), ("reliable", 1.06)):
                case = build.case(f"{adapter}-{size}-{reliability}", adapter=adapter, size=size,
                                  qos={"reliability": reliability})  # fmt: skip
                for number in range(5):
                    median = 2000 * micros * factor * rng.normal(1, 0.03)
                    build.pings(case, number, rng.normal(median, median / 50, 400))
    return build.finish()


@pytest.fixture(scope="module")
def campaign(place: Path) -> Any:
    return shown(place)


def same(versus: Any, place: Path, by: str, baseline: str) -> bool:
    """Return whether a comparison has this pair; its ratio and verdict must be the same."""
    for pair in compared(place, by=by.split(","), baseline=baseline).pairs:
        if (pair.candidate_case, pair.baseline_case) == (versus.case, versus.other):
            headline = pair.headline
            assert headline is not None and headline.change is not None and versus.ratio is not None
            assert headline.verdict == versus.verdict
            assert headline.p_adjusted == pytest.approx(versus.p_adjusted, rel=0.02)
            for of in ("value", "low", "high"):
                ours, theirs = getattr(versus.ratio, of), getattr(headline.change, of)
                assert theirs == pytest.approx(ours, rel=1e-4), of
            return True
    return False


def test_who_is_fastest_has_the_verdicts_of_a_comparison_by_adapter(
    place: Path, campaign: Any
) -> None:
    lines = [p.to_leader for s in campaign.rankings for p in s.places if p.to_leader]
    leaders = {versus.other for versus in lines}
    assert leaders and all("cyclonedds" in leader for leader in leaders)
    found = [
        versus for versus in lines
        if same(versus, place, "adapter,qos.reliability", _side(versus.other))
    ]  # fmt: skip
    assert len(found) == len(lines)
    assert {"slower", "undecided"} <= {versus.verdict for versus in lines}


def _side(case: str) -> str:
    adapter, _, reliability = case.split("-")
    return f"adapter={adapter},qos.reliability={reliability}"


def test_costs_are_those_of_a_comparison_by_the_parameter(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    build = Builder(tmp_path / "result")
    for size in (64, 256, 1024):
        for reliability, factor in (("best_effort", 1.0), ("reliable", 1.06)):
            case = build.case(f"{size}-{reliability}", adapter="cyclonedds", size=size,
                              qos={"reliability": reliability})  # fmt: skip
            for number in range(5):
                median = 20_000 * factor * rng.normal(1, 0.02)
                build.pings(case, number, rng.normal(median, median / 50, 400))
    place = build.finish()
    effects = shown(place).effects
    assert len(effects) == 3
    for effect in effects:
        assert same(effect.versus, place, "qos.reliability", "best_effort")
