"""The recorder's memory ended before the measurement did."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

FULL = "recorder_full"
PLENTY = 100_000
"""Samples of a round that support its 99.99th percentile: a shorter time then costs little."""


def check_case(view: CaseView) -> Iterator[Observation]:
    ended = view.values("ended", only_ok=False)
    lengths, asked = view.values("measured_s", only_ok=False), view.params.duration_s
    # A writer far behind its rate fills the recorder long after the time that was asked for: what
    # is amiss there is the rate.
    full = [
        number
        for number, how in ended.items()
        if how == FULL and not (asked and lengths.get(number, 0.0) >= asked)
    ]
    if not full:
        return
    shortest = min((lengths[number] for number in full if number in lengths), default=None)
    evidence = f"{len(full)} of {count(len(ended), 'round')}"
    if shortest is not None:
        evidence += f", after {shortest:.2f} s" + (f" of {asked:g} s" if asked else "")
    recorded = view.values("samples", only_ok=False)
    fewest = min((recorded[number] for number in full if number in recorded), default=0)
    yield Observation("note" if fewest >= PLENTY else "warning", evidence, weight=len(full))


RULE = Rule(
    id="recorder-full",
    title="The measurement ended because the recorder was full",
    cause="More samples came than the recorder can hold, so only the first part of the requested "
    "time was measured.",
    remedy="Shorten `duration_s`, or set `samples` to what is needed.",
    check_case=check_case,
    concerns=("samples",),
)
