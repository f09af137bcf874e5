"""The gate of a comparison: how its criteria ended, over all cases and case by case."""

from __future__ import annotations

from collections import Counter
from math import inf

from busmark.compare.criterion import Criterion
from busmark.compare.model import Comparison, Judged, Outcome
from busmark.present.blocks.changes import case_name, change_cell, named, value_cell
from busmark.present.document import Cell, Column, Row, Section, Table, Text
from busmark.present.figures import in_words

SIGNS: dict[Outcome, str] = {"missed": "✗", "not measured": "–", "undecided": "?", "met": "✓"}
"""By outcome, the worst first."""

COUNTED: dict[Outcome, str] = {
    "met": "Met", "missed": "Missed", "undecided": "?", "not measured": "Not measured",
}  # fmt: skip
"""Headings of the table of criteria."""

ENDED = {"missed": "✗ failed", "met": "✓ passed", "undecided": "? undecided, exit code 0"}


def gate(comparison: Comparison) -> Section | None:
    """Return how each criterion ended over all cases, and where it is worst; None without any."""
    if comparison.gate is None:
        return None
    by_criterion = _by_criterion(comparison)
    worst = [own[0] for own in by_criterion.values()]
    counts = [Counter(judged.outcome for judged in own) for own in by_criterion.values()]
    signs = [SIGNS["missed" if one.fails else one.outcome] for one in worst]
    names = [Cell(f"{sign} {one.criterion}") for sign, one in zip(signs, worst, strict=True)]
    columns = [Column("Criterion", names, "label")]
    for outcome, title in COUNTED.items():
        if outcome != "not measured" or any(of[outcome] for of in counts):
            columns.append(Column(title, [Cell(of[outcome]) for of in counts], "count"))
    columns += [
        Column("At worst", [_measured(one, comparison) for one in worst], "ratio"),
        Column("Case", [Cell(_of_case(one, comparison)) for one in worst]),
    ]
    total = Counter(judged.outcome for judged in comparison.criteria)
    ended = ENDED.get(comparison.gate, comparison.gate)
    told = in_words({outcome: total[outcome] for outcome in SIGNS})
    notes = [Text("beyond")] if any(one.share_beyond for one in worst) else []
    table = Table(columns, [Row() for _ in names], notes=notes, key="gate")
    return Section("Gate", [table], summary=f"{ended}: {told}")


def _by_criterion(comparison: Comparison) -> dict[str, list[Judged]]:
    """What cases say to each criterion, the worst first."""
    found: dict[str, list[Judged]] = {}
    for judged in comparison.criteria:
        found.setdefault(judged.criterion, []).append(judged)
    order = list(SIGNS)
    for criterion, own in found.items():
        above = Criterion.parse(criterion).above
        own.sort(key=lambda one: (not one.fails, order.index(one.outcome),
                                  -_size(one, comparison, above=above)))  # fmt: skip
    return found


def _size(judged: Judged, comparison: Comparison, *, above: bool) -> float:
    """How far the measured value is towards the wrong side."""
    value = _measured(judged, comparison).value
    if not isinstance(value, int | float):
        return -inf
    return value if above else -value


def _measured(judged: Judged, comparison: Comparison) -> Cell:
    """What decides: samples beyond the limit, else the ratio, the difference or the candidate's own
    figure."""
    pair = None if judged.pair is None else comparison.pairs[judged.pair]
    change = named(pair, judged.name)
    if judged.share_beyond is not None:
        return value_cell(judged.share_beyond)
    if change and Criterion.parse(judged.criterion).absolute:
        return value_cell(change.candidate)
    return change_cell(change, named(pair, "loss"))


def _of_case(judged: Judged, comparison: Comparison) -> str:
    if judged.pair is not None:
        return case_name(comparison.pairs[judged.pair], comparison)
    several = [judged.candidate] if len(comparison.candidates) > 1 else []
    return ", ".join([*several, judged.label])


def case_by_case(comparison: Comparison, *, every: bool) -> Section | None:
    """Return every case that does not meet a criterion, with the reason; `every`: those that do as
    well."""
    tables = []
    for criterion, own in _by_criterion(comparison).items():
        shown = [one for one in own if every or one.outcome != "met"]
        if not shown:
            continue
        columns = [
            Column("Case", [Cell(f"{SIGNS[one.outcome]} {_of_case(one, comparison)}")
                            for one in shown], "label"),
            Column("Reason", [Cell(one.reason) for one in shown]),
        ]  # fmt: skip
        rows = [Row(case=one.case) for one in shown]
        tables.append(Table(columns, rows, title=criterion))
    if not tables:
        return None
    return Section("Gate, case by case", tables, folded=True, key="criteria")
