"""A history: a file with one line of JSON for each result, to which lines are added and nothing
else.

A line is there whole or not at all. An add that was killed leaves half a line at most, which
readers leave out and the next add removes. Adds lock the file, so two at once come one after the
other.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from busmark import files
from busmark.errors import UserError
from busmark.files import append_line, open_lines, sync_directory
from busmark.model.figure import Figure, Quantity
from busmark.platform import lock

VERSION = 1
"""Version of a line; raised when an older Busmark would misread it."""

Text = Annotated[str, Field(max_length=10_000)]


class HistoryPart(BaseModel):
    """Unknown keys are kept, so that an older Busmark reads what a newer one has added."""

    model_config = ConfigDict(extra="allow", frozen=True)


class Commit(HistoryPart):
    """The commit that was measured."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    """Commit of git, in full if git knows it."""
    utc: Text | None = None
    """When it was committed; null: git does not know it, and the time of the measurement counts."""
    order_s: float | None = None
    """Seconds by which histories are ordered: when it was committed, but at least one second later
    than each of its parents. Null: git does not know all of its ancestors, and `utc` counts."""
    subject: Text = ""
    """First line of the commit's message."""
    modified: bool = False
    """Whether files under version control differed from it when the result was added."""


class Machine(HistoryPart):
    """The machine on which it was measured."""

    name: Text
    """Host name, or what `--machine` says."""
    facts: dict[str, Any]
    """Facts that identify a machine: results of machines that differ in one of these are kept
    apart."""
    settings: dict[str, Any] = {}
    """Settings that are listed where they change at a step, such as the kernel's version."""

    @property
    def is_several(self) -> bool:
        """Return whether it is several nodes: then each fact has the name of its node in front."""
        return any(": " in fact for fact in self.facts)


class TrackedCase(HistoryPart):
    """A case with its figures."""

    id: Text
    """Identifier of the case in its result."""
    params: dict[str, Any]
    """All that was asked for, flat; adapters by the names that they declare."""
    effort: dict[str, Any] = {}
    """Parameters of effort: how long was measured."""
    rounds: int
    figures: dict[str, Figure]
    """Figures by their names in `--fail-if`, such as median.latency. Figures that the case does not
    have are left out."""
    latencies: dict[str, Quantity] = {}
    """Kinds of latency by the name of the figure: half a round trip, or one way."""
    bounds_ns: dict[str, float] | None = None
    """How far a latency may be off, either way, because its ends are by two clocks, by the name of
    its figure; figures by one clock are left out. Null: an older Busmark, which did not store it,
    added the result."""


class HistoryEntry(HistoryPart):
    """A line of a history: one result."""

    busmark_history: Literal[1] = 1
    """`VERSION`."""
    commit: Commit
    machine: Machine
    cookie: Text
    """Cookie of the result: it is in a history once."""
    directory: Text
    """Directory as it was given."""
    campaign: Text
    """The scenario's name."""
    measured_utc: Text
    added_utc: Text
    busmark_version: Text
    versions: dict[str, dict[str, Any]]
    """For each adapter: its title, its version, its middleware's version, and its library's
    sha256."""
    cases: list[TrackedCase]

    def bound_ns(self, case: TrackedCase, figure: str) -> float | None:
        """Return how far a figure of a case may be off by two clocks; None where that is not known:
        an older Busmark added the result, and there are several nodes."""
        if case.bounds_ns is not None:
            return case.bounds_ns.get(figure, 0.0)
        by_two = case.latencies.get(figure) == "one_way" and self.machine.is_several
        return None if by_two else 0.0

    @property
    def ordered_by(self) -> tuple[float, str]:
        """Return the time of the commit, which is after its ancestors, then of the measurement."""
        return self.committed_s, self.measured_utc

    @property
    def committed_s(self) -> float:
        """Return the place of the commit among others, as seconds of a date."""
        if self.commit.order_s is not None:
            return self.commit.order_s
        try:
            return datetime.fromisoformat(self.commit.utc or self.measured_utc).timestamp()
        except ValueError:
            return 0.0


BEGIN = b'{"busmark_history"'
"""Beginning of every line of a history."""

MOST_BYTES = 1 << 30
"""Size of a history at most: a larger file is no history, and would fill the memory."""


def read(path: Path) -> list[HistoryEntry]:
    """Return the results, in the order in which they were added.

    Raises:
        UserError: there is no such file, or a line of it is none of a history.
    """
    try:
        content = files.content(path, MOST_BYTES)
    except FileNotFoundError:
        raise UserError(
            "there is no such history",
            where=str(path),
            remedy="`busmark history add DIR` begins one; --history FILE names another.",
        ) from None
    except OSError as error:
        raise UserError(
            f"no history: {error.strerror or error}",
            where=str(path),
            remedy="Name the file to which `busmark history add` appends, with --history.",
        ) from None
    return _parsed(content, path)


def add(path: Path, entry: HistoryEntry) -> bool:
    """Add the result; False where it is there already.

    Raises:
        UserError: it is there for another commit or with other figures, or the file is no history.
    """
    if path.exists() and not path.is_file():
        raise UserError("this is not a file", where=str(path))
    if not path.parent.is_dir():
        raise UserError("this folder is not there", where=str(path.parent))
    line = (entry.model_dump_json(exclude_none=True) + "\n").encode()
    with _locked(path):
        content = files.content(path, MOST_BYTES)
        known = [e for e in _parsed(content, path) if e.cookie == entry.cookie]
        if known:
            _same(known[0], entry, path)
            return False
        with open_lines(path, typed=True) as file:
            append_line(file, line)
            os.fsync(file.fileno())
    sync_directory(path.parent)
    return True


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold the file, made where it is not there, so that this process alone adds to it."""
    with files.opened(path, "a+b", typed=True) as held:
        lock(held, wait=True)
        yield


def _same(known: HistoryEntry, entry: HistoryEntry, path: Path) -> None:
    """Check that a result that is there already is what is to be added.

    Raises:
        UserError: it is not.
    """
    if known.commit.id != entry.commit.id:
        raise UserError(
            f"this result is in the history already, for commit {known.commit.id[:12]}",
            where=f"{entry.directory} in {path}",
            remedy="A result is of one commit. Measure again for another one.",
        )
    if _figures(known) != _figures(entry):
        raise UserError(
            "this result is in the history already, with other figures: it has changed since",
            where=f"{entry.directory} in {path}",
            remedy="Add a result when its campaign is finished, and measure again for another.",
        )


def _figures(entry: HistoryEntry) -> dict[str, object]:
    # Through JSON: so a figure that was read equals one that was not written yet.
    return {
        case.id: (case.rounds, json.loads(case.model_dump_json())["figures"])
        for case in entry.cases
    }


def _parsed(content: bytes, path: Path) -> list[HistoryEntry]:
    *lines, rest = content.split(b"\n")
    if not (BEGIN.startswith(rest) or rest.startswith(BEGIN)):
        # Not to be taken for what a killed add has left, which the next one removes.
        raise UserError("the last line is no line of a history", where=str(path))
    return [
        _entry(line, f"{path}, line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]


def _entry(line: bytes, where: str) -> HistoryEntry:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        raise UserError(
            "this is no line of a history",
            where=where,
            remedy="Take the line out, or restore the file from version control.",
        ) from None
    version = found.get("busmark_history") if isinstance(found, dict) else None
    if isinstance(version, int) and version > VERSION:
        raise UserError(
            f"a newer Busmark wrote this (format {version})",
            where=where,
            remedy="Use that version.",
        )
    try:
        return HistoryEntry.model_validate(found)
    except ValidationError as error:
        raise UserError(_first(error.errors()), where=where) from None


def _first(errors: Sequence[object]) -> str:
    error = errors[0]
    assert isinstance(error, dict)
    place = ".".join(str(part) for part in error["loc"]) or "the line"
    return f"this is no line of a history: {place}: {error['msg']}"
