"""Too few rounds for an interval, or for one that a reader can use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

MIN_ROUNDS = 3
"""An interval of two goes beyond both by six times their distance, one of three by 0.8 times."""


def check_case(view: CaseView) -> Iterator[Observation]:
    rounds = view.ok.height
    if 0 < rounds < MIN_ROUNDS:
        several = rounds > 1
        yield Observation(
            "warning",
            f"{count(rounds, 'usable round')}",
            weight=-rounds,
            title="Two rounds give very wide intervals" if several else "",
            cause=OF_TWO if several else "",
        )


OF_TWO = (
    "Processes differ more from each other than samples within one. Two of them hardly show by how "
    "much: the interval goes six times their distance beyond both, and covers 95 % only where "
    "rounds follow a normal law."
)


RULE = Rule(
    id="too-few-rounds",
    title="One round gives no interval",
    cause="Processes differ more from each other than samples within one process, and a single "
    "process does not show by how much: the figures have no known uncertainty.",
    remedy=f"Set `rounds.min` to {MIN_ROUNDS} at the very least, better 5 or more.",
    check_case=check_case,
    concerns=("rounds",),
    early=None,
)
