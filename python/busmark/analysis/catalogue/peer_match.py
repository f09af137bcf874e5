"""Time from begin of creation until the endpoint that was there had matched the new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import Compared, Estimate, Heading, Row


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    value: float | None = row.get("peer_match_ns")
    return value


FIGURE = Estimate(
    key="peer_match",
    unit="ns",
    suffix="_ns",
    meaning="time from begin of creation until the endpoint that was there had matched the new one",
    pick=lambda case: case.discovery.peer_match if case.discovery else None,
    tables={"discovery": Heading("Peer match", when="known")},
    summary="Peer match",
    compared=Compared(
        name="peer_match",
        word="peer match",
        tests=("discovery",),
        more="slower",
        less="faster",
        otherwise="no round has one",
        of_round=_of_round,
    ),
)
