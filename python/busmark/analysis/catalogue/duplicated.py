"""Samples that arrived again."""

from busmark.analysis.catalogue.entry import Explained, Heading, Number

FIGURE = Number(
    key="duplicated",
    meaning="arrived again; null in a latency case",
    pick=lambda case: case.throughput.duplicated if case.throughput else None,
    tables={"throughput": Heading("Duplicated", minor=True, when="some")},
    details="duplicated",
    summary="Duplicated",
    account=True,
    explained=(
        Explained(
            "Duplicated, out of order", ("duplicated", "out_of_order"),
            "Samples received again; distinct samples received after a later one of the same "
            "writer.",
            "exact for samples less than 65 472 numbers late; a late sample is reordered, never "
            "lost",
            "the reader's sequence ledger",
            "Arrivals later than that window: they are counted as ancient in `events.jsonl` only.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
