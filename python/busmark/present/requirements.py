"""What outputs say of requirements: signs, and the worst of several verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from busmark.compare.requirements import Judged

SIGNS = {"met": "✓", "missed": "✗", "undecided": "?"}
WORST = ("missed", "undecided", "met")


def worst(judged: Sequence[Judged]) -> str:
    """The worst verdict of several."""
    found = {each.verdict for each in judged}
    return next(verdict for verdict in WORST if verdict in found)


def by_requirement(judged: Sequence[Judged]) -> Iterator[tuple[str, list[Judged]]]:
    """Each requirement with its conditions, and what cases say to it."""
    for (text, where), own in groupby(judged, key=lambda each: (each.requirement, each.where)):
        yield f"{text} where {where}" if where else text, list(own)
