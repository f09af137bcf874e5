"""Samples that came twice or in the wrong order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import injects_faults, is_reliable
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    twice, disordered = view.total("duplicated"), view.total("out_of_order")
    if twice + disordered <= 0 or injects_faults(view.capabilities):
        return
    evidence = (
        f"{whole(twice)} duplicated and {whole(disordered)} out of order of "
        f"{whole(view.total('received'))} received"
    )
    if is_reliable(view.params, view.capabilities):
        yield Observation("error", evidence, weight=twice + disordered)
    else:
        yield Observation(
            "note",
            evidence,
            weight=twice + disordered,
            title="Best-effort samples were duplicated or out of order",
            cause="Without reliability the network's reordering and duplicates reach the reader "
            "unchanged.",
            remedy="Count them as what the application would have to deal with.",
        )


RULE = Rule(
    id="duplicates-or-reorder",
    title="Reliable samples were duplicated or out of order",
    cause="The middleware passed on a repeated transmission, or two paths carried one writer's "
    "samples.",
    remedy="Run `busmark adapter check NAME`; look for two interfaces or transports in use at "
    "once.",
    check_case=check_case,
    of_trials=True,
    concerns=("duplicated", "out_of_order"),
)
