"""Sent again, as a share."""

from __future__ import annotations

from busmark.analysis.catalogue.entry import Estimate
from busmark.analysis.catalogue.on_the_wire import explained

FIGURE = Estimate(
    key="wire_repeated_share",
    unit="1",
    meaning="share of bytes on the wire that went the same way before",
    pick=lambda case: case.wire.repeated_share if case.wire else None,
    explained=(
        explained(
            "Sent again",
            ("repeated_share",),
            "Packets with bytes of TCP, or samples of DDS, that passed the same way before.",
            "their bytes / all bytes of the measured time",
            "Why they were sent again.",
        ),
    ),
)
