"""The analysis of a result, kept beside its raw tables: estimates, series, and the campaign.

They are written when a campaign ends, and again whenever one is missing, made by other code, or
made of other rounds than there are. All may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, cast

import polars as pl
from pydantic import ValidationError

from busmark import __version__, files
from busmark.compare.campaign import Campaign, summarise
from busmark.estimate import frames, series
from busmark.estimate.all_cases import EarlyCases
from busmark.estimate.columns import ESTIMATES, SERIES
from busmark.facts import fact_files
from busmark.model.case import Curve
from busmark.model.figures import Figures
from busmark.plugin import active
from busmark.store import Result
from busmark.store.columns import (
    ANALYSIS_FILE,
    ESTIMATES_FILE,
    SERIES_FILE,
    TABLES,
    StoredColumn,
    polars_type,
)

KEY = "busmark:estimates"
"""Key in a table's metadata: of what, and by what, it was made."""

HEAD = re.compile(rb'\{"seen": "(?P<seen>\w+)", "state": "(?P<state>[\w. +-]+)", "campaign":')
"""Begin of a stored campaign."""

MOST_HEAD = 1 << 10
"""Bytes of it."""

MOST_BYTES = 1 << 27
"""Bytes of a campaign: a larger one is not kept, and a larger file is not ours."""

NO_FIGURES = Figures()

BARE: dict[str, Any] = {"figures": NO_FIGURES, "series": ()}
"""What of a case is in other files."""

CODE = ("adapters", "compare", "estimate", "model", "scenario", "stats", "store")
"""Packages that the figures come from."""


def _ignored(problem: str) -> None:
    pass


class StoredAnalysis:
    """The analysis of a result: the stored one, or made anew and stored if possible. A result that
    is somebody else's, or on a disk that cannot be written, keeps none."""

    def __init__(
        self,
        result: Result,
        note: Callable[[str], None] = _ignored,
        campaign: Campaign | None = None,
        early: EarlyCases | None = None,
    ) -> None:
        """Take the result. `note` takes a line where something stored is not used; `campaign`, with
        its curves, is there if it has been analysed already; `early`: the cases that have been."""
        self._early = early
        self._result = result
        self._note = note
        self._made = campaign

    @property
    def found(self) -> Campaign | None:
        """The campaign if it was read or made already."""
        read: Campaign | None = self.__dict__.get("stored")
        return self._made or read

    @property
    def figures(self) -> Campaign:
        """The campaign; with its curves only where it had to be made."""
        return self._made or self.stored or self.make()

    @cached_property
    def campaign(self) -> Campaign:
        """The campaign with its curves."""
        if self._made is None and self.stored is not None:
            table = self._table(SERIES_FILE, SERIES)
            if table is not None:
                found: dict[str, list[Curve]] = {}
                for case, curve in series.curves(table):
                    found.setdefault(case, []).append(curve)
                cases = [
                    case.model_copy(update={"series": found.get(case.id, ())})
                    for case in self.stored.cases
                ]
                return self.stored.model_copy(update={"cases": cases})
        return self._made or self.make()

    @cached_property
    def estimates(self) -> pl.DataFrame:
        """The table of estimates."""
        found = self._table(ESTIMATES_FILE, ESTIMATES)
        return frames.estimates((self._made or self.make()).cases) if found is None else found

    @cached_property
    def series(self) -> pl.DataFrame:
        """The table of series."""
        found = self._table(SERIES_FILE, SERIES)
        return _series(self._made or self.make()) if found is None else found

    @cached_property
    def stored(self) -> Campaign | None:
        """The stored campaign, without its curves; None where there is none of this result in its
        present state."""
        path = self._result.directory / ANALYSIS_FILE
        try:
            text = files.content(path, MOST_BYTES)
        except FileNotFoundError:
            return None
        except OSError:
            text = b""
        found = self._parsed(text)
        if found is None:
            self._unused(path)
            return None
        table = self._table(ESTIMATES_FILE, ESTIMATES)
        if table is None:
            return None
        figures = frames.figures(table)
        cases = [case.with_figures(figures.get(case.id, NO_FIGURES)) for case in found.cases]
        return found.model_copy(update={"cases": cases})

    def make(self) -> Campaign:
        """Analyse the result, and write what is found if that can be written."""
        before = _seen(self._result.directory)
        made = self._made = summarise(self._result, early=self._early)
        # What has changed meanwhile was not looked at.
        if _seen(self._result.directory) == before:
            try:
                self._store(made)
            except PermissionError:
                pass  # somebody else's result
            except OSError as error:
                where = self._result.directory
                self._note(f"{where}: the analysis is not kept: {error.strerror or error}")
        return made

    def _store(self, campaign: Campaign) -> None:
        estimates = frames.estimates(campaign.cases)
        tables = ((ESTIMATES_FILE, estimates), (SERIES_FILE, _series(campaign)))
        for name, table in tables:
            # Not by polars into the file: a full disk is no `OSError` there.
            memory = io.BytesIO()
            table.write_parquet(memory, metadata={KEY: self._state})
            files.write(self._result.directory / name, memory.getvalue())
        seen = f'{{"seen": {json.dumps(_seen(self._result.directory))}, '.encode()
        document = campaign.model_dump_json(exclude={"cases": {"__all__": {"figures"}}})
        text = seen + self._head + document.encode() + b"}\n"
        cases = [case.model_copy(update=BARE) for case in campaign.cases]
        bare = campaign.model_copy(update={"cases": cases})
        # What JSON cannot say is not kept, rather than changed by it.
        if len(text) <= MOST_BYTES and self._parsed(text) == bare:
            files.write(self._result.directory / ANALYSIS_FILE, text)

    @cached_property
    def _state(self) -> str:
        directory = self._result.directory
        with suppress(OSError), files.opened(directory / ANALYSIS_FILE) as file:
            found = HEAD.match(file.read(MOST_HEAD))
            if found and found["seen"].decode() == _seen(directory):
                return found["state"].decode()
        return _state(directory)

    @property
    def _head(self) -> bytes:
        return f'"state": {json.dumps(self._state)}, "campaign":'.encode()

    def _parsed(self, text: bytes) -> Campaign | None:
        found = HEAD.match(text)
        if not found or found["state"].decode() != self._state or not text.endswith(b"}\n"):
            return None
        with suppress(ValidationError):
            return Campaign.model_validate_json(text[found.end() : -2])
        return None

    def _table(self, name: str, columns: Sequence[StoredColumn]) -> pl.DataFrame | None:
        path = self._result.directory / name
        schema = {column.name: polars_type(column.kind) for column in columns}
        with suppress(OSError, pl.exceptions.PolarsError):
            content = files.content(path)
            if pl.read_parquet_metadata(io.BytesIO(content)).get(KEY) == self._state:
                found = pl.read_parquet(content)
                if dict(found.schema) == schema:
                    return found
        if path.exists():
            self._unused(path)
        return None

    def _unused(self, path: Path) -> None:
        self._note(f"{path}: damaged, of another version or of other rounds; made anew")


def _series(campaign: Campaign) -> pl.DataFrame:
    return series.table([(case.id, case.series) for case in campaign.cases])


def _state(directory: Path) -> str:
    """Return the version, and a digest of the code and of all files that are analysed: by their
    contents, for a copy has other times, and damage need not change a size."""
    known = hashlib.sha256(_code())
    for path in _analysed(directory):
        with suppress(OSError), files.opened(path) as file:
            digest = hashlib.file_digest(cast(BufferedReader, file), "sha256").hexdigest()
            known.update(f"{path.relative_to(directory)} {digest}\n".encode())
    return f"{__version__} {known.hexdigest()}"


def _seen(directory: Path) -> str:
    """Return a digest of the code, and of the sizes and times of all files that are analysed: while
    it stays, nobody has written to them, and their contents need not be read."""
    known = hashlib.sha256(_code())
    for path in _analysed(directory):
        with suppress(OSError):
            found = path.stat()
            times = f"{found.st_size} {found.st_mtime_ns} {found.st_ctime_ns}"
            known.update(f"{path.relative_to(directory)} {times}\n".encode())
    return known.hexdigest()


def _analysed(directory: Path) -> Iterator[Path]:
    names = ("manifest.json", "cases.parquet", "cases.jsonl", "events.jsonl", "summaries.parquet")
    yield from (directory / name for name in names)
    for table in sorted(TABLES):
        yield from sorted(directory.glob(f"{table}/*.parquet"))


@cache
def _code() -> bytes:
    """Return a digest of the code that the figures come from, also of plug-ins, and of the facts of
    adapters."""
    package = Path(__file__).resolve().parent.parent
    code = chain.from_iterable(sorted((package / part).rglob("*.py")) for part in CODE)
    digest = hashlib.sha256()
    for path in chain(code, fact_files()):
        digest.update(path.read_bytes())
    for of, plugin in active():
        if plugin.part:
            digest.update(f"{of.name} {of.version}".encode())
            for path in sorted((package / "plugins" / of.name).rglob("*.py")) if of.own else ():
                digest.update(path.read_bytes())
    return digest.digest()
