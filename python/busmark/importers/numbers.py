"""Numbers and units as other tools print them, independent of any locale.

A comma is never taken for a decimal point: in these files it divides columns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from math import isfinite

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
"""What one of these units has."""

MOST = Decimal(10**18)
"""No time, rate or count of a benchmark is as large; what is does not fit 64 bits."""

LARGEST = 2**63 - 1
"""That a column of whole numbers can hold; no table allows as much."""

_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)
LONGEST = 400
"""Characters of a number: the longest that C prints of a `double` has fewer."""
_ABSENT = {"nan", "-nan", "+nan", "inf", "-inf", "+inf", "-nan(ind)", "n/a", ""}
"""How C and Java print what is not a number."""


def number(text: str) -> Decimal | None:
    """The exact value; None where the tool had none.

    Raises:
        ValueError: it is not a number, and says why.
    """
    text = text.strip()
    if text.lower() in _ABSENT:
        return None
    if len(text) > LONGEST or not _NUMBER.fullmatch(text):
        comma = re.fullmatch(r"[+-]?\d+,\d+", text)
        hint = "; decimals must be after a point" if comma else ""
        raise ValueError(f"{text[:40]!r} is not a number{hint}")
    value = Decimal(text)
    if value.copy_abs() >= MOST:
        raise ValueError(f"{text!r} is too large")
    return value


def whole(text: str) -> int | None:
    """A count. Raises `ValueError` for fractions and negative numbers."""
    value = number(text)
    if value is None:
        return None
    if value != value.to_integral_value() or value < 0:
        raise ValueError(f"{text.strip()!r} is not a count")
    return int(value)


def column(values: Iterable[int]) -> list[int]:
    """Whole numbers of a table. One that no column can hold becomes the largest that it can, and is
    refused with the others of its table (`possible`)."""
    return [max(-LARGEST, min(LARGEST, value)) for value in values]


def nanoseconds(value: str | float | Decimal | None, unit: str) -> float | None:
    """A time in this unit as nanoseconds. Raises `ValueError` for text that is not a number."""
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


def in_unit(value_ns: float, unit: str) -> float:
    """The way back."""
    return float(Decimal(repr(float(value_ns))) / NANOSECONDS[unit])
