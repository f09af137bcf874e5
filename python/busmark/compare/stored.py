"""The analysis of a result, kept beside its raw tables: estimates, series, and the campaign.

They are written when a campaign ends, and again whenever one is missing, made by other code, or
made of other rounds than there are. All may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache, cached_property
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import Any, cast

import polars as pl
from pydantic import BaseModel, ValidationError

from busmark import __version__, files
from busmark.compare.campaign import (
    UNJUDGED,
    Between,
    Campaign,
    KnownFigures,
    Required,
    summarise,
)
from busmark.compare.requirements import RequirementVerdict
from busmark.estimate import frames, series
from busmark.estimate.all_cases import EarlyCases
from busmark.estimate.columns import ESTIMATES, SERIES
from busmark.estimate.one_case import CaseFigures
from busmark.facts import fact_files
from busmark.model.case import Curve
from busmark.model.figures import Figures
from busmark.plugin import active
from busmark.store import Result
from busmark.store.columns import (
    ESTIMATES_FILE,
    SERIES_FILE,
    TABLES,
    StoredColumn,
    polars_type,
)

STATE, SEEN, NOTES = "busmark:state", "busmark:seen", "busmark:notes"
"""Keys in a table's metadata: of what, and by what, it was made; sizes and times of these files;
and further facts, as `Notes`."""

FORM = re.compile(rf"{re.escape(__version__)} [0-9a-f]{{64}}")
"""Form of a state."""

CODE = ("adapters", "compare", "estimate", "model", "scenario", "stats", "store")
"""Packages that the figures come from."""


def _ignored(problem: str) -> None:
    pass


class Notes(BaseModel):
    """Facts of a result's cases that stand in no table."""

    problems: dict[str, list[str]]
    """What could not be used, by case."""
    parts: dict[str, dict[str, Any]]
    """What plug-ins make of cases, by case and plug-in."""
    requirements: list[RequirementVerdict]
    unjudged: list[str]
    """Why requirements were not judged."""
    between: Between
    """Verdicts on several cases: they take longer to make than all else of a stored result."""

    @classmethod
    def from_campaign(cls, campaign: Campaign) -> Notes:
        """Return the notes of a campaign."""
        parts = {
            case.id: {
                name: part.model_dump(mode="json") if isinstance(part, BaseModel) else part
                for name, part in case.plugins.items()
            }
            for case in campaign.cases
            if case.plugins
        }
        return cls(
            problems={case.id: case.problems for case in campaign.cases if case.problems},
            parts=parts,
            requirements=campaign.requirements,
            unjudged=[text for text in campaign.problems if text.startswith(UNJUDGED)],
            between=Between(**{name: getattr(campaign, name) for name in Between.model_fields}),
        )


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
    def at_hand(self) -> Campaign | None:
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
        """The campaign of the stored figures, without its curves; None where there are none of this
        result in its present state."""
        table = self._table(ESTIMATES_FILE, ESTIMATES)
        if table is None:
            return None
        text = self._metadata(ESTIMATES_FILE).get(NOTES)
        if text is None:
            return None
        try:
            notes = Notes.model_validate_json(text)
        except ValidationError:
            self._unused(self._result.directory / ESTIMATES_FILE)
            return None
        found = frames.figures(table)
        names = dict.fromkeys((*found, *notes.problems, *notes.parts))
        cases = {
            name: CaseFigures(
                found.get(name, Figures()),
                parts=notes.parts.get(name, {}),
                problems=notes.problems.get(name, ()),
            )
            for name in names
        }
        required = Required(notes.requirements, notes.unjudged)
        return summarise(
            self._result, with_series=False, known=KnownFigures(cases, required, notes.between)
        )

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
        directory = self._result.directory
        metadata = {STATE: self._state, SEEN: _seen(directory)}
        notes = Notes.from_campaign(campaign)
        text = notes.model_dump_json()
        # What JSON cannot say is not kept, rather than changed by it.
        kept = {NOTES: text} if Notes.model_validate_json(text) == notes else {}
        for name, table, own in (
            (SERIES_FILE, _series(campaign), metadata),
            (ESTIMATES_FILE, frames.estimates(campaign.cases), metadata | kept),
        ):
            # Not by polars into the file: a full disk is no `OSError` there.
            memory = io.BytesIO()
            table.write_parquet(memory, metadata=own)
            files.write(directory / name, memory.getvalue())

    @cached_property
    def _state(self) -> str:
        """The state of the result: read from a file of its analysis while nobody has written to
        what it was made of, for its contents need not be read then."""
        directory = self._result.directory
        known = self._metadata(ESTIMATES_FILE)
        state = known.get(STATE, "")
        if known.get(SEEN) == _seen(directory) and FORM.fullmatch(state):
            return state
        return _state(directory)

    def _metadata(self, name: str) -> dict[str, str]:
        path = self._result.directory / name
        with suppress(OSError, pl.exceptions.PolarsError):
            return pl.read_parquet_metadata(io.BytesIO(files.content(path)))
        return {}

    def _table(self, name: str, columns: Sequence[StoredColumn]) -> pl.DataFrame | None:
        path = self._result.directory / name
        schema = {column.name: polars_type(column.kind) for column in columns}
        with suppress(OSError, pl.exceptions.PolarsError):
            content = files.content(path)
            if pl.read_parquet_metadata(io.BytesIO(content)).get(STATE) == self._state:
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
