"""The tables of a document in the terminal, in its own columns."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from busmark.documents.table import Table
from busmark.report.repetition import groups
from busmark.report.roomy import heading, item


def show_tables(tables: Sequence[Table], console: Console) -> None:
    """Print them, by what they have in common."""
    for group, each in groups(tables).items():
        heading(console, group)
        for table in each:
            item(console, table.title, lead="")
            console.print(_table(table))
        for note in dict.fromkeys(table.note for table in each if table.note):
            item(console, note, lead="", style="dim")


def _table(table: Table) -> RichTable:
    rich = RichTable(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False, show_edge=False)
    for column in table.columns:
        rich.add_column(Text(column), justify="right", overflow="fold")
    for row in table.rows:
        rich.add_row(*(Text(cell) for cell in row))
    return rich
