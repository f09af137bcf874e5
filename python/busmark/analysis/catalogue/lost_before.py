"""Samples lost before a new endpoint was discovered."""

from busmark.analysis.catalogue.entry import Estimate, Explained, Heading

FIGURE = Estimate(
    key="lost_before",
    unit="",
    meaning="samples per repetition that were sent after creation, before the first received one, "
    "and did not arrive",
    pick=lambda case: case.discovery.lost_before if case.discovery else None,
    tables={"discovery": Heading("Lost before", when="always", interval=False)},
    summary="Lost before discovered",
    explained=(
        Explained(
            "Lost before discovered", ("lost_before",),
            "A new writer's own first samples, or samples of the writer that was there, which the "
            "new reader did not get though it had been created.",
            "Mean of the repetitions of a round, then over rounds, with Student's interval.",
            "`discoveries`",
            "Samples that came after the first are not looked at.",
            section="Discovery",
        ),
    ),
)  # fmt: skip
