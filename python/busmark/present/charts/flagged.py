"""Findings on what a chart shows, for sinks without links: letters behind the names of what they
concern, and a line that explains the letters.

A chart has the findings on its own cases, as far as they are of the figures that it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from busmark.compare.campaign import Campaign
from busmark.findings.registry import SIGNS, FindingKind, Flag, Flags, by_case, kinds, marks
from busmark.findings.rule import SEVERITIES
from busmark.model.case import CaseSummary
from busmark.model.naming import Label
from busmark.present.charts.shapes import (
    Bars,
    Boxes,
    DrawnCurve,
    Heat,
    HeatField,
    Picture,
    Shape,
    one_line,
)

LONGEST = 50
"""Characters of a name in the legend of one column of a paper, with its letters."""

LETTERS = 7
"""Characters of letters in a field of a heat map; the line below has all of them."""

SEVERE = {severity: f"{sign} {severity}" for severity, sign in SIGNS.items() if sign}


def examined(campaign: Campaign) -> int:
    """Return how many cases could be run."""
    return sum(case.status != "unsupported" for case in campaign.cases)


def concerning(
    figures: Sequence[str], members: Iterable[CaseSummary], found: Mapping[str, Flags]
) -> dict[str, list[Flag]]:
    """Return flags on these cases, by case, that are of one of `figures` or of the case as a whole;
    all flags where `figures` is empty, which stands for everything."""
    own = {
        case.id: [
            flag
            for flag in found[case.id].flags
            if not (flag.concerns and figures) or set(flag.concerns) & {*figures}
        ]
        for case in members
        if case.id in found
    }
    return {case: flags for case, flags in own.items() if flags}


def of_kinds(flags: Iterable[Flag]) -> list[FindingKind]:
    """Return their kinds, each once, in the order of the letters."""
    seen = {flag.kind.letter: flag.kind for flag in flags}
    return sorted(seen.values(), key=lambda kind: (len(kind.letter), kind.letter))


class Findings:
    """Findings of a campaign, for its charts."""

    def __init__(self, campaign: Campaign) -> None:
        self._found = by_case(kinds(campaign.findings))
        self._examined = examined(campaign)

    def on(self, figures: Sequence[str], drawn: Shape) -> tuple[Shape, str]:
        """Return a shape with its letters, and the line that explains them; empty without any.
        `figures`: what it shows of its cases; see `ChartKind`."""
        own = concerning(figures, drawn.members, self._found)
        return _marked(drawn, own), self._explained(own)

    def _explained(self, own: Mapping[str, Sequence[Flag]]) -> str:
        """Return "Findings (! warning): !a: Latency has two modes, in 2 of 6 cases."."""
        found = of_kinds(flag for flags in own.values() for flag in flags)
        if not found:
            return ""
        severities = {kind.severity for kind in found} | {
            flag.severity for flags in own.values() for flag in flags
        }
        signs = ", ".join(sign for each, sign in SEVERE.items() if each in severities)
        counts = "; ".join(f"{kind.mark}: {kind.counted(self._examined)}" for kind in found)
        return f"Findings{f' ({signs})' if signs else ''}: {counts}."


def _joined(flags: Iterable[Flag]) -> str:
    """Return "!!a,!cd,f": in one piece, wherever lines are wrapped."""
    return marks(flags).replace(" ", ",")


def _worst(flags: Iterable[Flag]) -> Iterator[Flag]:
    """Yield each kind once, as severe as in any of the cases, in the order of the letters."""
    once: dict[str, Flag] = {}
    for flag in sorted(flags, key=lambda flag: SEVERITIES.index(flag.severity)):
        once.setdefault(flag.kind.letter, flag)
    return iter(sorted(once.values(), key=lambda flag: (len(flag.kind.letter), flag.kind.letter)))


def _marked(drawn: Shape, own: Mapping[str, Sequence[Flag]]) -> Shape:
    """Return the shape with letters behind its names: of a case, or of all cases of a label, which
    is what several in one drawing may have in common. What is of no case, such as a participant,
    has none."""
    by_label: dict[str, list[Flag]] = {}
    for case in drawn.members:
        by_label.setdefault(case.label, []).extend(own.get(case.id, ()))

    def letters(label: Label) -> str:
        return _joined(_worst(by_label.get(label.text, ()))) if label.adapter else ""

    def curves(found: Sequence[DrawnCurve]) -> list[DrawnCurve]:
        return [
            replace(each, name=f"{one_line(each.name, LONGEST - len(behind) - 3)} [{behind}]")
            if each.name and (behind := letters(each.label))
            else each
            for each in found
        ]

    def named(label: Label) -> Label:
        behind = letters(label)
        return label.model_copy(update={"text": f"{label.text} [{behind}]"}) if behind else label

    def field(found: HeatField | None) -> HeatField | None:
        if not found or found.case not in own:
            return found
        return replace(found, text=f"{found.text}\n{one_line(_joined(own[found.case]), LETTERS)}")

    match drawn:
        case Picture():
            plots = [replace(plot, curves=curves(plot.curves)) for plot in drawn.plots]
            return replace(drawn, plots=plots)
        case Bars():
            bars = [replace(row, label=named(row.label)) for row in drawn.rows]
            return replace(drawn, rows=bars)
        case Boxes():
            cells = [replace(cell, label=named(cell.label)) for cell in drawn.cells]
            return replace(drawn, cells=cells)
        case Heat():
            rows = [(name, [*map(field, row)]) for name, row in drawn.rows]
            return replace(drawn, rows=rows)
    return drawn
