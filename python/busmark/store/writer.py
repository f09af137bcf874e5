"""Writing a result directory so that nothing finished is ever lost.

A round's samples, intervals and system counters are written first, each file beside its place and
then renamed; the round's row in `cases.parquet` follows the same way and is what makes the round
count. A crash between the two leaves files without a row, which the next run of the campaign
replaces.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from busmark import files, platform
from busmark.errors import UserError
from busmark.files import SUFFIX, append_line, open_lines, replacing
from busmark.store import checksum
from busmark.store.columns import OF_PLUGINS
from busmark.store.manifest import MANIFEST, Manifest
from busmark.store.result import CASES, EVENTS, Result, file_stem
from busmark.store.rows import Rows, key_of
from busmark.store.tables import UNREADABLE, check_file

TABLE_FOLDERS = ("samples", "intervals")
"""Folders of tables that every finished round has."""
LOGS = "logs"
ARTEFACTS = "artefacts"
"""Folder for files of companions, made when there is the first."""
FOLDERS = (
    *TABLE_FOLDERS,
    "participants",
    "flows",
    "changes",
    "batches",
    "discoveries",
    "goals",
    "matches",
    *OF_PLUGINS,
    "system",
    LOGS,
)
LOCK = ".lock"
LOOK_S = 0.2
"""Time until the next attempt: `busmark list` has the lock for a moment to see who writes."""


@contextmanager
def storing(path: Path) -> Iterator[None]:
    """Turn every failure to write below `path` into one message."""
    try:
        yield
    except OSError as error:
        raise UserError(
            f"the result cannot be stored ({error.strerror})",
            where=str(path),
            remedy="The rounds finished so far are kept. Make room, or make it writable, and "
            "continue with `busmark run --resume --out DIR`.",
        ) from error


class ResultWriter:
    """The one writer of a result directory; a lock keeps others out."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.manifest: Manifest
        self.rows = Rows(directory / CASES)
        self._lock: BinaryIO | None = None
        self._events: BinaryIO | None = None

    @classmethod
    def create(cls, directory: Path, manifest: Manifest) -> ResultWriter:
        """Create a new result; the directory must be empty or not exist."""
        writer = cls(directory)
        writer._open(new=True)
        writer.manifest = manifest
        writer.save_manifest()
        return writer

    @classmethod
    def resume(cls, directory: Path) -> ResultWriter:
        """Resume a result: rounds that are there stay, leftovers of a crash are removed.

        A round whose files cannot be read, because somebody deleted or damaged them, is missing.
        """
        if directory.is_dir() and not (directory / MANIFEST).exists() and _is_fresh(directory):
            raise UserError(
                "no campaign was begun here: there was no room, or it was ended before",
                where=str(directory),
                remedy="Run it again without --resume; the directory may stay.",
            )
        _check(Result(directory))  # says what is wrong before anything is touched
        writer = cls(directory)
        writer._open(new=False)
        # Read again under the lock: another process may have been writing until now.
        result = Result(directory)
        _check(result)
        writer.manifest = result.manifest
        writer.rows = Rows(directory / CASES, result.cases.to_dicts())
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
            gone = {key_of(row) for row in lost}
            with storing(self.directory / CASES):
                self.rows.replace(row for row in self.rows if key_of(row) not in gone)

    def _has_files(self, row: Mapping[str, Any]) -> bool:
        stem = file_stem(row["case"], row["round"])
        for folder in TABLE_FOLDERS:
            try:
                check_file(self.directory / folder / f"{stem}.parquet")
            except (*UNREADABLE, UserError):
                return False
        return True

    def _open(self, *, new: bool) -> None:
        """Make sure of everything that writing needs; touch nothing of a foreign directory."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            if new:
                self._must_be_fresh()
            self._lock = files.opened(self.directory / LOCK, "a+b")
            self._claim()
            if new:
                self._must_be_fresh()  # nobody was quicker
            for folder in FOLDERS:
                (self.directory / folder).mkdir(exist_ok=True)
            self._events = open_lines(self.directory / EVENTS)
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
            begun = (self.directory / MANIFEST).exists()
            raise UserError(
                "the output directory exists and is not empty",
                where=str(self.directory),
                remedy="Name another with --out, or finish that campaign: `busmark run --resume "
                "--out DIR`."
                if begun
                else f"It holds no campaign ({MANIFEST} is missing): remove it, or name another "
                "with --out.",
            )

    def _claim(self) -> None:
        assert self._lock is not None
        if platform.lock(self._lock):
            return
        time.sleep(LOOK_S)
        if not platform.lock(self._lock):
            raise UserError(
                "another busmark is writing this result",
                where=str(self.directory),
                remedy="Wait for its end, or name another directory with --out.",
            )

    def settle(self) -> None:
        """Bring all rounds into the table `cases`; until then some may stand beside it."""
        with storing(self.directory / CASES):
            self.rows.settle()

    def save_manifest(self) -> None:
        """Write `manifest.json` in place of the one before."""
        path = self.directory / MANIFEST
        with storing(path):
            files.write(path, self.manifest.model_dump_json(indent=2) + "\n")

    def event(self, kind: str, **values: Any) -> None:
        """Append a line to `events.jsonl`, stamped with both clocks."""
        assert self._events is not None
        stamp = {
            "utc": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "monotonic_ns": time.monotonic_ns(),
            "event": kind,
        }
        with storing(self.directory / EVENTS):
            append_line(self._events, json.dumps({**stamp, **values}).encode() + b"\n")

    def save_round(
        self,
        row: dict[str, Any],
        frames: Mapping[str, pl.DataFrame | None],
    ) -> None:
        """Make a round part of the result: a row of `cases`, and its tables by name.

        A further attempt of the same round takes the place of the one before, which stays in
        `events.jsonl`.
        """
        self._save_tables(row, frames)
        with storing(self.directory / CASES):
            self.rows.add(row)

    def save_rounds(self, rounds: Iterable[tuple[dict[str, Any], dict[str, pl.DataFrame]]]) -> None:
        """Store many rounds at once: rows of `cases`, each with its tables by name. The table
        `cases` is written once, so that the time is proportional to their number."""
        rows = []
        for row, frames in rounds:
            self._save_tables(row, frames)
            rows.append(row)
        with storing(self.directory / CASES):
            self.rows.extend(rows)

    def _save_tables(self, row: dict[str, Any], frames: Mapping[str, pl.DataFrame | None]) -> None:
        stem = file_stem(row["case"], row["round"])
        for folder, frame in frames.items():
            path = self.directory / folder / f"{stem}.parquet"
            if frame is not None:
                with storing(path), replacing(path) as partial:
                    checksum.write(frame, partial, compression="lz4", statistics=False)

    def keep_files(self, case: str, round_number: int, made: Mapping[str, Path]) -> None:
        """Move files that were made beside a round into the result, by the end of their names."""
        stem, folder = file_stem(case, round_number), self.directory / ARTEFACTS
        for name, path in made.items():
            with storing(folder):
                folder.mkdir(exist_ok=True)
                with replacing(folder / f"{stem}.{name}") as partial:
                    files.move(path, partial)

    def keep_logs(self, case: str, round_number: int, attempt: int) -> None:
        """Set the logs of a failed attempt aside; the next one would write over them."""
        stem = file_stem(case, round_number)
        with storing(self.directory / LOGS):
            for path in (self.directory / LOGS).iterdir():
                name = path.name.removeprefix(f"{stem}.")
                if name != path.name and not name.startswith("attempt"):
                    path.rename(path.with_name(f"{stem}.attempt{attempt}.{name}"))

    def close(self) -> None:
        """Bring all rows into the table and release the lock. This is called on the way out of
        errors too, so it raises none: rows that cannot be brought there stay beside it."""
        if self._lock is not None:
            with suppress(OSError, UserError):
                self.settle()
        with suppress(OSError):
            if self._events is not None:
                os.fsync(self._events.fileno())
        for file in (self._events, self._lock):
            if file is not None:
                with suppress(OSError):
                    file.close()


def _check(result: Result) -> None:
    """Check that the manifest is whole: it is written again, and what was left out would be lost.
    Rows of the table `cases` that were left out are measured again."""
    if result.damaged_manifest:
        raise UserError(
            f"the manifest is damaged: {result.damage[0].partition(': ')[2]}",
            where=str(result.directory / MANIFEST),
            remedy="Restore it from a copy; or begin a new campaign elsewhere. `busmark show` "
            "reads what is left.",
        )


def _is_fresh(directory: Path) -> bool:
    """Return whether nothing is there, or only what a start leaves that was killed before its
    manifest."""
    started = {LOCK, EVENTS, MANIFEST + SUFFIX, *FOLDERS}
    return all(
        entry.name in started and not (entry.is_dir() and any(entry.iterdir()))
        for entry in directory.iterdir()
    )
