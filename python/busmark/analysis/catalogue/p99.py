"""The 99th percentile of a round."""

from busmark.analysis.catalogue.entry import Heading, percentile

FIGURE = percentile(
    99.0,
    in_latency=Heading("p99 RTT/2", when="always"),
    in_stream=Heading("p99 one-way", minor=True, when="always"),
    in_stream_summary=True,
    in_sheets=True,
)
