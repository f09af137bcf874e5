"""Overhead on the wire, as a share."""

from __future__ import annotations

from busmark.analysis.catalogue.entry import Estimate
from busmark.analysis.catalogue.on_the_wire import explained

FIGURE = Estimate(
    key="wire_overhead_share",
    unit="1",
    meaning="share of bytes on the wire beyond one copy of each sample's header and body; "
    "null where sizes vary",
    pick=lambda case: case.wire.overhead_share if case.wire else None,
    explained=(
        explained(
            "Overhead on the wire",
            ("overhead_share",),
            "The share of bytes on the wire that one copy of what the application wrote "
            "does not need.",
            "1 − samples · (64 + size) / bytes",
            "What of it a larger body would share: it is of this size.",
        ),
    ),
)
