"""Samples of somebody else."""

from busmark.analysis.catalogue.entry import Explained, Number

FIGURE = Number(
    key="foreign",
    meaning="without the run's cookie, or of a writer that nobody announced",
    pick=lambda case: case.throughput.foreign if case.throughput else None,
    frames=False,
    details="foreign",
    explained=(
        Explained(
            "Foreign", ("foreign",),
            "Samples without the run's cookie, or of a writer that nobody announced.",
            "count", "the reader",
            "Whose they are. They enter no other figure.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
