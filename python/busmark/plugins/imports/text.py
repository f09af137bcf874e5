"""A file as numbered lines, numbers with units, or JSON; and the error that names a line.

Numbers are read as other tools print them, independent of any locale. A comma is never taken for a
decimal point: in these files it divides columns.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import isfinite
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from busmark.errors import UserError

T = TypeVar("T")

_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
LONGEST = 4_000
"""Characters of a line: no tool writes longer ones, and patterns take the square of its length."""
SHOWN = 60
"""Characters of a line that an error quotes."""

NANOSECONDS = {
    "ns": Decimal(1),
    "us": Decimal(10**3),
    "µs": Decimal(10**3),  # micro sign
    "μs": Decimal(10**3),  # Greek mu, as RTI Perftest writes it
    "usec": Decimal(10**3),
    "ms": Decimal(10**6),
    "s": Decimal(10**9),
    "sec": Decimal(10**9),
}
"""Nanoseconds in one of each unit."""

MOST = Decimal(10**18)
"""No time, rate or count of a benchmark is as large; what is does not fit 64 bits."""

LARGEST = 2**63 - 1
"""Largest number that a column of whole numbers can hold; no table allows as much."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
LONGEST_NUMBER = 400
"""Characters of a number: the longest that C prints of a `double` has fewer."""
_ABSENT = {"nan", "-nan", "+nan", "inf", "-inf", "+inf", "-nan(ind)", "n/a", ""}
"""How C and Java print what is not a number."""
_SPACE = re.compile(r"[\s,:]*")


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
        # UTF-8, or UTF-16 as some shells write it; what is neither becomes a replacement mark.
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        self.text = data.decode("utf-16" if utf16 else "utf-8-sig", errors="replace")
        plain = "\n".join(line.rstrip() for line in self.text.split("\n")).rstrip()
        self.content = hashlib.sha256(plain.encode(errors="replace")).hexdigest()
        """Equal for copies that differ in encoding, byte order mark or ends of lines only."""

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
        """Return what is to be said of a last line that does not end, and hence may be cut off: it
        is not read. None where all lines end."""
        rest = self.text.rpartition("\n")[2]
        if not rest.strip():
            return None
        number = self.text.count("\n") + 1
        return f"{self.name}, line {number}: not read, for it does not end: {_quoted(rest)}"

    def malformed(self, line: Line | int, expected: str) -> UserError:
        """Return the error that a line is not what it should be."""
        number = line if isinstance(line, int) else line.number
        text = line.text if isinstance(line, Line) else ""
        found = f", found {_quoted(text)}" if text.strip() else ""
        return UserError(
            f"expected {expected}{found}",
            where=f"{self.name}, line {number}",
            remedy="The file may be cut off, or of another format: name its format with --format.",
        )

    def count(self, line: Line, text: str, what: str = "a count") -> int:
        """Return a count that must be there."""
        found = self._parsed(line, what, lambda: whole(text))
        if found is None:
            raise self.malformed(line, what)
        return found

    def number(self, line: Line, text: str, what: str = "a number") -> float | None:
        """Return a number; None where the tool had none."""
        found = self._parsed(line, what, lambda: number(text))
        return None if found is None else float(found)

    def time(self, line: Line, text: str, unit: str, what: str = "a time") -> float | None:
        """Return a time in nanoseconds; None where the tool had none."""
        return self._parsed(line, what, lambda: nanoseconds(text, unit))

    def _parsed(self, line: Line, what: str, parse: Callable[[], T]) -> T:
        try:
            return parse()
        except ValueError as error:
            raise self.malformed(line, f"{what} ({error})") from None

    def nothing(self, expected: str) -> UserError:
        """Return the error that a file of the right kind holds no result."""
        last = max(1, self.text.count("\n") + (not self.text.endswith("\n")))
        return UserError(
            f"no result found: expected {expected}",
            where=f"{self.name}, line {last}",
            remedy="The run may have been interrupted, or the file cut off.",
        )


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return repr(text if len(text) <= SHOWN else text[:SHOWN] + "…")


def number(text: str) -> Decimal | None:
    """Return the exact value; None where the tool had none.

    Raises:
        ValueError: it is not a number, and says why.
    """
    text = text.strip()
    if text.lower() in _ABSENT:
        return None
    if len(text) > LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        comma = re.fullmatch(r"[+-]?\d+,\d+", text)
        hint = "; decimals must be after a point" if comma else ""
        raise ValueError(f"{text[:40]!r} is not a number{hint}")
    value = Decimal(text)
    if value.copy_abs() >= MOST:
        raise ValueError(f"{text!r} is too large")
    return value


def whole(text: str) -> int | None:
    """Return a count. Raises `ValueError` for fractions and negative numbers."""
    value = number(text)
    if value is None:
        return None
    if value != value.to_integral_value() or value < 0:
        raise ValueError(f"{text.strip()!r} is not a count")
    return int(value)


def column(values: Iterable[int]) -> list[int]:
    """Return whole numbers for a table. One that no column can hold becomes the largest that it
    can, and is refused with the others of its table (`possible`)."""
    return [max(-LARGEST, min(LARGEST, value)) for value in values]


def nanoseconds(value: str | float | Decimal | None, unit: str) -> float | None:
    """Return a time in this unit as nanoseconds. Raises `ValueError` for text that is not a
    number."""
    if isinstance(value, str):
        value = number(value)
    if value is None or not isfinite(value):
        return None
    # By way of the shortest text, so that 31.402 µs are 31402 ns and nothing beside it.
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    found = exact * NANOSECONDS[unit]
    if abs(found) >= 2**62:
        raise ValueError(f"{value} {unit} is too long")
    return float(found)


class Document(BaseModel):
    """A part of another tool's JSON: what is not named here is not read. Numbers must be numbers:
    a text is not taken for one."""

    model_config = ConfigDict(extra="ignore", strict=True)


M = TypeVar("M", bound=Document)


def parsed(source: SourceText, text: str, line: int = 1) -> Any:
    """Return JSON `text`, whose first line is `line` of the file. NaN and infinity become None."""
    try:
        return json.loads(text, parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        raise UserError(
            f"not JSON: {error.msg.lower()} at column {error.colno}",
            where=f"{source.name}, line {line - 1 + error.lineno}",
            remedy="The file may be cut off: a run that is interrupted leaves half a document.",
        ) from None
    except RecursionError:
        raise UserError("not JSON: nested too deep", where=f"{source.name}, line {line}") from None


def checked(source: SourceText, model: type[M], text: str, line: int = 1) -> M:
    """Return JSON `text` as `model`; errors name the line."""
    try:
        return model.model_validate(parsed(source, text, line))
    except ValidationError as error:
        first = error.errors()[0]
        where = line - 1 + line_of(text, first["loc"])
        key = ".".join(str(part) for part in first["loc"]) or "the document"
        raise UserError(
            f"{key}: {first['msg'].lower()}",
            where=f"{source.name}, line {where}",
            remedy="The file is of another version of the tool, or was changed.",
        ) from None


def line_of(text: str, path: Sequence[int | str]) -> int:
    """Return the line of JSON `text` in which the value at `path` begins; of what is not there, the
    line of what should hold it."""
    decoder = json.JSONDecoder()
    position = _skip(text, 0)
    for part in path:
        inner = _member(text, position, part, decoder)
        if inner is None:
            break
        position = inner
    return text.count("\n", 0, position) + 1


def _member(text: str, position: int, part: int | str, decoder: json.JSONDecoder) -> int | None:
    """Return where the member `part` of the object or list at `position` begins."""
    opening = text[position : position + 1]
    if opening not in ("{", "["):
        return None
    position = _skip(text, position + 1)
    index = 0
    while text[position : position + 1] not in ("}", "]", ""):
        key: Any = index
        if opening == "{":
            key, position = decoder.raw_decode(text, position)
            position = _skip(text, position)
        if key == part:
            return position
        position = _skip(text, decoder.raw_decode(text, position)[1])
        index += 1
    return None


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position
