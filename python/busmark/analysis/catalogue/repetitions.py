"""Repetitions of a discovery test, and those in which nothing was discovered."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import Explained, Heading, Number
from busmark.analysis.words.text import count

if TYPE_CHECKING:
    from busmark.analysis.model import CaseSummary


def _undiscovered(case: CaseSummary) -> str:
    found = case.discovery.undiscovered if case.discovery else 0
    return f", {count(found)} not discovered in time" if found else ""


FIGURE = Number(
    key="repetitions",
    meaning="repetitions of a discovery test; null for every other test",
    pick=lambda case: case.discovery.repetitions if case.discovery else None,
    besides=_undiscovered,
    tables={"discovery": Heading("Repetitions")},
    summary="Repetitions",
    explained=(
        Explained(
            "Repetitions", ("new", "creates", "existing", "repetitions", "undiscovered"),
            "What is new, what is created with it, how many endpoints were there, how often it was "
            "repeated in the rounds that count, and how often no sample came in time.",
            "", "`discoveries`; the parameters of the case",
            "Repetitions of the warm-up are in none.",
            section="Discovery",
        ),
    ),
)  # fmt: skip
