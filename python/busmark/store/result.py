"""Reading a result directory."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from pydantic import ValidationError

from busmark.errors import UserError
from busmark.store.columns import FORMAT_VERSION, polars_schema
from busmark.store.manifest import Manifest

MANIFEST = "manifest.json"
CASES = "cases.parquet"
EVENTS = "events.jsonl"


def file_stem(case: str, round_number: int) -> str:
    """Name, without its ending, of the files of one round."""
    return f"{case}.r{round_number:03d}"


def load_table(path: Path, table: str) -> pl.DataFrame:
    """One Parquet file of the result, checked against the format.

    Columns that an older Busmark did not write come as null; further columns are kept.
    """
    try:
        frame = pl.read_parquet(path)
    except FileNotFoundError:
        raise UserError("this file of the result is missing", where=str(path)) from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise UserError(
            f"not a readable Parquet file ({error})",
            where=str(path),
            remedy="The file is truncated or damaged; delete it and run again with --resume.",
        ) from None
    schema = polars_schema(table)
    absent = [pl.lit(None, dtype=kind).alias(name) for name, kind in schema.items()
              if name not in frame.columns]
    frame = frame.with_columns(absent)
    try:
        return frame.with_columns(pl.col(name).cast(kind) for name, kind in schema.items())
    except pl.exceptions.PolarsError as error:
        raise UserError(f"columns of an unexpected type ({error})", where=str(path)) from None


class Result:
    """A result directory, finished or not: every round that finished is readable.

    `manifest` is the parsed `manifest.json`, `cases` the table of rounds (see
    `busmark.store.columns`).
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.manifest = load_manifest(directory)
        path = directory / CASES
        self.cases = (
            load_table(path, "cases")
            if path.exists()
            else pl.DataFrame(schema=polars_schema("cases"))
        )

    def rounds(self, case: str, *, status: str = "ok") -> list[int]:
        """Numbers of the rounds of `case` with this status, ascending."""
        rows = self.cases.filter((pl.col("case") == case) & (pl.col("status") == status))
        return sorted(rows["round"].to_list())

    def samples(self, case: str, round_number: int) -> pl.DataFrame:
        """Raw samples of one round, in order of recording."""
        return self._round_table("samples", case, round_number)

    def intervals(self, case: str, round_number: int) -> pl.DataFrame:
        """Interval counters of one round."""
        return self._round_table("intervals", case, round_number)

    def _round_table(self, table: str, case: str, round_number: int) -> pl.DataFrame:
        path = self.directory / table / f"{file_stem(case, round_number)}.parquet"
        return load_table(path, table)


def load_manifest(directory: Path) -> Manifest:
    """The manifest of a result directory, or a `UserError` that says what is wrong with it."""
    path = directory / MANIFEST
    if not directory.is_dir():
        raise UserError("no such result directory", where=str(directory))
    if not path.exists():
        raise UserError(
            f"not a result directory: it has no {MANIFEST}",
            where=str(directory),
            remedy="Name the directory that `busmark run --out DIR` wrote.",
        )
    try:
        manifest = Manifest.model_validate_json(path.read_bytes())
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise UserError(
            f"damaged manifest: {key + ': ' if key else ''}{first['msg']}", where=str(path)
        ) from None
    if manifest.format > FORMAT_VERSION:
        raise UserError(
            f"written in result format {manifest.format}; this Busmark reads up to "
            f"{FORMAT_VERSION}",
            where=str(path),
            remedy="Open it with the Busmark that wrote it "
            f"({manifest.busmark_version}) or a newer one.",
        )
    return manifest
