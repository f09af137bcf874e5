"""What readers would receive if nothing were lost."""

from busmark.analysis.catalogue.entry import Explained, Heading, Number

FIGURE = Number(
    key="theoretical_per_s",
    unit="1/s",
    meaning="what readers would receive if every writer kept its rate and nothing were lost; null "
    "at full speed",
    pick=lambda case: case.throughput.theoretical_per_s if case.throughput else None,
    tables={"throughput": Heading("Theoretical", minor=True)},
    details="samples to be read, theoretical",
    summary="Theoretical, samples/s",
    explained=(
        Explained(
            "Theoretical", ("theoretical_per_s",),
            "What all readers together would receive if every writer kept its rate and nothing "
            "were lost.",
            "rate × writers × readers of each, × the share that a filter lets through",
            "the scenario",
            "What the middleware could do.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
