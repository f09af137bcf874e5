"""Latencies that the figures of a case rest on."""

from busmark.analysis.catalogue.entry import Heading, Number

FIGURE = Number(
    key="samples",
    meaning="latencies that came back",
    pick=lambda case: case.rtt_2.count if case.rtt_2 else None,
    frames=False,
    tables={"latency": Heading("Samples", when="always")},
)
