"""The interoperability matrix as heat maps: what each cell says and how dark it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from busmark.compare.campaign import Campaign
from busmark.compare.matrix import Cell, Matrix
from busmark.model import text
from busmark.present.charts.shapes import Field, shade

MARKS = {
    "not matched": "no match", "no data": "no data", "wrong content": "wrong", "failed": "failed",
    "unsupported": "n/a", "not run": "not run",
}  # fmt: skip
"""What a cell without a figure says."""


@dataclass(frozen=True, slots=True)
class HeatCell(Field):
    """One cell as it is shown, with its whole story as a note."""

    state: str
    value: float | None = None
    """In the unit of the map's title; of a share in its own."""
    is_bound: bool = False
    """Whether no more than this limit is known, which the text says."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One figure of one matrix: a row for each writer, a column for each reader."""

    id: str
    title: str
    note: str
    names: list[str]
    """Names of the adapters, in the order of rows and columns: short, for where titles do not
    fit."""
    rows: list[tuple[str, list[HeatCell | None]]]
    unit: str = ""
    """Base unit of values that the title does not have: 1, a share."""


Value = Callable[[Cell], float | None]


class Figure(NamedTuple):
    """A figure of a matrix."""

    key: str
    test: str
    title: str
    note: str
    value: Value
    shown: Callable[[float], str]
    more_is_better: bool = False
    factor: float = 1.0
    """How many base units are one of the title."""
    limit: Callable[[Cell], tuple[float, str] | None] = lambda _: None
    """The most that a value may be where it is not known, and what the cell says of it."""
    unit: str = ""


def heat_maps(campaign: Campaign) -> list[HeatMap]:
    """Return latency and discovery of latency matrices, goodput and loss of throughput matrices, as
    far as a pair has any."""
    return [
        _map(matrix, f"interop-{figure.key}-{number}", figure)
        for number, matrix in enumerate(campaign.interop)
        for place, figure in enumerate(_figures(matrix))
        if place == 0 or _values(matrix, figure.value) or any(map(figure.limit, matrix.cells))
    ]


def dead_cells(campaign: Campaign) -> list[tuple[Matrix, Cell]]:
    """Return every pair that does not work, with its matrix."""
    return [(m, cell) for m in campaign.interop for cell in m.cells if cell.state != "works"]


AT_ONCE = "at once"
"""A discovery that was over when it could have begun."""


def _figures(matrix: Matrix) -> list[Figure]:
    scale = text.scale_for(_values(matrix, _result))
    found = (
        Figure(
            "latency", "latency", f"Median RTT/2, {scale.unit}",
            "Row: the pinger, which writes first. Column: the responder, which answers.",
            _result, text.number, factor=scale.factor,
        ),
        Figure(
            "discovery", "latency", "Discovery, ms",
            "From the last endpoint's creation until both sides had matched; median of the rounds. "
            "≤: they had matched when they were first asked, so no more than this limit is known; "
            f"{AT_ONCE}: before the last endpoint was reported to have been made.",
            lambda cell: cell.discovery_s, text.number, factor=1e-3, limit=_discovery_limit,
        ),
        Figure(
            "goodput", "throughput", "Goodput, Mbit/s",
            "Row: the writer. Column: the reader, where it is counted.",
            _result, text.number, more_is_better=True,
        ),
        Figure(
            "loss", "throughput", "Loss",
            "Share of the samples written that the reader never received.",
            lambda cell: cell.loss_share, text.percent_text, unit="1",
        ),
    )  # fmt: skip
    test = "latency" if matrix.test == "latency" else "throughput"
    return [figure for figure in found if figure.test == test]


def _discovery_limit(cell: Cell) -> tuple[float, str] | None:
    limit = cell.discovery_within_s
    if limit is None:
        return None
    return limit * 1e3, f"≤ {text.number(limit * 1e3)}" if limit > 0 else AT_ONCE


def _result(cell: Cell) -> float | None:
    return cell.result.value if cell.result else None


def _values(matrix: Matrix, value: Value) -> list[float]:
    return [v for v in map(value, matrix.cells) if v is not None]


def _map(matrix: Matrix, identifier: str, figure: Figure) -> HeatMap:
    positive = [v for v in _values(matrix, figure.value) if v > 0]
    cells = {(cell.writer, cell.reader): cell for cell in matrix.cells}

    def heat(writer: str, reader: str) -> HeatCell | None:
        cell = cells.get((writer, reader))
        if cell is None:
            return None
        note = f"{matrix.titles[writer]} → {matrix.titles[reader]}: {cell.state}"
        note += f" ({cell.reason})" if cell.reason else ""
        value = figure.value(cell)
        limit = figure.limit(cell) if value is None else None
        if limit is not None:
            return HeatCell(limit[1], None, note, state=cell.state, case=cell.case, value=limit[0],
                            is_bound=True)  # fmt: skip
        if value is None:
            words = MARKS.get(cell.state, text.ABSENT)
            return HeatCell(words, None, note, state=cell.state, case=cell.case)
        place = shade(value, positive, more_is_better=figure.more_is_better)
        own = value / figure.factor
        return HeatCell(figure.shown(own), place, note, state=cell.state, case=cell.case, value=own)

    names = [PurePath(name).stem.removeprefix("libbusmark_") for name in matrix.adapters]
    rows = [
        (matrix.titles[writer], [heat(writer, reader) for reader in matrix.adapters])
        for writer in matrix.adapters
    ]
    title = f"{figure.title}: {matrix.workload}"
    return HeatMap(identifier, title, figure.note, names, rows, figure.unit)
