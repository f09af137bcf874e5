"""Rounds during which the machine, or where participants run, changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    changed = view.values("changed", only_ok=False)
    if changed:
        number, text = next(iter(changed.items()))
        yield Observation(
            "warning",
            f"{len(changed)} of {count(view.finished.height, 'round')}; round {number}: {text}",
            weight=len(changed),
        )


RULE = Rule(
    id="machine-changed",
    title="The machine changed during rounds",
    cause="Affinity, clock source, governor, CPU quota or wall clock were not the same at begin "
    "and end of a round, so that its figures mix two settings. Such rounds are marked and left "
    "out; trials of a search count.",
    remedy="End what changes them (an administrator, a tuning daemon, a time service that steps "
    "the clock), then run again.",
    check_case=check_case,
    of_trials=True,
    explains=("rounds-lost",),
    concerns=("rounds",),
)
