"""The median of a round."""

from busmark.analysis.catalogue.entry import TWO_LEVEL, Explained, Heading, Statistic

FIGURE = Statistic(
    key="median",
    name="median",
    meaning="median",
    of="median",
    in_latency=Heading("Median RTT/2", when="always"),
    in_stream=Heading("Median one-way", minor=True, when="always"),
    in_stream_summary=True,
    in_sheets=True,
    explained=Explained(
        "Median", ("median",),
        "Middle latency.",
        "median of each round. " + TWO_LEVEL,
        "all counted rounds",
        "Nothing about the tail, and little when there are two modes (finding `bimodal`).",
    ),
)  # fmt: skip
