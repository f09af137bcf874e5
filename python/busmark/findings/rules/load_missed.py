"""A background load that was not what was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.rule import Observation, Rule
from busmark.findings.text import count, share

if TYPE_CHECKING:
    from busmark.findings.view import CaseView

MIN_SHARE = 0.9
"""Share of the requested load: load tools stay within a few per cent if they get the CPU."""


def check_case(view: CaseView) -> Iterator[Observation]:
    """Each load that ran by itself: of two at once one may have been reached."""
    from busmark.store.columns import LOAD_UNITS

    for kind in LOAD_UNITS:
        asked = view.values(f"load_{kind}_asked", only_ok=False)
        achieved = view.values(f"load_{kind}_achieved", only_ok=False)
        shares = {number: achieved[number] / level for number, level in asked.items()
                  if number in achieved and level}  # fmt: skip
        short = [value for value in shares.values() if value < MIN_SHARE]
        if short:
            yield Observation(
                "warning",
                f"{_named(view, kind)}: {share(round(min(short), 3))} of it was there in the "
                f"worst of {count(len(shares), 'round')}, too little in "
                f"{count(len(short), 'round')}",
                weight=1.0 - min(short),
            )


def _named(view: CaseView, kind: str) -> str:
    """The load of this kind, as asked for."""
    texts = str(view.params.load).split("+")
    return next((text.strip() for text in texts if text.strip().lower().startswith(kind)), kind)


RULE = Rule(
    id="load-missed",
    title="The background load was not reached",
    cause="The tool that makes the load did not get the CPU time, the bandwidth or the disk for "
    "it. The case was measured under less load than its name says.",
    remedy="Ask for less load, give it its own CPUs, or lower `criteria.min_load` and read the "
    "load that was achieved.",
    check_case=check_case,
    concerns=("load",),
)
