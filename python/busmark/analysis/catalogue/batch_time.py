"""The time of a batch at a reader."""

from busmark.analysis.catalogue.batches import batches_of
from busmark.analysis.catalogue.entry import Estimate, Heading

FIGURE = Estimate(
    key="batch_time",
    unit="ns",
    suffix="_ns",
    meaning="time of a batch at a reader, from its start to its end",
    pick=lambda case: own.time if (own := batches_of(case)) else None,
    tables={"throughput": Heading("Time of a batch")},
)
