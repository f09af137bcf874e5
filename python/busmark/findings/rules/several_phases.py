"""Figures that are over phases of different kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    if view.params.timeline and not view.finished.is_empty():
        yield Observation("note", f"{view.params.timeline}")


RULE = Rule(
    id="several-phases",
    title="Figures span several phases",
    cause="The scenario's `[[timeline]]` changes something in the middle of every round. A "
    "median, a percentile or a rate of the whole round mixes the time before and after the "
    "change.",
    remedy="Read the figures of each phase: `busmark show DIRECTORY#CASE`. In the tables `samples` "
    "and `intervals` of the result the column `phase` tells them apart.",
    check_case=check_case,
)
