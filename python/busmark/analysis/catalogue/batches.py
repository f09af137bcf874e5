"""Batches that were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from busmark.analysis.catalogue.entry import STUDENT, Explained, Heading, Number
from busmark.analysis.words.text import count

if TYPE_CHECKING:
    from busmark.analysis.case.batches import Batches
    from busmark.analysis.model import CaseSummary


def batches_of(case: CaseSummary) -> Batches | None:
    """Figure of a stream in batches."""
    return case.throughput.batches if case.throughput else None


def _unacknowledged(case: CaseSummary) -> str:
    own = batches_of(case)
    return f", {count(own.unacknowledged)} not acknowledged" if own and own.unacknowledged else ""


FIGURE = Number(
    key="batches",
    meaning="batches written; null where the stream runs free",
    pick=lambda case: own.count if (own := batches_of(case)) else None,
    besides=_unacknowledged,
    tables={"throughput": Heading("Batches")},
    explained=(
        Explained(
            "Batches", ("batches",),
            "How many were written, how many were not acknowledged, and the time of a batch.",
            "time: from a batch's start to its end at the reader, without time-outs; mean of each "
            "round. " + STUDENT,
            "`batches`; samples, role `batcher`",
            "What the handshake costs: pauses between batches are in no figure.",
            section="Throughput",
        ),
    ),
)  # fmt: skip
