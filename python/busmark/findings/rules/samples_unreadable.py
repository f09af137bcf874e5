"""Raw samples that are on record and cannot be read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    _ = view.latencies
    if view.unreadable:
        rounds = len(view.unreadable)
        yield Observation("error", f"{count(rounds, 'round')}: {view.unreadable[0]}", weight=rounds)


RULE = Rule(
    id="samples-unreadable",
    title="Samples of finished rounds cannot be read",
    cause="A file of the result directory is missing or damaged.",
    remedy="Copy the directory again from the machine that measured it, or delete the files of "
    "these rounds and run again with --resume.",
    check_case=check_case,
    of_trials=True,
    early=None,
)
