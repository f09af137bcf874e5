"""What readers would have read had nothing been lost, by sequence numbers."""

from busmark.analysis.catalogue.entry import STUDENT, Estimate, Explained, Heading

FIGURE = Estimate(
    key="numbered_per_s",
    unit="1/s",
    meaning="what all readers together would have read had nothing been lost, by the sequence "
    "numbers",
    pick=lambda case: case.throughput.numbered_per_s if case.throughput else None,
    tables={"throughput": Heading("By numbers", minor=True)},
    details="samples to be read, by sequence numbers",
    summary="By numbers, samples/s",
    explained=(
        Explained(
            "By numbers", ("numbered_per_s",),
            "What all readers together would have read had nothing been lost, by the sequence "
            "numbers of what was written: the theoretical throughput of older suites.",
            "read × expected / received, of each round. " + STUDENT,
            "account of sequence numbers at each receiver, what its writers sent",
            "Where samples were lost: on the way, or overwritten in a history.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
