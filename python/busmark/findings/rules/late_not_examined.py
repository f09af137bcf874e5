"""Rounds whose late samples are not explained, because the capture is incomplete."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, listed

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    explained = view.late
    if explained is None or not explained.left:
        return
    rounds = [f"round {each.round}: {each.why}" for each in explained.left]
    late = sum(each.late for each in explained.left)
    yield Observation(
        "note",
        f"{count(late, 'late or lost sample')} in {count(len(rounds), 'round')} ({listed(rounds)})",
        weight=late,
    )


RULE = Rule(
    id="late-not-examined",
    title="Late samples were not looked at",
    cause="What a capture lost, or what was not read, may be the packet that explains the delay: "
    "for such a round no cause is named.",
    remedy="Make the capture complete: `capture.snap_length = 256`, a greater "
    "`capture.buffer_bytes`, a CPU for dumpcap. `busmark capture explain` reads more packets than "
    "a campaign does at its end.",
    check_case=check_case,
    early=None,
    concerns=("captured",),
)
