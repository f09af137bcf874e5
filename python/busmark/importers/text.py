"""A file as numbered lines, and the error that names one of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

from busmark.errors import UserError
from busmark.importers.numbers import nanoseconds, number, whole

T = TypeVar("T")

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
LONGEST = 4_000
"""Characters of a line: no tool writes longer ones, and patterns take the square of its length."""
SHOWN = 60
"""Characters of a line that an error quotes."""


class NoResult(UserError):
    """A file is no result of a tool: among others it is skipped."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line without its end; the first has the number 1."""

    number: int
    text: str


class SourceText:
    """The text of a file, with what is needed to speak of it."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.sha256 = hashlib.sha256(data).hexdigest()
        self.size_bytes = len(data)
        self.text = _decoded(data)

    @property
    def lines(self) -> Iterator[Line]:
        """All complete lines, without colours of a terminal; one after the other, for a file may
        have millions."""
        parts = self.text.split("\n")
        parts.pop()
        for place, part in enumerate(parts, start=1):
            line = Line(place, _COLOURS.sub("", part.rstrip("\r")))
            if len(line.text) > LONGEST:
                raise self.malformed(line, f"a line of at most {LONGEST} characters")
            yield line

    @cached_property
    def cut(self) -> str | None:
        """What is to be said of a last line that does not end, and hence may be cut off: it is not
        read. None where all lines end."""
        rest = self.text.rpartition("\n")[2]
        if not rest.strip():
            return None
        number = self.text.count("\n") + 1
        return f"{self.name}, line {number}: not read, for it does not end: {_quoted(rest)}"

    def malformed(self, line: Line | int, expected: str) -> UserError:
        """The error that a line is not what it should be."""
        number = line if isinstance(line, int) else line.number
        text = line.text if isinstance(line, Line) else ""
        found = f", found {_quoted(text)}" if text.strip() else ""
        return UserError(
            f"expected {expected}{found}",
            where=f"{self.name}, line {number}",
            remedy="The file may be cut off, or of another format: name its format with --format.",
        )

    def count(self, line: Line, text: str, what: str = "a count") -> int:
        """A count that must be there."""
        found = self._parsed(line, what, lambda: whole(text))
        if found is None:
            raise self.malformed(line, what)
        return found

    def number(self, line: Line, text: str, what: str = "a number") -> float | None:
        """A number; None where the tool had none."""
        found = self._parsed(line, what, lambda: number(text))
        return None if found is None else float(found)

    def time(self, line: Line, text: str, unit: str, what: str = "a time") -> float | None:
        """A time in nanoseconds; None where the tool had none."""
        return self._parsed(line, what, lambda: nanoseconds(text, unit))

    def _parsed(self, line: Line, what: str, parse: Callable[[], T]) -> T:
        try:
            return parse()
        except ValueError as error:
            raise self.malformed(line, f"{what} ({error})") from None

    def nothing(self, expected: str) -> UserError:
        """The error that a file of the right kind holds no result."""
        last = max(1, self.text.count("\n") + (not self.text.endswith("\n")))
        return UserError(
            f"no result found: expected {expected}",
            where=f"{self.name}, line {last}",
            remedy="The run may have been interrupted, or the file cut off.",
        )


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")


def _decoded(data: bytes) -> str:
    """UTF-8, or UTF-16 as some shells write it; what is neither becomes a replacement mark."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", errors="replace")
    return data.decode("utf-8-sig", errors="replace")
