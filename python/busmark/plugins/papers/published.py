"""Documents and the tables of numbers that they print, as TOML and CSV files beside the module of
each."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, TypeAdapter

from busmark.compare.campaign import Campaign
from busmark.model.case import CaseSummary
from busmark.plugins.papers.document import (
    Checks,
    Document,
    GroupedTable,
    Part,
    StandIn,
    Statement,
    its_test,
)

T = TypeVar("T")


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StatementEntry(_Entry):
    """A `Statement` in a document's file."""

    where: str
    found: str
    remark: str = ""
    part: Part | None = None


class DocumentEntry(_Entry):
    """The file of a `Document`."""

    title: str
    source: str
    stand_ins: tuple[StandIn, ...]
    deviations: tuple[str, ...]
    statements: dict[str, StatementEntry]
    """By the names of their checks."""
    sizes: str
    scenarios: tuple[str, ...] = ()
    value_by_value: bool = False


def document(
    module: str,
    name: str,
    checks: Checks,
    *,
    tables: Callable[[Campaign], list[GroupedTable]] | None = None,
    part_of: Callable[[CaseSummary], str] = its_test,
) -> Document:
    """Return a document of its file, with the checks of its statements, by their names.

    Args:
        module: file of the module beside which the document lies.
        name: file of the document.

    Raises:
        ValueError: checks are of no statement, or a statement has neither check nor remark.
    """
    text = Path(module).with_name(name).read_text(encoding="utf-8")
    entry = DocumentEntry.model_validate(tomllib.loads(text))
    if unknown := [each for each in checks if each not in entry.statements]:
        raise ValueError(f"{name}: there is no statement {unknown[0]}")
    stated = {
        each: Statement(own.where, own.found, checks.get(each, ()), own.remark, own.part)
        for each, own in entry.statements.items()
    }
    if bare := [each for each, own in stated.items() if not (own.checks or own.remark)]:
        raise ValueError(f"{name}: the statement {bare[0]} has neither check nor remark")
    return Document(
        **{**dict(entry), "statements": tuple(stated.values())}, tables=tables, part_of=part_of
    )


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
