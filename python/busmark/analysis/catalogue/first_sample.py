"""Time from begin of creation until the first sample was received."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import Compared, Estimate, Heading, Row


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    value: float | None = row.get("first_sample_ns")
    return value


FIGURE = Estimate(
    key="first_sample",
    unit="ns",
    suffix="_ns",
    meaning="time from begin of creation until the first sample was received",
    pick=lambda case: case.discovery.first_sample if case.discovery else None,
    tables={"discovery": Heading("First sample", when="always")},
    summary="First sample",
    compared=Compared(
        name="first_sample",
        word="first sample",
        tests=("discovery",),
        more="slower",
        less="faster",
        otherwise="no round has one",
        of_round=_of_round,
    ),
)
