"""Time of the calls that create what is new."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import STUDENT, Compared, Estimate, Explained, Heading, Row


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    value: float | None = row.get("creation_ns")
    return value


FIGURE = Estimate(
    key="creation",
    unit="ns",
    suffix="_ns",
    meaning="time of the calls that create what is new",
    pick=lambda case: case.discovery.creation if case.discovery else None,
    tables={"discovery": Heading("Creation", when="always")},
    summary="Creation",
    compared=Compared(
        name="creation",
        word="creation",
        tests=("discovery",),
        more="slower",
        less="faster",
        otherwise="no round has one",
        of_round=_of_round,
    ),
    explained=(
        Explained(
            "Discovery",
            ("creation", "attach", "own_match", "peer_match", "first_sample"),
            "How long a new endpoint takes to be made, and until it is discovered: by a match on "
            "its own side and on the other, and by the first sample that a reader receives.",
            "From just before the first call that creates something; the median of the repetitions "
            "of each round. " + STUDENT,
            "`discoveries`",
            "A match without the middleware's event lies between two questions; found by the first "
            "question, it has no value.",
            section="Discovery",
        ),
    ),
)
