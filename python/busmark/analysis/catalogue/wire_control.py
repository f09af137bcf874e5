"""Heartbeats and acknowledgements, as a share."""

from __future__ import annotations

from busmark.analysis.catalogue.entry import Estimate
from busmark.analysis.catalogue.on_the_wire import explained

FIGURE = Estimate(
    key="wire_control_share",
    unit="1",
    meaning="share of bytes on the wire in packets that only say what was sent or has come: "
    "heartbeats, acknowledgements, gaps, bare acknowledgements of TCP",
    pick=lambda case: case.wire.control_share if case.wire else None,
    explained=(
        explained(
            "Heartbeats and acknowledgements",
            ("control_share",),
            "Packets that carry no sample and only say what was sent, has come or is missing.",
            "their bytes / all bytes of the measured time",
            "Heartbeats and acknowledgements that travel with a sample: such a packet "
            "carries data.",
        ),
    ),
)
