"""Plug-ins as a table: for `busmark plugins` and `busmark doctor`."""

from __future__ import annotations

from collections.abc import Sequence

from busmark.plugin import Installed
from busmark.present.document import Cell, Column, Row, Table


def table(plugins: Sequence[Installed]) -> Table:
    """Return a row for each plug-in."""
    columns = [
        Column("Plug-in", [Cell(each.name) for each in plugins], "label"),
        Column("State", [Cell(each.state) for each in plugins]),
        Column("From", [Cell(f"{each.where} {each.version}") for each in plugins]),
        Column("Adds", [Cell(_adds(each)) for each in plugins]),
    ]
    return Table(columns, [Row() for _ in plugins], key="plugins")


def _adds(each: Installed) -> str:
    if each.fault or each.plugin is None:
        return each.fault
    return each.plugin.summary
