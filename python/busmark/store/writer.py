"""Writing a result directory so that nothing finished is ever lost.

A round's samples, intervals and system counters are written first, each file beside its place and
then renamed; the round's row in `cases.parquet` follows the same way and is what makes the round
count. A crash between the two leaves files without a row, which the next run of the campaign
replaces.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from busmark.errors import UserError
from busmark.store.atomic import SUFFIX, replacing, write_text
from busmark.store.columns import polars_schema
from busmark.store.manifest import Manifest
from busmark.store.result import CASES, EVENTS, MANIFEST, UNREADABLE, Result, file_stem

TABLE_FOLDERS = ("samples", "intervals")
"""Of what every finished round has."""
LOGS = "logs"
FOLDERS = (*TABLE_FOLDERS, "system", LOGS)
LOCK = ".lock"


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turns every failure to write below `path` into one message."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UserError(
            f"the result cannot be stored ({_cause(error)})",
            where=str(path),
            remedy="The rounds finished so far are kept. Make room, or make it writable, and go on "
            "with --resume.",
        ) from error


def _cause(error: Exception) -> str:
    """The system's own words. polars hides them in a sentence that ends in "(os error 28)"."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    number = re.search(r"\(os error (\d+)\)", str(error))
    return os.strerror(int(number[1])) if number else str(error)


class ResultWriter:
    """The one writer of a result directory; a lock keeps others out."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.manifest: Manifest
        self.rows: list[dict[str, Any]] = []
        self._lock: BinaryIO | None = None
        self._events: FileIO | None = None

    @classmethod
    def create(cls, directory: Path, manifest: Manifest) -> ResultWriter:
        """A new result; the directory must not exist or be empty."""
        writer = cls(directory)
        writer._open(new=True)
        writer.manifest = manifest
        writer.save_manifest()
        return writer

    @classmethod
    def resume(cls, directory: Path) -> ResultWriter:
        """Goes on with a result: rounds that are there stay, leftovers of a crash are removed.

        A round whose files cannot be read, because somebody deleted or damaged them, is missing.
        """
        Result(directory)  # says what is wrong before anything is touched
        writer = cls(directory)
        writer._open(new=False)
        # Read again under the lock: another process may have been writing until now.
        result = Result(directory)
        writer.manifest = result.manifest
        writer.rows = result.cases.to_dicts()
        with storing(directory):
            for leftover in directory.rglob("*" + SUFFIX):
                leftover.unlink()
        writer._drop_lost_rounds()
        return writer

    def _drop_lost_rounds(self) -> None:
        lost = [row for row in self.rows if row["status"] != "failed" and not self._has_files(row)]
        for row in lost:
            self.event("round_lost", case=row["case"], round=row["round"])
        if lost:
            self._save_cases([row for row in self.rows if row not in lost])

    def _has_files(self, row: dict[str, Any]) -> bool:
        stem = file_stem(row["case"], row["round"])
        for folder in TABLE_FOLDERS:
            try:
                pl.read_parquet_schema(self.directory / folder / f"{stem}.parquet")
            except UNREADABLE:
                return False
        return True

    def _open(self, *, new: bool) -> None:
        """Makes sure of everything that writing needs; touches nothing of a foreign directory."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            if new:
                self._must_be_fresh()
            self._lock = (self.directory / LOCK).open("ab")
            self._claim()
            if new:
                self._must_be_fresh()  # nobody was quicker
            for folder in FOLDERS:
                (self.directory / folder).mkdir(exist_ok=True)
            self._events = _open_lines(self.directory / EVENTS)
        except OSError as error:
            self.close()
            is_file = isinstance(error, (FileExistsError, NotADirectoryError))
            raise UserError(
                "not a directory" if is_file else f"cannot be written to ({error.strerror})",
                where=str(error.filename or self.directory),
                remedy="Name another directory with --out.",
            ) from None
        except UserError:
            self.close()
            raise

    def _must_be_fresh(self) -> None:
        if not _is_fresh(self.directory):
            raise UserError(
                "the output directory exists and is not empty",
                where=str(self.directory),
                remedy="Name another with --out, or finish that campaign with --resume.",
            )

    def _claim(self) -> None:
        assert self._lock is not None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(
                "another busmark is writing this result",
                where=str(self.directory),
                remedy="Wait for its end, or name another directory with --out.",
            ) from None

    def save_manifest(self) -> None:
        """Replaces `manifest.json`."""
        path = self.directory / MANIFEST
        with storing(path):
            write_text(path, self.manifest.model_dump_json(indent=2) + "\n")

    def event(self, kind: str, **values: Any) -> None:
        """Appends a line to `events.jsonl`, stamped with both clocks."""
        assert self._events is not None
        stamp = {"utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
                 "monotonic_ns": time.monotonic_ns(), "event": kind}  # fmt: skip
        with storing(self.directory / EVENTS):
            _append_line(self._events, json.dumps({**stamp, **values}).encode() + b"\n")

    def save_round(
        self,
        row: dict[str, Any],
        samples: pl.DataFrame | None,
        intervals: pl.DataFrame | None,
        system: pl.DataFrame | None = None,
    ) -> None:
        """Makes a round part of the result; `row` is a row of `cases`.

        A further attempt of the same round takes the place of the one before, which stays in
        `events.jsonl`.
        """
        stem = file_stem(row["case"], row["round"])
        frames = {"samples": samples, "intervals": intervals, "system": system}
        for folder, frame in frames.items():
            path = self.directory / folder / f"{stem}.parquet"
            if frame is not None:
                with storing(path), replacing(path) as partial:
                    frame.write_parquet(partial, compression="lz4", statistics=False)
        key = (row["case"], row["round"])
        self._save_cases([*(r for r in self.rows if (r["case"], r["round"]) != key), row])

    def keep_logs(self, case: str, round_number: int, attempt: int) -> None:
        """Sets the logs of a failed attempt aside; the next one would write over them."""
        stem = file_stem(case, round_number)
        with storing(self.directory / LOGS):
            for path in (self.directory / LOGS).iterdir():
                name = path.name.removeprefix(f"{stem}.")
                if name != path.name and not name.startswith("attempt"):
                    path.rename(path.with_name(f"{stem}.attempt{attempt}.{name}"))

    def _save_cases(self, rows: list[dict[str, Any]]) -> None:
        table = pl.DataFrame(rows, schema=polars_schema("cases"))
        path = self.directory / CASES
        with storing(path), replacing(path) as partial:
            table.write_parquet(partial)
        self.rows = rows

    def close(self) -> None:
        """Lets the lock go. Called on the way out of errors too, so it raises none."""
        with suppress(OSError):
            if self._events is not None:
                os.fsync(self._events.fileno())
        for file in (self._events, self._lock):
            if file is not None:
                with suppress(OSError):
                    file.close()


def _is_fresh(directory: Path) -> bool:
    """Whether nothing is there, or only what a start leaves that was killed before its manifest."""
    started = {LOCK, EVENTS, MANIFEST + SUFFIX, *FOLDERS}
    return all(
        entry.name in started and not (entry.is_dir() and any(entry.iterdir()))
        for entry in directory.iterdir()
    )


def _open_lines(path: Path) -> FileIO:
    """A file of lines to append to, without the half of a line that a crash may have left."""
    file = path.open("a+b", buffering=0)
    end = file.seek(0, os.SEEK_END)
    file.seek(max(0, end - 1))
    if end and file.read(1) != b"\n":
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
    return file


def _append_line(file: FileIO, line: bytes) -> None:
    """The whole line, or an error and nothing of it."""
    begin = os.fstat(file.fileno()).st_size
    try:
        while line:
            line = line[file.write(line) :]
    except OSError:
        with suppress(OSError):
            file.truncate(begin)
        raise
