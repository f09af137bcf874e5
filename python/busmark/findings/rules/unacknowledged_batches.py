"""Batches whose end was not acknowledged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import injects_faults
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    missing = view.total("batches_unacknowledged")
    total = missing + view.total("batches")
    if not missing or injects_faults(view.capabilities):
        return
    batch = view.params.batch
    size = f" of {whole(batch)} samples" if isinstance(batch, int) else ""
    yield Observation(
        "warning",
        f"{whole(missing)} of {whole(total)} batches{size} ({share(missing / total)})",
        weight=missing / total,
    )


RULE = Rule(
    id="unacknowledged-batches",
    title="The end of a batch was not acknowledged",
    cause="The end of a batch is sent up to five times, and from some reader no acknowledgement "
    "came in time: the end or its acknowledgement was lost each time, or the reader was still busy "
    "with the samples before it. Where the end never came as first sent, the time of the batch is "
    "until the last of its samples that did.",
    remedy="Make batches smaller (`batch`), give the readers larger buffers, or use reliable "
    "delivery. Raise `measure.timeout_s` where nothing is lost and readers are only slow.",
    check_case=check_case,
    concerns=("batch_time",),
)
