"""The columns of the tables of estimates and of series."""

from __future__ import annotations

from busmark.store.columns import Column

SCOPES = {
    "case": "the whole case",
    "round": "a round that counts",
    "segment": "a part of a ping's way",
    "flow": "one of the scenario's own flows, or what went from one participant to another",
    "participant": "all that a participant wrote and read, and what it cost",
    "node": "the same of a node",
    "system": "the same of all nodes",
    "level": "a reader, participant or node on the average, or the whole",
    "phase": "a flow in a phase of the timeline",
    "load": "a background load",
    "traffic": "packets of one purpose",
    "route": "a flow's samples, hop by hop, as packets show them",
}
"""The parts of a case that have estimates."""

ESTIMATES = (
    Column("case", "text", "", "identifier of the case"),
    Column("scope", "text", "", f"of what it is: {', '.join(SCOPES)}"),
    Column("of", "text", "", "which of these: its name; null for the whole case"),
    Column("round", "int", "", "number of the round; null for all that count"),
    Column("quantity", "text", "", "what is measured, such as half_round_trip"),
    Column("statistic", "text", "", "median, mean, p99 …; count: of samples; value: as it was "
           "asked for or stated"),
    Column("over", "text", "", "rounds: a typical round, which is the median over rounds of the "
           "figure of a round (the mean for shares lost); samples: all samples of the rounds "
           "together; best 99 %: the smallest 99 % of these"),
    Column("value", "float", "", "in the unit of this row; null: `reason` says why"),
    Column("low", "float", "", "lower limit of its interval; null where there is none"),
    Column("high", "float", "", "upper limit of its interval"),
    Column("confidence", "float", "", "nominal coverage of the interval, 0 to 1"),
    Column("bound", "text", "", "upper or lower, where the value is only a bound"),
    Column("count", "int", "", "samples it rests on"),
    Column("effective", "float", "", "independent samples that say as much of a mean, in all "
           "rounds together; null where that was not determined"),
    Column("rounds", "int", "", "rounds it rests on"),
    Column("unit", "text", "", "ns, 1/s, Mbit/s, B, CPU, MiB, 1 for a share, or empty for a count"),
    Column("reason", "text", "", "why there is no value, or only a bound"),
)  # fmt: skip

KINDS = {
    "percentiles": "x per cent of the samples sent are at or below y; closer towards the last",
    "quantiles": "the same at evenly spaced per cent",
    "histogram": "y samples in the bin from `low` to `high`: 25 bins from the 5th to the 95th "
    "percentile, an open bin at either end",
    "log_histogram": "25 bins of equal ratio",
    "density": "Gaussian kernel estimate, Silverman's bandwidth",
    "density_10us": "the same with a bandwidth of 10 µs",
    "smoothed_ecdf": "share y of the samples sent at or below x, by the same kernel",
    "box": "minimum, percentiles 5, 25, 50, 75 and 95, maximum of a round",
    "timeline": "y over the time of a round, thinned so that no extreme is lost",
    "detail": "the last samples of that round, every one",
    "lost": "when samples were sent that never came back",
    "autocorrelation": "of samples x apart; `low` and `high`: where 95 % lie if independent",
    "rounds": "a value for each round x",
}
"""What curves are, by kind."""

SERIES = (
    Column("case", "text", "", "identifier of the case"),
    Column("scope", "text", "", "case, round or participant"),
    Column("of", "text", "", "name of the participant; null for a case and a round"),
    Column("round", "int", "", "number of the round; null for all that count"),
    Column(
        "quantity",
        "text",
        "",
        "what is measured, as in the table of estimates; …_ipdv: jitter with its sign (RFC 3393)",
    ),
    Column("kind", "text", "", "; ".join(f"{kind}: {what}" for kind, what in KINDS.items())),
    Column("x", "float", "", "in `x_unit`; null for an open bin"),
    Column("y", "float", "", "in `unit`; null where nothing came back"),
    Column("low", "float", "", "lower limit of y; lower edge of a bin"),
    Column("high", "float", "", "upper limit of y; upper edge of a bin"),
    Column("x_unit", "text", "", "s, ns, %, or empty for a number"),
    Column("unit", "text", "", "unit of y"),
)
