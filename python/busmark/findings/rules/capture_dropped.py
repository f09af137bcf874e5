"""Packets that the capture of a round lost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, share, whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    dropped = {n: gone for n, gone in view.values("capture_dropped", only_ok=False).items() if gone}
    if dropped:
        total = sum(dropped.values())
        taken = sum(view.values("captured", only_ok=False)[number] for number in dropped)
        yield Observation(
            "warning",
            f"{whole(total)} packets ({share(total / (total + taken))}) missing in the captures of "
            f"{count(len(dropped), 'round')}",
            weight=total / (total + taken),
        )


RULE = Rule(
    id="capture-dropped",
    title="The capture lost packets",
    cause="Packets came faster than dumpcap took them from the kernel's buffer or wrote them to "
    "the disk, or the interface dropped them. Latencies and losses of the round are measured in "
    "the participants and do not depend on it; what is concluded from the packets does. Which "
    "counter it was on which interface is in `events.jsonl` (`round_ends`, `captures`).",
    remedy="Set `capture.snap_length = 256`, or raise `capture.buffer_bytes`; leave a CPU for "
    "dumpcap; lower the rate.",
    check_case=check_case,
    of_trials=True,
    concerns=("captured",),
)
