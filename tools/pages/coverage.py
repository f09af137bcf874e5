"""docs/reference/coverage.md: how often intervals hold what is true, as `tools/truth.py` found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tools.pages import markdown as md
from tools.simulate.added import ADDED_TO, FIXED_S, SAMPLES_PER_S, STATED_S, WAYS, Added
from tools.simulate.coverage import FIGURES, RECOMMENDED, SETTINGS, Coverage
from tools.simulate.gates import CRITERION, SOURCES, WORSE, Gated, recorded
from tools.simulate.gates import ROUNDS as GATE_ROUNDS
from tools.simulate.gates import SAMPLES as GATE_SAMPLES
from tools.simulate.histories import (
    FIRST_CHECK,
    PLANTED_AT,
    RESULTS,
    SERIES,
    SOON,
    STEPS,
    VARYING,
    Watched,
)
from tools.simulate.laws import LAWS
from tools.simulate.power import METHODS, NOISES, ROUNDS, SAMPLES, SLOWDOWNS, Power

from busmark.compare.verdict import EQUIVALENT
from busmark.model.text import joined
from busmark.stats import FEW as FEW_ROUNDS
from busmark.stats import Estimate, share_interval
from busmark.stats.precision import early
from busmark.track.steps import CONFIRMATIONS, LEVEL

RECORD = Path(__file__).resolve().parents[2] / "docs" / "reference" / "coverage.json"


FEW = 50
"""Campaigns below which a share says little: they are counted."""

INTRODUCTION = """{campaigns:,} simulated campaigns of each kind with known answers, seed {seed}. An
entry is a share in per cent, with its own 95 % interval (Clopper & Pearson 1934). Samples are drawn
anew in every campaign, by `tools/simulate/laws.py`."""

COVERAGE = """Recommended are {} rounds of {:,} samples. *Median* and *p99* are of a typical round:
the median over rounds of the round's figure, with the interval of two levels; what is true is the
median over very many rounds of as many samples. *Pooled* percentiles are of all samples together,
and so is what is true of them. A dash: too few samples for an interval in all campaigns."""

NOTES = """The interval of a typical round comes from order statistics, for rounds that are drawn
independently from one law, whatever that is: also where one in ten or one in twenty is far slower.
It is longer than the variation inside the rounds implies, and longer still where successive rounds
seem to be alike; so it covers a little more than 95 % of most laws, and 98 to 100 % where rounds do
not differ at all. A drift over the campaign counts as variation, so the interval is too wide for
the campaign's middle. Where rounds are autocorrelated, ten rounds cover about 90 %; five
and three rounds are too few to detect it, and the interval is too narrow: the finding
`dependent-rounds` may speak from five rounds on.

A pooled percentile has no interval where rounds differ too much for one or the samples do not reach
far enough; what is covered is a share of the others. Where nearly all campaigns had none, the few
that had one were misled by rounds that happened to be alike. Where bad rounds are occasional their
share of all samples is not known from ten rounds, and neither is any percentile of all samples: the
interval then holds for rounds like those that were run. Quote the typical round."""

ADDED = """Rounds added, from the fifth on, until the half-width of the interval of the median is
at most this part of it; {campaigns:,} campaigns for each entry. A round has {rate:,} samples a
second and takes {fixed:g} s besides. *Stated*: each measures for {stated:g} s. *Chosen*: as long as
`measure.duration_s = "auto"` chooses, so lengths differ within a campaign. What is true is the
median of a typical round of {stated:g} s."""

ADDED_NOTE = """Who stops when an interval is narrow stops where rounds happened to be alike, and
the interval then covers less than with a number of rounds that was fixed beforehand. So with fewer
than {few} rounds it has to be {early:g} times as wide as is asked for, with stated and with chosen
lengths. Each round has one vote, however long it is: the count of rounds below the true median is
binomial also where the rounds vary by different amounts about it, so unequal lengths by themselves
take nothing from the coverage. In the campaigns of all these laws together the intervals held what
is true in {stated} with stated lengths, in {chosen} with chosen ones."""

HISTORIES = """What `busmark history check` finds, in {histories:,} simulated histories for each
row (seed {seed}): {series} series of {results} results, with a check after each from the {first}th
on, and from result {planted} on a step to the worse in one of the series. Results differ from run
to run by the share in the first column (standard deviation), half of the variance common to all
series, as a machine does it. *False alarms*: histories, of {checks} checks each, in which any
check failed for a regression where there was none, and the share of all checks. *Unconfirmed*:
checks that listed such a one as unconfirmed, which fails nothing. *Misplaced*: histories in which
the planted step was found more than a few results from where it was. *Found*: the step, within
{soon} results and at all, that is within {after}. *Delay*: results with the step until it was
confirmed, median and 90 % of those found. *Covered*: its 95 % interval held the step. All with the
defaults: a significance of {level:.0%} over all series, worse by more than {margin:.0%}, confirmed
by {confirmations} results in a row. In brackets the 95 % interval of a share."""

HISTORIES_NOTE = """A check follows every commit, so a history has more false alarms than a check.
Two bad results among three look like a step, which no test of three results can tell; one or two
results later it is gone. So a regression fails the check once it was found after {confirmations}
results in a row, which costs {later} results of delay. A step of just the margin is taken for a
regression where it happens to look larger, which is half of the time: for steps of 2 % take
`--worse-than 1%`. If neighbours are alike, a step can only late be distinguished from what the
machine does; a slow drift or a random walk cannot be distinguished from steps at all. An interval
is looked at when a step is first confirmed, which is when it looks large, so it covers a little
less than 95 %."""

POWER = """How often the 95 % interval of the ratio of two medians excluded 1, by how much slower
one side really was. The column 0 % is false alarms: 5 is what the interval says. Rounds of
{samples:,} log-normal samples, {pairs:,} pairs of campaigns for each entry. `ratio` takes the two
sides as independent, `paired_ratio` compares neighbouring rounds. A comparison of many cases
adjusts for their number besides (Holm 1979), which costs power."""


GATES = """How often `busmark ab` fails a candidate by `--fail-if '{criterion}'`, of {campaigns:,}
campaigns for each entry: first by the share of samples beyond the limit alone, then by the share or
by the rounds that are beyond, each compared with the baseline's round beside it, which is what
`busmark ab` does. *{limit}*: the candidate has {factor:g} times the latencies of the baseline, so
failures are false alarms; each of both tests is meant to have 2.5 at most, so both together 5.
*Recorded* are pairs of rounds of two equal sides with UDP sockets, {recorded}; in each campaign
pairs are drawn from them, and which round of a pair is the baseline's. In the others, samples are
log-normal, {samples:,} of each round."""

GATES_NOTE = """Rounds find more than the share where a machine's load is common to both rounds of a
pair, and where there are many rounds; they add few false alarms. Six rounds are the fewest that can
fail by rounds (twice one half to the sixth power is 3.1 %), and then every round has to be beyond.
In the recording of busy CPUs the 99th percentiles of rounds differ by a factor of a hundred on
either side by itself; there neither test finds a factor of 1.5."""


def page() -> str:
    """Return the page as Markdown, from the record."""
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    covered = [Coverage(**row) for row in record["coverage"]]
    lines = [Power(**row) for row in record["power"]]
    return "\n".join(
        [
            md.head("Coverage and power", "`coverage.json`, which `tools/truth.py` writes"),
            md.paragraph(INTRODUCTION.format(**record)),
            "## Coverage of the 95 % interval\n",
            _coverage(covered),
            "## Rounds added until an interval is narrow\n",
            _added([Added(**row) for row in record["added"]]),
            "## False alarms and power of a ratio\n",
            _power(lines),
            "## Failures of a gate on a percentile\n",
            _gates([Gated(**row) for row in record["gate"]]),
            "## Steps in a history\n",
            _histories([Watched(**row) for row in record["histories"]], record["seed"]),
        ]
    )


def _coverage(rows: Sequence[Coverage]) -> str:
    parts = [
        md.paragraph(COVERAGE.format(*RECOMMENDED)),
        md.table(
            ["law", "samples", "rounds"],
            [(law.name, _words(law.samples), _words(law.rounds)) for law in LAWS],
        ),
    ]
    for rounds, samples in SETTINGS:
        here = {(r.law, r.figure): r for r in rows if (r.rounds, r.samples) == (rounds, samples)}
        parts.append(f"### {rounds} rounds of {samples:,} samples\n")
        cells = [[law.name, *(_cell(here.get((law.name, f))) for f in FIGURES)] for law in LAWS]
        parts.append(md.table(["law", *FIGURES], cells))
    parts += [md.paragraph(note) for note in NOTES.split("\n\n")]
    return "\n".join(parts)


def _added(rows: Sequence[Added]) -> str:
    here = {(row.law, row.way): row for row in rows}
    heads = [
        "law",
        "until",
        *(f"{what}, {way}" for what in ("covered", "rounds", "time, s") for way in WAYS),
    ]
    lines = []
    for law in ADDED_TO:
        own = [here[law.name, way] for way in WAYS]
        lines.append(
            [
                law.name,
                f"± {own[0].target:.0%}".replace("%", " %"),
                *(_share(r.share) for r in own),
                *(f"{r.rounds:.1f}" for r in own),
                *(f"{r.seconds:.1f}" for r in own),
            ]
        )
    text = ADDED.format(
        campaigns=min(row.campaigns for row in rows),
        rate=SAMPLES_PER_S,
        fixed=FIXED_S,
        stated=STATED_S,
    )
    note = ADDED_NOTE.format(
        few=FEW_ROUNDS,
        early=early(FEW_ROUNDS - 1),
        **{way: f"{100.0 * _together(rows, way):.1f} %" for way in WAYS},
    )
    return "\n".join([md.paragraph(text), md.table(heads, lines), md.paragraph(note)])


def _together(rows: Sequence[Added], way: str) -> float:
    """Return the share of campaigns that were covered, over all laws."""
    own = [row for row in rows if row.way == way]
    return sum(row.covered for row in own) / sum(row.campaigns for row in own)


def _histories(rows: Sequence[Watched], seed: int) -> str:
    here = {(row.varying, row.step): row for row in rows}
    heads = [
        "differ by",
        "step",
        "false alarms, of histories",
        "of checks",
        "unconfirmed",
        "misplaced",
        f"found within {SOON}",
        "found",
        "delay, median",
        "90 %",
        "covered",
    ]
    lines = []
    for varying in VARYING:
        for step in STEPS:
            row = here[varying.name, step]
            found = [
                _share(share_interval(row.false_histories, row.histories)),
                f"{100 * row.false_checks / row.checks:.2f}",
                f"{100 * row.unconfirmed / row.checks:.2f}",
            ]
            notes = [
                _share(share_interval(row.misplaced, row.histories)),
                _share(share_interval(row.soon, row.histories)),
                _share(share_interval(row.found, row.histories)),
                *("–" if d is None else f"{d:g}" for d in (row.delay, row.delay_90)),
                f"{row.covered} of {row.found}",
            ]
            lines.append(
                [
                    varying.name,
                    f"{step:.0%}".replace("%", " %"),
                    *found,
                    *(notes if step else ["–"] * 6),
                ]
            )
    checks = RESULTS - FIRST_CHECK + 1
    text = HISTORIES.format(
        histories=min(row.histories for row in rows),
        series=SERIES,
        results=RESULTS,
        first=FIRST_CHECK,
        planted=PLANTED_AT + 1,
        checks=checks,
        soon=SOON,
        after=RESULTS - PLANTED_AT,
        level=LEVEL,
        margin=EQUIVALENT,
        seed=seed,
        confirmations=CONFIRMATIONS,
    )
    note = HISTORIES_NOTE.format(confirmations=CONFIRMATIONS, later=CONFIRMATIONS - 1)
    return "\n".join([md.paragraph(text), md.table(heads, lines), md.paragraph(note)])


def _power(rows: Sequence[Power]) -> str:
    parts = [
        md.paragraph(POWER.format(samples=SAMPLES, pairs=min(row.campaigns for row in rows))),
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


def _gates(rows: Sequence[Gated]) -> str:
    here = {(row.source, row.rounds, row.worse): row for row in rows}
    lines = []
    for source in SOURCES:
        for rounds in GATE_ROUNDS:
            for number, by in enumerate(("share", "both")):
                of = [here[source.name, rounds, worse.name].shares[number] for worse in WORSE]
                lines.append([source.name, str(rounds), by, *map(_share, of)])
    text = GATES.format(
        criterion=CRITERION.text,
        campaigns=min(row.campaigns for row in rows),
        limit=WORSE[0].name.capitalize(),
        factor=WORSE[0].factor,
        recorded=joined(
            [f"{len(of)} of {of.shape[2]:,} samples ({name})" for name, of in recorded().items()]
        ),
        samples=GATE_SAMPLES,
    )
    heads = ["rounds differ", "rounds", "by", *(worse.name for worse in WORSE)]
    return "\n".join([md.paragraph(text), md.table(heads, lines), md.paragraph(GATES_NOTE)])


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
    return md.without(" ".join((function.__doc__ or "").split()), "Draw ", "Vary rounds ")
