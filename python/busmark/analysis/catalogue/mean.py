"""The mean of a round."""

from busmark.analysis.catalogue.entry import TWO_LEVEL, Explained, Statistic

FIGURE = Statistic(
    key="mean",
    name="mean",
    meaning="mean",
    of="mean",
    explained=Explained(
        "Mean", ("mean",),
        "Arithmetic mean.",
        "mean of each round. " + TWO_LEVEL,
        "all counted rounds",
        "A typical sample: a few stalls dominate it.",
    ),
)  # fmt: skip
