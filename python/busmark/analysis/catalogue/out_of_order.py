"""Samples that arrived after a later one."""

from busmark.analysis.catalogue.entry import Heading, Number

FIGURE = Number(
    key="out_of_order",
    meaning="arrived after a later one; null in a latency case",
    pick=lambda case: case.throughput.out_of_order if case.throughput else None,
    tables={"throughput": Heading("Out of order", minor=True, when="some")},
    details="out of order",
    summary="Out of order",
    account=True,
)
