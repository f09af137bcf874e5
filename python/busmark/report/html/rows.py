"""Rows of the tables as markup. The first are in the document; the script has all of them."""

from __future__ import annotations

from collections.abc import Mapping

from busmark.report.html.templating import environment
from busmark.report.tables import Table

STATIC_ROWS = 50
"""Rows of each table in the document as it is opened, readable without a script."""


def further_rows(
    table: Table, swatches: Mapping[str, Mapping[str, str]], numbers: Mapping[str, int]
) -> list[str]:
    """The others, each as the template writes it, its text escaped."""
    macros = environment().get_template("macros.html.j2").make_module()
    write = macros.data_row  # type: ignore[attr-defined]
    return [
        str(write(table, index, swatches, numbers)).strip()
        for index in range(STATIC_ROWS, len(table.rows))
    ]
