"""The rate of the writers."""

from busmark.analysis.catalogue.entry import STUDENT, Estimate, Explained, Heading

FIGURE = Estimate(
    key="written_per_s",
    unit="1/s",
    meaning="rate of the writers",
    pick=lambda case: case.throughput.written_per_s if case.throughput else None,
    tables={"throughput": Heading("Written", minor=True, when="always")},
    details="samples written",
    summary="Written, samples/s",
    explained=(
        Explained(
            "Written", ("written_per_s",),
            "Rate of the writers.",
            "(sent − 1) / (T1 of the last − begin of the measured time), added as goodput is; in "
            "batches sent / time in which a batch was being written. " + STUDENT,
            "the transmitter's report",
            "Delivery. A writer without back-pressure may be far above the reader.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
