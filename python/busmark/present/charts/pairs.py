"""The interoperability matrix: what the table says of each pair, and the heat map of the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from busmark.compare import matrix as compared
from busmark.compare.campaign import Campaign
from busmark.compare.matrix import PairMatrix
from busmark.model import text
from busmark.model.naming import short_names
from busmark.present.charts.panels import Choice, Draw
from busmark.present.charts.shapes import Heat, HeatField, shade
from busmark.present.document import Cell

MARKS = {
    "not matched": "no match",
    "no data": "no data",
    "wrong content": "wrong",
    "failed": "failed",
    "unsupported": "n/a",
    "not run": "not run",
}
"""Text of a cell without a figure."""

Value = Callable[[compared.PairCell], float | None]


class PairFigure(NamedTuple):
    """A figure of a matrix."""

    key: str
    test: str
    title: str
    note: str
    value: Value
    shown: Callable[[float], str]
    more_is_better: bool = False
    factor: float = 1.0
    """Base units in one unit of the title."""
    limit: Callable[[compared.PairCell], tuple[float, str] | None] = lambda _: None
    """The most that a value may be where it is not known, and what the cell says of it."""
    unit: str = ""
    """Base unit of values that the title does not have: 1, a share."""


OUTSIDE = Cell(note="not measured")

AT_ONCE = "at once"
"""A discovery that was over when it could have begun."""


def figures(matrix: PairMatrix) -> list[PairFigure]:
    """Return latency and discovery of a latency matrix, goodput and loss of a throughput matrix, as
    far as a pair has any."""
    results = map(_result, matrix.cells)
    scale = text.scale_for([value for value in results if value is not None])
    every = (
        PairFigure(
            "latency", "latency", f"Median RTT/2, {scale.unit}",
            "Row: the pinger, which writes first. Column: the responder, which answers.",
            _result, text.number, factor=scale.factor,
        ),
        PairFigure(
            "discovery", "latency", "Discovery, ms",
            "From the last endpoint's creation until both sides had matched; median of the rounds. "
            "≤: they had matched when they were first asked, so no more than this limit is known; "
            f"{AT_ONCE}: before the last endpoint was reported to have been made.",
            lambda cell: cell.discovery_s, text.number, factor=1e-3, limit=_discovery_limit,
        ),
        PairFigure(
            "goodput", "throughput", "Goodput, Mbit/s",
            "Row: the writer. Column: the reader, where it is counted.",
            _result, text.number, more_is_better=True,
        ),
        PairFigure(
            "loss", "throughput", "Loss",
            "Share of the samples written that the reader never received.",
            lambda cell: cell.loss, text.percent_text, unit="1",
        ),
    )  # fmt: skip
    test = "latency" if matrix.test == "latency" else "throughput"
    first, *others = [figure for figure in every if figure.test == test]
    known = [
        figure
        for figure in others
        if any(figure.value(cell) is not None or figure.limit(cell) for cell in matrix.cells)
    ]
    return [first, *known]


def _discovery_limit(cell: compared.PairCell) -> tuple[float, str] | None:
    limit = cell.discovery_within_s
    if limit is None:
        return None
    return limit * 1e3, f"≤ {text.number(limit * 1e3)}" if limit > 0 else AT_ONCE


def _result(cell: compared.PairCell) -> float | None:
    """Return a pair's result; samples that differ from what was written give it none."""
    return cell.result.value if cell.result and cell.state != "wrong content" else None


def names(matrix: PairMatrix) -> list[str]:
    """Return the adapters by short names, for where titles do not fit."""
    short = short_names(matrix.adapters)
    return [short[name] for name in matrix.adapters]


def rows(matrix: PairMatrix, figure: PairFigure) -> list[list[Cell]]:
    """Return a row for each writer, a cell for each reader; one without a figure, or with a limit
    only, has a text."""
    known = {(cell.writer, cell.reader): cell for cell in matrix.cells}
    return [
        [
            _cell(matrix, figure, found) if (found := known.get((writer, reader))) else OUTSIDE
            for reader in matrix.adapters
        ]
        for writer in matrix.adapters
    ]


def _cell(matrix: PairMatrix, figure: PairFigure, cell: compared.PairCell) -> Cell:
    note = f"{matrix.titles[cell.writer]} → {matrix.titles[cell.reader]}: {cell.state}"
    note += f" ({cell.reason})" if cell.reason else ""
    if (value := figure.value(cell)) is not None:
        return Cell(value / figure.factor, note=note, case=cell.case)
    limit, words = figure.limit(cell) or (None, MARKS.get(cell.state, text.ABSENT))
    return Cell(limit, text=words, note=note, case=cell.case)


def heat(campaign: Campaign, matrix: PairMatrix, figure: PairFigure) -> Heat | None:
    """Return the map of a figure where nobody can point at a cell; None without a figure."""
    every = rows(matrix, figure)
    pairs = [cell for row in every for cell in row if cell != OUTSIDE]
    known = {cell.case for cell in pairs if cell.text != text.ABSENT}
    members = [case for case in campaign.cases if case.id in known]
    if not members:
        return None
    positive = [v for c in pairs if not c.text and isinstance(v := c.value, float) and v > 0]

    def field(cell: Cell) -> HeatField | None:
        if cell.text or not isinstance(cell.value, float):
            return HeatField(cell.text, None, cell.note, case=cell.case) if cell.text else None
        place = shade(cell.value, positive, more_is_better=figure.more_is_better)
        return HeatField(figure.shown(cell.value), place, cell.note, case=cell.case)

    known_as = names(matrix)
    return Heat(
        (("Workload", matrix.workload),),
        members,
        "reader",
        known_as,
        "writer",
        [(name, [*map(field, row)]) for name, row in zip(known_as, every, strict=True)],
        f"{figure.title}. {figure.note} {len(pairs)} pairs. Light: the best; dark: the worst; "
        "grey: no figure.",
    )


def maps(key: str) -> Draw:
    """Return what draws one figure of every matrix, by its key."""

    def draw(choice: Choice) -> Iterator[Heat]:
        for matrix in choice.campaign.interop:
            for figure in figures(matrix):
                if figure.key == key and (drawn := heat(choice.campaign, matrix, figure)):
                    yield drawn

    return draw
