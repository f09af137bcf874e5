"""The comparison with a document, in words and positions: what its page shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, log

from busmark.analysis.figures import CONFIDENCE
from busmark.analysis.words.ratios import limits_text
from busmark.analysis.words.text import ABSENT, joined, number, plural
from busmark.documents import Repetition
from busmark.documents.claim import Claim, Verdict
from busmark.documents.evidence import Check, Evidence
from busmark.documents.repetition import Answered
from busmark.documents.table import Table
from busmark.stats import Estimate

WIDTH = 220
"""Width of a drawn interval, in units of its drawing."""

LEAST_SPAN = 1.5
"""An axis reaches this factor to both sides of 1 at least, so that nothing looks far off that is
near."""

MOST_SPAN = 20.0
"""And this at most; what lies beyond is drawn at the edge, and told in figures."""

SHOWN = 8
"""Pairs of a check that are shown at once; more are behind a click."""

FEW = 2
"""Checks of a statement; of more than these all pairs are behind a click."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Positions along an axis of logarithms, 0 to `WIDTH`. Without interval low = high = value."""

    value: float
    low: float
    high: float
    one: float
    claim_low: float
    claim_high: float
    cut: bool
    """Whether something lies beyond the axis."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A number on the axis of a statement."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Row:
    """A ratio in words, and drawn."""

    name: str
    ratio: str
    rounds: str
    drawn: Drawn


@dataclass(frozen=True, slots=True)
class Line:
    """A check: its verdict, the ratio that decided it, and the pairs behind that."""

    name: str
    claim: str
    verdict: Verdict
    reason: str
    row: Row | None
    pairs: list[Row]
    confidence: str
    """Confidence of its intervals, if it differs from all others'; else empty."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A statement with its lines."""

    where: str
    found: str
    untold: str
    verdict: str
    lines: list[Line]
    ticks: list[Tick]
    shown: int
    """Pairs of each line that are shown at once."""


def entries(repetition: Repetition) -> list[Entry]:
    """Every statement, in the order of the document."""
    return [_entry(answer) for answer in repetition.answers]


def groups(tables: Sequence[Table]) -> dict[str, list[Table]]:
    """Tables by what they have in common, in their order."""
    found: dict[str, list[Table]] = {}
    for table in tables:
        found.setdefault(table.group, []).append(table)
    return found


def _entry(answer: Answered) -> Entry:
    span = _span([found for _, found in answer.lines])
    lines = [_line(check, found, span) for check, found in answer.lines]
    statement = answer.statement
    return Entry(
        where=statement.where,
        found=statement.found,
        untold=statement.untold,
        verdict=together(answer.verdicts),
        lines=lines,
        ticks=_ticks(span) if any(line.row for line in lines) else [],
        shown=SHOWN if len(lines) <= FEW else 0,
    )


def together(verdicts: Sequence[Verdict]) -> str:
    """One verdict of several checks: "agrees in 2 of 3" where they differ."""
    first = verdicts[0]
    if all(verdict == first for verdict in verdicts):
        return first
    told: list[Verdict] = [v for v in ("agrees", "disagrees") if v in verdicts]
    parts = [f"{v} in {verdicts.count(v)}" for v in told]
    return f"{joined(parts)} of {len(verdicts)}"


def _span(found: Sequence[Evidence]) -> float:
    """How far the axis of a statement reaches from 1, as a factor."""
    ratios = [e.ratio for e in found if e.ratio]
    ratios += [ratio for e in found for _, ratio in e.ratios]
    ends = [v for r in ratios for v in (r.value, r.low, r.high) if v]
    farthest = max((max(v, 1 / v) for v in ends), default=1.0)
    return min(max(farthest * 1.1, LEAST_SPAN), MOST_SPAN)


def _line(check: Check, found: Evidence, span: float) -> Line:
    row = None
    if found.ratio is not None:
        of = "" if len(found.pairs) < 2 else f"{len(found.pairs)} pairs together"
        row = _row(of, found.ratio, check.claim, span)
    pairs = [_row(pair.name, ratio, check.claim, span) for pair, ratio in found.ratios]
    if len(pairs) == 1 and row is not None:
        row, pairs = pairs[0], []
    confidence = "" if found.confidence == CONFIDENCE else f"{100 * found.confidence:.3g} %"
    return Line(check.name, check.claim.text, found.verdict, found.reason, row, pairs, confidence)


def _row(name: str, ratio: Estimate, claim: Claim, span: float) -> Row:
    return Row(name, ratio_text(ratio), plural(ratio.rounds, "round"), _drawn(ratio, claim, span))


def _ticks(span: float) -> list[Tick]:
    """Round numbers along an axis, 1 among them, as many as have room."""
    for candidates in ((0.1, 1.0, 10.0), (0.25, 1.0, 4.0), (0.5, 1.0, 2.0), (0.8, 1.0, 1.25)):
        inside = [value for value in candidates if 1 / span <= value <= span]
        if len(inside) == len(candidates):
            break
    return [Tick(_place(value, span), f"{value:g}") for value in inside]


def _place(value: float, span: float) -> float:
    """Where a positive ratio stands on an axis that reaches from 1 / `span` to `span`."""
    place = (log(value) / log(span) + 1) / 2 * WIDTH
    return round(min(max(place, 0.0), WIDTH), 1)


def ratio_text(ratio: Estimate) -> str:
    """Such as "1.42 [1.30, 1.55]"."""
    if ratio.low is None or ratio.high is None:
        return f"{number(ratio.value)} [{ABSENT}]"
    return f"{number(ratio.value)} {limits_text(ratio.value, ratio.low, ratio.high)}"


def _drawn(ratio: Estimate, claim: Claim, span: float) -> Drawn:
    def at(value: float) -> float:
        if value <= 0.0 or value == inf:
            return 0.0 if value <= 0.0 else float(WIDTH)
        return _place(value, span)

    low = ratio.value if ratio.low is None else ratio.low
    high = ratio.value if ratio.high is None else ratio.high
    cut = low < 1 / span or high > span
    return Drawn(at(ratio.value), at(low), at(high), at(1.0), at(claim.low), at(claim.high), cut)
