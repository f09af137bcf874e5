"""Campaigns that were run apart, and what their session makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from compare_results import HOST, campaign, compared

from busmark.compare import Criterion, Gate, compare, further, select
from busmark.errors import UserError


def test_sessions_of_the_baseline_are_in_the_interval(tmp_path: Path) -> None:
    """Campaigns of the same, a tenth apart: one baseline tells a change, four do not."""
    factors = {"b1": 1.0, "b2": 1.12, "b3": 0.93, "b4": 1.06, "new": 1.1}
    for seed, (name, factor) in enumerate(factors.items(), start=1):
        campaign(tmp_path / name, factor, seed=seed)
    sides = select([str(tmp_path / "b1"), str(tmp_path / "new")], [], None)
    gate = Gate([Criterion.parse("median.latency > 1.05")])
    alone = compare(sides, gate=gate)
    assert alone.failed and alone.sessions == 1
    repeats = further([str(tmp_path / name) for name in ("b2", "b3", "b4")], sides)
    known = compare(sides, gate=gate, repeats=repeats)
    assert known.sessions == 4 and not known.failed
    for pair in known.pairs:
        headline = pair.headline
        assert headline is not None and headline.change is not None
        assert headline.verdict == "undecided"
        assert headline.change.low is not None and headline.change.low < 1.0


def test_a_repeat_is_another_campaign(place: Path) -> None:
    sides = select([str(place / "base"), str(place / "slow")], [], None)
    with pytest.raises(UserError, match="compared already"):
        further([str(place / "base")], sides)
    one = select([str(place / "base")], ["adapter"], None)
    with pytest.raises(UserError, match="interleaved"):
        further([str(place / "again")], one)


@pytest.mark.parametrize(
    ("fact", "before", "after"),
    [
        ("rmem_default", 212_992, 9_999_999), ("rmem_max", 212_992, 1), ("wmem_default", 1, 2),
        ("wmem_max", 1, 2), ("netdev_max_backlog", 1000, 2000), ("tcp_rmem", [1, 2, 3], [1, 2, 4]),
        ("tcp_wmem", [1, 2, 3], [1, 2, 4]), ("isolated_cpus", [], [1]),
        ("transparent_hugepage", "always", "never"), ("governors", {"0": "powersave"}, {"0": "x"}),
        ("load_average", [0.1, 0.2, 0.1], [7.0, 0.2, 0.1]), ("kernel", "6.1", "6.2"),
        ("memlock_bytes", 65_536, "unlimited"), ("rtprio", 0, 99),
    ],
)  # fmt: skip
def test_every_setting_that_decides_results_is_compared(
    tmp_path: Path, fact: str, before: object, after: object
) -> None:
    for seed, (name, value) in enumerate((("base", before), ("new", after)), start=1):
        campaign(
            tmp_path / name, seed=seed, rounds=2, samples=200, hosts={"": {**HOST, fact: value}}
        )
    found = compared(tmp_path / "base", tmp_path / "new")
    assert [d.fact for d in found.differences] == [fact.replace("_", " ")]
    assert found.differences[0].warning


def test_a_load_that_is_about_the_same_is_not_reported(tmp_path: Path) -> None:
    for seed, load in enumerate((0.1, 0.4), start=1):
        host = {**HOST, "load_average": [load, 0.2, 0.1]}
        campaign(tmp_path / str(seed), seed=seed, rounds=2, samples=200, hosts={"": host})
    assert compared(tmp_path / "1", tmp_path / "2").differences == []
