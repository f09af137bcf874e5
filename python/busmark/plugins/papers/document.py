"""A document as data: what stands for its middleware, and what it states."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.model.figure import Figure
from busmark.plugins.papers.evidence import Check
from busmark.present.document import ABSENT, Cell, Column, Kind, Row, Table

Part = Literal["latency", "throughput", "discovery", "scalability", "determinism"]
"""Experiments with scenarios of their own."""


def its_test(case: CaseSummary) -> str:
    """Return the part of a document whose parts are tests."""
    return case.test


@dataclass(frozen=True, slots=True)
class StandIn:
    """A middleware or tool that is measured in the place of another."""

    there: str
    here: str
    why: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of the document, and the checks of it.

    Attributes:
        where: section and figure.
        found: the statement, in our words.
        checks: ratios by which a campaign is checked against it; empty: none.
        remark: why there is no check, or what the checks leave out.
        part: experiment that it is about; None: all of them.
    """

    where: str
    found: str
    checks: tuple[Check, ...] = ()
    remark: str = ""
    part: Part | None = None


Checks = dict[str, tuple[Check, ...]]
"""Checks of statements, by the names that these have in a document's file."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document whose experiments are repeated.

    Attributes:
        tables: of a campaign, in the document's own columns; None: it has none.
        scenarios: besides `quick` and `full`, in the folder of its name.
        part_of: the part that a case belongs to.
        sizes: what its scenarios have, in words.
        value_by_value: whether its data sets are tests of a publisher and a subscriber, each drawn
            column by column over the size.
    """

    title: str
    source: str
    stand_ins: tuple[StandIn, ...]
    deviations: tuple[str, ...]
    statements: tuple[Statement, ...]
    sizes: str
    tables: Callable[[Campaign], list[GroupedTable]] | None = None
    scenarios: tuple[str, ...] = ()
    part_of: Callable[[CaseSummary], str] = its_test
    value_by_value: bool = False


T = TypeVar("T")

Content = Cell | Figure | str | float | None
"""Contents of a cell: a cell, the value of a figure, text, a number, or nothing."""

Columns = Mapping[str, Callable[[T], Content]]
"""Headings, with their units, and what each has of a row."""


class GroupedTable(NamedTuple):
    """A table in the document's own columns."""

    group: str
    """Property that several tables have in common, such as the middleware."""
    table: Table
    note: str
    """Note below the table on how to read it."""


def table(
    group: str, title: str, columns: Columns[T], of: Iterable[T], note: str = ""
) -> GroupedTable:
    """Return the table with a row for each of these."""
    rows = list(of)
    made = [(head, [cell(value(each)) for each in rows]) for head, value in columns.items()]
    return grouped(group, title, made, note)


def grouped(
    group: str, title: str, columns: Sequence[tuple[str, Sequence[Cell]]], note: str = ""
) -> GroupedTable:
    """Return the table with these columns."""
    made = [Column(head, cells, _kind(place, cells)) for place, (head, cells) in enumerate(columns)]
    return GroupedTable(group, Table(made, [Row() for _ in made[0].cells], title=title), note)


def _kind(place: int, cells: Sequence[Cell]) -> Kind:
    values = [cell.value for cell in cells if cell != ABSENT]
    if values and all(isinstance(value, int) for value in values):
        return "count"
    return "number" if place else "label"


def cell(content: Content) -> Cell:
    """Return a cell that shows it; sinks format numbers."""
    if isinstance(content, Figure):
        content = content.value
    if isinstance(content, Cell):
        return content
    return Cell(text=content) if isinstance(content, str) else Cell(content)


def fixed(value: float | None, places: int) -> Cell:
    """Return a number with as many decimals as its document prints."""
    return Cell() if value is None else Cell(text=f"{value:.{places}f}")


def micro(ns: Figure | float | None) -> float | None:
    """Return microseconds."""
    value = ns.value if isinstance(ns, Figure) else ns
    return None if value is None else value / 1e3
