"""Statistics of latencies: of a round, with an interval over rounds, or of all samples together."""

from __future__ import annotations

from busmark.model.entry import TWO_LEVEL, Explained, Pooled, Statistic, percentile

MEDIAN = Statistic(
    key="median",
    name="median",
    meaning="median",
    of="median",
    explained=Explained(
        "Median",
        ("median",),
        "Middle latency.",
        "median of each round. " + TWO_LEVEL,
        "all counted rounds",
        "Nothing about the tail, and little when there are two modes (finding `bimodal`).",
    ),
)

MEAN = Statistic(
    key="mean",
    name="mean",
    meaning="mean",
    of="mean",
    explained=Explained(
        "Mean",
        ("mean",),
        "Arithmetic mean.",
        "mean of each round. " + TWO_LEVEL,
        "all counted rounds",
        "A typical sample: a few stalls dominate it.",
    ),
)

MAD = Pooled(
    key="mad_ns",
    is_spread=True,
    name="MAD",
    title="MAD",
    meaning="median absolute deviation, all rounds together,",
    of=lambda whole, _: whole.mad,
    statistic="mad",
    reported="mad",
    explained=Explained(
        "MAD",
        ("mad",),
        "Median absolute deviation from the median.",
        "median of |x − median|, not multiplied by 1.4826",
        "all counted rounds, pooled",
        "It is not an estimate of a standard deviation.",
    ),
)

IQR = Pooled(
    key="iqr_ns",
    is_spread=True,
    name="interquartile range",
    title="IQR",
    meaning="interquartile range, all rounds together,",
    of=lambda _, samples: samples.percentile(75.0) - samples.percentile(25.0),
    statistic="iqr",
    reported="iqr",
    explained=Explained(
        "Interquartile range",
        ("iqr",),
        "Width of the middle half of the samples.",
        "75th minus 25th percentile, both observed values (Hyndman & Fan 1996, definition 1)",
        "all counted rounds, pooled",
        "Anything beyond the middle half: a tail of a quarter of the samples may be any length.",
    ),
)

STD = Pooled(
    key="std_ns",
    is_spread=True,
    name="standard deviation",
    title="Std",
    meaning="standard deviation, all rounds together,",
    of=lambda whole, _: whole.std,
    statistic="stdev",
    reported="std",
    explained=Explained(
        "Standard deviation, skewness, kurtosis",
        ("stdev", "skewness", "kurtosis"),
        "Moments of all samples together.",
        "divisor n − 1; adjusted Fisher–Pearson G1; bias-corrected excess G2 (Joanes & Gill 1998)",
        "all counted rounds, pooled",
        "Much: latencies are not normal, and a few extremes decide all three.",
    ),
)

EXTREMES = Explained(
    "Minimum and maximum",
    ("min", "max"),
    "Smallest and largest latency seen.",
    "",
    "all counted rounds, pooled",
    "The maximum grows with the length of the measurement. It bounds nothing.",
)

MINIMUM = Pooled(
    key="min_ns",
    name="minimum",
    title="Min",
    meaning="smallest",
    of=lambda whole, _: whole.minimum,
    statistic="min",
    reported="min",
    explained=EXTREMES,
)

MAXIMUM = Pooled(
    key="max_ns",
    name="maximum",
    title="Max",
    meaning="largest",
    of=lambda whole, _: whole.maximum,
    statistic="max",
    reported="max",
    explained=EXTREMES,
)

P90 = percentile(90.0, reported=False)
P99 = percentile(99.0)
P999 = percentile(99.9)
P9999 = percentile(99.99, reported=False)

STATISTICS = (
    MEDIAN,
    MEAN,
    P90,
    P99,
    P999,
    P9999,
)
"""Statistics of latencies of a round; the figures of comparisons are a subset."""

REPORTED = tuple(one for one in STATISTICS if one.reported)
"""Statistics that reports have."""

POOLED = (MAD, IQR, STD, MINIMUM, MAXIMUM)
"""Statistics of all samples of a case together."""
