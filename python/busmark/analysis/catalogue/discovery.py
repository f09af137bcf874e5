"""The time until all endpoints have matched."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import Compared, Estimate, Row

S_TO_NS = 1e9


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    value = row.get("discovery_s")
    return None if value is None else value * S_TO_NS


FIGURE = Estimate(
    key="discovery",
    unit="ns",
    suffix="_ns",
    meaning="time from the last endpoint's creation until all had matched",
    compared=Compared(
        name="discovery",
        word="discovery",
        tests=("latency", "throughput", "capacity"),
        more="slower",
        less="faster",
        otherwise="no round has a discovery time of more than its resolution",
        of_round=_of_round,
    ),
)
