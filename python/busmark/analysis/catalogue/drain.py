"""How long samples still came when all were written."""

from busmark.analysis.catalogue.entry import STUDENT, Estimate, Explained, Heading

FIGURE = Estimate(
    key="drain_ns",
    unit="ns",
    meaning="time from the end of writing to the arrival of the last sample",
    pick=lambda case: case.throughput.drain_ns if case.throughput else None,
    tables={"throughput": Heading("Drain", minor=True)},
    details="drain",
    explained=(
        Explained(
            "Drain", ("drain_ns",),
            "Time in which samples still arrived after the last was written.",
            "Arrival of the last sample of a flow − end of writing, of the flow where that is "
            "longest. " + STUDENT,
            "the receiver's count, and the transmitter's report",
            "Which samples: about drain × rate of the writers were in flight at the end. Where the "
            "last ones took longer than the first, goodput is below that rate, and none is lost.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
