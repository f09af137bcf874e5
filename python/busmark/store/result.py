"""Reading a result directory."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import polars as pl
from pydantic import ValidationError

from busmark.errors import UserError
from busmark.store.columns import FORMAT_VERSION, polars_schema
from busmark.store.manifest import Manifest

MANIFEST = "manifest.json"
CASES = "cases.parquet"
EVENTS = "events.jsonl"
SUMMARIES = "summaries.parquet"
"""Of imported results only."""

UNREADABLE = (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError)
"""What polars raises for a file that is not what it should be; a damaged page makes it panic."""

_AGAIN = "`busmark run --resume --out DIR` runs again what is missing."


def file_stem(case: str, round_number: int) -> str:
    """Name, without its ending, of the files of one round."""
    return f"{case}.r{round_number:03d}"


def load_table(path: Path, table: str, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """One Parquet file of the result, checked against the format; only some columns if named.

    Columns that an older Busmark did not write come as null; further columns are kept.
    """
    try:
        present = None
        if columns is not None:
            known = pl.read_parquet_schema(path)
            present = [name for name in columns if name in known]
        frame = pl.read_parquet(path, columns=present)
    except FileNotFoundError:
        raise UserError(
            "this file of the result is missing", where=str(path), remedy=_AGAIN
        ) from None
    except UNREADABLE as error:
        first = str(error).partition("\n")[0]
        raise UserError(
            f"not a readable Parquet file: truncated or damaged ({first})",
            where=str(path),
            remedy=f"Delete it. {_AGAIN}",
        ) from None
    schema = polars_schema(table)
    if columns is not None:
        schema = {name: schema[name] for name in columns}
    absent = [
        pl.lit(None, dtype=kind).alias(name)
        for name, kind in schema.items()
        if name not in frame.columns
    ]
    frame = frame.with_columns(absent) if absent else frame
    # Each cast costs as much as reading its column, even where there is nothing to do.
    casts = [pl.col(name).cast(kind) for name, kind in schema.items() if frame.schema[name] != kind]
    try:
        return frame.with_columns(casts) if casts else frame
    except pl.exceptions.PolarsError as error:
        first = str(error).partition("\n")[0]
        raise UserError(
            f"columns of an unexpected type ({first})",
            where=str(path),
            remedy=f"Busmark did not write this file. Delete it. {_AGAIN}",
        ) from None


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

    @cached_property
    def failed_attempts(self) -> dict[str, list[str]]:
        """By case, why attempts at its rounds have failed, in order of time; those too whose row a
        further attempt has replaced."""
        path = self.directory / EVENTS
        found: dict[str, list[str]] = {}
        for line in path.read_bytes().splitlines() if path.exists() else []:
            # A crash may have left half a line.
            with suppress(ValueError):
                event = json.loads(line)
                if event["event"] == "round_failed":
                    found.setdefault(event["case"], []).append(event["reason"])
        return found

    @cached_property
    def summaries(self) -> pl.DataFrame:
        """Figures that the source of an imported result states; empty for any other."""
        path = self.directory / SUMMARIES
        if not path.exists():
            return pl.DataFrame(schema=polars_schema("summaries"))
        return load_table(path, "summaries")

    def rounds(self, case: str, *, status: str = "ok") -> list[int]:
        """Numbers of the rounds of `case` with this status, ascending."""
        rows = self.cases.filter((pl.col("case") == case) & (pl.col("status") == status))
        return sorted(rows["round"].to_list())

    def samples(
        self, case: str, round_number: int, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        """Raw samples of one round, in order of recording; only some columns if named."""
        return self._round_table("samples", case, round_number, columns)

    def intervals(self, case: str, round_number: int) -> pl.DataFrame:
        """Interval counters of one round."""
        return self._round_table("intervals", case, round_number)

    def system(self, case: str, round_number: int) -> pl.DataFrame | None:
        """The system's counters during one round; None where none were read."""
        path = self.directory / "system" / f"{file_stem(case, round_number)}.parquet"
        return load_table(path, "system") if path.exists() else None

    def _round_table(
        self, table: str, case: str, round_number: int, columns: Sequence[str] | None = None
    ) -> pl.DataFrame:
        path = self.directory / table / f"{file_stem(case, round_number)}.parquet"
        return load_table(path, table, columns)


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
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise UserError(f"cannot be read ({error.strerror})", where=str(path)) from None
    except (ValueError, RecursionError) as error:
        raise _damaged(path, f"not JSON: {error}") from None
    if not isinstance(document, dict):
        raise _damaged(path, "not a JSON object")
    # The version first: what a newer format changed must not be taken for damage.
    version = document.get("format")
    if isinstance(version, int) and version > FORMAT_VERSION:
        raise UserError(
            f"written in result format {version}; this Busmark reads up to {FORMAT_VERSION}",
            where=str(path),
            remedy="Open it with the Busmark that wrote it "
            f"({document.get('busmark_version', 'unknown')}) or a newer one.",
        )
    try:
        return Manifest.model_validate(document)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise _damaged(path, f"{key}: {first['msg']}") from None


def _damaged(path: Path, what: str) -> UserError:
    return UserError(
        f"damaged manifest: {what}",
        where=str(path),
        remedy="Without it the result cannot be interpreted: restore it from a copy. The samples "
        "beside it are ordinary Parquet files.",
    )
