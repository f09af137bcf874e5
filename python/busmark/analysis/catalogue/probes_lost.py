"""How many of these never arrived."""

from busmark.analysis.catalogue.entry import Number

FIGURE = Number(
    key="probes_lost",
    meaning="of these, those that never arrived; null where samples were lost and no record says "
    "whether probes were among them",
    pick=lambda case: case.throughput.probes_lost if case.throughput else None,
    summary="Probes lost",
)
