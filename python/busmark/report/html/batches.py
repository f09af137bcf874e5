"""The batches of a case: all together, and the first of them one by one."""

from __future__ import annotations

from busmark.analysis.case.batches import Batch, Batches
from busmark.analysis.model import Throughput
from busmark.analysis.words import text
from busmark.report.html.blocks import Block, Rows, plain, shown

MOST = 100
"""Single batches that the page shows."""


def batch_blocks(batches: Batches, stream: Throughput) -> list[Block]:
    """Two tables."""
    loss = text.percent_text(stream.loss_share.value) if stream.loss_share else text.ABSENT
    rows: Rows = [
        ("samples of a batch", text.count(batches.samples), ""),
        ("batches written", text.count(batches.count), ""),
        ("of these not acknowledged", text.count(batches.unacknowledged), ""),
        ("lost, mean of rounds", loss, ""),
        ("time of a batch, mean of rounds", *shown(batches.time)),
        ("shortest", plain(batches.shortest_ns), ""),
        ("longest", plain(batches.longest_ns), ""),
    ]
    if batches.acknowledged_samples:
        rows.insert(3, ("samples acknowledged", text.count(batches.samples_acknowledged), ""))
    note = (
        "From a batch's start to its end at the reader. A batch is acknowledged when every reader "
        "has told that it ended."
    )
    blocks = [Block("Batches", ("figure", "value", "95 % interval"), rows, note)]
    if batches.single:
        kept = batches.single[:MOST]
        heads = ("round", "writer", "reader", "batch", "expected", "received", "lost", "time",
                 "samples/s", "acknowledged")  # fmt: skip
        told = (
            "All of them."
            if len(kept) == _seen(batches)
            else (f"The first {len(kept)}. All are in the folder `batches` of the result.")
        )
        blocks.append(Block("Each batch", heads, [_row(batch) for batch in kept], told))
    return blocks


def _seen(batches: Batches) -> int:
    """Batches times their readers."""
    return batches.count * len({batch.reader for batch in batches.single})


def _row(batch: Batch) -> tuple[str, ...]:
    lost = text.ABSENT
    if batch.expected:
        lost = text.percent_text((batch.expected - batch.received) / batch.expected)
    said = {True: "yes", False: "no", None: text.ABSENT}[batch.acknowledged]
    numbers = (batch.round, batch.writer, batch.reader, batch.number)
    return (
        *map(str, numbers), text.count(batch.expected), text.count(batch.received),
        lost, plain(batch.duration_ns), text.number(batch.samples_per_s), said,
    )  # fmt: skip
