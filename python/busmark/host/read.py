"""Reading /proc and /sys: a file that is absent, unreadable or malformed gives None."""

from __future__ import annotations

import math
from pathlib import Path

MOST_CPUS = 1 << 16


def text(path: Path) -> str | None:
    """The file's text without surrounding white space; None when there is nothing to read."""
    try:
        content = path.read_text(encoding="utf-8", errors="replace").strip("\x00 \t\n")
    except OSError:
        return None
    return content or None


def number(path: Path) -> int | None:
    """A file that holds one integer."""
    return to_int(text(path))


def numbers(path: Path) -> list[int] | None:
    """A file that holds integers between white space, such as `tcp_rmem`."""
    content = text(path)
    if content is None:
        return None
    values = [to_int(word) for word in content.split()]
    known = [value for value in values if value is not None]
    return known if len(known) == len(values) else None


def fields(path: Path, separator: str) -> dict[str, str]:
    """Lines of `key SEPARATOR value`; of a repeated key the first. Other lines are skipped."""
    found: dict[str, str] = {}
    for line in (text(path) or "").splitlines():
        key, mark, value = line.partition(separator)
        if mark:
            found.setdefault(key.strip(), value.strip())
    return found


def to_int(value: str | None) -> int | None:
    """A decimal integer of 64 bits, or None: no kernel counts further."""
    try:
        found = int(value) if value is not None else None
    except ValueError:
        return None
    return found if found is not None and -(2**63) <= found < 2**64 else None


def to_float(value: str) -> float:
    """A finite number.

    Raises:
        ValueError: it is none.
    """
    found = float(value)
    if not math.isfinite(found):
        raise ValueError(value)
    return found


def cpu_list(value: str | None) -> list[int] | None:
    """The kernel's list format: "0-2,5" is [0, 1, 2, 5] and "" is []; None if it is neither."""
    if value is None:
        return None
    cpus: list[int] = []
    for part in filter(None, value.strip().split(",")):
        first, mark, last = part.partition("-")
        low, high = to_int(first), to_int(last if mark else first)
        # No kernel has more; and a list of them all has to fit into memory.
        if low is None or high is None or not 0 <= low <= high < MOST_CPUS:
            return None
        cpus.extend(range(low, high + 1))
    return cpus
