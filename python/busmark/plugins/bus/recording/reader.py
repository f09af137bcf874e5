"""Reads a recording line by line: what is damaged is named by its line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from pydantic import ValidationError

from busmark import files
from busmark.errors import UserError
from busmark.plugins.bus.recording.model import VERSION, WHAT, Header, Stop, What

LONGEST_LINE = 1 << 20
"""Bytes of a line: no message of a bus becomes as long."""

RECORDS = "`busmark bus record FILE --adapter NAME` makes a recording."


class Reader:
    """A recording: its header at once, its lines as they are asked for."""

    def __init__(self, path: Path) -> None:
        """Read the header.

        Raises:
            UserError: this is not a recording, or one of another format.
        """
        self.path = path
        self.cut = False
        """When all lines were read: the recorder was killed, or has not ended yet."""
        self.header = self._header()

    def _open(self) -> IO[bytes]:
        try:
            return files.opened(self.path)
        except OSError as error:
            remedy = RECORDS if isinstance(error, FileNotFoundError) else ""
            raise UserError(f"cannot be read: {error.strerror}", where=str(self.path),
                            remedy=remedy) from None  # fmt: skip

    def _header(self) -> Header:
        with self._open() as file:
            line = _line(file, f"{self.path}, line 1")
        if not line:
            raise UserError("is empty", where=str(self.path), remedy=RECORDS)
        try:
            found = _parsed(line)
        except ValueError:
            found = {}
        version = found.get("busmark_recording")
        if not isinstance(version, int) or isinstance(version, bool):
            raise UserError("is not a recording of a bus: line 1 is not its header",
                            where=str(self.path), remedy=RECORDS)  # fmt: skip
        if version != VERSION:
            by = found.get("busmark_version")
            by = f" {by}" if isinstance(by, str) and len(by) < 100 else ""
            raise UserError(
                f"is of format {version}; this Busmark reads format {VERSION}",
                where=str(self.path), remedy=f"Use the Busmark{by} that recorded it.",
            )  # fmt: skip
        try:
            return Header.model_validate(found)
        except ValidationError as error:
            raise _damaged(_first(error), f"{self.path}, line 1") from None

    def lines(self) -> Iterator[tuple[int, What]]:
        """Return each further line with its number, from 2.

        An end that is missing, or half a last line, is what a recorder leaves that was killed:
        `cut` says so when all is read.

        Raises:
            UserError: a line is damaged; the message names it.
        """
        self.cut, number = True, 1
        with self._open() as file:
            _line(file, f"{self.path}, line 1")
            while True:
                number += 1
                where = f"{self.path}, line {number}"
                if not (text := _line(file, where)).endswith(b"\n"):
                    return
                if not text.strip():
                    continue
                if not self.cut:
                    raise _damaged("it follows the end of the recording", where)
                try:
                    line = WHAT.validate_python(_parsed(text))
                except ValidationError as error:
                    raise _damaged(_first(error), where) from None
                except ValueError as error:
                    raise _damaged(str(error), where) from None
                self.cut = not isinstance(line, Stop)
                yield number, line


def _line(file: IO[bytes], where: str) -> bytes:
    line = file.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        raise _damaged(f"it is longer than {LONGEST_LINE:,} bytes", where)
    return line


def _parsed(line: bytes) -> dict[str, Any]:
    """Return the object of a line.

    Raises:
        ValueError: why there is none.
    """
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=_no_number)
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"it is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("it is not a JSON object")
    return found


def _no_number(word: str) -> float:
    raise ValueError(f"{word} is not JSON")


def _damaged(what: str, where: str) -> UserError:
    return UserError(
        f"this line is damaged: {what}", where=where,
        remedy="Restore the file, or take this line out: a replay then does without it.",
    )  # fmt: skip


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    keys = [str(part) for part in first["loc"] if part not in ("heard", "lost", "stop")]
    return f"{'.'.join(keys) or 'the line'}: {first['msg']}"
