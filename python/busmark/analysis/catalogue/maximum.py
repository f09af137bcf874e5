"""The largest of all samples."""

from busmark.analysis.catalogue.entry import Pooled
from busmark.analysis.catalogue.minimum import EXTREMES

FIGURE = Pooled(
    key="max_ns",
    name="maximum",
    title="Max",
    meaning="largest",
    of=lambda whole: whole.maximum,
    stated="max",
    explained=EXTREMES,
)
