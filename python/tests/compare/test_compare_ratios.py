"""A ratio is the quotient of the two figures beside it, and lies in its interval."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import numpy as np
from busmark.compare.campaign import summarise
from compare_results import Builder, campaign, compared
from hypothesis import given, settings
from hypothesis import strategies as st

from busmark.compare import Comparison
from busmark.compare.model import Change
from busmark.present import figures
from busmark.present.blocks.changes import change_cell, value_cell
from busmark.store import Result

FACTORS = st.lists(st.floats(0.4, 3.0), min_size=2, max_size=9)
"""Medians of rounds, over 10 µs."""


def latencies(build: Builder, case: str, factors: list[float], shared: list[float]) -> None:
    """A round for each factor; what is shared slows both sides of a pair."""
    rng = np.random.default_rng(len(factors))
    build.case(case, adapter=case, transport="udp")
    for number, factor in enumerate(factors):
        slow = shared[number % len(shared)]
        build.pings(case, number, 10_000 * factor * slow * rng.lognormal(0, 0.1, 60))
        build.rows[-1]["discovery_s"] = 0.01 * factor * slow


def number(text: str) -> tuple[float, float]:
    """The first number of a text, and half of its last digit."""
    found = re.search(r"\d[\d ]*(\.\d+)?", text.replace("\u202f", " ").replace("\xa0", " "))
    assert found is not None, text
    digits = found[0].replace(" ", "")
    return float(digits), 0.5 * 10.0 ** -len(digits.partition(".")[2])


def agrees(change: Change) -> bool:
    """Whether ratio, interval and both figures agree, as numbers and as they are printed."""
    figure, before, after = change.change, change.baseline, change.candidate
    assert figure is not None and before is not None and after is not None
    assert np.isclose(figure.value, after.value / before.value, rtol=1e-9), change.name
    if figure.low is not None and figure.high is not None:
        assert figure.low <= figure.value <= figure.high, change.name
    shown = figures.ratio_text(change_cell(change))
    (ratio, of_ratio) = number(shown.removeprefix("1/"))
    if shown.startswith("1/"):
        ratio, of_ratio = 1 / ratio, 1 / (ratio - of_ratio) - 1 / ratio
    parts = []
    for side in (after, before):
        text = value_cell(side).text
        scale = {"µs": 1e3, "ms": 1e6, "s": 1e9}.get(text.rpartition(" ")[2], 1.0)
        value, half = number(text)
        parts.append((scale * (value - half), scale * (value + half)))
    least, most = parts[0][0] / parts[1][1], parts[0][1] / max(parts[1][0], 1e-9)
    return least - of_ratio <= ratio * (1 + 1e-9) and ratio * (1 - 1e-9) <= most + of_ratio


def all_agree(comparison: Comparison) -> bool:
    ratios = [
        c for pair in comparison.pairs for c in pair.changes if c.kind == "ratio" and c.change
    ]
    assert {"median.latency", "mean.latency", "discovery"} <= {change.name for change in ratios}
    return all(agrees(change) for change in ratios)


@settings(max_examples=15)
@given(mine=FACTORS, theirs=FACTORS, shared=FACTORS)
def test_of_rounds_in_turn_and_of_campaigns(
    mine: list[float], theirs: list[float], shared: list[float]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        whole = Builder(Path(folder) / "whole", seed=1)
        for case, factors in (("udp", mine), ("tcp", theirs)):
            latencies(whole, case, factors, shared)
        whole.finish()
        assert all_agree(compared(whole.directory, by=["adapter"]))
        for seed, (name, factors) in enumerate((("a", mine), ("b", theirs)), start=2):
            build = Builder(Path(folder) / name, seed=seed)
            latencies(build, "udp", factors, shared)
            build.finish(cookie=f"{seed:016x}")
        assert all_agree(compared(Path(folder) / "a", Path(folder) / "b"))
        _answer_agrees(whole.directory)


def _answer_agrees(place: Path) -> None:
    """The ratios by which a campaign says who is faster: of the slower over the faster."""
    found = summarise(Result(place))
    medians = {case.id: case.rtt_2.median.value for case in found.cases if case.rtt_2}
    for standing in found.standings:
        for versus in (p.to_leader for p in standing.places if p.to_leader):
            assert versus.ratio is not None and versus.ratio.value >= 1.0
            quotient = medians[versus.case] / medians[versus.other]
            assert np.isclose(versus.ratio.value, quotient, rtol=1e-9)
            assert (versus.ratio.low or 0.0) <= quotient <= (versus.ratio.high or np.inf)


def test_of_several_campaigns_of_the_baseline(tmp_path: Path) -> None:
    from busmark.compare import compare, select
    from busmark.compare.sides import load

    for seed, factor in enumerate((1.0, 1.3, 0.9, 1.1, 1.5), start=1):
        campaign(tmp_path / str(seed), factor, seed=seed, cases=[{"adapter": "udp"}])
    sides = select([str(tmp_path / "1"), str(tmp_path / "5")], [], None)
    repeats = [load(str(tmp_path / name)) for name in ("2", "3", "4")]
    assert all_agree(compare(sides, repeats=repeats))
