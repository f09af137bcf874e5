"""docs/reference/coverage.md: how often intervals hold what is true, as `tools/truth.py` found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.pages import markdown as md
from tools.simulate.coverage import FIGURES, RECOMMENDED, SETTINGS, Coverage
from tools.simulate.laws import LAWS
from tools.simulate.power import METHODS, NOISES, ROUNDS, SAMPLES, SLOWDOWNS, Power

from busmark.stats import Estimate

RECORD = Path(__file__).resolve().parents[2] / "docs" / "reference" / "coverage.json"


FEW = 50
"""Campaigns below which a share says little: they are counted."""

INTRODUCTION = """{campaigns:,} simulated campaigns of each kind with known answers, seed {seed}. An
entry is a share in per cent, with its own 95 % interval (Clopper & Pearson 1934). Samples are drawn
anew in every campaign, by `tools/simulate/laws.py`."""

COVERAGE = """Recommended are {} rounds of {:,} samples. *Median* and *p99* are means over rounds
with the interval of two levels; what is true of them is the figure of a typical round. *Pooled*
percentiles are of all samples together, and so is what is true of them. A dash: too few samples for
an interval in all campaigns."""

NOTES = """The interval of two levels is meant for rounds that are drawn independently from one
law. Its length is the longer of what the rounds' figures imply and what the variation inside the
rounds implies alone; where the two are alike, as for the 99th percentile of a heavy tail or where
rounds do not differ at all, it covers 97 to 99 %. A drift over the campaign counts as variation, so
the interval is too wide for the campaign's mean. Where each round is like the one before it the
interval is too narrow for the long run's mean, and nothing in one campaign tells: compare
interleaved rounds in pairs instead, or run the campaign on another day. Skewed rounds make it too
narrow at its upper end.

A pooled percentile has no interval where rounds differ too much for one or the samples do not reach
far enough; what is covered is a share of the others. Where nearly all campaigns had none, the few
that had one were misled by rounds that happened to be alike."""

POWER = """How often the 95 % interval of the ratio of two medians excluded 1, by how much slower
one side really was. The column 0 % is false alarms: 5 is what the interval says. Rounds of
{samples:,} log-normal samples. `ratio` takes the two sides as independent, `paired_ratio` compares
neighbouring rounds. A comparison of many cases adjusts for their number besides (Holm 1979), which
costs power."""


def page() -> str:
    """The page, from the record."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    covered = [Coverage(**row) for row in record["coverage"]]
    told = [Power(**row) for row in record["power"]]
    return "\n".join([
        md.head("Coverage and power", "`coverage.json`, which `tools/truth.py` writes"),
        md.paragraph(INTRODUCTION.format(**record)),
        "## Coverage of the 95 % interval\n",
        _coverage(covered),
        "## False alarms and power of a ratio\n",
        _power(told),
    ])  # fmt: skip


def _coverage(rows: Sequence[Coverage]) -> str:
    parts = [
        md.paragraph(COVERAGE.format(*RECOMMENDED)),
        md.table(["law", "of a sample", "of a round"], [
            (law.name, _words(law.samples), _words(law.rounds)) for law in LAWS
        ]),
    ]  # fmt: skip
    for rounds, samples in SETTINGS:
        here = {(r.law, r.figure): r for r in rows if (r.rounds, r.samples) == (rounds, samples)}
        parts.append(f"### {rounds} rounds of {samples:,} samples\n")
        cells = [[law.name, *(_cell(here.get((law.name, f))) for f in FIGURES)] for law in LAWS]
        parts.append(md.table(["law", *FIGURES], cells))
    parts += [md.paragraph(note) for note in NOTES.split("\n\n")]
    return "\n".join(parts)


def _power(rows: Sequence[Power]) -> str:
    parts = [
        md.paragraph(POWER.format(samples=SAMPLES)),
    ]
    for noise in NOISES:
        parts.append(f"### {noise.name[0].upper()}{noise.name[1:]}\n")
        here = {(r.rounds, r.method, r.slowdown): r for r in rows if r.noise == noise.name}
        lines = [
            [
                str(rounds),
                md.code(method),
                *(_share(here[rounds, method, s].share) for s in SLOWDOWNS),
            ]
            for rounds in ROUNDS
            for method in METHODS
        ]
        parts.append(md.table(["rounds", "by", *(f"{s:.0%}" for s in SLOWDOWNS)], lines))
    return "\n".join(parts)


def _cell(row: Coverage | None) -> str:
    if row is None:
        return "–"
    missing = f"; none in {row.without}" if row.without else ""
    if row.campaigns < FEW:
        return f"{row.covered} of {row.campaigns}{missing}"
    return _share(row.share) + missing


def _share(estimate: Estimate) -> str:
    assert estimate.low is not None and estimate.high is not None
    limits = f"{100 * estimate.low:.1f}–{100 * estimate.high:.1f}"
    return f"{100 * estimate.value:.1f} ({limits})"


def _words(function: Any) -> str:
    return " ".join((function.__doc__ or "").split())
