"""A table in a document's own columns, ready to be drawn: every cell is text."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under columns.

    Attributes:
        group: what several tables have in common, such as the middleware.
        title: of this one.
        columns: headings, with their units.
        rows: as many cells in each as there are columns.
        note: how to read it.
    """

    group: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
