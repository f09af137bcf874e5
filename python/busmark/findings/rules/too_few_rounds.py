"""Too few rounds for an interval that means something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

MIN_ROUNDS = 3
"""With two rounds a t interval is 12.7 standard errors wide to each side, with three 4.3."""


def check_case(view: CaseView) -> Iterator[Observation]:
    rounds = view.ok.height
    if 0 < rounds < MIN_ROUNDS:
        yield Observation("warning", f"{count(rounds, 'usable round')}", weight=-rounds)


RULE = Rule(
    id="too-few-rounds",
    title="Too few rounds for an interval",
    cause="Processes differ more from each other than samples within one, and one or two of them "
    "do not show by how much: the figures have no stated uncertainty.",
    remedy=f"Set `rounds.min` to {MIN_ROUNDS} at the very least, better 5 or more.",
    check_case=check_case,
)
