"""Bytes of discovery on the wire."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from busmark.analysis.catalogue.entry import Estimate, Heading, Row
from busmark.analysis.catalogue.on_the_wire import compared, explained


def _of_round(row: Row, params: Mapping[str, Any]) -> float | None:
    value: float | None = row.get("wire_discovery_bytes")
    return value


_HEADING = Heading("Discovery bytes", minor=True, last=True, interval=False)

FIGURE = Estimate(
    key="wire_discovery_bytes",
    unit="B",
    meaning="bytes on the wire for discovery and liveliness of DDS, in a whole round",
    pick=lambda case: case.wire.discovery_bytes if case.wire else None,
    tables={"throughput": _HEADING, "discovery": _HEADING},
    compared=compared(
        "discovery_bytes",
        "bytes of discovery",
        _of_round,
        "B",
        ("latency", "throughput", "discovery"),
    ),
    explained=(
        explained(
            "Discovery on the wire",
            ("discovery_bytes", "discovery_packets"),
            "Packets of the built-in endpoints of DDS, without a sample: participants and "
            "endpoints that announce themselves, and their liveliness, from the first participant "
            "to the last.",
            "bytes and packets of a round",
            "A price per time: a longer round has more announcements.",
        ),
    ),
)
