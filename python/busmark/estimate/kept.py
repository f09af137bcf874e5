"""The tables of estimates and of series beside the raw tables.

They are written when a campaign ends, and again whenever they are missing, older than the code that
makes them, or made of other rounds than there are.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import polars as pl

from busmark import __version__, files
from busmark.compare.cache import Kept
from busmark.compare.campaign import Campaign, summarise
from busmark.estimate import rows, series
from busmark.estimate.columns import ESTIMATES, SERIES
from busmark.store import Result
from busmark.store.atomic import replacing
from busmark.store.columns import ESTIMATES_FILE, SERIES_FILE, Column, polars_type

VERSION = "4"
"""Raised whenever a row would have another value, name or meaning within a release."""
KEY = "busmark:estimates"
"""Key in a file's metadata: the version, and a digest of what the table was made from."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that is made of all others."""

    file: str
    columns: Sequence[Column]
    made: Callable[[Campaign], pl.DataFrame]
    with_series: bool
    """Whether the analysis that it is made of needs the points of plots."""

    def of(
        self, result: Result, campaign: Campaign | None, note: Callable[[str], None]
    ) -> pl.DataFrame:
        """Return the table of a result: the stored one, or made anew and stored if possible.

        Args:
            result: which it is of.
            campaign: its analysis, where there is one.
            note: takes a line where a stored table is not used.
        """
        if (found := self._stored(result)) is not None:
            return found
        path = result.directory / self.file
        if path.exists():
            note(f"{path}: damaged, of another version or of other rounds; made anew")
        if campaign is None:
            campaign = Kept(result.directory).campaign(with_series=self.with_series)
        campaign = campaign or summarise(result, with_series=self.with_series)
        # A result that is somebody else's, or on a disk that cannot be written, keeps none.
        with suppress(OSError):
            return self.store(result, campaign)
        return self.made(campaign)

    def store(self, result: Result, campaign: Campaign) -> pl.DataFrame:
        """Write the table of an analysed result beside its raw tables, and return it.

        Raises:
            OSError: it cannot be written.
        """
        found = self.made(campaign)
        with replacing(result.directory / self.file) as partial:
            found.write_parquet(partial, metadata={KEY: _state(result)})
        return found

    def _stored(self, result: Result) -> pl.DataFrame | None:
        """As it is in the file; None where that is not of this result as it is now."""
        schema = {column.name: polars_type(column.kind) for column in self.columns}
        with suppress(OSError, pl.exceptions.PolarsError):
            content = files.content(result.directory / self.file)
            if pl.read_parquet_metadata(io.BytesIO(content)).get(KEY) == _state(result):
                found = pl.read_parquet(content)
                return found if dict(found.schema) == schema else None
        return None


ESTIMATES_TABLE = Table(ESTIMATES_FILE, ESTIMATES, rows.table, with_series=False)
SERIES_TABLE = Table(SERIES_FILE, SERIES, series.table, with_series=True)


def store(result: Result, campaign: Campaign) -> None:
    """Write both tables of a result that was analysed with the points of plots.

    Raises:
        OSError: one cannot be written.
    """
    for table in (ESTIMATES_TABLE, SERIES_TABLE):
        table.store(result, campaign)


def _state(result: Result) -> str:
    """Return the version, and a digest of the manifest, the table of rounds, and the names and
    sizes of all raw tables."""
    known = hashlib.sha256()
    for name in ("manifest.json", "cases.parquet"):
        with suppress(OSError):
            known.update(files.content(result.directory / name))
    for path in sorted(result.directory.glob("*/*.parquet")):
        known.update(f"{path.parent.name}/{path.name} {path.stat().st_size}\n".encode())
    return f"{__version__} {VERSION} {known.hexdigest()}"
