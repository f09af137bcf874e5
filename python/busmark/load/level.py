"""What a load is and how a user says so: `cpu 80%`, `net 50mbit`, `disk 10MB`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from busmark.errors import UserError

Kind = Literal["cpu", "net", "disk"]

UNITS: dict[Kind, dict[str, float]] = {
    "cpu": {"%": 0.01},
    "net": {"kbit": 1e3, "mbit": 1e6, "gbit": 1e9},
    "disk": {"kb": 1e3, "mb": 1e6, "gb": 1e9},
}
EXAMPLES: dict[Kind, str] = {"cpu": "cpu 80%", "net": "net 50mbit", "disk": "disk 10MB"}
MEANINGS: dict[Kind, str] = {
    "cpu": "every CPU is busy for that share of the time",
    "net": "UDP datagrams of 1400 B at that rate, between two nodes",
    "disk": "random reads and writes of 64 KiB, each at so many bytes per second",
}
KINDS: tuple[Kind, ...] = tuple(UNITS)

MOST = {"cpu": 1.0, "net": 1e11, "disk": 1e11}


@dataclass(frozen=True)
class Load:
    """A kind of load and how much of it."""

    kind: Kind
    level: float
    """cpu: share of each CPU; net: bits per second; disk: bytes per second of reads, and of
    writes."""

    def __str__(self) -> str:
        if self.kind == "cpu":
            return f"{self.level:.0%} of each CPU"
        unit = "Mbit/s" if self.kind == "net" else "MB/s"
        return f"{self.level / 1e6:.4g} {unit}"


def parse(text: str) -> Load | None:
    """The load of a text; None for an empty one.

    Raises:
        UserError: it is none.
    """
    if not text.strip():
        return None
    words = text.lower().split(maxsplit=1)
    kind = next((known for known in KINDS if known == words[0]), None)
    if kind is None:
        raise UserError(
            f"{text!r} is no load",
            remedy=f"Write it as in {', '.join(EXAMPLES.values())}.",
        )
    pattern = r"(\d+(?:\.\d*)?|\.\d+)\s*([a-z%]+)"
    parsed = re.fullmatch(pattern, words[1].strip()) if len(words) > 1 else None
    if parsed is None or parsed[2] not in UNITS[kind]:
        raise UserError(
            f"{text!r} names no level ({', '.join(UNITS[kind])})",
            remedy=f"Write it as in {EXAMPLES[kind]}.",
        )
    level = float(parsed[1]) * UNITS[kind][parsed[2]]
    if not 0 < level <= MOST[kind]:
        raise UserError(f"{text!r} cannot be", remedy=f"Write it as in {EXAMPLES[kind]}.")
    return Load(kind, level)
