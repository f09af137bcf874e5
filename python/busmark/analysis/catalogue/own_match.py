"""Time from begin of creation until the new endpoint had matched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import Compared, Estimate, Heading, Row


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    value: float | None = row.get("own_match_ns")
    return value


FIGURE = Estimate(
    key="own_match",
    unit="ns",
    suffix="_ns",
    meaning="time from begin of creation until the new endpoint had matched",
    pick=lambda case: case.discovery.own_match if case.discovery else None,
    tables={"discovery": Heading("Own match", when="known")},
    summary="Own match",
    compared=Compared(
        name="own_match",
        word="own match",
        tests=("discovery",),
        more="slower",
        less="faster",
        otherwise="no round has one",
        of_round=_of_round,
    ),
)
