"""The rate that a search for capacity found."""

from busmark.analysis.catalogue.entry import Estimate, Heading

FIGURE = Estimate(
    key="sustained_rate_per_s",
    unit="1/s",
    meaning="greatest rate of each writer that met the criterion",
    pick=lambda case: case.capacity.rate if case.capacity else None,
    tables={"capacity": Heading("Rate of each writer", when="always")},
)
