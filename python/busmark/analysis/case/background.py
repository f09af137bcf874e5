"""The background loads under which a case was measured: asked for, and there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from busmark.analysis.model import BackgroundLoad
from busmark.analysis.words import text
from busmark.model.parameters import Parameters

UNITS = {"cpu": (100.0, " % of each CPU"), "net": (1e-6, " Mbit/s"), "disk": (1e-6, " MB/s")}
"""By kind, of figures in the unit of the table `cases`."""
SEVERAL, UNLIMITED = "+", "max"
"""Words of the parameter `load`."""


def asked_for(params: Parameters) -> dict[str, str]:
    """By kind, the words for each load that a case asks for, in their order."""
    parts = (part.strip() for part in str(params.load or "").split(SEVERAL))
    return {part.split()[0].lower(): part for part in parts if part}


def background(params: Parameters, rows: Sequence[Mapping[str, Any]]) -> list[BackgroundLoad]:
    """Background load of these rounds; none for a case without load, or without rounds."""
    return [_one(kind, words, rows) for kind, words in asked_for(params).items() if rows]


def _one(kind: str, words: str, rows: Sequence[Mapping[str, Any]]) -> BackgroundLoad:
    levels = (row.get(f"load_{kind}_achieved") for row in rows)
    known = [level for level in levels if level is not None]
    asked = [level for row in rows if (level := row.get(f"load_{kind}_asked"))]
    return BackgroundLoad(
        kind=kind, asked=asked[0] if asked else None,
        unlimited=words.lower().split()[-1] == UNLIMITED,
        achieved=sum(known) / len(known) if known else None,
        least=min(known, default=None), rounds=len(known),
    )  # fmt: skip


def level_text(kind: str, level: float | None) -> str:
    """19.2 % of each CPU."""
    factor, unit = UNITS.get(kind, (1.0, ""))
    return text.ABSENT if level is None else f"{text.number(level * factor)}{unit}"


def loads_text(loads: Sequence[BackgroundLoad]) -> str:
    """What the loads achieved that ran at once."""
    if not any(load.rounds for load in loads):
        return text.ABSENT
    return f" {SEVERAL} ".join(level_text(load.kind, load.achieved) for load in loads)


def shares_text(loads: Sequence[BackgroundLoad]) -> str:
    """Shares of the requested loads, load by load; empty if none is known."""
    parts = [
        "no limit" if load.unlimited
        else text.ABSENT if load.share is None
        else f"{text.percent_text(load.share)} of what was asked"
        for load in loads
    ]  # fmt: skip
    return "; ".join(parts) if any(part != text.ABSENT for part in parts) else ""
