"""Bodies that differ from what was written."""

from busmark.analysis.catalogue.entry import Explained, Number

FIGURE = Number(
    key="corrupted",
    meaning="bodies that differ from what was written",
    pick=lambda case: case.throughput.corrupted if case.throughput else None,
    frames=False,
    details="corrupted",
    summary="Corrupted",
    account=True,
    explained=(
        Explained(
            "Corrupted", ("corrupted",),
            "Bodies that differ from what was written. With `measure.verify` every body is "
            "compared; without it one in a thousand, chosen at random by the run's cookie. Writers "
            "give those samples contents of their own, so that a body that was not sent cannot be "
            "known at the reader; they are compared after the stamps of their sample, a ping's by "
            "a piece of 256 bytes after its pong is sent. Null where bodies are not seen: payloads "
            "`empty` and `type`.",
            "count", "the reader",
            "Errors in headers. Verification costs time per byte; leave it off for figures.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
