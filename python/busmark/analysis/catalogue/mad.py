"""The median absolute deviation of all samples."""

from busmark.analysis.catalogue.entry import Explained, Pooled

FIGURE = Pooled(
    key="mad_ns",
    name="MAD",
    title="MAD",
    meaning="median absolute deviation, all rounds together,",
    of=lambda whole: whole.mad,
    stated="mad",
    explained=Explained(
        "MAD", ("mad_ns",),
        "Median absolute deviation from the median.",
        "median of |x − median|, not multiplied by 1.4826",
        "all counted rounds, pooled",
        "It is not an estimate of a standard deviation.",
    ),
)  # fmt: skip
