"""The smallest of all samples."""

from busmark.analysis.catalogue.entry import Explained, Pooled

EXTREMES = Explained(
    "Minimum and maximum", ("min_ns", "max_ns"),
    "Smallest and largest latency seen.",
    "",
    "all counted rounds, pooled",
    "The maximum grows with the length of the measurement. It bounds nothing.",
)  # fmt: skip

FIGURE = Pooled(
    key="min_ns",
    name="minimum",
    title="Min",
    meaning="smallest",
    of=lambda whole: whole.minimum,
    stated="min",
    explained=EXTREMES,
)
