"""Samples of a best-effort stream that its readers never read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import injects_faults, is_reliable, policy
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import share, whole
from busmark.findings.whereabouts import lost_where

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    lost = view.total("lost")
    expected = view.total("expected") or view.total("sent")
    if (
        view.params["test"] == "latency"
        or not lost
        or is_reliable(view.params, view.capabilities)
        or injects_faults(view.capabilities)
        or policy(view.params, "history") != "keep_last"
    ):
        return
    where = lost_where(view)
    if not where:
        return
    part = lost / expected if expected else 1.0
    yield Observation(
        "note",
        f"{whole(lost)} of {whole(expected)} samples were not read ({share(part)}); {where}",
        weight=part,
    )


RULE = Rule(
    id="overwritten",
    title="Readers did not get all that was written",
    cause="Under best effort with keep-last, samples are lost on the way, for instance at a full "
    "socket buffer, or are replaced in the reader's history by newer ones that come faster than "
    "it takes them. Sequence numbers show both as missing.",
    remedy='Where readers shall see every sample: `qos.history = "keep_all"`, a greater depth, a '
    "lower rate, or reliable delivery. Where the latest is enough, nothing.",
    check_case=check_case,
    concerns=("lost",),
)
