"""What a load is and how a user says so: `cpu 80%`, `net 50mbit + disk 10MB`, `disk max`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from busmark.errors import UserError, nearest
from busmark.model import units

Kind = Literal["cpu", "net", "disk"]
KINDS: tuple[Kind, ...] = get_args(Kind)

OF: dict[Kind, str] = {"cpu": "share", "net": "bandwidth", "disk": "disk"}
"""Kind of a level's amount."""
EXAMPLES: dict[Kind, str] = {"cpu": "cpu 80%", "net": "net 50mbit", "disk": "disk 10MB"}
MOST = {"cpu": 1.0, "net": 1e11, "disk": 1e11}
UNLIMITED = "max"
SEVERAL = "+"
REMEDY = (
    f"Write it as in {', '.join(EXAMPLES.values())}; without a limit as in net {UNLIMITED}; "
    f"several at once as in cpu 50% {SEVERAL} net 50mbit."
)


@dataclass(frozen=True)
class Load:
    """A kind of load and how much of it."""

    kind: Kind
    level: float | None
    """cpu: share of each CPU; net: bits per second; disk: bytes per second of reads, and of
    writes. None: as much as it gets."""

    @property
    def asked(self) -> str:
        """In words."""
        if self.level is None:
            return "no limit"
        return f"{amount_text(self.kind, self.level)} asked for"


def amount_text(kind: Kind, level: float) -> str:
    """A level with its unit."""
    if kind == "cpu":
        return f"{100 * level:.3g} % of each CPU"
    return f"{level / 1e6:.4g} {'Mbit/s' if kind == 'net' else 'MB/s'}"


def parse(text: str) -> tuple[Load, ...]:
    """The loads of a text, which run at once; none for an empty one.

    Raises:
        UserError: one of them is no load, or there are two of a kind.
    """
    if not text.strip():
        return ()
    loads = tuple(_one(part) for part in text.split(SEVERAL))
    kinds = [load.kind for load in loads]
    if twice := next((kind for kind in kinds if kinds.count(kind) > 1), None):
        raise UserError(
            f"{text!r} has two loads of the kind {twice}",
            remedy="Each kind runs once at a time: name the sum.",
        )
    return loads


def _one(text: str) -> Load:
    words = text.lower().split(maxsplit=1)
    kind = next((known for known in KINDS if words and known == words[0]), None)
    if kind is None:
        near = nearest(words[0] if words else "", KINDS, always=REMEDY)
        raise UserError(f"{text.strip()!r} is no load", remedy=near)
    said = words[1].strip() if len(words) > 1 else ""
    if said == UNLIMITED:
        return Load(kind, None)
    try:
        level = units.read(said, OF[kind], bare=False)
    except ValueError as wrong:
        why = str(wrong).partition("\n")[0] if said else "there is none"
        raise UserError(f"{text.strip()!r} names no level: {why}", remedy=REMEDY) from None
    if not 0 < level <= MOST[kind]:
        most = {"cpu": "100 % of each CPU", "net": "100 Gbit/s", "disk": "100 GB/s"}[kind]
        raise UserError(
            f"{text.strip()!r}: a level is above 0, and at most {most}",
            remedy=REMEDY,
        )
    return Load(kind, level)
