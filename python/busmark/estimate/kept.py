"""The table of estimates beside the raw tables: `estimates.parquet`.

It is written when a campaign ends, and again whenever it is missing, older than the code that makes
it, or made of other rounds than there are.
"""

from __future__ import annotations

import hashlib
import io
from contextlib import suppress

import polars as pl

from busmark import __version__, files
from busmark.analysis import Campaign, summarise
from busmark.estimate.columns import ESTIMATES
from busmark.estimate.rows import table
from busmark.store import Result
from busmark.store.atomic import replacing
from busmark.store.columns import ESTIMATES_FILE, polars_type

VERSION = "2"
"""Raised whenever a row would have another value, name or meaning within a release."""
KEY = "busmark:estimates"
"""Key in the file's metadata: the version, and a digest of what the table was made from."""


def estimates(result: Result, campaign: Campaign | None = None) -> pl.DataFrame:
    """The estimates of a result: as they are kept, or made anew and kept if that is possible.
    `campaign`: its analysis, where there is one."""
    if (found := _kept(result)) is not None:
        return found
    campaign = campaign or summarise(result, with_series=False)
    # A result that is somebody else's, or on a disk that cannot be written, keeps none.
    with suppress(OSError):
        return store(result, campaign)
    return table(campaign)


def store(result: Result, campaign: Campaign) -> pl.DataFrame:
    """Write the table of an analysed result beside its raw tables, and return it.

    Raises:
        OSError: it cannot be written.
    """
    found = table(campaign)
    with replacing(result.directory / ESTIMATES_FILE) as partial:
        found.write_parquet(partial, metadata={KEY: _state(result)})
    return found


def _kept(result: Result) -> pl.DataFrame | None:
    """As it is in the file; None where that is not of this result as it is now."""
    path = result.directory / ESTIMATES_FILE
    schema = {column.name: polars_type(column.kind) for column in ESTIMATES}
    with suppress(OSError, pl.exceptions.PolarsError):
        content = files.content(path)
        if pl.read_parquet_metadata(io.BytesIO(content)).get(KEY) == _state(result):
            found = pl.read_parquet(content)
            return found if dict(found.schema) == schema else None
    return None


def _state(result: Result) -> str:
    """The version, and a digest of the manifest, the table of rounds, and the names and sizes of
    all raw tables."""
    known = hashlib.sha256()
    for name in ("manifest.json", "cases.parquet"):
        with suppress(OSError):
            known.update(files.content(result.directory / name))
    for path in sorted(result.directory.glob("*/*.parquet")):
        known.update(f"{path.parent.name}/{path.name} {path.stat().st_size}\n".encode())
    return f"{__version__} {VERSION} {known.hexdigest()}"
