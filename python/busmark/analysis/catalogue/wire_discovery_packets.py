"""Packets of discovery on the wire."""

from __future__ import annotations

from busmark.analysis.catalogue.entry import Estimate

FIGURE = Estimate(
    key="wire_discovery_packets",
    unit="",
    meaning="packets for discovery and liveliness of DDS, in a whole round",
    pick=lambda case: case.wire.discovery_packets if case.wire else None,
)
