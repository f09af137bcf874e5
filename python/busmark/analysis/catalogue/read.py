"""Samples that readers got in a second."""

from busmark.analysis.catalogue.entry import Estimate, Heading

FIGURE = Estimate(
    key="samples_per_s",
    unit="1/s",
    meaning="goodput at the readers, all together",
    pick=lambda case: case.throughput.samples_per_s if case.throughput else None,
    tables={"throughput": Heading("Read", when="always")},
    details="samples read",
    summary="Read, samples/s",
)
