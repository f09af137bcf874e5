"""The columns of the table of estimates."""

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
