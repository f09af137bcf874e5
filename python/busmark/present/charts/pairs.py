"""The interoperability matrix as heat maps: what each cell says and how dark it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath

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


@dataclass(frozen=True, slots=True)
class Dead:
    """A pair that does not work."""

    test: str
    workload: str
    """With what sets it apart from other cases of the pair, such as its security."""
    writer: str
    reader: str
    state: str
    reason: str
    case: str


Value = Callable[[Cell], float | None]


def heat_maps(campaign: Campaign) -> list[HeatMap]:
    """Latency and discovery of latency matrices, goodput and loss of throughput matrices."""
    maps = []
    for number, matrix in enumerate(campaign.interop):
        if matrix.test == "latency":
            maps.append(_latency(matrix, number))
            maps.append(_discovery(matrix, number))
        else:
            maps.append(_goodput(matrix, number))
            maps.append(_loss(matrix, number))
    return maps


def dead_cells(campaign: Campaign) -> list[Dead]:
    """Every pair that does not work, with its reason."""
    return [
        Dead(
            test=matrix.test,
            workload=matrix.workload,
            writer=matrix.titles[cell.writer],
            reader=matrix.titles[cell.reader],
            state=cell.state,
            reason=cell.reason or "no reason recorded",
            case=cell.case,
        )
        for matrix in campaign.interop
        for cell in matrix.cells
        if cell.state != "works"
    ]


def _latency(matrix: Matrix, number: int) -> HeatMap:
    scale = text.scale_for(_values(matrix, _result))
    return _map(
        matrix, f"interop-latency-{number}",
        f"RTT/2, median, {scale.unit}: {matrix.workload}",
        "Row: the pinger, which writes first. Column: the ponger, which answers.",
        _result, lambda value: text.number(value / scale.factor),
    )  # fmt: skip


AT_ONCE = "at once"
"""A discovery that was over when it could have begun."""


def _discovery(matrix: Matrix, number: int) -> HeatMap:
    return _map(
        matrix, f"interop-discovery-{number}", f"Discovery, ms: {matrix.workload}",
        "From the last endpoint's creation until both sides had matched; median of the rounds. "
        "≤: they had matched when they were first asked, so no more than this limit is known; "
        f"{AT_ONCE}: before the last endpoint was reported to have been made.",
        lambda cell: cell.discovery_s, lambda value: text.number(value * 1e3),
        otherwise=_discovery_limit,
    )  # fmt: skip


def _discovery_limit(cell: Cell) -> str | None:
    limit = cell.discovery_within_s
    if limit is None:
        return None
    return f"≤ {text.number(limit * 1e3)}" if limit > 0 else AT_ONCE


def _goodput(matrix: Matrix, number: int) -> HeatMap:
    return _map(
        matrix, f"interop-goodput-{number}", f"Goodput, Mbit/s: {matrix.workload}",
        "Row: the writer. Column: the reader, where it is counted.",
        _result, text.number, more_is_better=True,
    )  # fmt: skip


def _loss(matrix: Matrix, number: int) -> HeatMap:
    return _map(
        matrix, f"interop-loss-{number}", f"Loss: {matrix.workload}",
        "Share of the samples written that the reader never received.",
        lambda cell: cell.loss_share, text.percent_text,
    )  # fmt: skip


def _result(cell: Cell) -> float | None:
    return cell.result.value if cell.result else None


def _values(matrix: Matrix, value: Value) -> list[float]:
    return [v for v in map(value, matrix.cells) if v is not None]


def _map(matrix: Matrix, identifier: str, title: str, note: str, value: Value,
         shown: Callable[[float], str], *, more_is_better: bool = False,
         otherwise: Callable[[Cell], str | None] = lambda _: None) -> HeatMap:  # fmt: skip
    positive = [v for v in _values(matrix, value) if v > 0]
    cells = {(cell.writer, cell.reader): cell for cell in matrix.cells}

    def heat(writer: str, reader: str) -> HeatCell | None:
        cell = cells.get((writer, reader))
        if cell is None:
            return None
        figure = value(cell)
        told = f"{matrix.titles[writer]} → {matrix.titles[reader]}: {cell.state}"
        told += f" ({cell.reason})" if cell.reason else ""
        return HeatCell(
            text=(
                otherwise(cell) or MARKS.get(cell.state, text.ABSENT)
                if figure is None
                else shown(figure)
            ),
            shade=None
            if figure is None
            else shade(figure, positive, more_is_better=more_is_better),
            state=cell.state,
            case=cell.case,
            note=told,
        )

    return HeatMap(
        id=identifier,
        title=title,
        note=note,
        names=[PurePath(name).stem.removeprefix("libbusmark_") for name in matrix.adapters],
        rows=[
            (matrix.titles[writer], [heat(writer, reader) for reader in matrix.adapters])
            for writer in matrix.adapters
        ],
    )
