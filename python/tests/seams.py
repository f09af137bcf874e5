"""The seams that tests go through: the command, and what it prints of results."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from click.testing import CliRunner

import busmark
from busmark.cli.main import busmark as command
from busmark.errors import UserError
from busmark.model.case import CaseSummary
from busmark.model.figures import Estimated


@dataclass(frozen=True)
class Ended:
    """How a command ended: its exit code, what it printed, and why it was refused."""

    code: int
    out: str
    text: str
    """Everything that was printed, and the error with its place and its remedy."""
    error: UserError | None = None


def or_skip(need: Callable[[], object]) -> None:
    """Skip the test where this finds that the machine lacks something."""
    try:
        need()
    except UserError as error:
        pytest.skip(str(error))


def run(*words: object, columns: int = 200, **env: str) -> Ended:
    """Run `busmark`, as its entry point does: what a user can correct is exit code 2."""
    ended = CliRunner().invoke(
        command, [str(word) for word in words], env={"COLUMNS": str(columns), **env}
    )
    error = ended.exception
    if isinstance(error, UserError):
        return Ended(2, ended.stdout, f"{ended.output}{error}", error)
    if error is not None and not isinstance(error, SystemExit):
        raise error
    return Ended(ended.exit_code, ended.stdout, ended.output)


def done(*words: object, columns: int = 200) -> str:
    """Run `busmark`, which must end with 0; return what it printed."""
    ended = run(*words, columns=columns)
    assert ended.code == 0, ended.text
    return ended.out


def reviewed(path: Path, text: str) -> None:
    """Check a text against the reviewed one, which `BUSMARK_GOLDEN=write` writes."""
    if os.environ.get("BUSMARK_GOLDEN") == "write":
        path.write_text(text, encoding="utf-8")
    known = path.read_text(encoding="utf-8")
    lines = unified_diff(known.splitlines(), text.splitlines(), path.name, "now", lineterm="")
    assert text == known, "\n".join(lines)


def viewed(case: Mapping[str, Any]) -> CaseSummary:
    """Return a case of a JSON document with the views of its rows: latencies, segments, pairs."""
    rows = [Estimated(**{"value": None, **row}) for row in case["figures"]]
    return CaseSummary.model_validate({**case, "figures": rows})


def row_of(case: Mapping[str, Any], quantity: str, statistic: str, **of: Any) -> Any:
    """Return the row of a figure of a case of a JSON document, by default of its typical round;
    None where there is none."""
    wanted = {"quantity": quantity, "statistic": statistic, "over": "rounds", "scope": "case", **of}
    keys = (*wanted, "of", "node", "round")
    rows = [row for row in case["figures"] if all(row.get(k) == wanted.get(k) for k in keys)]
    assert len(rows) <= 1, (wanted, rows)
    return next(iter(rows), None)


class Document(dict[str, Any]):
    """A JSON document whose keys are attributes, and the views of its rows where it is a case; one
    that is not there is an error."""

    @cached_property
    def _viewed(self) -> CaseSummary:
        return viewed(self)

    def __getattr__(self, name: str) -> Any:
        if name in self:
            return self[name]
        if name == "case":
            return lambda identifier: next(c for c in self["cases"] if c["id"] == identifier)
        if {"figures", "params"} <= self.keys():
            return getattr(self._viewed, name)
        raise AttributeError(name)


def document(*words: object) -> Any:
    """Run `busmark … --json`, whatever it exits with; return what it prints."""
    return json.loads(run(*words, "--json").out, object_hook=Document)


def shown(result: PathLike[str] | str) -> Any:
    """Return what `busmark show --json` prints of a result."""
    return document("show", result)


class Estimates:
    """The table of estimates of a result, looked up by what a row is of."""

    def __init__(self, result: PathLike[str] | str) -> None:
        self.results = busmark.open(result)
        self.frame = self.results.estimates

    def rows(self, quantity: str, statistic: str, **of: Any) -> list[dict[str, Any]]:
        """Return the rows of a figure; by default over the rounds of a case."""
        wanted = {"quantity": quantity, "statistic": statistic, "over": "rounds", **of}
        return self.frame.filter(pl.col(k) == v for k, v in wanted.items()).to_dicts()

    def row(self, quantity: str, statistic: str, **of: Any) -> dict[str, Any]:
        """Return the only row of a figure."""
        rows = self.rows(quantity, statistic, **{"scope": "case", **of})
        assert len(rows) == 1, (quantity, statistic, of, len(rows))
        return rows[0]

    def value(self, quantity: str, statistic: str, **of: Any) -> Any:
        """Return the value of that row."""
        return self.row(quantity, statistic, **of)["value"]

    def series(self, quantity: str, kind: str, **of: Any) -> pl.DataFrame:
        """Return the points of a curve."""
        wanted: Iterable[Any] = {"quantity": quantity, "kind": kind, **of}.items()
        return self.results.series.filter(pl.col(k) == v for k, v in wanted)
