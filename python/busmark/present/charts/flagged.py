"""Findings on what a chart shows, for forms without links: letters behind the names of what they
concern, and a line that explains the letters.

A drawing has the findings on its own cases, as far as they are of the figures that it shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch
from typing import Any, TypeVar

from busmark.analysis.model import Campaign, CaseSummary, Label
from busmark.findings.kinds import SIGNS, Flag, Flags, Kind, by_case, kinds, marks
from busmark.findings.rule import SEVERITIES
from busmark.present.charts.shapes import (
    Bars,
    Boxes,
    Curve,
    Field,
    Heat,
    Picture,
    Row,
    Stack,
    one_line,
)

LONGEST = 60
"""Characters of a curve's name with its letters, unless a form has room for fewer."""

LETTERS = 7
"""Characters of letters in a field of a heat map; the line below has all of them."""

D = TypeVar("D")

SEVERE = {severity: f"{sign} {severity}" for severity, sign in SIGNS.items() if sign}


def examined(campaign: Campaign) -> int:
    """Cases that could be run."""
    return sum(case.status != "unsupported" for case in campaign.cases)


def concerning(
    figures: Sequence[str], members: Iterable[CaseSummary], found: Mapping[str, Flags]
) -> dict[str, list[Flag]]:
    """Flags on these cases, by case, that are of one of `figures` or of the case as a whole; all
    flags where `figures` is empty, which stands for everything."""
    own = {
        case.id: [
            flag for flag in found[case.id].flags
            if not (flag.concerns and figures) or set(flag.concerns) & {*figures}
        ]
        for case in members if case.id in found
    }  # fmt: skip
    return {case: flags for case, flags in own.items() if flags}


def of_kinds(flags: Iterable[Flag]) -> list[Kind]:
    """Their kinds, each once, in the order of the letters."""
    seen = {flag.kind.letter: flag.kind for flag in flags}
    return sorted(seen.values(), key=lambda kind: (len(kind.letter), kind.letter))


class Findings:
    """Those of a campaign, for its drawings."""

    def __init__(self, campaign: Campaign) -> None:
        self._found = by_case(kinds(campaign.findings))
        self._examined = examined(campaign)

    def on(
        self, figures: Sequence[str], members: Sequence[CaseSummary], drawn: D,
        longest: int = LONGEST,
    ) -> tuple[D, str]:  # fmt: skip
        """A drawing with its letters, and the line that explains them; empty without any.

        Args:
            figures: what it shows of `members`; see `ChartKind`.
            longest: characters of a curve's name with its letters.
        """
        own = concerning(figures, members, self._found)
        return _marked(drawn, _Letters(members, own), longest), self._explained(own)

    def _explained(self, own: Mapping[str, Sequence[Flag]]) -> str:
        """ "Findings (! warning): !a: Latency has two modes, in 2 of 6 cases."."""
        found = of_kinds(flag for flags in own.values() for flag in flags)
        if not found:
            return ""
        severities = {kind.severity for kind in found} | {
            flag.severity for flags in own.values() for flag in flags
        }
        signs = ", ".join(sign for each, sign in SEVERE.items() if each in severities)
        told = "; ".join(f"{kind.mark}: {kind.counted(self._examined)}" for kind in found)
        return f"Findings{f' ({signs})' if signs else ''}: {told}."


class _Letters:
    """Letters by case and by label: a label may stand for several cases of a drawing."""

    def __init__(self, members: Iterable[CaseSummary], own: Mapping[str, Sequence[Flag]]) -> None:
        self._cases = {case: _joined(flags) for case, flags in own.items()}
        by_label: dict[str, list[Flag]] = {}
        for case in members:
            by_label.setdefault(case.label, []).extend(own.get(case.id, ()))
        self._labels = {label: _joined(_worst(flags)) for label, flags in by_label.items()}

    def case(self, case: str) -> str:
        return self._cases.get(case, "")

    def label(self, label: Label) -> str:
        """Empty for what is not of a case, such as a participant."""
        return self._labels.get(label.text, "") if label.adapter else ""

    @staticmethod
    def named(name: str, letters: str, longest: int) -> str:
        """The name, shortened where need be, and the letters, which are not."""
        return f"{one_line(name, longest - len(letters) - 3)} [{letters}]" if letters else name

    def curves(self, curves: Sequence[Curve], longest: int) -> list[Curve]:
        return [
            replace(curve, name=self.named(curve.name, self.label(curve.label), longest))
            if curve.name else curve
            for curve in curves
        ]  # fmt: skip

    def row(self, label: Label) -> Label:
        letters = self.label(label)
        return label.model_copy(update={"text": f"{label.text} [{letters}]"}) if letters else label


def _joined(flags: Iterable[Flag]) -> str:
    """ "!!a,!cd,f": in one piece, wherever lines are wrapped."""
    return marks(flags).replace(" ", ",")


def _worst(flags: Iterable[Flag]) -> Iterator[Flag]:
    """Each kind once, as severe as in any of the cases; the worst first."""
    once: dict[str, Flag] = {}
    for flag in sorted(flags, key=lambda flag: SEVERITIES.index(flag.severity)):
        once.setdefault(flag.kind.letter, flag)
    return iter(sorted(once.values(), key=lambda flag: (len(flag.kind.letter), flag.kind.letter)))


@singledispatch
def _marked(drawn: Any, letters: _Letters, longest: int) -> Any:
    """The drawing with letters behind its names; see below for each shape."""
    raise TypeError(type(drawn))


@_marked.register
def _(drawn: Picture, letters: _Letters, longest: int) -> Picture:
    return replace(drawn, curves=letters.curves(drawn.curves, longest))


@_marked.register
def _(drawn: Stack, letters: _Letters, longest: int) -> Stack:
    rows: list[Row] = [
        replace(row, curves=letters.curves(row.curves, longest)) for row in drawn.rows
    ]
    return replace(drawn, rows=rows)


@_marked.register
def _(drawn: Bars, letters: _Letters, longest: int) -> Bars:
    return replace(drawn, rows=[replace(r, label=letters.row(r.label)) for r in drawn.rows])


@_marked.register
def _(drawn: Boxes, letters: _Letters, longest: int) -> Boxes:
    return replace(drawn, cells=[replace(c, label=letters.row(c.label)) for c in drawn.cells])


@_marked.register
def _(drawn: Heat, letters: _Letters, longest: int) -> Heat:
    def field(own: Field | None) -> Field | None:
        told = letters.case(own.case) if own else ""
        return replace(own, text=f"{own.text}\n{one_line(told, LETTERS)}") if own and told else own

    return replace(drawn, rows=[(name, [*map(field, fields)]) for name, fields in drawn.rows])
