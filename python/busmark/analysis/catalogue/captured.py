"""Packets of the case's captures."""

from busmark.analysis.catalogue.entry import Heading, Number

_HEADING = Heading("Packets captured", minor=True, last=True)

FIGURE = Number(
    key="captured",
    meaning="packets captured in the rounds that count, on all interfaces; null: none asked",
    pick=lambda case: case.captured,
    tables={"latency": _HEADING, "throughput": _HEADING, "capacity": _HEADING,
            "discovery": _HEADING},
    summary="Packets captured",
)  # fmt: skip
