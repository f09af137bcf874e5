"""Samples of a stream that arrived."""

from busmark.analysis.catalogue.entry import Number

FIGURE = Number(
    key="received",
    meaning="samples of a stream that arrived; null in a latency case",
    pick=lambda case: case.throughput.received if case.throughput else None,
    details="received",
    summary="Received",
    account=True,
)
