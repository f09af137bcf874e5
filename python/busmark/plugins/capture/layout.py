"""Columns of captures in the headline tables."""

from __future__ import annotations

from busmark.plugins.capture.quantities import (
    CAPTURE_DROPPED,
    CAPTURED,
    WIRE_BYTES,
    WIRE_DISCOVERY,
)
from busmark.present.layout import ALL, Shown, last

HEADLINE = (
    Shown(CAPTURED, ALL, last("Packets captured")),
    Shown(CAPTURE_DROPPED, ALL, last("Packets not captured", "some")),
    Shown(WIRE_BYTES, ("latency", "throughput"), last("Wire bytes per sample", interval=False)),
    Shown(WIRE_DISCOVERY, ("throughput", "discovery"), last("Discovery bytes", interval=False)),
)
