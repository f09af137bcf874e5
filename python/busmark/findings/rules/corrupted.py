"""Bodies that are not what was written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from busmark.findings.params import injects_faults
from busmark.findings.rule import Observation, Rule
from busmark.findings.text import whole

if TYPE_CHECKING:
    from busmark.findings.view import CaseView


def check_case(view: CaseView) -> Iterator[Observation]:
    corrupted = view.total("corrupted")
    if corrupted > 0 and not injects_faults(view.capabilities):
        received = whole(view.total("received"))
        looked = "" if view.params.verify else ", of which one in a thousand was looked at"
        yield Observation(
            "error", f"{whole(corrupted)} of {received} samples differ{looked}", weight=corrupted
        )


RULE = Rule(
    id="corrupted",
    title="Samples arrived with wrong content",
    cause="A buffer was reused too early, a conversion is wrong, or a body was not sent.",
    remedy="Run `busmark adapter check NAME`; do not use these figures.",
    check_case=check_case,
    of_trials=True,
    concerns=("corrupted",),
)
