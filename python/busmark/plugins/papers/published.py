"""Tables of numbers that documents print, as CSV files beside the module of each document."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

T = TypeVar("T")


def rows(of: type[T], module: str, name: str) -> tuple[T, ...]:
    """Return the rows of a table.

    The first line names the fields of `of`; fields of a field have its name and a dot in front. An
    empty cell is None, and so is a field of which all cells are empty.

    Args:
        of: dataclass of a row.
        module: file of the module beside which the table lies.
        name: file of the table.
    """
    with Path(module).with_name(name).open(encoding="utf-8", newline="") as file:
        lines = [_nested(line) for line in csv.DictReader(file)]
    return TypeAdapter(tuple[of, ...]).validate_python(lines)  # type: ignore[valid-type]


def _nested(line: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for heading, cell in line.items():
        name, _, inner = heading.partition(".")
        if not inner:
            found[name] = cell or None
        elif cell:
            found[name] = {**(found.get(name) or {}), inner: cell}
        else:
            found.setdefault(name, None)
    return found
