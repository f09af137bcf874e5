"""Packets on the wire for each sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import Estimate, Row
from busmark.analysis.catalogue.on_the_wire import compared, per_sample


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    return per_sample("wire_packets", row)


FIGURE = Estimate(
    key="wire_packets_per_sample",
    unit="",
    meaning="packets of the measured time, for each sample that passed the wire",
    pick=lambda case: case.wire.packets_per_sample if case.wire else None,
    summary="Wire packets per sample",
    compared=compared("wire_packets", "packets per sample", _of_round, ""),
)
