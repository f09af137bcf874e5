"""The standard deviation of all samples."""

from busmark.analysis.catalogue.entry import Explained, Pooled

FIGURE = Pooled(
    key="std_ns",
    name="standard deviation",
    title="Std",
    meaning="standard deviation, all rounds together,",
    of=lambda whole: whole.std,
    stated="std",
    explained=Explained(
        "Standard deviation, skewness, kurtosis", ("std_ns", "skewness", "kurtosis"),
        "Moments of all samples together.",
        "divisor n − 1; adjusted Fisher–Pearson G1; bias-corrected excess G2 (Joanes & Gill 1998)",
        "all counted rounds, pooled",
        "Much: latencies are not normal, and a few extremes decide all three.",
    ),
)  # fmt: skip
