"""Writes a recording: each line is in the file, whole, before the next one is taken."""

from __future__ import annotations

import json
import os
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Self

from busmark.errors import UserError
from busmark.plugins.bus.recording.model import Header, Heard, Lost, Stored
from busmark.store.atomic import append_line

MIB = 1 << 20


class Writer:
    """A new recording."""

    def __init__(self, path: Path, most_bytes: int) -> None:
        """Makes the file.

        Raises:
            UserError: there is such a file already, or none can be made there.
        """
        absent(path)
        try:
            # Exclusively: between two recorders that begin at once, one wins.
            self._file = path.open("xb", buffering=0)
        except OSError as error:
            raise _not_written(path, error, 0) from None
        self._path = path
        self._most_bytes = most_bytes
        self._bytes = 0
        self.counts: Counter[str] = Counter()
        """Messages stored, by what they are."""
        self.lost: Counter[str] = Counter()
        """Samples that are not stored, by why."""

    @property
    def stored(self) -> int:
        """Messages in it."""
        return self.counts.total()

    def begin(self, header: Header) -> None:
        """The first line; without it there is no recording."""
        try:
            self._append(header)
        except BaseException:
            self.close()
            with suppress(OSError):
                os.unlink(self._path)
            raise

    def add(self, line: Stored) -> None:
        """Any further line.

        Raises:
            UserError: it cannot be stored; the file is whole up to the line before.
        """
        self._append(line)
        if isinstance(line, Heard):
            self.counts[line.what] += 1
        if isinstance(line, Lost):
            self.lost += Counter(
                foreign=line.foreign, malformed=line.malformed, overflow=line.overflow
            )

    def _append(self, line: Stored) -> None:
        text = json.dumps(line.model_dump(mode="json"), ensure_ascii=False) + "\n"
        data = text.encode("utf-8", "backslashreplace")
        if self._bytes + len(data) > self._most_bytes:
            raise UserError(
                f"the recording has {self._bytes / MIB:,.1f} MiB and {self.stored:,} messages: "
                "the next one is beyond the limit",
                where=str(self._path), remedy="Allow more with --most, or stop who floods the bus.",
            )  # fmt: skip
        try:
            append_line(self._file, data)
        except OSError as error:
            raise _not_written(self._path, error, self.stored) from None
        self._bytes += len(data)

    def close(self) -> None:
        """No more lines."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def absent(path: Path) -> None:
    """That no file is overwritten.

    Raises:
        UserError: there is one of this name.
    """
    if path.exists() or path.is_symlink():
        raise UserError(
            "is there already, and no recording is overwritten", where=str(path),
            remedy="Name another file, or remove this one.",
        )  # fmt: skip


def _not_written(path: Path, error: OSError, stored: int) -> UserError:
    kept = f"; the {stored:,} messages before are in it" if stored else ""
    return UserError(
        f"cannot be written: {error.strerror or error}{kept}", where=str(path),
        remedy="Make room, or name a file elsewhere.",
    )  # fmt: skip
