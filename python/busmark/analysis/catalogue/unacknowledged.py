"""Batches of which some reader did not acknowledge the end."""

from busmark.analysis.catalogue.batches import batches_of
from busmark.analysis.catalogue.entry import Number

FIGURE = Number(
    key="batches_unacknowledged",
    meaning="of these, batches whose end some reader did not acknowledge",
    pick=lambda case: own.unacknowledged if (own := batches_of(case)) else None,
)
