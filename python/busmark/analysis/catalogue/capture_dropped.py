"""Packets that are missing in the case's captures."""

from busmark.analysis.catalogue.entry import Heading, Number

_HEADING = Heading("Packets not captured", minor=True, when="some", last=True)

FIGURE = Number(
    key="capture_dropped",
    meaning="packets missing in the captures: dropped by the kernel's buffer, by the interface, or "
    "by dumpcap",
    pick=lambda case: case.capture_dropped,
    tables={"latency": _HEADING, "throughput": _HEADING, "capacity": _HEADING,
            "discovery": _HEADING},
    summary="Packets not captured",
)  # fmt: skip
