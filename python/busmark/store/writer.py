"""Writing a result directory so that nothing finished is ever lost.

A round's samples and intervals are written first, each file beside its place and then renamed; the
round's row in `cases.parquet` follows the same way and is what makes the round count. A crash between
the two leaves files without a row, which the next run of the campaign replaces.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from pathlib import Path
from typing import Any, TextIO

import polars as pl

from busmark.errors import UserError
from busmark.store.atomic import SUFFIX, replacing, write_text
from busmark.store.columns import polars_schema
from busmark.store.manifest import Manifest
from busmark.store.result import CASES, EVENTS, MANIFEST, Result, file_stem

FOLDERS = ("samples", "intervals", "logs")


class ResultWriter:
    """The one writer of a result directory; a lock keeps others out."""

    def __init__(self, directory: Path, manifest: Manifest, rows: list[dict[str, Any]]) -> None:
        self.directory = directory
        self.manifest = manifest
        self.rows = rows
        self._lock: TextIO | None = None
        self._events: TextIO | None = None

    @classmethod
    def create(cls, directory: Path, manifest: Manifest) -> ResultWriter:
        """A new result; the directory must not exist or be empty."""
        if directory.exists() and any(directory.iterdir()):
            raise UserError(
                "the output directory exists and is not empty",
                where=str(directory),
                remedy="Name another with --out, or finish that campaign with --resume.",
            )
        writer = cls(directory, manifest, [])
        writer._open()
        writer.save_manifest()
        return writer

    @classmethod
    def resume(cls, directory: Path) -> ResultWriter:
        """Goes on with a result: rounds that are there stay, leftovers of a crash are removed."""
        result = Result(directory)
        writer = cls(directory, result.manifest, result.cases.to_dicts())
        writer._open()
        for leftover in directory.rglob("*" + SUFFIX):
            leftover.unlink()
        return writer

    def _open(self) -> None:
        try:
            for folder in FOLDERS:
                (self.directory / folder).mkdir(parents=True, exist_ok=True)
            self._lock = (self.directory / ".lock").open("w")
            self._events = (self.directory / EVENTS).open("a", encoding="utf-8")
        except OSError as error:
            raise UserError(
                f"cannot be written to ({error.strerror})",
                where=str(self.directory),
                remedy="Name another directory with --out.",
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UserError(
                "another busmark is writing this result", where=str(self.directory)
            ) from None

    def save_manifest(self) -> None:
        """Replaces `manifest.json`."""
        write_text(self.directory / MANIFEST, self.manifest.model_dump_json(indent=2) + "\n")

    def event(self, kind: str, **values: Any) -> None:
        """Appends a line to `events.jsonl`, stamped with both clocks."""
        assert self._events is not None
        stamp = {"utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                 "monotonic_ns": time.monotonic_ns(), "event": kind}  # fmt: skip
        self._events.write(json.dumps({**stamp, **values}) + "\n")
        self._events.flush()

    def save_round(
        self, row: dict[str, Any], samples: pl.DataFrame | None, intervals: pl.DataFrame | None
    ) -> None:
        """Makes a round part of the result; `row` is a row of `cases`. A further attempt of the same
        round takes the place of the one before, which stays in `events.jsonl`."""
        stem = file_stem(row["case"], row["round"])
        for folder, frame in (("samples", samples), ("intervals", intervals)):
            if frame is not None:
                with replacing(self.directory / folder / f"{stem}.parquet") as path:
                    frame.write_parquet(path, compression="lz4", statistics=False)
        self.rows = [
            kept
            for kept in self.rows
            if (kept["case"], kept["round"]) != (row["case"], row["round"])
        ]
        self.rows.append(row)
        table = pl.DataFrame(self.rows, schema=polars_schema("cases"))
        with replacing(self.directory / CASES) as path:
            table.write_parquet(path)

    def close(self) -> None:
        """Lets the lock go."""
        if self._events is not None:
            os.fsync(self._events.fileno())
            self._events.close()
        if self._lock is not None:
            self._lock.close()
            (self.directory / ".lock").unlink(missing_ok=True)
